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

/// Throws unless `Space` may use the memory of the buffer, and it is on the device on which Kokkos runs.
template <class Space, class Target>
void check_memory(const Buffer& buffer, const Target& target) {
  if (buffer.memory.kind == Memory::Kind::nowhere)
    refuse("the array is described only, and its memory is 'nowhere'", "", "pass an array that has memory");
  if (!can_name<Space>(buffer.memory.kind))
    refuse(target() + " cannot use " + buffer.memory.name() + " memory", "",
           "ask for a view in the memory space of the buffer");
  const std::optional<Index> device = device_number<Space>();
  if (device && *device != buffer.memory.device)
    refuse(target() + " is on device " + std::to_string(*device) + ", but the buffer is on " + buffer.memory.name(), "",
           "run Kokkos on the buffer's device, or copy the array");
}

/// Throws unless the buffer has the view's number of axes and element type, and the caller may access it.
template <class View>
void check_elements(const Buffer& buffer) {
  using Value = typename View::value_type;
  constexpr auto rank = static_cast<std::size_t>(View::rank);
  const ElementType wanted = element_type<Value>();
  const auto target = [&] { return "a view of " + wanted.name() + " in " + View::memory_space::name(); };

  throw_if_wrong(check(buffer));
  if (buffer.shape.size() != rank)
    refuse(target() + " has " + std::to_string(rank) + " axes, but the buffer has " + std::to_string(buffer.ndim()), "",
           "ask for a view with as many * as the array has axes");
  if (!buffer.type.is_like(wanted))
    refuse(target() + " does not fit a buffer of " + buffer.type.name(), "",
           "ask for a view of the buffer's element type");
  if (buffer.read_only && !std::is_const_v<Value>)
    refuse(target() + " is writable, but the buffer is read-only", "", "ask for a view of const elements");
  check_memory<typename View::memory_space>(buffer, target);
  if (reinterpret_cast<std::uintptr_t>(buffer.data) % alignof(Value) != 0)
    refuse("the buffer's address is not a multiple of " + std::to_string(alignof(Value)) + " bytes", "",
           "copy to aligned memory");
}

template <class View>
void check_static_extents(const Buffer& buffer) {
  for (auto axis = static_cast<std::size_t>(View::rank_dynamic); axis < buffer.shape.size(); ++axis) {
    const auto fixed = static_cast<Index>(View::static_extent(static_cast<unsigned>(axis)));
    if (buffer.shape[axis] != fixed)
      refuse(axis_has(axis, "extent", buffer.shape[axis]) + ", but the view's type has " + std::to_string(fixed), "",
             "use * for this axis in the view's type");
  }
}

/// The strides of the view, in elements. Axes of extent 1, and all axes of an empty buffer, get row-major strides.
template <class View>
IndexList strides_of(const Buffer& buffer) {
  constexpr bool writes = !std::is_const_v<typename View::value_type>;
  const Index bytes = buffer.type.bytes;
  IndexList strides = row_major_strides(buffer.shape, 1);
  if (element_count(buffer) == 0) return strides;
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    if (buffer.shape[axis] == 1) continue;
    const Index stride = buffer.strides[axis];
    const auto fault = [&] { return axis_has(axis, "stride", stride) + " bytes"; };
    if (stride < 0) refuse(fault() + ", but Kokkos has no negative strides", "", "copy the array");
    if (stride % bytes != 0)
      refuse(fault() + ", which is not a multiple of the " + std::to_string(bytes) + " bytes of an element", "",
             "copy the array");
    if (writes && stride == 0)
      refuse(fault() + ", so its elements share memory, and the view is writable", "",
             "ask for a view of const elements");
    strides[axis] = stride / bytes;
  }
  if (writes && !memory_order(buffer).is_unique)
    refuse("the buffer's elements may share memory, and the view is writable", "", "ask for a view of const elements");
  return strides;
}

/// The padding of a LayoutLeft or LayoutRight view, which can set the stride of one axis only.
struct Padding {
  std::size_t axis = 0;         ///< the axis whose stride may be larger than contiguous
  std::optional<Index> stride;  ///< bytes; absent: there is no padding
};

