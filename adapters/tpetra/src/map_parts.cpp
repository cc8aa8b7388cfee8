#include "map_parts.hpp"

#include <tridap/detail/refuse.hpp>

#include <algorithm>
#include <exception>
#include <limits>

namespace tridap::tpetra::detail {

namespace {

using GlobalOrdinal = Map::global_ordinal_type;
using LocalOrdinal = Map::local_ordinal_type;

Index order_flags(const Buffer& buffer, std::optional<Index> vectors_axis) {
  bool rows = true, columns = true;
  std::optional<Index> outer;  // the stride of the axis before
  for (std::size_t axis = 0; axis < buffer.shape.size(); ++axis) {
    if (buffer.shape[axis] == 0) return Index{in_row_order} | Index{in_column_order};
    if (buffer.shape[axis] == 1 || vectors_axis == static_cast<Index>(axis)) continue;
    const Index stride = buffer.strides[axis];
    rows = rows && stride > 0 && (!outer || stride < *outer);
    columns = columns && stride > 0 && (!outer || stride > *outer);
    outer = stride;
  }
  return (rows ? Index{in_row_order} : 0) | (columns ? Index{in_column_order} : 0);
}

bool is_dense_row_major(const DistArray& array) {
  const Buffer& buffer = array.buffer;
  for (const Dimension& dimension : array.dim_data)
    if (const auto* block = std::get_if<Block>(&dimension.dist); block != nullptr && block->padding) return false;
  std::optional<Index> expected = buffer.type.bytes;
  for (std::size_t axis = buffer.shape.size(); axis-- > 0;) {
    if (buffer.shape[axis] > 1 && buffer.strides[axis] != expected) return false;
    expected =
        buffer.shape[axis] < 0 ? std::nullopt : checked_multiply(*expected, std::max<Index>(buffer.shape[axis], 1));
    if (!expected) return false;
  }
  return true;
}

}  // namespace

void check_limits(const Limits& of) {
  constexpr Index most = std::numeric_limits<LocalOrdinal>::max();
  if (of.largest > most)
    refuse("a process has " + std::to_string(of.largest) + " elements", "must be at most " + std::to_string(most),
           "use more processes");
  compat::need_ids(of.base, of.span, of.instead);
  if (!of.one_range && (!of.span || *of.span / of.processes >= Index{1} << 31))
    refuse("the ids span " + (of.span ? std::to_string(*of.span) : "2^63 or more") +
               " numbers, but Tpetra's directory holds 2^31 for each of the " + std::to_string(of.processes) +
               " processes",
           "", "use more processes, distribute the array by whole rows, or set unstructured_ids = compact");
}

Teuchos::RCP<const Map> list_map(const ListedIds& listed, Index base, const Communicator& comm) {
  Kokkos::View<GlobalOrdinal*, Map::device_type> ids;
  std::exception_ptr of_all;
  mpi::collectively(comm.raw(), [&] {
    try {
      listed.prepare();
    } catch (const Error&) {
      of_all = std::current_exception();
      return;
    }
    if (!Kokkos::is_initialized()) refuse("Kokkos is not initialised", "", "create a Tpetra::ScopeGuard first");
    ids = decltype(ids)(Kokkos::ViewAllocateWithoutInitializing("tridap ids"), static_cast<std::size_t>(listed.count));
    const auto host = Kokkos::create_mirror_view(ids);
    listed.write(host.data());
    for (std::size_t i = 0; base != 0 && i < host.extent(0); ++i) host(i) += compat::id_of(base);
    Kokkos::deep_copy(ids, host);
  });
  if (of_all) std::rethrow_exception(of_all);
  return Teuchos::rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                              Kokkos::View<const GlobalOrdinal*, Map::device_type>(ids), compat::id_of(base),
                              comm.teuchos()));
}

Index largest_part(const Distribution& distribution, Part part) {
  std::optional<Index> largest = 1;
  for (Index i = 0; i < distribution.ndim() && largest; ++i) {
    Index of_axis = 0;
    for (Index c = 0; c < distribution.axis(i).proc_grid_size(); ++c)
      of_axis = std::max(of_axis, distribution.axis(i).part(c, part).size());
    largest = checked_multiply(*largest, of_axis);
  }
  return largest.value_or(std::numeric_limits<Index>::max());
}

Index memory_flags(const DistArray& array, std::optional<Index> vectors_axis) {
  if (array.buffer.shape.size() != array.buffer.strides.size()) return 0;
  return (is_dense_row_major(array) ? Index{row_major} : 0) | order_flags(array.buffer, vectors_axis);
}

}  // namespace tridap::tpetra::detail
