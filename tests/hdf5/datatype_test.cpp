#include "hdf5_support.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

namespace {

using namespace hdf5_test;
using tridap::ElementType;
using Kind = ElementType::Kind;

struct Fields {
  std::size_t sign, exponent, exponent_bits, mantissa, mantissa_bits, bias;
};

h5::Datatype floating(std::size_t bytes, const Fields& fields) {
  const h5::Datatype type(H5Tcopy(bytes < 8 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE));
  const auto set_fields = [&] {
    EXPECT_GE(H5Tset_fields(type.id(), fields.sign, fields.exponent, fields.exponent_bits, fields.mantissa,
                            fields.mantissa_bits),
              0);
  };
  if (bytes < 4) set_fields();  // HDF5 demands that the fields are inside at each step
  EXPECT_GE(H5Tset_size(type.id(), bytes), 0);
  if (bytes > 8) {
    EXPECT_GE(H5Tset_precision(type.id(), 8 * bytes), 0);
  }
  if (bytes >= 4) set_fields();
  EXPECT_GE(H5Tset_ebias(type.id(), fields.bias), 0);
  return type;
}

h5::Datatype bfloat16() { return floating(2, {15, 7, 8, 0, 7, 127}); }
h5::Datatype quad() { return floating(16, {127, 112, 15, 0, 112, 16383}); }

// A number of 20 bits behind 7 bits of padding: 6 bits of exponent, 13 of mantissa.
h5::Datatype float20() {
  const h5::Datatype type = floating(4, {26, 20, 6, 7, 13, 31});
  EXPECT_GE(H5Tset_offset(type.id(), 7), 0);  // makes the type longer
  EXPECT_GE(H5Tset_precision(type.id(), 20), 0);
  EXPECT_GE(H5Tset_size(type.id(), 4), 0);
  return type;
}

h5::Datatype integer(hid_t base, std::size_t precision, std::size_t offset) {
  const h5::Datatype type(H5Tcopy(base));
  EXPECT_GE(H5Tset_precision(type.id(), precision), 0);
  EXPECT_GE(H5Tset_offset(type.id(), offset), 0);
  return type;
}

h5::Datatype integer24(bool is_signed) {
  const h5::Datatype type(H5Tcopy(is_signed ? H5T_STD_I32LE : H5T_STD_U32LE));
  EXPECT_GE(H5Tset_size(type.id(), 3), 0);
  return type;
}

h5::Datatype in_other_order(const h5::Datatype& type) {
  const h5::Datatype other(H5Tcopy(type.id()));
  EXPECT_GE(H5Tset_order(other.id(), H5T_ORDER_BE), 0);
  return other;
}

// Numbers as their bytes are in a file, and what they are.
struct Numbers {
  std::string name;
  h5::Datatype type;
  ElementType read;
  std::vector<std::uint8_t> bytes = {};
  std::vector<double> values = {};

