#include "call.hpp"
#include "memory_type.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/hdf5/datatype.hpp>
#include <tridap/internal/state.hpp>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

namespace tridap::hdf5 {

namespace {

using Kind = ElementType::Kind;

const std::string numpy_tag = "NUMPY:";

[[noreturn]] void refuse_type(const ElementType& type) {
  refuse("the elements are " + type.text() + ", for which HDF5 has no type", "",
         "give the array's Named a type of HDF5, or convert the array");
}

Handle copied(hid_t type) {
  return made("H5Tcopy", &H5Tclose, [&] { return H5Tcopy(type); });
}

hid_t swapped(hid_t native) {
  const H5T_order_t order = H5Tget_order(native);
  return order == H5T_ORDER_LE ? H5T_ORDER_BE : H5T_ORDER_LE;
}

void set_order(hid_t type, const ElementType& element) {
  if (!element.native_order && element.bytes > 1)
    call("H5Tset_order", [&] { return H5Tset_order(type, static_cast<H5T_order_t>(swapped(type))); });
}

Handle integer(const ElementType& type) {
  const bool is_signed = type.kind == Kind::signed_integer;
  hid_t base = H5I_INVALID_HID;
  if (type.bytes == 1) base = is_signed ? H5T_NATIVE_INT8 : H5T_NATIVE_UINT8;
  if (type.bytes == 2) base = is_signed ? H5T_NATIVE_INT16 : H5T_NATIVE_UINT16;
  if (type.bytes == 4) base = is_signed ? H5T_NATIVE_INT32 : H5T_NATIVE_UINT32;
  if (type.bytes == 8) base = is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
  if (base == H5I_INVALID_HID) refuse_type(type);
  Handle made_type = copied(base);
  set_order(made_type, type);
  return made_type;
}

// A number of 2 bytes: a sign, then the bits of the exponent, and the others are those of the mantissa.
Handle short_number(std::size_t exponent) {
  const std::size_t mantissa = 15 - exponent;
  Handle type = copied(H5T_NATIVE_FLOAT);
  call("H5Tset_fields", [&] { return H5Tset_fields(type, 15, mantissa, exponent, 0, mantissa); });
  call("H5Tset_size", [&] { return H5Tset_size(type, 2); });
  call("H5Tset_ebias", [&] { return H5Tset_ebias(type, (std::size_t{1} << (exponent - 1)) - 1); });
  return type;
}

Handle floating(const ElementType& type) {
  Handle made_type;
  if (type.bytes == 2) made_type = short_number(type.kind == Kind::bfloat ? 8 : 5);
  if (type.bytes == 4) made_type = copied(H5T_NATIVE_FLOAT);
  if (type.bytes == 8) made_type = copied(H5T_NATIVE_DOUBLE);
  if (type.bytes > 8 && type.bytes == static_cast<Index>(sizeof(long double))) made_type = copied(H5T_NATIVE_LDOUBLE);
  if (made_type < 0) refuse_type(type);
  set_order(made_type, type);
  return made_type;
}

Handle boolean(const ElementType& type) {
  if (type.bytes != 1) refuse_type(type);
  Handle made_type = made("H5Tenum_create", &H5Tclose, [] { return H5Tenum_create(H5T_NATIVE_INT8); });
  for (const std::int8_t value : {std::int8_t{0}, std::int8_t{1}})
    call("H5Tenum_insert", [&] { return H5Tenum_insert(made_type, value == 0 ? "FALSE" : "TRUE", &value); });
  return made_type;
}

Handle complex(const ElementType& type) {
  ElementType part = type;
  part.kind = Kind::floating;
  part.bytes = type.bytes / 2;
  const Handle number = floating(part);
  const auto bytes = static_cast<std::size_t>(part.bytes);
  Handle made_type = made("H5Tcreate", &H5Tclose, [&] { return H5Tcreate(H5T_COMPOUND, 2 * bytes); });
  call("H5Tinsert", [&] { return H5Tinsert(made_type, "r", 0, number); });
  call("H5Tinsert", [&] { return H5Tinsert(made_type, "i", bytes, number); });
  return made_type;
}

Handle opaque(const ElementType& type) {
  if (type.bytes < 1) refuse_type(type);
  Handle made_type =
      made("H5Tcreate", &H5Tclose, [&] { return H5Tcreate(H5T_OPAQUE, static_cast<std::size_t>(type.bytes)); });
  const std::string tag = type.description.empty() ? "" : numpy_tag + type.description;
  if (tag.size() >= H5T_OPAQUE_TAG_MAX)
    refuse("the elements are " + type.text() + ", whose description is too long for a type of HDF5", "",
           "give the array's Named a type of HDF5");
  call("H5Tset_tag", [&] { return H5Tset_tag(made_type, tag.c_str()); });
  return made_type;
}

ElementType opaque_element(hid_t type) {
  ElementType found{Kind::opaque, static_cast<Index>(H5Tget_size(type)), true};
  if (H5Tget_class(type) != H5T_OPAQUE) return found;
  char* const tag = H5Tget_tag(type);
  if (tag == nullptr) return found;
  const std::string text(tag);
  H5free_memory(tag);
  if (text.rfind(numpy_tag, 0) == 0) found.description = text.substr(numpy_tag.size());
  return found;
}

bool is_native(hid_t type) { return H5Tget_size(type) == 1 || H5Tget_order(type) == H5Tget_order(H5T_NATIVE_INT32); }

// h5py's and ours: FALSE and TRUE in one byte.
bool is_boolean(hid_t type) {
  if (H5Tget_class(type) != H5T_ENUM || H5Tget_nmembers(type) != 2 || H5Tget_size(type) != 1) return false;
  std::int8_t no = -1, yes = -1;
  return H5Tenum_valueof(type, "FALSE", &no) >= 0 && H5Tenum_valueof(type, "TRUE", &yes) >= 0 && no == 0 && yes == 1;
}

}  // namespace

// The last owner may be on any thread.
Datatype::Datatype(hid_t id) {
  std::shared_ptr<hid_t> closed(new hid_t(id), [](hid_t* held) {
    if (*held >= 0) H5Tclose(*held);
    delete held;
  });
  hid_t* const held = closed.get();
  id_ = std::shared_ptr<hid_t>(
      held, [closed](hid_t*) mutable { mpi::release_inside(mpi::Library::hdf5, std::move(closed)); });
}

Datatype datatype(const ElementType& type) {
  const mpi::Inside inside(mpi::Library::hdf5);
  switch (type.kind) {
    case Kind::boolean:
      return Datatype(boolean(type).release());
    case Kind::signed_integer:
    case Kind::unsigned_integer:
      return Datatype(integer(type).release());
    case Kind::floating:
    case Kind::bfloat:
      return Datatype(floating(type).release());
    case Kind::complex:
      return Datatype(complex(type).release());
    case Kind::opaque:
      break;
  }
  return Datatype(opaque(type).release());
}

ElementType element_type(const Datatype& stored) {
  const mpi::Inside inside(mpi::Library::hdf5);
  const QuietErrors errors;
  const Datatype type = memory_type(stored);
  const hid_t id = type.id();
  const auto bytes = static_cast<Index>(H5Tget_size(id));
  const H5T_class_t kind = H5Tget_class(id);
  if (kind == H5T_INTEGER) {
    const bool is_signed = H5Tget_sign(id) == H5T_SGN_2;
    return {is_signed ? Kind::signed_integer : Kind::unsigned_integer, bytes, is_native(id)};
  }
  if (kind == H5T_FLOAT) return {Kind::floating, bytes, is_native(id)};
  if (is_boolean(id)) return {Kind::boolean, 1, true};
  if (is_complex_number(id)) {
    const Handle real(H5Tget_member_type(id, 0), &H5Tclose);
    return {Kind::complex, bytes, is_native(real)};
  }
  if (kind == H5T_ENUM) {
    const Datatype base(H5Tget_super(id));
    return element_type(base);
  }
  return opaque_element(id);
}

}  // namespace tridap::hdf5
