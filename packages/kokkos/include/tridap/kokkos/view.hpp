#pragma once

#include <tridap/check.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/dist_array.hpp>
#include <tridap/kokkos/compat.hpp>
#include <tridap/kokkos/lifetime.hpp>
#include <tridap/kokkos/memory.hpp>
#include <tridap/local_part.hpp>
#include <tridap/memory_order.hpp>
#include <tridap/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tridap::kokkos {

namespace detail {

inline std::string axis_has(std::size_t axis, const char* what, Index value) {
  return "axis " + std::to_string(axis) + " has " + what + " " + std::to_string(value);
}

/// Memory that `Space` may name, on the device that Kokkos runs on.
template <class Space, class Target>
void check_memory(const Buffer& buffer, const Target& target) {
  if (buffer.memory.kind == Memory::Kind::nowhere)
    refuse("the array is described only, its elements are nowhere", "", "give a buffer that has memory");
  if (!can_name<Space>(buffer.memory.kind))
    refuse(target() + " cannot stand over " + buffer.memory.name() + " memory", "",
           "name the memory space of the buffer");
  const std::optional<Index> device = device_number<Space>();
  if (device && *device != buffer.memory.device)
    refuse(target() + " is on device " + std::to_string(*device) + ", the buffer on " + buffer.memory.name(), "",
           "let Kokkos run on the buffer's device, or copy the array");
}

/// Elements that Kokkos can hold and the caller may touch.
template <class View>
void check_elements(const Buffer& buffer) {
  using Value = typename View::value_type;
  constexpr auto rank = static_cast<std::size_t>(View::rank);
  const ElementType wanted = element_type<Value>();
  const auto target = [&] { return "a view of " + wanted.name() + " in " + View::memory_space::name(); };

  throw_if_wrong(check(buffer));
  if (buffer.shape.size() != rank)
    refuse(target() + " has " + std::to_string(rank) + " axes, the buffer " + std::to_string(buffer.ndim()), "",
           "give the view as many * as the array has axes");
  if (!buffer.type.is_like(wanted))
    refuse(target() + " does not fit a buffer of " + buffer.type.name(), "", "name the buffer's own element type");
  if (buffer.read_only && !std::is_const_v<Value>)
    refuse(target() + " could be written, but the buffer is read-only", "", "ask for a view of const elements");
  check_memory<typename View::memory_space>(buffer, target);
  if (reinterpret_cast<std::uintptr_t>(buffer.data) % alignof(Value) != 0)
    refuse("the buffer's address is no multiple of " + std::to_string(alignof(Value)) + " bytes", "",
           "copy to aligned memory");
}

template <class View>
void check_static_extents(const Buffer& buffer) {
  for (auto axis = static_cast<std::size_t>(View::rank_dynamic); axis < buffer.shape.size(); ++axis) {
    const auto fixed = static_cast<Index>(View::static_extent(static_cast<unsigned>(axis)));
    if (buffer.shape[axis] != fixed)
      refuse(axis_has(axis, "extent", buffer.shape[axis]) + ", the view's type says " + std::to_string(fixed), "",
             "use * for that axis");
  }
}

/// The strides, elements, of axes that are stepped along as the buffer has them, of others as row-major order has them.
template <class View>
IndexList strides_of(const Buffer& buffer) {
  constexpr bool writes = !std::is_const_v<typename View::value_type>;
  const Index bytes = buffer.type.bytes;
  IndexList strides = row_major_strides(buffer.shape, 1);
  if (element_count(buffer) == 0) return strides;
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    if (buffer.shape[axis] == 1) continue;
    const Index stride = buffer.strides[axis];
    const auto said = [&] { return axis_has(axis, "stride", stride) + " bytes"; };
    if (stride < 0) refuse(said() + ", and Kokkos has no negative strides", "", "copy the array");
    if (stride % bytes != 0)
      refuse(said() + ", no multiple of the " + std::to_string(bytes) + " bytes of an element", "", "copy the array");
    if (writes && stride == 0)
      refuse(said() + ": its elements share their memory", "", "ask for a view of const elements");
    strides[axis] = stride / bytes;
  }
  if (writes && !memory_order(buffer).is_unique)
    refuse("the buffer's elements may share memory", "", "ask for a view of const elements");
  return strides;
}

/// A view over `shape` in a layout that has no strides to choose but one.
struct Padding {
  std::size_t axis = 0;         ///< the axis whose stride may be more than dense
  std::optional<Index> stride;  ///< bytes; absent: it is dense
};

