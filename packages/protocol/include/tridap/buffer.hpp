#pragma once

#include <tridap/index.hpp>
#include <tridap/small_list.hpp>

#include <complex>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tridap {

/// The type of one element: kind, length and byte order, as in a NumPy dtype.
struct ElementType {
  /// floating: IEEE's formats, and long double. bfloat: bfloat16, the upper half of an IEEE number of 32 bits; it is
  /// moved, but not computed with.
  enum class Kind { boolean, signed_integer, unsigned_integer, floating, complex, opaque, bfloat };
  Kind kind = Kind::opaque;
  Index bytes = 0;           ///< length of one element, bytes
  bool native_order = true;  ///< false: the bytes are swapped with respect to this machine
  /// For opaque elements: their type in the notation of the library that has the array, such as NumPy's "<M8[s]". It is
  /// compared, but not interpreted. Empty: not known.
  std::string description = {};

  /// NumPy's name: "float64", "int32", "complex128", "bfloat16"; ">f8", ">bfloat16" if the bytes are swapped.
  std::string name() const;
  std::string text() const;  ///< the name, then the description if there is one: "void64 (<M8[s])"
  /// A hash of the description, from 1 to 2^31 - 1; 0 if there is no description.
  Index description_number() const;
  /// True if kind, length and byte order are the same. Descriptions are not compared.
  bool is_like(const ElementType& other) const {
    return kind == other.kind && bytes == other.bytes && native_order == other.native_order;
  }
  friend bool operator==(const ElementType& a, const ElementType& b) {
    return a.is_like(b) && a.description == b.description;
  }
  friend bool operator!=(const ElementType& a, const ElementType& b) { return !(a == b); }
};

template <class T>
struct is_complex : std::false_type {};  ///< specialise for further complex types
template <class T>
struct is_complex<std::complex<T>> : std::true_type {};
template <class T>
struct is_floating : std::is_floating_point<T> {};  ///< specialise for further IEEE types, such as half precision

namespace detail {

template <class T>
constexpr bool has_bfloat_format() {
  if constexpr (is_floating<T>::value)
    return std::numeric_limits<T>::is_specialized && sizeof(T) == 2 && std::numeric_limits<T>::digits == 8;
  else
    return false;
}

}  // namespace detail

/// True for bfloat16; specialise it for a type without numeric_limits.
template <class T>
struct is_bfloat : std::bool_constant<detail::has_bfloat_format<T>()> {};

namespace detail {

/// True for long double, and for a floating type in IEEE's format of 16, 32 or 64 bits. A type without numeric_limits
/// is known by its length alone.
template <class T>
constexpr bool has_floating_format() {
  using Limits = std::numeric_limits<T>;
  if (std::is_same_v<T, long double>) return true;
  if (!Limits::is_specialized) return sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8;
  return (sizeof(T) == 2 && Limits::digits == 11) || (sizeof(T) == 4 && Limits::digits == 24) ||
         (sizeof(T) == 8 && Limits::digits == 53);
}

template <class T>
struct HasComplexFormat : std::true_type {};
template <class T>
struct HasComplexFormat<std::complex<T>> : std::bool_constant<is_floating<T>::value && has_floating_format<T>()> {};

template <class T>
constexpr bool is_element_type() {
  if constexpr (is_bfloat<T>::value) return true;
  if constexpr (is_floating<T>::value) return has_floating_format<T>();
  if constexpr (is_complex<T>::value) return HasComplexFormat<T>::value;
  if constexpr (std::is_integral_v<T>) return sizeof(T) <= 8;
  return std::is_class_v<T> || std::is_union_v<T> || std::is_enum_v<T> || std::is_pointer_v<T> ||
         std::is_member_pointer_v<T> || std::is_array_v<T>;
}

}  // namespace detail

/// True if element_type() can describe the C++ type T. It cannot describe numbers of other formats: __float128,
/// __int128, and complex numbers of them or of bfloat16.
template <class T>
constexpr bool is_element_type_v = detail::is_element_type<std::remove_cv_t<T>>();

