#include "support/oracle.hpp"
#include <tridap/buffer.hpp>
#include <tridap/report.hpp>
#include <tridap/unpack.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <set>

namespace {

using oracle::List;
using tridap::Buffer;
using tridap::ElementType;
using tridap::Index;
using tridap::Memory;
using Kind = ElementType::Kind;

constexpr Index big = Index{1} << 62;

/// A buffer over memory whose bytes all differ from their neighbours.
struct Sandbox {
  std::vector<unsigned char> bytes = std::vector<unsigned char>(4096);
  Sandbox() {
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 7 + i / 256);
  }
  Buffer buffer(Index element_bytes, const List& shape, const List& strides) {
    Buffer buffer;
    buffer.data = bytes.data() + bytes.size() / 2;
    buffer.type = {Kind::opaque, element_bytes, true};
    buffer.shape = shape;
    buffer.strides = strides;
    return buffer;
  }
};

void expect_packs(const Buffer& buffer) {
  std::vector<std::byte> expected;
  for (const std::byte* at : oracle::addresses(buffer))
    for (Index i = 0; i < buffer.type.bytes; ++i) expected.push_back(at[i]);
  std::vector<std::byte> out(expected.size() + 1, std::byte{0xee});
  ASSERT_EQ(tridap::pack(buffer, out.data()), static_cast<Index>(expected.size()));
  ASSERT_EQ(out.back(), std::byte{0xee});
  out.pop_back();
  ASSERT_EQ(out, expected) << ::testing::PrintToString(buffer.shape) << ::testing::PrintToString(buffer.strides);
}

/// For a buffer whose elements do not overlap.
void expect_unpacks(Sandbox sandbox, Buffer buffer, const Sandbox& of) {
  const auto* const begin = reinterpret_cast<const std::byte*>(of.bytes.data());
  auto* const copy = reinterpret_cast<std::byte*>(sandbox.bytes.data());
  buffer.data = copy + (static_cast<const std::byte*>(buffer.data) - begin);
  std::vector<unsigned char> expected = sandbox.bytes;
  std::vector<unsigned char> in;
  for (const std::byte* at : oracle::addresses(buffer))
    for (Index i = 0; i < buffer.type.bytes; ++i) {
      in.push_back(static_cast<unsigned char>(in.size() * 11 + 5));
      expected[static_cast<std::size_t>(at - copy + i)] = in.back();
    }
  ASSERT_EQ(tridap::unpack(in.data(), buffer), static_cast<Index>(in.size()));
  ASSERT_EQ(sandbox.bytes, expected);
}

void expect_row_major(const Buffer& buffer) {
  const auto all = oracle::addresses(buffer);
  bool in_a_row = true;
  for (std::size_t i = 1; i < all.size(); ++i) in_a_row &= all[i] - all[i - 1] == buffer.type.bytes;
  ASSERT_EQ(tridap::is_row_major(buffer), in_a_row)
      << ::testing::PrintToString(buffer.shape) << ::testing::PrintToString(buffer.strides);
}

TEST(ElementType, HasNumPysNames) {
  EXPECT_EQ(tridap::element_type<bool>().name(), "bool");
  EXPECT_EQ(tridap::element_type<std::int8_t>().name(), "int8");
  EXPECT_EQ(tridap::element_type<const std::uint16_t>().name(), "uint16");
  EXPECT_EQ(tridap::element_type<std::int32_t>().name(), "int32");
  EXPECT_EQ(tridap::element_type<long long>().name(), "int64");
  EXPECT_EQ(tridap::element_type<unsigned long>().name(), "uint64");
  EXPECT_EQ(tridap::element_type<float>().name(), "float32");
  EXPECT_EQ(tridap::element_type<double>().name(), "float64");
  EXPECT_EQ(tridap::element_type<std::complex<float>>().name(), "complex64");
  EXPECT_EQ(tridap::element_type<std::complex<double>>().name(), "complex128");
  EXPECT_EQ(tridap::element_type<List>().kind, Kind::opaque);
  const std::uint16_t probe = 1;
  const std::string swapped = *reinterpret_cast<const unsigned char*>(&probe) == 1 ? ">" : "<";
  EXPECT_EQ((ElementType{Kind::floating, 8, false}).name(), swapped + "f8");
  EXPECT_EQ((ElementType{Kind::unsigned_integer, 2, false}).name(), swapped + "u2");
  EXPECT_EQ((ElementType{Kind::complex, 16, false}).name(), swapped + "c16");
}

