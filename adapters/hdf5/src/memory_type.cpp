#include "memory_type.hpp"

#include "call.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/state.hpp>
#include <tridap/text.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace tridap::hdf5 {

namespace {

using Kind = ElementType::Kind;

constexpr Index byte_bits = 8;
constexpr Index integer_bytes[] = {1, 2, 4, 8}, float_bytes[] = {2, 4, 8, static_cast<Index>(sizeof(long double))};

bool has_byte_order(hid_t type) {
  const H5T_order_t order = H5Tget_order(type);
  return order == H5T_ORDER_LE || order == H5T_ORDER_BE;
}

// Where the bits of a number are.
struct Bits {
  Index bytes = 0, precision = 0, offset = 0;

  bool are_inside() const {
    return precision > 0 && offset >= 0 && precision <= byte_bits * bytes && offset <= byte_bits * bytes - precision;
  }
  bool are_all() const { return offset == 0 && precision == byte_bits * bytes; }
};

Bits bits_of(hid_t type) {
  return {static_cast<Index>(H5Tget_size(type)), static_cast<Index>(H5Tget_precision(type)),
          static_cast<Index>(H5Tget_offset(type))};
}

// A floating-point number: the first bit and the number of bits of each of its parts.
struct NumberLayout {
  Bits bits;
  Index sign = 0, exponent = 0, exponent_bits = 0, mantissa = 0, mantissa_bits = 0, bias = 0;
  H5T_norm_t norm = H5T_NORM_ERROR;

  friend bool operator==(const NumberLayout& a, const NumberLayout& b) {
    return a.bits.bytes == b.bits.bytes && a.bits.precision == b.bits.precision && a.bits.offset == b.bits.offset &&
           a.sign == b.sign && a.exponent == b.exponent && a.exponent_bits == b.exponent_bits &&
           a.mantissa == b.mantissa && a.mantissa_bits == b.mantissa_bits && a.bias == b.bias && a.norm == b.norm;
  }

  bool is_inside() const {
    const Index end = byte_bits * bits.bytes;
    return bits.are_inside() && exponent_bits > 0 && mantissa_bits > 0 && sign < end && exponent_bits <= end &&
           exponent <= end - exponent_bits && mantissa_bits <= end && mantissa <= end - mantissa_bits;
  }
  // The bits that count, the largest exponent of 2, and that of the smallest number above zero.
  Index digits() const { return mantissa_bits + (norm == H5T_NORM_IMPLIED ? 1 : 0); }
  Index largest() const { return (Index{1} << exponent_bits) - 2 - bias; }
  Index smallest() const { return 2 - bias - digits(); }
};

NumberLayout number_layout_of(hid_t type) {
  std::size_t sign = 0, exponent = 0, exponent_bits = 0, mantissa = 0, mantissa_bits = 0;
  call("H5Tget_fields",
       [&] { return H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits); });
  return {bits_of(type),
          static_cast<Index>(sign),
          static_cast<Index>(exponent),
          static_cast<Index>(exponent_bits),
          static_cast<Index>(mantissa),
          static_cast<Index>(mantissa_bits),
          static_cast<Index>(H5Tget_ebias(type)),
          H5Tget_norm(type)};
}

constexpr Index most_exponent_bits = 15;  // of all native types

// Whether HDF5 converts these numbers. It ends the process if the first bit of a mantissa is stored and always set.
bool can_be_converted(const NumberLayout& layout) {
  return layout.is_inside() && layout.exponent_bits <= most_exponent_bits &&
         (layout.norm == H5T_NORM_IMPLIED || layout.norm == H5T_NORM_NONE);
}

bool holds(const NumberLayout& target, const NumberLayout& source) {
  return target.digits() >= source.digits() && target.largest() >= source.largest() &&
         target.smallest() <= source.smallest();
}

std::string number_text(hid_t type) {
  const Bits bits = bits_of(type);
  const std::string bytes = std::to_string(bits.bytes) + (bits.bytes == 1 ? " byte" : " bytes");
  if (H5Tget_class(type) == H5T_INTEGER)
    return "integers of " + bytes + ", of which " + std::to_string(bits.precision) + " bits count";
  const NumberLayout layout = number_layout_of(type);
  return "floating-point numbers of " + bytes + " with " + std::to_string(layout.exponent_bits) +
         " bits of exponent and " + std::to_string(layout.mantissa_bits) + " of mantissa";
}