/// The ElementType of a C++ type for which is_element_type_v is true. Classes that are not complex numbers, unions,
/// enumerations, pointers and arrays are opaque.
template <class T>
ElementType element_type() {
  static_assert(
      is_element_type_v<T>,
      "an array cannot have elements of this type: a floating type must be long double, bfloat16 or have IEEE's format "
      "of 16, 32 or 64 bits, an integer at most 8 bytes, and a complex number such floating parts");
  using Kind = ElementType::Kind;
  using U = std::remove_cv_t<T>;
  const Kind kind = std::is_same_v<U, bool>  ? Kind::boolean
                    : is_bfloat<U>::value    ? Kind::bfloat
                    : is_floating<U>::value  ? Kind::floating
                    : is_complex<U>::value   ? Kind::complex
                    : !std::is_integral_v<U> ? Kind::opaque
                    : std::is_signed_v<U>    ? Kind::signed_integer
                                             : Kind::unsigned_integer;
  return {kind, static_cast<Index>(sizeof(U)), true};
}

/// The ElementType of a NumPy name ("float64", "bool", "complex64", "bfloat16", ">bfloat16"), or of an array-protocol
/// string with or without a byte order (">f8", "<i4", "|u1", "V16"). Returns nullopt for any other text.
std::optional<ElementType> element_type(const std::string& name);

/// The memory space and device that hold the bytes.
struct Memory {
  /// `..._host` is host memory that is pinned for a kind of devices; `..._managed` and sycl_shared moves between host
  /// and device. nowhere: the array is only described; its address must not be used.
  enum class Kind {
    host,
    cuda,
    cuda_host,
    cuda_managed,
    hip,
    hip_host,
    hip_managed,
    sycl,
    sycl_host,
    sycl_shared,
    nowhere
  };
  Kind kind = Kind::host;
  Index device = 0;  ///< number of the device; 0 for memory on the host

  bool is_on_host() const;   ///< host memory, pinned or not, which the host may use at any time
  std::string name() const;  ///< "host", "cuda_host", "cuda:1"
};

/// This process's part of an array: an address, a shape and strides as in PEP 3118, and an owner that keeps the memory
/// alive. This is plain data.
///
/// A 2 x 3 row-major array of double has `shape {2, 3}` and `strides {24, 8}`.
struct Buffer {
  void* data = nullptr;         ///< address of element (0, ..., 0)
  ElementType type;             ///< of one element
  IndexList shape;              ///< local extents, elements
  IndexList strides;            ///< bytes from one element to the next on each axis; may be negative or 0
  bool read_only = false;       ///< true: the elements must not be written
  Memory memory;                ///< where `data` is
  std::shared_ptr<void> owner;  ///< keeps `data` alive; null: the caller keeps it alive

  Index ndim() const { return static_cast<Index>(shape.size()); }
};

/// The strides, in bytes, of a contiguous array in which the last index varies fastest.
IndexList row_major_strides(const IndexList& shape, Index element_bytes);

/// The strides, in bytes, of a contiguous array in which the first index varies fastest.
IndexList column_major_strides(const IndexList& shape, Index element_bytes);

/// Describes row-major memory. `owner` keeps it alive; if `owner` is null, the caller does. Memory of const elements
/// becomes read-only.
template <class T>
Buffer row_major(T* data, IndexList shape, std::shared_ptr<void> owner = nullptr) {
  Buffer buffer;
  buffer.data = const_cast<std::remove_const_t<T>*>(data);
  buffer.type = element_type<T>();
  buffer.strides = row_major_strides(shape, buffer.type.bytes);
  buffer.shape = std::move(shape);
  buffer.read_only = std::is_const_v<T>;
  buffer.owner = std::move(owner);
  return buffer;
}

/// Allocates a row-major buffer that owns its memory, and sets it to zero. Throws Error if an extent is negative or the
/// size does not fit 64 bits.
Buffer allocate(ElementType type, const IndexList& shape);

/// The part of a valid buffer at the local indices `box`, one range for each axis. It has the same memory and owner.
Buffer sub_buffer(const Buffer& buffer, const std::vector<Range>& box);

/// True if a valid buffer is contiguous and its last index varies fastest.
bool is_row_major(const Buffer& buffer);

/// The number of elements of a valid buffer.
Index element_count(const Buffer& buffer);

/// Copies the elements of a valid host buffer to `out`, contiguous and in row-major order. Returns the number of bytes
/// copied.
Index pack(const Buffer& buffer, void* out);

}  // namespace tridap