/// The stride that LayoutRight (of axis 0) and LayoutLeft (of the first axis after 0 that is stepped along) may choose,
/// since Kokkos' own padding stands there; all others follow from the extents.
inline Padding padding_of(const Buffer& buffer, bool left, const IndexList& dense) {
  Padding padding;
  const std::size_t ndim = buffer.shape.size();
  if (left)
    for (padding.axis = 1; padding.axis < ndim && buffer.shape[padding.axis] == 1;) ++padding.axis;
  if (padding.axis >= ndim || buffer.shape[padding.axis] == 1) return padding;
  if (buffer.strides[padding.axis] > dense[padding.axis]) padding.stride = buffer.strides[padding.axis];
  return padding;
}

/// Kokkos cannot say why a layout does not fit, and aborts or reads elsewhere; the first axis that stands in the way is
/// named here. Returns the stride of the padding, elements.
template <class View>
std::optional<Index> check_layout(const Buffer& buffer) {
  constexpr bool left = std::is_same_v<typename View::array_layout, Kokkos::LayoutLeft>;
  const std::string layout = left ? "LayoutLeft" : "LayoutRight";
  if (element_count(buffer) == 0) return std::nullopt;
  IndexList needed =
      left ? column_major_strides(buffer.shape, buffer.type.bytes) : row_major_strides(buffer.shape, buffer.type.bytes);
  Padding padding;
  if constexpr (compat::HasPaddedStride<View>::value) padding = padding_of(buffer, left, needed);
  if (padding.stride) {
    const Index dense = needed[padding.axis];
    needed[padding.axis] = *padding.stride;
    for (std::size_t axis = padding.axis + 1; left && axis < needed.size(); ++axis)
      needed[axis] = checked_multiply(needed[axis] / dense, *padding.stride).value_or(-1);
  }
  for (std::size_t axis = 0; axis < needed.size(); ++axis) {
    if (buffer.shape[axis] == 1 || buffer.strides[axis] == needed[axis]) continue;
    const std::string only = std::string("; it can pad axis ") + (left ? "1" : "0") + " alone";
    refuse(axis_has(axis, "stride", buffer.strides[axis]) + " bytes, " + layout + " needs " +
               std::to_string(needed[axis]) + (compat::HasPaddedStride<View>::value ? only : ""),
           "", "ask for Kokkos::LayoutStride");
  }
  if (!padding.stride) return std::nullopt;
  return *padding.stride / buffer.type.bytes;
}

template <class View>
View make(const Buffer& buffer) {
  using Layout = typename View::array_layout;
  constexpr bool strided = std::is_same_v<Layout, Kokkos::LayoutStride>;
  static_assert(strided || std::is_same_v<Layout, Kokkos::LayoutLeft> || std::is_same_v<Layout, Kokkos::LayoutRight>,
                "ask for LayoutStride, LayoutLeft or LayoutRight");
  check_elements<View>(buffer);
  check_static_extents<View>(buffer);
  const IndexList strides = strides_of<View>(buffer);
  Layout layout;
  for (std::size_t axis = 0; axis < buffer.shape.size(); ++axis) {
    layout.dimension[axis] = static_cast<std::size_t>(buffer.shape[axis]);
    if constexpr (strided) layout.stride[axis] = static_cast<std::size_t>(strides[axis]);
  }
  std::optional<Index> padded;
  if constexpr (!strided) padded = check_layout<View>(buffer);
  View made(static_cast<typename View::pointer_type>(buffer.data), layout);
  if constexpr (compat::HasPaddedStride<View>::value)
    if (padded) compat::set_padded_stride(made, *padded);
  return made;
}

/// The buffer of an array without its communication padding.
inline Buffer owned_part(const DistArray& array) {
  throw_if_wrong(check(array));
  if (array.buffer.memory.kind == Memory::Kind::nowhere)  // whose address nobody may follow
    refuse("the array is described only, its elements are nowhere", "", "give a buffer that has memory");
  Report report;
  const Version version = *read_version(array.version, report);
  std::vector<Range> box;
  for (const Dimension& dimension : array.dim_data) box.push_back(local_part(dimension, Part::owned, version));
  return sub_buffer(array.buffer, box);
}

}  // namespace detail