[[noreturn]] void refuse_number(hid_t type, const std::string& elements) {
  const bool convertible =
      H5Tget_class(type) == H5T_INTEGER ? bits_of(type).are_inside() : can_be_converted(number_layout_of(type));
  refuse(
      "no type of this machine holds every value of " + elements + ", " + number_text(type), "",
      convertible
          ? "convert them while they are read: H5Dread with H5T_NATIVE_DOUBLE, or dataset.read_direct(numbers) of h5py"
          : "HDF5 cannot convert them, either: write the file with numbers of another type");
}

Datatype native(Kind kind, Index bytes) { return datatype({kind, bytes, true}); }

// Exactly one of the machine's, in one of both byte orders.
bool is_exact_integer(hid_t type) {
  const Bits bits = bits_of(type);
  return bits.are_all() && has_byte_order(type) &&
         std::find(std::begin(integer_bytes), std::end(integer_bytes), bits.bytes) != std::end(integer_bytes);
}

Datatype integer_in_memory(const Datatype& stored, const std::string& elements) {
  if (is_exact_integer(stored.id())) return stored;
  const Bits bits = bits_of(stored.id());
  const Kind kind = H5Tget_sign(stored.id()) == H5T_SGN_NONE ? Kind::unsigned_integer : Kind::signed_integer;
  if (bits.are_inside())
    for (const Index bytes : integer_bytes)
      if (bits.precision <= byte_bits * bytes) return native(kind, bytes);
  refuse_number(stored.id(), elements);
}

Datatype floating_in_memory(const Datatype& stored, const std::string& elements) {
  const NumberLayout layout = number_layout_of(stored.id());
  if (has_byte_order(stored.id()))
    for (const Index bytes : float_bytes)
      if (layout == number_layout_of(native(Kind::floating, bytes).id())) return stored;
  if (can_be_converted(layout))
    for (const Index bytes : float_bytes)
      if (const Datatype wider = native(Kind::floating, bytes); holds(number_layout_of(wider.id()), layout))
        return wider;
  refuse_number(stored.id(), elements);
}

// No type of NumPy has parts of 2 bytes.
Datatype complex_in_memory(const Datatype& stored, const std::string& elements) {
  const Datatype part(call("H5Tget_member_type", [&] { return H5Tget_member_type(stored.id(), 0); }));
  const Datatype read = floating_in_memory(part, elements);
  const auto bytes = static_cast<Index>(H5Tget_size(read.id()));
  constexpr Index least = sizeof(float);
  if (read.id() == part.id() && bytes >= least) return stored;
  return native(Kind::complex, 2 * std::max(bytes, least));
}

struct Member {
  std::string name;
  Datatype type;
};

std::string member_name(hid_t type, unsigned k) {
  char* const name = H5Tget_member_name(type, k);
  std::string text(name == nullptr ? "" : name);
  H5free_memory(name);
  return text;
}

// The members one behind the other, if one of them is converted.
Datatype compound_in_memory(const Datatype& stored, const std::string& elements) {
  const auto count = static_cast<unsigned>(H5Tget_nmembers(stored.id()));
  std::vector<Member> members;
  bool same = true;
  std::size_t bytes = 0;
  for (unsigned k = 0; k < count; ++k) {
    const Datatype member(call("H5Tget_member_type", [&] { return H5Tget_member_type(stored.id(), k); }));
    const std::string name = member_name(stored.id(), k);
    members.push_back({name, memory_type(member, "the field '" + clean(name) + "' of " + elements)});
    same = same && members.back().type.id() == member.id();
    bytes += H5Tget_size(members.back().type.id());
  }
  if (same) return stored;
  const Datatype made(call("H5Tcreate", [&] { return H5Tcreate(H5T_COMPOUND, bytes); }));
  std::size_t at = 0;
  for (const Member& member : members) {
    call("H5Tinsert", [&] { return H5Tinsert(made.id(), member.name.c_str(), at, member.type.id()); });
    at += H5Tget_size(member.type.id());
  }
  return made;
}