// element_type() of what is_element_type_v does not hold for is an error of the compiler: refused_element_type.cpp.
#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 WideUnsigned;
static_assert(!tridap::is_element_type_v<Wide> && !tridap::is_element_type_v<const WideUnsigned> &&
              !tridap::is_element_type_v<std::complex<Wide>>);
#endif
#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 Quad;
static_assert(!tridap::is_element_type_v<Quad> && !tridap::is_element_type_v<std::complex<Quad>>);
#endif

/// bfloat16, as a library has it.
struct Brain {
  std::uint16_t bits;
};
/// A half, as Kokkos has it: its library says that it is one, and numeric_limits does not know it.
struct Half {
  std::uint16_t bits;
};
enum class Colour : char { red };

template <class... T>
constexpr bool all_are_types = (tridap::is_element_type_v<T> && ...);
template <class... T>
constexpr bool none_is_a_type = (!tridap::is_element_type_v<T> && ...);

}  // namespace

template <>
struct tridap::is_floating<Brain> : std::true_type {};
template <>
struct tridap::is_floating<Half> : std::true_type {};
template <>
class std::numeric_limits<Brain> {
 public:
  static constexpr bool is_specialized = true;
  static constexpr int digits = 8;
};

namespace {

static_assert(none_is_a_type<std::complex<Brain>, std::complex<int>, void>);
static_assert(all_are_types<bool, char, wchar_t, long long, const float, double, long double, std::complex<float>,
                            std::complex<long double>, Half, Brain, const Brain, Colour, List, Colour*, double[3]>);

TEST(ElementType, OfANumberThatOnlyItsTraitDescribesIsFloating) {
  EXPECT_EQ(tridap::element_type<Half>().name(), "float16");
}

TEST(ElementType, OfBfloat16HasAKindOfItsOwn) {
  const ElementType type = tridap::element_type<const Brain>();
  EXPECT_EQ(type, (ElementType{Kind::bfloat, 2, true}));
  EXPECT_EQ(type.name(), "bfloat16");
  EXPECT_NE(type, tridap::element_type<Half>());
  for (const bool native : {true, false}) {
    const ElementType one{Kind::bfloat, 2, native};
    EXPECT_EQ(tridap::element_type(one.name()), one);
  }
  EXPECT_EQ((ElementType{Kind::bfloat, 2, false}.name().substr(1)), "bfloat16");
  EXPECT_EQ(tridap::element_type("|bfloat16"), std::nullopt);
  EXPECT_EQ(tridap::element_type("bfloat32"), std::nullopt);
}

TEST(ElementType, IsEqualWhereKindLengthAndByteOrderAre) {
  const ElementType type = tridap::element_type<int>();
  EXPECT_EQ(type, (ElementType{Kind::signed_integer, 4, true}));
  EXPECT_NE(type, (ElementType{Kind::unsigned_integer, 4, true}));
  EXPECT_NE(type, (ElementType{Kind::signed_integer, 8, true}));
  EXPECT_NE(type, (ElementType{Kind::signed_integer, 4, false}));
}

TEST(ElementType, OpaqueOnesAreComparedByTheirDescriptionToo) {
  const ElementType seconds{Kind::opaque, 8, true, "datetime64[s]"}, days{Kind::opaque, 8, true, "datetime64[D]"};
  const ElementType plain{Kind::opaque, 8, true};
  EXPECT_EQ(seconds, (ElementType{Kind::opaque, 8, true, "datetime64[s]"}));
  EXPECT_NE(seconds, days);
  EXPECT_NE(seconds, plain);
  EXPECT_TRUE(seconds.is_like(days) && seconds.is_like(plain));
  EXPECT_FALSE(seconds.is_like(tridap::element_type<double>()));
  EXPECT_EQ(seconds.text(), "void64 (datetime64[s])");
  EXPECT_EQ(plain.text(), "void64");
  EXPECT_EQ(plain.description_number(), 0);
  std::set<tridap::Index> numbers;  // of 31 bits: of so few, no two alike
  for (int i = 0; i < 1000; ++i) {
    const tridap::Index number = ElementType{Kind::opaque, 8, true, "field " + std::to_string(i)}.description_number();
    EXPECT_GT(number, 0);
    EXPECT_LT(number, tridap::Index{1} << 31);
    numbers.insert(number);
  }
  EXPECT_EQ(numbers.size(), 1000U);
}

TEST(ElementType, IsFoundByEachOfItsNames) {
  const std::map<std::string, std::pair<Kind, tridap::Index>> names = {{"bool", {Kind::boolean, 1}},
                                                                       {"b1", {Kind::boolean, 1}},
                                                                       {"|b1", {Kind::boolean, 1}},
                                                                       {"int8", {Kind::signed_integer, 1}},
                                                                       {"|i1", {Kind::signed_integer, 1}},
                                                                       {"int64", {Kind::signed_integer, 8}},
                                                                       {"<i4", {Kind::signed_integer, 4}},
                                                                       {"=i2", {Kind::signed_integer, 2}},
                                                                       {"uint16", {Kind::unsigned_integer, 2}},
                                                                       {"|u1", {Kind::unsigned_integer, 1}},
                                                                       {">u1", {Kind::unsigned_integer, 1}},
                                                                       {"float16", {Kind::floating, 2}},
                                                                       {"f8", {Kind::floating, 8}},
                                                                       {"<f4", {Kind::floating, 4}},
                                                                       {"float128", {Kind::floating, 16}},
                                                                       {"complex64", {Kind::complex, 8}},
                                                                       {"<c16", {Kind::complex, 16}},
                                                                       {"complex256", {Kind::complex, 32}},
                                                                       {"V16", {Kind::opaque, 16}},
                                                                       {"|V3", {Kind::opaque, 3}},
                                                                       {"void24", {Kind::opaque, 3}},
                                                                       {">V3", {Kind::opaque, 3}}};
  for (const auto& [name, kind] : names)
    EXPECT_EQ(tridap::element_type(name), (tridap::ElementType{kind.first, kind.second, true})) << name;
  for (const char* swapped : {">i2", ">f8", ">c16", ">u4"}) {
    ASSERT_TRUE(tridap::element_type(swapped)) << swapped;
    EXPECT_FALSE(tridap::element_type(swapped)->native_order) << swapped;
    EXPECT_EQ(tridap::element_type(swapped)->name(), swapped);
  }
}

TEST(ElementType, NameOfNothingIsNone) {
  for (const char* name : {"",
                           "float",
                           "int",
                           "int7",
                           "int0",
                           "int128",
                           "uint-8",
                           "float63",
                           "float8",
                           "complex32",
                           "complex",
                           "i3",
                           "<i16",
                           "f1",
                           "c4",
                           "b2",
                           "V0",
                           "V",
                           "V-1",
                           "void0",
                           "void12",
                           "|f8",
                           "|i4",
                           "|",
                           "<",
                           "<<i4",
                           "i",
                           "4",
                           "Float64",
                           "FLOAT64",
                           " float64",
                           "float64 ",
                           "float+64",
                           "float 64",
                           "float64x",
                           "O",
                           "|O",
                           "S3",
                           "U3",
                           "M8",
                           "datetime64",
                           "object",
                           "int99999999999999999999",
                           "V9999999999"})
    EXPECT_FALSE(tridap::element_type(name)) << name;
  EXPECT_FALSE(tridap::element_type(std::string("int8\0", 5)));
}

TEST(Memory, HasAName) {
  EXPECT_EQ(Memory{}.name(), "host");
  EXPECT_EQ((Memory{Memory::Kind::cuda, 1}).name(), "cuda:1");
  EXPECT_EQ((Memory{Memory::Kind::cuda_managed, 0}).name(), "cuda_managed:0");
  EXPECT_EQ((Memory{Memory::Kind::hip, 2}).name(), "hip:2");
  EXPECT_EQ((Memory{Memory::Kind::sycl, 3}).name(), "sycl:3");
  EXPECT_EQ((Memory{Memory::Kind::hip_managed, 2}).name(), "hip_managed:2");
  EXPECT_EQ((Memory{Memory::Kind::sycl_shared, 2}).name(), "sycl_shared:2");
  EXPECT_EQ((Memory{Memory::Kind::nowhere, 2}).name(), "nowhere");
  for (const Memory::Kind kind : {Memory::Kind::cuda_host, Memory::Kind::hip_host, Memory::Kind::sycl_host})
    EXPECT_TRUE((Memory{kind, 0}).is_on_host() && (Memory{kind, 1}).name() == (Memory{kind, 0}).name());
  for (const Memory::Kind kind : {Memory::Kind::cuda, Memory::Kind::cuda_managed, Memory::Kind::sycl_shared})
    EXPECT_FALSE((Memory{kind, 0}).is_on_host());
}

TEST(Buffer, StridesAreThoseOfARowAfterRow) {
  EXPECT_EQ(tridap::row_major_strides({2, 3, 4}, 8), (List{96, 32, 8}));
  EXPECT_EQ(tridap::column_major_strides({2, 3, 4}, 8), (List{8, 16, 48}));
  EXPECT_EQ(tridap::row_major_strides({}, 8), List{});
  EXPECT_EQ(tridap::column_major_strides({5}, 2), List{2});
}

TEST(Buffer, StridesOfAnEmptyShapeDoNotWrap) {
  for (const List& shape : {List{0, big, big}, List{big, 0, big}, List{big, big, 0}}) {
    for (Index stride : tridap::row_major_strides(shape, 8)) EXPECT_GE(stride, 0);
    for (Index stride : tridap::column_major_strides(shape, 8)) EXPECT_GE(stride, 0);
    EXPECT_EQ(tridap::element_count(tridap::allocate(tridap::element_type<double>(), shape)), 0);
  }
}

TEST(Buffer, DescribesMemoryAndSaysWhetherItMayBeWritten) {
  double values[6] = {0, 1, 2, 3, 4, 5};
  const Buffer buffer = tridap::row_major(values, {2, 3});
  EXPECT_EQ(buffer.data, values);
  EXPECT_EQ(buffer.type, tridap::element_type<double>());
  EXPECT_EQ(buffer.shape, (List{2, 3}));
  EXPECT_EQ(buffer.strides, (List{24, 8}));
  EXPECT_EQ(buffer.ndim(), 2);
  EXPECT_EQ(tridap::element_count(buffer), 6);
  EXPECT_FALSE(buffer.read_only);
  EXPECT_TRUE(tridap::row_major(static_cast<const double*>(values), {6}).read_only);
  EXPECT_EQ(tridap::row_major(static_cast<const double*>(values), {6}).type, tridap::element_type<double>());
  EXPECT_EQ(tridap::element_count(tridap::row_major(values, {})), 1);
}

TEST(Buffer, OwnerKeepsTheMemoryAlive) {
  auto values = std::make_shared<std::vector<int>>(4, 7);
  std::weak_ptr<std::vector<int>> alive = values;
  Buffer part;
  {
    const Buffer whole = tridap::row_major(values->data(), {4}, values);
    values.reset();
    part = tridap::sub_buffer(whole, {{1, 3}});
  }
  EXPECT_FALSE(alive.expired());
  EXPECT_EQ(static_cast<int*>(part.data)[1], 7);
  part = Buffer{};
  EXPECT_TRUE(alive.expired());
}

TEST(Buffer, AllocatedIsZeroedRowMajorAndKeepsItselfAlive) {
  Buffer copy;
  {
    const Buffer buffer = tridap::allocate(tridap::element_type<double>(), {3, 2});
    EXPECT_EQ(buffer.strides, (List{16, 8}));
    EXPECT_FALSE(buffer.read_only);
    copy = buffer;
  }
  for (int i = 0; i < 6; ++i) EXPECT_EQ(static_cast<double*>(copy.data)[i]++, 0);
  EXPECT_EQ(tridap::element_count(tridap::allocate(copy.type, {0})), 0);
  EXPECT_EQ(tridap::element_count(tridap::allocate(copy.type, {})), 1);
}

TEST(Buffer, AllocateRefusesWhatAreNoExtents) {
  const ElementType type = tridap::element_type<double>();
  for (const List& shape : {List{-1}, List{-1, -1}, List{0, -1}, List{big}, List{big, 4},
                            List{std::numeric_limits<Index>::min()}, List{std::numeric_limits<Index>::max(), 2}})
    EXPECT_THROW(tridap::allocate(type, shape), tridap::Error) << ::testing::PrintToString(shape);
}

TEST(Buffer, SubBufferHasTheAddressesOfItsElements) {
  Sandbox sandbox;
  for (const List& strides : {List{48, 16, 4}, List{4, 8, 24}, List{-48, 16, -4}, List{0, 4, 0}, List{3, -1, 7}}) {
    const Buffer whole = sandbox.buffer(4, {2, 3, 4}, strides);
    oracle::for_each_index({3, 4, 5, 3, 4, 5}, [&](const List& v) {
      if (v[0] > v[3] || v[1] > v[4] || v[2] > v[5]) return;
      const Buffer part = tridap::sub_buffer(whole, {{v[0], v[3]}, {v[1], v[4]}, {v[2], v[5]}});
      ASSERT_EQ(part.shape, (List{v[3] - v[0], v[4] - v[1], v[5] - v[2]}));
      ASSERT_EQ(part.type, whole.type);
      oracle::for_each_index(part.shape, [&](const List& at) {
        ASSERT_EQ(oracle::address(part, at), oracle::address(whole, {v[0] + at[0], v[1] + at[1], v[2] + at[2]}));
      });
    });
  }
  const Buffer point = sandbox.buffer(4, {}, {});
  EXPECT_EQ(tridap::sub_buffer(point, {}).data, point.data);
}

TEST(Buffer, PackCopiesRowByRowWhateverTheMemoryOrder) {
  Sandbox sandbox;
  oracle::for_each_memory_order(3, [&](const auto& axes, const auto& backwards) {
    for (Index bytes : {1, 3, 8, 16}) {
      const ElementType type{Kind::opaque, bytes, true};
      const Buffer whole = oracle::dense_buffer(sandbox.bytes.data(), type, {3, 4, 5}, axes, backwards);
      ASSERT_NO_FATAL_FAILURE(expect_packs(whole));
      ASSERT_NO_FATAL_FAILURE(expect_packs(tridap::sub_buffer(whole, {{1, 3}, {0, 3}, {2, 5}})));
      ASSERT_NO_FATAL_FAILURE(expect_packs(tridap::sub_buffer(whole, {{1, 2}, {0, 4}, {0, 5}})));
      ASSERT_NO_FATAL_FAILURE(expect_packs(tridap::sub_buffer(whole, {{0, 3}, {2, 2}, {0, 5}})));
    }
  });
}

TEST(Buffer, UnpackCopiesToTheElementsAndToNothingElse) {
  const Sandbox sandbox;
  Sandbox copy = sandbox;
  oracle::for_each_memory_order(3, [&](const auto& axes, const auto& backwards) {
    for (const Index bytes : {1, 3, 4, 8, 16}) {
      const ElementType type{Kind::opaque, bytes, true};
      const Buffer whole = oracle::dense_buffer(copy.bytes.data(), type, {3, 4, 5}, axes, backwards);
      ASSERT_NO_FATAL_FAILURE(expect_unpacks(sandbox, whole, copy));
      ASSERT_NO_FATAL_FAILURE(expect_unpacks(sandbox, tridap::sub_buffer(whole, {{1, 3}, {1, 3}, {2, 5}}), copy));
      ASSERT_NO_FATAL_FAILURE(expect_unpacks(sandbox, tridap::sub_buffer(whole, {{0, 3}, {2, 2}, {0, 5}}), copy));
    }
  });
  const Buffer point = copy.buffer(8, {}, {});
  ASSERT_NO_FATAL_FAILURE(expect_unpacks(sandbox, point, copy));
}

TEST(Buffer, PackAndRowMajorHoldForAnyStrides) {
  Sandbox sandbox;
  std::mt19937 random(11);
  const List strides = {-40, -16, -8, -3, 0, 1, 4, 8, 16, 24, 48, 96};
  for (int round = 0; round < 20000; ++round) {
    List shape, steps;
    for (int axis = 0; axis < round % 5; ++axis) {
      shape.push_back(static_cast<Index>(random() % 4));
      steps.push_back(strides[random() % strides.size()]);
    }
    const Buffer buffer = sandbox.buffer(round % 2 == 0 ? 8 : 4, shape, steps);
    ASSERT_NO_FATAL_FAILURE(expect_packs(buffer));
    ASSERT_NO_FATAL_FAILURE(expect_row_major(buffer));
  }
}

TEST(Buffer, StridesOfSingleElementsDoNotMatter) {
  Sandbox sandbox;
  const Buffer buffer = sandbox.buffer(8, {1, 3, 1}, {big, 8, -big});
  ASSERT_NO_FATAL_FAILURE(expect_packs(buffer));
  EXPECT_TRUE(tridap::is_row_major(buffer));
}

TEST(Buffer, PackOfNothingTouchesNothing) {
  Buffer buffer;
  buffer.type = tridap::element_type<double>();
  buffer.shape = {big, 0};
  buffer.strides = {8, 8};
  EXPECT_EQ(tridap::pack(buffer, nullptr), 0);
}

}  // namespace