  void add(std::uint32_t word, double value) {
    const std::size_t length = H5Tget_size(type.id());
    for (std::size_t k = 0; k < length; ++k) {
      const std::size_t place = H5Tget_order(type.id()) == H5T_ORDER_LE ? k : length - 1 - k;
      bytes.push_back(static_cast<std::uint8_t>(word >> (8 * place)));
    }
    values.push_back(value);
  }
};

Numbers of_bfloat16(const std::string& name, const h5::Datatype& type) {
  Numbers all{name, type, tridap::element_type<float>()};
  for (std::uint32_t word = 0; word < 1U << 16; ++word) {
    const std::uint32_t bits = word << 16;
    float value = 0;
    std::memcpy(&value, &bits, 4);
    all.add(word, static_cast<double>(value));
  }
  return all;
}

// The bits around the number are ones, which are no part of it.
Numbers of_float20() {
  Numbers all{"float20in32", float20(), tridap::element_type<float>()};
  for (std::uint32_t exponent = 0; exponent < 63; ++exponent)
    for (std::uint32_t mantissa = 0; mantissa < 1U << 13; mantissa += 97)
      for (const std::uint32_t sign : {0U, 1U}) {
        const double fraction = mantissa / 8192.0 + (exponent == 0 ? 0.0 : 1.0);
        const double value = std::ldexp(fraction, (exponent == 0 ? 1 : static_cast<int>(exponent)) - 31);
        all.add(0xf800007fU | sign << 26 | exponent << 20 | mantissa << 7, sign == 0 ? value : -value);
      }
  return all;
}

Numbers of_integers(const std::string& name, const h5::Datatype& type, const ElementType& read, Index first, Index last,
                    Index step) {
  Numbers all{name, type, read};
  const std::size_t bits = H5Tget_precision(type.id()), offset = static_cast<std::size_t>(H5Tget_offset(type.id()));
  const std::uint32_t inside = ((1U << bits) - 1) << offset;
  for (Index value = first; value <= last; value += step)
    all.add((static_cast<std::uint32_t>(value) << offset & inside) | ~inside, static_cast<double>(value));
  return all;
}

std::vector<Numbers> foreign_numbers() {
  const ElementType short_type = tridap::element_type<std::int16_t>(), int_type = tridap::element_type<std::int32_t>(),
                    unsigned_type = tridap::element_type<std::uint32_t>();
  const h5::Datatype low = integer(H5T_STD_I16LE, 12, 0), high = integer(H5T_STD_I16LE, 12, 4);
  return {of_bfloat16("bfloat16", bfloat16()),
          of_bfloat16("bfloat16 BE", in_other_order(bfloat16())),
          of_float20(),
          of_integers("int12in16", low, short_type, -2048, 2047, 1),
          of_integers("int12in16at4", high, short_type, -2048, 2047, 1),
          of_integers("int12in16at4 BE", in_other_order(high), short_type, -2048, 2047, 1),
          of_integers("uint17in32at3", integer(H5T_STD_U32LE, 17, 3), unsigned_type, 0, (1 << 17) - 1, 31),
          of_integers("int24", integer24(true), int_type, -(1 << 23), (1 << 23) - 1, 4099),
          of_integers("uint24 BE", in_other_order(integer24(false)), unsigned_type, 0, (1 << 24) - 1, 4099),
          of_integers("int5in8at2", integer(H5T_STD_I8LE, 5, 2), tridap::element_type<std::int8_t>(), -16, 15, 1)};
}

// Rank 0 writes bytes as they are; all processes wait for it.
template <class Write>
void with_file(const std::string& path, Write&& write) {
  if (rank() == 0) {
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    write(file);
    EXPECT_GE(H5Fclose(file), 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void write_bytes(hid_t file, const std::string& name, const h5::Datatype& type, const void* bytes, hsize_t count) {
  const hid_t space = H5Screate_simple(1, &count, nullptr);
  const hid_t dataset = H5Dcreate2(file, name.c_str(), type.id(), space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_GE(H5Dwrite(dataset, type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes), 0);
  H5Dclose(dataset);
  H5Sclose(space);
}

void write_bytes_as_attribute(hid_t file, const std::string& name, const h5::Datatype& type, const void* bytes) {
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate2(file, name.c_str(), type.id(), space, H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_GE(H5Awrite(attribute, type.id(), bytes), 0);
  H5Aclose(attribute);
  H5Sclose(space);
}

template <class T>
double number_in(const void* address) {
  T value{};
  std::memcpy(&value, address, sizeof value);
  return static_cast<double>(value);
}

double number_at(const ElementType& type, const void* address) {
  if (type == tridap::element_type<float>()) return number_in<float>(address);
  if (type == tridap::element_type<std::int8_t>()) return number_in<std::int8_t>(address);
  if (type == tridap::element_type<std::int16_t>()) return number_in<std::int16_t>(address);
  if (type == tridap::element_type<std::int32_t>()) return number_in<std::int32_t>(address);
  if (type == tridap::element_type<std::uint32_t>()) return number_in<std::uint32_t>(address);
  ADD_FAILURE() << type.text();
  return 0;
}

TEST(Datatype, NumbersOfOtherFormatsAreReadAsWhatTheyAre) {
  const TemporaryFile file;
  const std::vector<Numbers> all = foreign_numbers();
  with_file(file.path(), [&](hid_t id) {
    for (const Numbers& numbers : all)
      write_bytes(id, numbers.name, numbers.type, numbers.bytes.data(), numbers.values.size());
  });
  for (const Numbers& numbers : all) {
    const auto size = static_cast<Index>(numbers.values.size());
    const auto to = Distribution::make({size}, {tridap::cyclic(3)}, {processes()});
    const DistArray array = h5::load(file.path(), numbers.name, MPI_COMM_WORLD, to);
    ASSERT_EQ(array.buffer.type, numbers.read) << numbers.name;
    to.axis(0).for_each(rank(), Part::local, [&](Index local, Index global) {
      const double found = number_at(array.buffer.type, oracle::address(array.buffer, {local}));
      const double wanted = numbers.values[static_cast<std::size_t>(global)];
      ASSERT_TRUE(found == wanted || (std::isnan(found) && std::isnan(wanted)))
          << numbers.name << " " << global << ": " << found << ", must be " << wanted;
    });
  }
}

// Whether a number is one of binary16: at most 11 bits from 2^-24 on, at most 65504.
bool fits_half(long double value) {
  int exponent = 0;
  const long double bits = std::frexp(value, &exponent) * 2048, units = std::ldexp(value, 24);
  return bits == std::floor(bits) && units == std::floor(units) && value <= 65504;
}

template <class T>
bool fits(long double value) {
  return value <= std::numeric_limits<T>::max() && static_cast<long double>(static_cast<T>(value)) == value;
}

// A format without gaps is held if its smallest and its largest number and that after 1 are.
TEST(Datatype, TheShortestFloatThatHoldsEveryValue) {
  if (sizeof(long double) == sizeof(double)) GTEST_SKIP() << "needs a long double that is longer than a double";
  const Index longest = sizeof(long double);
  for (std::size_t exponent_bits = 3; exponent_bits <= 15; ++exponent_bits)
    for (std::size_t mantissa_bits = 1; mantissa_bits <= 63; ++mantissa_bits)
      for (const std::size_t moved : std::vector<std::size_t>{0, 1, 40}) {
        const std::size_t bias = (std::size_t{1} << (exponent_bits - 1)) - 1 + moved;
        const int largest = (1 << exponent_bits) - 2 - static_cast<int>(bias);
        const long double after_one = 1 + std::ldexp(1.0L, -static_cast<int>(mantissa_bits));
        const long double numbers[] = {std::ldexp(1.0L, 1 - static_cast<int>(bias) - static_cast<int>(mantissa_bits)),
                                       after_one,
                                       std::ldexp(2 - std::ldexp(1.0L, -static_cast<int>(mantissa_bits)), largest)};
        const auto all = [&](auto fit) { return std::all_of(std::begin(numbers), std::end(numbers), fit); };
        if (!all([](long double value) { return std::isfinite(value) && value > 0; })) continue;
        const Index bytes = all(fits_half) ? 2 : all(fits<float>) ? 4 : all(fits<double>) ? 8 : longest;
        const h5::Datatype type = floating(16, {127, 100, exponent_bits, 0, mantissa_bits, bias});
        EXPECT_EQ(h5::element_type(type), (ElementType{Kind::floating, bytes, true}))
            << exponent_bits << " " << mantissa_bits << " " << bias;
      }
}

TEST(Datatype, TheShortestIntegerThatHoldsEveryValue) {
  for (std::size_t bits = 1; bits < 64; ++bits) {
    const Index bytes = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
    const h5::Datatype with_sign = integer(H5T_STD_I64BE, bits, 64 - bits), without = integer(H5T_STD_U64LE, bits, 0);
    EXPECT_EQ(h5::element_type(with_sign), (ElementType{Kind::signed_integer, bytes, true})) << bits;
    EXPECT_EQ(h5::element_type(without), (ElementType{Kind::unsigned_integer, bytes, true})) << bits;
  }
}

TEST(Datatype, TheMachinesOwnTypesAreNotConverted) {
  for (const char* const name : {"bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64", ">f2",
                                 ">f8", "<f4", ">i4", "complex64", ">c16", "complex128", "V5"}) {
    const ElementType type = *tridap::element_type(std::string(name));
    const h5::Datatype stored = h5::datatype(type);
    EXPECT_EQ(h5::memory_type(stored).id(), stored.id()) << name;
    EXPECT_EQ(h5::element_type(stored), type) << name;
  }
  const ElementType longest = tridap::element_type<long double>();
  EXPECT_EQ(h5::element_type(h5::datatype(longest)), longest);
}

// Four numbers of bfloat16: 1, -2.5, 3.140625 and -7.
const std::vector<std::uint16_t> brain_bits{0x3f80, 0xc020, 0x4049, 0xc0e0};
const std::vector<float> brain_values{1, -2.5F, 3.140625F, -7};

TEST(Datatype, Bfloat16IsStoredInItsOwnFormatAndLoadedAsItIsIfAsked) {
  const TemporaryFile file;
  const Distribution line = Distribution::make({4}, {tridap::cyclic(1)}, {processes()});
  DistArray array;
  array.dim_data = line.dim_data(rank());
  array.buffer = tridap::allocate({ElementType::Kind::bfloat, 2}, tridap::IndexList(line.local_shape(rank())));
  const auto bits_at = [](const tridap::Buffer& buffer, Index i) -> std::uint16_t& {
    return static_cast<std::uint16_t*>(buffer.data)[i];
  };
  const auto global = [&](Index i) { return static_cast<std::size_t>(line.global_index(rank(), {i})[0]); };
  for (Index i = 0; i < array.buffer.shape[0]; ++i) bits_at(array.buffer, i) = brain_bits[global(i)];
  h5::save(file.path(), {{"x", array}}, MPI_COMM_WORLD);
  const std::vector<float> stored = read_serially<float>(file.path(), "x", H5T_NATIVE_FLOAT);  // by the first process
  EXPECT_EQ(stored, rank() == 0 ? brain_values : std::vector<float>());
  EXPECT_TRUE(h5::is_bfloat16(h5::find(file.path(), "x", MPI_COMM_WORLD).type));
  h5::LoadOptions options;
  options.bfloat16 = true;
  const DistArray same = h5::load(file.path(), "x", MPI_COMM_WORLD, line, options);
  EXPECT_EQ(same.buffer.type.name(), "bfloat16");
  const DistArray wide = h5::load(file.path(), "x", MPI_COMM_WORLD, line);
  EXPECT_EQ(wide.buffer.type.name(), "float32");
  for (Index i = 0; i < array.buffer.shape[0]; ++i) {
    EXPECT_EQ(bits_at(same.buffer, i), brain_bits[global(i)]);
    EXPECT_EQ(static_cast<float*>(wide.buffer.data)[i], brain_values[global(i)]);
  }
}

TEST(Datatype, Bfloat16InTheOtherByteOrderIsLoadedInThisOne) {
  const TemporaryFile file;
  const std::uint16_t swapped[] = {0x803f, 0x20c0};
  with_file(file.path(), [&](hid_t id) { write_bytes(id, "x", in_other_order(bfloat16()), swapped, 2); });
  const h5::Stored stored = h5::find(file.path(), "x", MPI_COMM_WORLD);
  EXPECT_TRUE(h5::is_bfloat16(stored.type));
  EXPECT_FALSE(h5::is_bfloat16(h5::datatype({ElementType::Kind::floating, 2})));
  h5::LoadOptions options;
  options.bfloat16 = true;
  const Distribution line = Distribution::make({2}, {tridap::block()}, {processes()});
  const DistArray array = h5::load(file.path(), "x", MPI_COMM_WORLD, line, options);
  for (Index i = 0; i < array.buffer.shape[0]; ++i)
    EXPECT_EQ(static_cast<std::uint16_t*>(array.buffer.data)[i],
              brain_bits[static_cast<std::size_t>(line.global_index(rank(), {i})[0])]);
}

// A mantissa whose first bit is stored and always set: HDF5 ends the process that converts it.
h5::Datatype with_first_bit() {
  const h5::Datatype type = bfloat16();
  EXPECT_GE(H5Tset_norm(type.id(), H5T_NORM_MSBSET), 0);
  return type;
}

h5::Datatype integer72() {
  const h5::Datatype type(H5Tcopy(H5T_STD_I64LE));
  EXPECT_GE(H5Tset_size(type.id(), 16), 0);
  EXPECT_GE(H5Tset_precision(type.id(), 72), 0);
  return type;
}

h5::Datatype record(const std::vector<std::pair<std::string, h5::Datatype>>& fields) {
  std::size_t bytes = 0;
  for (const auto& field : fields) bytes += H5Tget_size(field.second.id());
  const h5::Datatype type(H5Tcreate(H5T_COMPOUND, bytes));
  std::size_t at = 0;
  for (const auto& [name, member] : fields) {
    EXPECT_GE(H5Tinsert(type.id(), name.c_str(), at, member.id()), 0);
    at += H5Tget_size(member.id());
  }
  return type;
}

h5::Datatype list_of(const h5::Datatype& base, hsize_t count) {
  return h5::Datatype(H5Tarray_create2(base.id(), 1, &count));
}

TEST(Datatype, NumbersThatNoTypeHoldsAreRefusedByName) {
  const TemporaryFile file;
  const h5::Datatype one(H5Tcopy(H5T_NATIVE_INT8));
  const std::vector<std::pair<std::string, h5::Datatype>> all{{"quad", quad()},
                                                              {"first bit", with_first_bit()},
                                                              {"int72", integer72()},
                                                              {"list", list_of(quad(), 2)},
                                                              {"complex", record({{"r", quad()}, {"i", quad()}})},
                                                              {"record", record({{"n", one}, {"q", quad()}})}};
  const std::vector<std::uint8_t> bytes(64, 0);
  with_file(file.path(), [&](hid_t id) {
    for (const auto& [name, type] : all) write_bytes(id, name, type, bytes.data(), 1);
  });
  for (const auto& each : all) {
    const std::string text = thrown([&] { h5::load(file.path(), each.first, MPI_COMM_WORLD); });
    on::expect_says(text, "no type of this machine holds");
    on::expect_says(text, "'" + each.first + "'");
    EXPECT_EQ(text.find("H5Dread") == std::string::npos, each.first == "first bit")
        << text;  // which would end the process
    EXPECT_TRUE(same_everywhere(text)) << text;
  }
  const std::string text = thrown([&] { h5::load(file.path(), "record", MPI_COMM_WORLD); });
  on::expect_says(text,
                  "the field 'q' of the elements of 'record', floating-point numbers of 16 bytes with 15 bits of "
                  "exponent and 112 of mantissa");
}

TEST(Datatype, RecordsListsAndComplexNumbersOfOtherFormats) {
  const TemporaryFile file;
  const std::uint8_t two_and_minus_three[] = {0x00, 0x40, 0x40, 0xc0};  // of bfloat16
  const h5::Datatype byte(H5Tcopy(H5T_NATIVE_UINT8));
  const std::uint8_t nine_and_both[] = {9, 0x00, 0x40, 0x40, 0xc0};
  const h5::Datatype both = list_of(bfloat16(), 2);
  const h5::Datatype half = h5::datatype({Kind::floating, 2, true}), halves = record({{"r", half}, {"i", half}});
  const std::uint8_t one_and_minus_two[] = {0x00, 0x3c, 0x00, 0xc0};  // of binary16
  with_file(file.path(), [&](hid_t id) {
    write_bytes(id, "complex", record({{"r", bfloat16()}, {"i", bfloat16()}}), two_and_minus_three, 1);
    write_bytes(id, "list", both, two_and_minus_three, 1);
    write_bytes(id, "record", record({{"n", byte}, {"x", both}}), nine_and_both, 1);
    write_bytes(id, "halves", halves, one_and_minus_two, 1);
  });
  const auto load = [&](const std::string& name) {
    return h5::load(file.path(), name, MPI_COMM_WORLD).buffer;  // on one process
  };
  const float wanted[] = {2, -3};
  tridap::Buffer found = load("complex");
  EXPECT_EQ(found.type, tridap::element_type<std::complex<float>>());
  const bool here = found.shape[0] == 1;
  EXPECT_TRUE(!here || std::memcmp(found.data, wanted, 8) == 0);
  found = load("list");
  EXPECT_EQ(found.type, (ElementType{Kind::opaque, 8, true}));
  EXPECT_TRUE(!here || std::memcmp(found.data, wanted, 8) == 0);
  found = load("record");
  EXPECT_EQ(found.type, (ElementType{Kind::opaque, 9, true}));
  EXPECT_TRUE(!here || (*static_cast<const std::uint8_t*>(found.data) == 9 &&
                        std::memcmp(static_cast<const std::uint8_t*>(found.data) + 1, wanted, 8) == 0));
  found = load("halves");
  EXPECT_EQ(found.type, tridap::element_type<std::complex<float>>());
  const float other[] = {1, -2};
  EXPECT_TRUE(!here || std::memcmp(found.data, other, 8) == 0);
}

TEST(Datatype, AttributesOfOtherFormats) {
  const TemporaryFile file;
  const std::uint8_t minus_three[] = {0x40, 0xc0};
  const std::uint8_t bytes[16] = {};
  with_file(file.path(), [&](hid_t id) {
    write_bytes_as_attribute(id, "b", bfloat16(), minus_three);
    write_bytes(id, "x", bfloat16(), minus_three, 1);
    const hid_t dataset = H5Dopen2(id, "x", H5P_DEFAULT);
    write_bytes_as_attribute(dataset, "q", quad(), bytes);
    H5Dclose(dataset);
  });
  const auto found = h5::read_attributes(file.path());
  ASSERT_EQ(found.size(), 1u);
  const auto& number = std::get<tridap::Buffer>(found[0].value);
  ASSERT_EQ(number.type, tridap::element_type<float>());
  EXPECT_EQ(*static_cast<const float*>(number.data), -3.0F);
  const std::string text = thrown([&] { h5::read_attributes(file.path(), "x"); });
  on::expect_says(text, "every value of the attribute 'q'");
}

TEST(Datatype, VaryingLengthIsRefusedAtAnyDepth) {
  const TemporaryFile file;
  const h5::Datatype text(H5Tcopy(H5T_C_S1)), reference(H5Tcopy(H5T_STD_REF_OBJ));
  H5Tset_size(text.id(), H5T_VARIABLE);
  const h5::Datatype byte(H5Tcopy(H5T_NATIVE_UINT8));
  const std::vector<std::pair<std::string, h5::Datatype>> all{
      {"text", record({{"n", byte}, {"t", text}})},
      {"list", record({{"n", byte}, {"l", h5::Datatype(H5Tvlen_create(H5T_NATIVE_DOUBLE))}})},
      {"reference", record({{"n", byte}, {"r", list_of(reference, 2)}})}};
  with_file(file.path(), [&](hid_t id) {
    const hsize_t count = 1;
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    for (const auto& [name, type] : all)
      H5Dclose(H5Dcreate2(id, name.c_str(), type.id(), space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
  });
  for (const auto& each : all) {
    const std::string said = thrown([&] { h5::load(file.path(), each.first, MPI_COMM_WORLD); });
    on::expect_says(said, "the elements of '" + each.first + "' are, or hold, texts or lists of varying length");
  }
}

}  // namespace