Datatype base_of(const Datatype& type) {
  return Datatype(call("H5Tget_super", [&] { return H5Tget_super(type.id()); }));
}

Datatype list_in_memory(const Datatype& stored, const std::string& elements) {
  const Datatype base = base_of(stored), read = memory_type(base, elements);
  if (read.id() == base.id()) return stored;
  std::vector<hsize_t> extents(static_cast<std::size_t>(H5Tget_array_ndims(stored.id())));
  call("H5Tget_array_dims", [&] { return H5Tget_array_dims2(stored.id(), extents.data()); });
  return Datatype(call("H5Tarray_create", [&] {
    return H5Tarray_create2(read.id(), static_cast<unsigned>(extents.size()), extents.data());
  }));
}

Datatype enumeration_in_memory(const Datatype& stored, const std::string& elements) {
  const Datatype base = base_of(stored), read = memory_type(base, elements);
  return read.id() == base.id() ? stored : read;
}

}  // namespace

bool has_one_length(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_VLEN:
    case H5T_REFERENCE:
      return false;
    case H5T_STRING:
      return H5Tis_variable_str(type) <= 0;
    case H5T_ARRAY: {
      const Handle base(H5Tget_super(type), &H5Tclose);
      return has_one_length(base);
    }
    case H5T_COMPOUND:
      for (int k = 0; k < H5Tget_nmembers(type); ++k) {
        const Handle member(H5Tget_member_type(type, static_cast<unsigned>(k)), &H5Tclose);
        if (!has_one_length(member)) return false;
      }
      return true;
    default:
      return true;
  }
}

bool is_complex_number(hid_t type) {
  if (H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != 2) return false;
  const int r = H5Tget_member_index(type, "r"), i = H5Tget_member_index(type, "i");
  if (r != 0 || i != 1) return false;
  const Handle real(H5Tget_member_type(type, 0), &H5Tclose), imaginary(H5Tget_member_type(type, 1), &H5Tclose);
  return H5Tget_class(real) == H5T_FLOAT && H5Tequal(real, imaginary) > 0 &&
         H5Tget_member_offset(type, 1) == H5Tget_size(real) && H5Tget_size(type) == 2 * H5Tget_size(real);
}

Datatype memory_type(const Datatype& stored, const std::string& elements) {
  const mpi::Inside inside(mpi::Library::hdf5);
  const QuietErrors errors;
  if (!has_one_length(stored.id()))
    refuse(elements + " are, or hold, texts or lists of varying length, or references", "elements must have one length",
           "read the dataset with h5py");
  switch (H5Tget_class(stored.id())) {
    case H5T_INTEGER:
      return integer_in_memory(stored, elements);
    case H5T_FLOAT:
      return floating_in_memory(stored, elements);
    case H5T_COMPOUND:
      return is_complex_number(stored.id()) ? complex_in_memory(stored, elements)
                                            : compound_in_memory(stored, elements);
    case H5T_ARRAY:
      return list_in_memory(stored, elements);
    case H5T_ENUM:
      return enumeration_in_memory(stored, elements);
    default:
      return stored;
  }
}

Datatype memory_type(const Datatype& stored) { return memory_type(stored, "the elements"); }

std::string stored_text(const Datatype& stored) {
  const mpi::Inside inside(mpi::Library::hdf5);
  const QuietErrors errors;
  const H5T_class_t kind = H5Tget_class(stored.id());
  const bool number = kind == H5T_INTEGER || kind == H5T_FLOAT;
  if (!number || memory_type(stored).id() == stored.id()) return element_type(stored).text() + " elements";
  return number_text(stored.id());
}

bool is_bfloat16(const Datatype& stored) {
  const mpi::Inside inside(mpi::Library::hdf5);
  const QuietErrors errors;
  const hid_t type = stored.id();
  return H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) == 2 && has_byte_order(type) &&
         number_layout_of(type) == number_layout_of(native(Kind::bfloat, 2).id());
}

}  // namespace tridap::hdf5
