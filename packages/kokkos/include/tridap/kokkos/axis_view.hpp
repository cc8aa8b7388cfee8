#pragma once

#include <tridap/detail/refuse.hpp>
#include <tridap/kokkos/view.hpp>

#include <string>
#include <utility>

namespace tridap::kokkos {

/// Gives the global index of each local index along one axis, in kernels. A kernel captures it by value, like a view,
/// and calls `axis(local)` with `0 <= local < axis.extent()`.
///
/// For block and cyclic axes it computes a formula. Example: on a cyclic axis with blocks of 2, at coordinate 1 of 3,
/// the local indices 0, 1, 2, 3 are the global indices 2, 3, 8, 9. For an unstructured axis it reads a list in `Space`,
/// which is the producer's own list if axis_view() could share it.
template <class Space = Kokkos::HostSpace>
class AxisView {
 public:
  using List = Kokkos::View<const Index*, Kokkos::LayoutRight, Space>;

  AxisView() = default;  ///< its extent is 0

  /// The number of local indices.
  KOKKOS_FUNCTION Index extent() const { return extent_; }
  KOKKOS_FUNCTION Index operator()(Index local) const {
    if (list_.data() != nullptr) return list_.data()[local];
    return first_ + local + (skip_ == 0 ? 0 : local / block_size_ * skip_);
  }
  /// The global indices of an unstructured axis; empty for a block or cyclic axis.
  const List& list() const { return list_; }

 private:
  template <class Of>
  friend AxisView<Of> axis_view(const DistArray& array, Index axis, Part part);

  Index extent_ = 0, first_ = 0;
  Index block_size_ = 1, skip_ = 0;  // skip_: how many global indices other coordinates hold after each block
  List list_;
};

namespace detail {

/// Copies a contiguous host list into the memory space of `List`. The returned view owns the copy.
template <class List>
List copied_list(const Buffer& host) {
  using Space = typename List::memory_space;
  const Kokkos::View<Index*, Kokkos::LayoutRight, Space> copy(
      Kokkos::view_alloc(std::string("tridap::kokkos::axis_view"), Kokkos::WithoutInitializing),
      static_cast<std::size_t>(host.shape[0]));
  Kokkos::deep_copy(copy, view<const Index*, Kokkos::LayoutRight>(host));
  return shared_as<List>(export_buffer(copy));
}

/// Makes a view in the memory space of `List` from a list of indices. It shares the list if it is contiguous, has
/// native 64-bit integers and is in memory that the space may use; otherwise it copies the list.
template <class List>
List index_list(const IndexBuffer& indices) {
  constexpr bool on_host = can_name<typename List::memory_space>(Memory::Kind::host);
  using Kind = ElementType::Kind;
  Buffer buffer = indices.buffer;
  // All values fit 64 bits: check_dimension() has checked it.
  const ElementType type = std::exchange(buffer.type, element_type<Index>());
  const bool wide = type == buffer.type || type == ElementType{Kind::unsigned_integer, 8, true};
  const bool aligned = reinterpret_cast<std::uintptr_t>(buffer.data) % alignof(Index) == 0;
  const bool dense = buffer.shape[0] == 1 || buffer.strides[0] == buffer.type.bytes;
  const bool shared = on_host && wide && aligned && dense;
  buffer.read_only = true;
  if (shared && !Kokkos::is_initialized()) return make<List>(buffer);
  if (!Kokkos::is_initialized())
    refuse("the indices of an unstructured axis must be copied, and Kokkos is not initialised", "",
           "create a Kokkos or Tpetra ScopeGuard first, or pass the indices as a contiguous list of native 64-bit "
           "integers");
  if (!wide || !aligned || !dense) buffer = IndexBuffer(*read_indices(indices)).buffer;
  if constexpr (on_host)
    return shared_as<List>(buffer);
  else
    return copied_list<List>(buffer);
}

}  // namespace detail

/// Makes the AxisView of one axis, for the local indices of view() or, with Part::owned, of owned_view().
///
/// Block and cyclic axes need no memory, and Kokkos need not be initialised. For an unstructured axis, a contiguous
/// list of native 64-bit integers on the host is shared if `Space` is host memory. If Kokkos is initialised, the result
/// then shares the ownership of the list; if not, the array must outlive the result. Any other list is copied into
/// `Space`, for which Kokkos must be initialised.
///
/// Throws Error if the array has no such axis, if its dictionary is wrong, or if it is a padded periodic axis of 0.9:
/// only the neighbouring processes know which indices its padding holds.
template <class Space = Kokkos::HostSpace>
AxisView<Space> axis_view(const DistArray& array, Index axis, Part part = Part::local) {
  if (axis < 0 || axis >= array.ndim())
    refuse("there is no axis " + std::to_string(axis) + ", the array has " + std::to_string(array.ndim()) + " axes", "",
           "pass an axis from 0 on that the array has");
  Report report;
  const Version version = read_version(array.version, report).value_or(Version::v0_10);
  const Dimension& dimension = array.dim_data[static_cast<std::size_t>(axis)];
  check_dimension(dimension, axis, report, version);
  throw_if_wrong(report);

  const Range held = local_part(dimension, part, version);
  AxisView<Space> made;
  made.extent_ = held.size();
  if (const auto* block = std::get_if<Block>(&dimension.dist)) {
    if (version == Version::v0_9 && dimension.periodic && block->padding)
      refuse("axis " + std::to_string(axis) +
                 " is a padded periodic axis of protocol 0.9, whose padding holds unknown indices",
             "", "export the array as 0.10, or read it as 0.10");
    const Index outside = version == Version::v0_9 ? local_part(dimension, Part::owned, version).begin : 0;
    made.first_ = block->start - outside + held.begin;
  } else if (const auto* cyclic = std::get_if<Cyclic>(&dimension.dist)) {
    made.first_ = cyclic->start;
    made.block_size_ = cyclic->block_size;
    // If this does not fit 64 bits, no coordinate has a second block.
    made.skip_ = checked_multiply(dimension.proc_grid_size - 1, cyclic->block_size).value_or(0);
  } else if (made.extent_ > 0) {
    made.list_ = detail::index_list<typename AxisView<Space>::List>(std::get<Unstructured>(dimension.dist).indices);
  }
  return made;
}
template <class Space = Kokkos::HostSpace>
void axis_view(const DistArray&& array, Index axis, Part part = Part::local) = delete;

}  // namespace tridap::kokkos
