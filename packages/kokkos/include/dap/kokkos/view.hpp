#pragma once

#include <dap/check.hpp>
#include <dap/dist_array.hpp>
#include <dap/kokkos/compat.hpp>
#include <dap/memory_order.hpp>
#include <dap/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

template <class T>
struct dap::is_complex<Kokkos::complex<T>> : std::true_type {};

namespace dap::kokkos {

namespace detail {

[[noreturn]] inline void refuse(const std::string& fault, const std::string& remedy) {
  throw Error(Finding{Rule::conversion, {}, {}, "", fault, "", remedy});
}

template <class Space>
bool can_reach(Memory::Kind kind) {
  const auto reach = [](auto memory, bool there) {
    return there && Kokkos::SpaceAccessibility<typename Space::execution_space, decltype(memory)>::accessible &&
           Kokkos::SpaceAccessibility<Space, decltype(memory)>::assignable;
  };
  if (kind == Memory::Kind::host) return Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::assignable;
  if constexpr (compat::has_cuda) {
    if (kind == Memory::Kind::cuda) return reach(compat::CudaSpace{}, true);
    if (kind == Memory::Kind::cuda_managed) return reach(compat::CudaManagedSpace{}, true);
  }
  if constexpr (compat::has_hip)
    if (kind == Memory::Kind::hip) return reach(compat::HipSpace{}, true);
  return false;
}

/// Everything that a view over `buffer` needs, checked before Kokkos would abort; the strides in elements.
template <class View>
std::vector<Index> check_fit(const Buffer& buffer) {
  using Value = typename View::value_type;
  constexpr auto rank = static_cast<std::size_t>(View::Rank);
  const ElementType wanted = element_type<std::remove_const_t<Value>>();
  const std::string target = "a view of " + wanted.name() + " in " + View::memory_space::name();

  throw_if_wrong(check(buffer));
  if (buffer.shape.size() != rank)
    refuse(target + " has " + std::to_string(rank) + " axes, the buffer " + std::to_string(buffer.ndim()),
           "give the view as many * as the array has axes");
  if (buffer.type != wanted)
    refuse(target + " does not fit a buffer of " + buffer.type.name(), "name the buffer's own element type");
  if (buffer.read_only && !std::is_const_v<Value>)
    refuse(target + " could be written, but the buffer is read-only", "ask for a view of const elements");
  if (!can_reach<typename View::memory_space>(buffer.memory.kind))
    refuse(target + " cannot stand over " + buffer.memory.name() + " memory", "name the memory space of the buffer");
  if (reinterpret_cast<std::uintptr_t>(buffer.data) % alignof(Value) != 0)
    refuse("the buffer's address is no multiple of " + std::to_string(alignof(Value)) + " bytes",
           "copy to aligned memory");

  const Index bytes = static_cast<Index>(sizeof(Value));
  std::vector<Index> strides = row_major_strides(buffer.shape, 1);  // also of axes that are never stepped along
  const bool empty = element_count(buffer) == 0;
  for (std::size_t axis = 0; axis < rank && !empty; ++axis) {
    if (buffer.shape[axis] == 1) continue;
    const Index stride = buffer.strides[axis];
    const std::string said = "axis " + std::to_string(axis) + " has stride " + std::to_string(stride) + " bytes";
    if (stride < 0) refuse(said + ", and Kokkos has no negative strides", "copy the array");
    if (stride % bytes != 0)
      refuse(said + ", no multiple of the " + std::to_string(bytes) + " bytes of an element", "copy the array");
    if (!std::is_const_v<Value> && stride == 0)
      refuse(said + ": its elements share their memory", "ask for a view of const elements");
    strides[axis] = stride / bytes;
  }
  if (!std::is_const_v<Value> && !memory_order(buffer).distinct)
    refuse("the buffer's elements may share memory", "ask for a view of const elements");
  return strides;
}

/// Kokkos cannot say why a layout does not fit, and aborts; the first axis that stands in the way is named here.
inline void check_dense(const Buffer& buffer, const std::vector<Index>& dense, const char* layout) {
  if (element_count(buffer) == 0) return;
  for (std::size_t axis = 0; axis < dense.size(); ++axis)
    if (buffer.shape[axis] > 1 && buffer.strides[axis] != dense[axis])
      refuse("axis " + std::to_string(axis) + " has stride " + std::to_string(buffer.strides[axis]) + " bytes, " +
                 layout + " needs " + std::to_string(dense[axis]),
             "ask for Kokkos::LayoutStride");
}

template <class View>
View make(const Buffer& buffer) {
  using Layout = typename View::array_layout;
  constexpr auto rank = static_cast<std::size_t>(View::Rank);
  const std::vector<Index> strides = check_fit<View>(buffer);
  Layout layout;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const auto extent = static_cast<std::size_t>(buffer.shape[axis]);
    const std::size_t fixed = View::static_extent(static_cast<unsigned>(axis));
    if (axis >= static_cast<std::size_t>(View::rank_dynamic) && fixed != extent)
      refuse("axis " + std::to_string(axis) + " has extent " + std::to_string(extent) + ", the view's type says " +
                 std::to_string(fixed),
             "use * for that axis");
    layout.dimension[axis] = extent;
    if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>)
      layout.stride[axis] = static_cast<std::size_t>(strides[axis]);
  }
  if constexpr (std::is_same_v<Layout, Kokkos::LayoutRight>)
    check_dense(buffer, row_major_strides(buffer.shape, buffer.type.bytes), "LayoutRight");
  if constexpr (std::is_same_v<Layout, Kokkos::LayoutLeft>)
    check_dense(buffer, column_major_strides(buffer.shape, buffer.type.bytes), "LayoutLeft");
  return View(static_cast<typename View::pointer_type>(buffer.data), layout);
}

}  // namespace detail

