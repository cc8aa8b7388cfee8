#pragma once

#include <tridap/index.hpp>
#include <tridap/small_list.hpp>

#include <complex>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tridap {

/// What one element is: a kind, its length and its byte order, as a NumPy dtype says it.
struct ElementType {
  enum class Kind { boolean, signed_integer, unsigned_integer, floating, complex, opaque };
  Kind kind = Kind::opaque;
  Index bytes = 0;           ///< length of one element, bytes
  bool native_order = true;  ///< false: the bytes are swapped with respect to this machine
  /// Of opaque elements: what they are, in the words of the library that has the array ("<M8[s]" for NumPy). It is
  /// compared and not read. Empty: not known.
  std::string description = {};

  std::string name() const;  ///< NumPy's name: "float64", "int32", "complex128", ">f8" where swapped
  std::string text() const;  ///< the name, and the description where there is one: "void64 (<M8[s])"
  /// A number that is the same for the same description: 0 for none, else 1 to 2^31 - 1.
  Index description_number() const;
  /// Whether the kind, the length and the byte order are the same, whatever the descriptions say.
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

/// The ElementType of a C++ type; types that are neither arithmetic nor complex are opaque.
template <class T>
ElementType element_type() {
  using Kind = ElementType::Kind;
  using U = std::remove_cv_t<T>;
  const Kind kind = std::is_same_v<U, bool>  ? Kind::boolean
                    : is_floating<U>::value  ? Kind::floating
                    : is_complex<U>::value   ? Kind::complex
                    : !std::is_integral_v<U> ? Kind::opaque
                    : std::is_signed_v<U>    ? Kind::signed_integer
                                             : Kind::unsigned_integer;
  return {kind, static_cast<Index>(sizeof(U)), true};
}

/// The ElementType of a NumPy name ("float64", "bool", "complex64"), or of an array-protocol string with or without a
/// byte order (">f8", "<i4", "|u1", "V16"); nothing for anything else.
std::optional<ElementType> element_type(const std::string& name);

/// Where the bytes live.
struct Memory {
  enum class Kind { host, cuda, cuda_managed, hip, sycl, nowhere };
  Kind kind = Kind::host;  ///< nowhere: the array is described only, and nobody may follow its address
  Index device = 0;        ///< number of the device; 0 for host

  std::string name() const;  ///< "host", "cuda:1"
};

/// This process's part of an array: an address with a shape, and who keeps it alive. Plain data, as PEP 3118 has it.
///
/// A 2 x 3 row-major array of double has `shape {2, 3}` and `strides {24, 8}`.
struct Buffer {
  void* data = nullptr;         ///< address of element (0, ..., 0)
  ElementType type;             ///< of one element
  IndexList shape;              ///< local extents, elements
  IndexList strides;            ///< bytes from one element to the next on each axis; negative and 0 are legal
  bool read_only = false;       ///< true: `data` must not be written through
  Memory memory;                ///< where `data` lives
  std::shared_ptr<void> owner;  ///< keeps `data` alive; null: somebody else promises to

  Index ndim() const { return static_cast<Index>(shape.size()); }
};

/// The strides, in bytes, of a dense array with the last axis varying fastest.
IndexList row_major_strides(const IndexList& shape, Index element_bytes);

/// The strides, in bytes, of a dense array with the first axis varying fastest.
IndexList column_major_strides(const IndexList& shape, Index element_bytes);

/// Describes row-major memory that somebody else keeps alive, or that `owner` does; const memory becomes read-only.
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

/// Allocates a zeroed row-major buffer that keeps itself alive; throws Error where the extents are no extents.
Buffer allocate(ElementType type, const IndexList& shape);

/// The part of a valid buffer at local indices `box` (one range for each axis): the same memory and owner.
Buffer sub_buffer(const Buffer& buffer, const std::vector<Range>& box);

/// True where a valid buffer's elements stand in a row, the last axis varying fastest.
bool is_row_major(const Buffer& buffer);

/// The number of elements of a valid buffer.
Index element_count(const Buffer& buffer);

/// Copies the elements of a valid host buffer to `out` in row-major order, densely; returns the bytes copied.
Index pack(const Buffer& buffer, void* out);

}  // namespace tridap