/// An unmanaged view over the same memory, `view<double**>(array)`; any strides with LayoutStride, row-major memory
/// with LayoutRight, column-major with LayoutLeft. Extents and strides of the view count elements, and its indices are
/// local; communication padding is seen.
///
/// As Kokkos' own views, those of LayoutRight may have a gap after each index of axis 0 (padded rows), and those of
/// LayoutLeft after each index of axis 0's neighbour (a leading dimension), where they have more than one axis and not
/// all extents are static: span_is_contiguous() tells. The array must outlive the view. Throws Error, saying what does
/// not fit: element type, number of axes, a static extent, read-only memory under non-const elements, memory space or
/// device, alignment, or strides.
template <class DataType, class Layout = Kokkos::LayoutStride, class Space = Kokkos::HostSpace>
auto view(const Buffer& buffer) {
  using View = Kokkos::View<DataType, Layout, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  return detail::make<View>(buffer);
}
template <class DataType, class Layout = Kokkos::LayoutStride, class Space = Kokkos::HostSpace>
auto view(const DistArray& array) {
  return view<DataType, Layout, Space>(array.buffer);
}
template <class DataType, class Layout = Kokkos::LayoutStride, class Space = Kokkos::HostSpace>
void view(const DistArray&& array) = delete;
template <class DataType, class Layout = Kokkos::LayoutStride, class Space = Kokkos::HostSpace>
void view(const Buffer&& buffer) = delete;

/// view() without communication padding: the part of the array that this process owns, boundary padding and mirrors
/// included. Local index 0 is the first owned element. Checks the whole array, and throws as view().
template <class DataType, class Layout = Kokkos::LayoutStride, class Space = Kokkos::HostSpace>
auto owned_view(const DistArray& array) {
  const Buffer owned = detail::owned_part(array);
  return view<DataType, Layout, Space>(owned);
}
template <class DataType, class Layout = Kokkos::LayoutStride, class Space = Kokkos::HostSpace>
void owned_view(const DistArray&& array) = delete;

/// A view of the type named, `shared_as<View>(buffer)`, that shares in the ownership of the memory: the buffer's owner
/// lives as long as the view, its copies and subviews. Kokkos must be initialised, and outlive them: see Living for
/// what happens otherwise. Throws as view().
template <class View>
View shared_as(const Buffer& buffer) {
  static_assert(View::traits::is_managed, "an Unmanaged view shares in no ownership");
  if (Living::all().finalized())
    refuse("Kokkos is finalised, and starts no more", "", "share the memory before Kokkos::finalize, or use view()");
  if (!Kokkos::is_initialized()) refuse("Kokkos is not initialised", "", "create a Kokkos or Tpetra ScopeGuard first");
  View made = detail::make<View>(buffer);
  if (buffer.owner) keep_alive(made, buffer.owner);
  return made;
}

/// shared_as() with the type spelled as for view().
template <class DataType, class Layout = Kokkos::LayoutStride, class Space = Kokkos::HostSpace>
auto shared_view(const Buffer& buffer) {
  return shared_as<Kokkos::View<DataType, Layout, Space>>(buffer);
}

/// The Buffer of a view's memory, not copied, in any layout. A managed view is kept alive by the buffer, and so is an
/// `owner` that is given; for an unmanaged one, give the owner of its memory. Throws Error where there is none; a
/// memory space that Memory has no word for does not compile.
template <class View>
Buffer export_buffer(const View& from, std::shared_ptr<void> owner = nullptr) {
  using Value = typename View::value_type;
  using Space = typename View::memory_space;
  constexpr std::optional<Memory::Kind> kind = memory_kind<Space>();
  static_assert(kind.has_value(), "the protocol has no word for this memory space");
  Buffer buffer;
  buffer.data = const_cast<std::remove_const_t<Value>*>(from.data());
  buffer.type = element_type<Value>();
  buffer.read_only = std::is_const_v<Value>;
  buffer.memory = {*kind, device_number<Space>().value_or(0)};
  for (unsigned axis = 0; axis < static_cast<unsigned>(View::rank); ++axis) {
    buffer.shape.push_back(static_cast<Index>(from.extent(axis)));
    buffer.strides.push_back(static_cast<Index>(from.stride(axis) * sizeof(Value)));
  }
  if (!compat::keeps_memory(from) && !owner && from.data() != nullptr)
    refuse("an unmanaged view keeps nobody's memory alive", "", "give the owner of its memory");
  std::shared_ptr<void> kept = kept_owner(from);
  if (!kept && compat::keeps_memory(from)) kept = keep(from);
  buffer.owner = std::move(kept);
  if (owner && buffer.owner)
    buffer.owner = std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(buffer.owner, owner);
  else if (owner)
    buffer.owner = std::move(owner);
  return buffer;
}

/// A DistArray over a view's memory, not copied, with the dim_data given; see export_buffer() for who keeps it alive.
/// Throws Error where the two do not fit.
template <class View>
DistArray export_view(const View& from, DimData dim_data, std::shared_ptr<void> owner = nullptr) {
  DistArray array;
  array.buffer = export_buffer(from, std::move(owner));
  array.dim_data = std::move(dim_data);
  throw_if_wrong(check(array));
  return array;
}

}  // namespace tridap::kokkos