/// An unmanaged view over the same memory, `view<double**>(array)`; any strides with LayoutStride, row-major memory
/// with LayoutRight, column-major with LayoutLeft. Extents and strides of the view count elements, and its indices are
/// local.
///
/// The array must outlive the view. Throws Error, saying what does not fit: element type, number of axes, a static
/// extent, read-only memory under non-const elements, memory space, alignment, or strides.
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

/// A view of the type named, `shared_as<View>(buffer)`, that shares in the ownership of the memory: the buffer's owner
/// lives as long as the view, its copies and subviews. Kokkos must be initialised, and outlive them. Throws as view().
template <class View>
View shared_as(const Buffer& buffer) {
  static_assert(View::traits::is_managed, "an Unmanaged view shares in no ownership");
  if (!Kokkos::is_initialized())
    detail::refuse("Kokkos is not initialised", "create a Kokkos or Tpetra ScopeGuard first");
  View made = detail::make<View>(buffer);
  if (buffer.owner) compat::keep_alive(made, buffer.owner);
  return made;
}

/// shared_as() with the type spelled as for view().
template <class DataType, class Layout = Kokkos::LayoutStride, class Space = Kokkos::HostSpace>
auto shared_view(const Buffer& buffer) {
  return shared_as<Kokkos::View<DataType, Layout, Space>>(buffer);
}

/// The Buffer of a view's memory, not copied. A managed view is kept alive by the buffer; for an unmanaged one, give
/// the `owner` of its memory.
template <class View>
Buffer export_buffer(const View& from, std::shared_ptr<void> owner = nullptr) {
  using Value = typename View::value_type;
  using Space = typename View::memory_space;
  Buffer buffer;
  buffer.data = const_cast<std::remove_const_t<Value>*>(from.data());
  buffer.type = element_type<Value>();
  buffer.read_only = std::is_const_v<Value>;
  if (std::is_same_v<Space, compat::CudaSpace>) buffer.memory.kind = Memory::Kind::cuda;
  if (std::is_same_v<Space, compat::CudaManagedSpace>) buffer.memory.kind = Memory::Kind::cuda_managed;
  if (std::is_same_v<Space, compat::HipSpace>) buffer.memory.kind = Memory::Kind::hip;
  for (unsigned axis = 0; axis < static_cast<unsigned>(View::Rank); ++axis) {
    buffer.shape.push_back(static_cast<Index>(from.extent(axis)));
    buffer.strides.push_back(static_cast<Index>(from.stride(axis) * sizeof(Value)));
  }
  if (!compat::keeps_memory(from) && !owner && from.data() != nullptr)
    detail::refuse("an unmanaged view keeps nobody's memory alive", "give the owner of its memory");
  if (!owner) owner = compat::kept_owner(from);
  buffer.owner = owner ? std::move(owner) : std::static_pointer_cast<void>(std::make_shared<View>(from));
  return buffer;
}

/// A DistArray over a view's memory, not copied, with the dim_data given; see export_buffer() for who keeps it alive.
/// Throws Error where the two do not fit.
template <class View>
DistArray export_view(const View& from, std::vector<Dimension> dim_data, std::shared_ptr<void> owner = nullptr) {
  DistArray array;
  array.buffer = export_buffer(from, std::move(owner));
  array.dim_data = std::move(dim_data);
  throw_if_wrong(check(array));
  return array;
}

}  // namespace dap::kokkos