/// Finds the padding of a buffer. The view can set the stride of `axis`. If its extent is 1, that sets the stride of
/// the next outer axis with another extent: later axes with LayoutLeft, earlier ones with LayoutRight. All other
/// strides follow from the extents.
inline Padding padding_of(const Buffer& buffer, bool left, std::size_t axis, const IndexList& dense) {
  const std::size_t ndim = buffer.shape.size();
  while (axis < ndim && buffer.shape[axis] == 1) left ? ++axis : --axis;  // --0 is larger than ndim
  if (axis >= ndim || buffer.strides[axis] <= dense[axis]) return {axis, std::nullopt};
  return {axis, buffer.strides[axis]};
}

/// Throws an Error that names the first axis whose stride does not fit LayoutLeft or LayoutRight. Kokkos itself would
/// abort or access wrong memory. Returns the stride of the padding, in elements.
template <class View>
std::optional<Index> check_layout(const Buffer& buffer) {
  constexpr bool left = std::is_same_v<typename View::array_layout, Kokkos::LayoutLeft>;
  const std::string layout = left ? "LayoutLeft" : "LayoutRight";
  if (element_count(buffer) == 0) return std::nullopt;
  IndexList needed =
      left ? column_major_strides(buffer.shape, buffer.type.bytes) : row_major_strides(buffer.shape, buffer.type.bytes);
  Padding padding;
  if constexpr (compat::HasPaddedStride<View>::value)
    padding = padding_of(buffer, left, compat::padded_axis<View>(), needed);
  if (padding.stride) {
    const Index dense = needed[padding.axis];
    for (std::size_t axis = 0; axis < needed.size(); ++axis)
      if (left ? axis >= padding.axis : axis <= padding.axis)
        needed[axis] = checked_multiply(needed[axis] / dense, *padding.stride).value_or(-1);
  }
  for (std::size_t axis = 0; axis < needed.size(); ++axis) {
    if (buffer.shape[axis] == 1 || buffer.strides[axis] == needed[axis]) continue;
    std::string only;
    if constexpr (compat::HasPaddedStride<View>::value)
      only = "; it can have padding on axis " + std::to_string(compat::padded_axis<View>()) + " only";
    refuse(axis_has(axis, "stride", buffer.strides[axis]) + " bytes, but " + layout + " needs " +
               std::to_string(needed[axis]) + only,
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
  const auto data = static_cast<typename View::pointer_type>(buffer.data);
  if constexpr (compat::HasPaddedStride<View>::value)
    if (padded) return compat::make_padded<View>(data, layout, static_cast<std::size_t>(*padded));
  return View(data, layout);
}

/// The buffer of an array without its communication padding.
inline Buffer owned_part(const DistArray& array) {
  throw_if_wrong(check(array));
  if (array.buffer.memory.kind == Memory::Kind::nowhere)  // its address must not be used
    refuse("the array is described only, and its memory is 'nowhere'", "", "pass an array that has memory");
  Report report;
  const Version version = *read_version(array.version, report);
  std::vector<Range> box;
  for (const Dimension& dimension : array.dim_data) box.push_back(local_part(dimension, Part::owned, version));
  return sub_buffer(array.buffer, box);
}

}  // namespace detail

/// Makes an unmanaged view of the same memory, `view<double**>(array)`. The array must outlive the view. LayoutStride
/// fits any strides, LayoutRight row-major memory, and LayoutLeft column-major memory. Extents and strides of the view
/// count elements. Its indices are local, and it includes communication padding.
///
/// As with Kokkos' own views, if the view has more than one axis, LayoutLeft allows any stride of axis 1 (a leading
/// dimension), and LayoutRight any stride of the last axis but one (padded rows). Before Kokkos 4.7, LayoutRight allows
/// it for axis 0 instead, and not all extents may be static. Ask span_is_contiguous() whether there are gaps.
///
/// Throws Error that says what does not fit: the element type, the number of axes, a static extent, read-only memory
/// with non-const elements, the memory space or device, the alignment, or the strides.
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

/// Makes a view like view(), but without communication padding. It shows the part of the array that this process owns,
/// with boundary padding and mirrors. Local index 0 is the first owned element. Checks the whole array; throws as
/// view().
template <class DataType, class Layout = Kokkos::LayoutStride, class Space = Kokkos::HostSpace>
auto owned_view(const DistArray& array) {
  const Buffer owned = detail::owned_part(array);
  return view<DataType, Layout, Space>(owned);
}
template <class DataType, class Layout = Kokkos::LayoutStride, class Space = Kokkos::HostSpace>
void owned_view(const DistArray&& array) = delete;

/// Makes a view of the given type, `shared_as<View>(buffer)`, that shares the ownership of the memory: the buffer's
/// owner lives as long as the view, its copies and its subviews. Kokkos must be initialised before, and finalised after
/// they are destroyed; see Living for what happens otherwise. Throws as view().
template <class View>
View shared_as(const Buffer& buffer) {
  static_assert(!View::memory_traits::is_unmanaged, "an unmanaged view cannot share the ownership of memory");
  if (Living::all().finalized())
    refuse("Kokkos is finalised and cannot start again", "", "share the memory before Kokkos::finalize, or use view()");
  if (!Kokkos::is_initialized()) refuse("Kokkos is not initialised", "", "create a Kokkos or Tpetra ScopeGuard first");
  View made = detail::make<View>(buffer);
  if (buffer.owner) keep_alive(made, buffer.owner);
  return made;
}

/// shared_as() with the template arguments of view().
template <class DataType, class Layout = Kokkos::LayoutStride, class Space = Kokkos::HostSpace>
auto shared_view(const Buffer& buffer) {
  return shared_as<Kokkos::View<DataType, Layout, Space>>(buffer);
}

/// Makes a Buffer of a view's memory without a copy, for a view of any layout. The buffer keeps a managed view and a
/// given `owner` alive. For an unmanaged view, pass the owner of its memory; if there is none, this throws Error. It
/// also does if the process uses a GPU whose driver knows the address as other memory than that of the view's memory
/// space. A memory space without a Memory::Kind is a compile error.
template <class View>
Buffer export_buffer(const View& from, std::shared_ptr<void> owner = nullptr) {
  using Value = typename View::value_type;
  using Space = typename View::memory_space;
  constexpr std::optional<Memory::Kind> kind = memory_kind<Space>();
  static_assert(kind.has_value(), "Memory::Kind has no kind for this memory space");
  Buffer buffer;
  buffer.data = const_cast<std::remove_const_t<Value>*>(from.data());
  buffer.type = element_type<Value>();
  buffer.read_only = std::is_const_v<Value>;
  buffer.memory = {*kind, device_number<Space>().value_or(0)};
  if constexpr (static_cast<int>(View::rank) > 0)
    for (unsigned axis = 0; axis < static_cast<unsigned>(View::rank); ++axis) {
      buffer.shape.push_back(static_cast<Index>(from.extent(axis)));
      buffer.strides.push_back(static_cast<Index>(from.stride(axis) * sizeof(Value)));
    }
  if (!compat::keeps_memory(from) && !owner && from.data() != nullptr)
    refuse("an unmanaged view does not keep its memory alive", "", "pass the owner of its memory");
  throw_if_wrong(check(buffer));
  std::shared_ptr<void> kept = kept_owner(from);
  if (!kept && compat::keeps_memory(from)) kept = keep(from);
  buffer.owner = std::move(kept);
  if (owner && buffer.owner)
    buffer.owner = std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(buffer.owner, owner);
  else if (owner)
    buffer.owner = std::move(owner);
  return buffer;
}

/// Makes a DistArray of a view's memory without a copy, with the given dim_data. Ownership is as for export_buffer().
/// Throws Error if the view and dim_data do not fit each other.
template <class View>
DistArray export_view(const View& from, DimData dim_data, std::shared_ptr<void> owner = nullptr) {
  DistArray array;
  array.buffer = export_buffer(from, std::move(owner));
  array.dim_data = std::move(dim_data);
  throw_if_wrong(check(array));
  return array;
}

}  // namespace tridap::kokkos
