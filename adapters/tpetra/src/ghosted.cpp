#include "map_parts.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/ghost_owners.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/tpetra/ghosted.hpp>

#include <limits>

namespace tridap::tpetra::detail {

namespace {

using Ids = Kokkos::View<compat::Id*, Map::device_type>;

// All processes throw alike, because they have the same distribution.
void check_components(const Distribution& all, Index numbered) {
  for (Index i = 0; i < all.ndim(); ++i) {
    const Axis& axis = all.axis(i);
    if (i >= numbered && axis.proc_grid_size() > 1)
      refuse("the components are distributed over " + std::to_string(axis.proc_grid_size()) + " processes",
             "must all be on one process, because a vector has whole elements", "distribute the other axes alone", i);
    for (Index c = 0; c < axis.proc_grid_size(); ++c)
      if (axis.part(c, Part::interior).size() != axis.part(c, Part::owned).size())
        refuse("the axis is periodic with mirrors", "must have none, because a one-to-one map leaves them out",
               "describe the mirrors as ghosts", i);
  }
}

// The ids of the ghosts behind those of the owned elements, in the order of the local buffer.
Ids overlap_ids(const GhostedArray& array, const ArrayMap& owned, Index base) {
  const FlatNumbers numbers = owned.flat_numbers();
  Index components = 1;
  for (std::size_t i = 1; i < array.local().shape.size(); ++i) components *= array.local().shape[i];
  const Index owned_entries = array.owned_count() * components;
  Ids ids(Kokkos::ViewAllocateWithoutInitializing("tridap ids"),
          static_cast<std::size_t>(element_count(array.local())));
  const auto host = Kokkos::create_mirror_view(ids);
  numbers.write(owned.process(), Part::owned, owned.order(), host.data());
  Index next = owned_entries;
  for (const Index ghost : array.ghosts()) {
    const Index first = array.numbered() == 1 ? numbers.number(0, ghost) : ghost * components;
    for (Index k = 0; k < components; ++k) host(next++) = compat::id_of(first + k);
  }
  for (std::size_t i = 0; base != 0 && i < host.extent(0); ++i) host(i) += compat::id_of(base);
  Kokkos::deep_copy(ids, host);
  return ids;
}

// One axis whose indices are the ids of a map, less `base`.
Dimension listed(const Map& map, Index base) {
  std::vector<Index> indices;
  const auto ids = compat::local_ids(map);
  for (const auto id : ids) indices.push_back(id - base);
  Dimension axis;
  axis.size = static_cast<Index>(map.getGlobalNumElements());
  axis.proc_grid_size = map.getComm()->getSize();
  axis.proc_grid_rank = map.getComm()->getRank();
  axis.dist = Unstructured{IndexBuffer(std::move(indices)), false};
  return axis;
}

// The ids of `overlap` behind those of `owned`, less `base`. Local; throws Error.
std::vector<Index> ghosts_of(const Map& overlap, const Map& owned, Index base) {
  const std::size_t all = compat::local_count(overlap), first = compat::local_count(owned);
  const auto what = [&](std::size_t i, const Map& map) {
    return std::to_string(map.getGlobalElement(static_cast<Map::local_ordinal_type>(i)));
  };
  if (all < first)
    refuse("the vector has " + std::to_string(all) + " ids on this process, and the map of the owned elements has " +
               std::to_string(first),
           "must have all owned ids first", "give the vector with ghosts, and the one-to-one map");
  std::vector<Index> ghosts;
  for (std::size_t i = 0; i < all; ++i) {
    const auto local = static_cast<Map::local_ordinal_type>(i);
    if (i >= first) {
      ghosts.push_back(overlap.getGlobalElement(local) - base);
    } else if (overlap.getGlobalElement(local) != owned.getGlobalElement(local)) {
      refuse("local index " + std::to_string(i) + " is the id " + what(i, overlap) + " on the vector's map and " +
                 what(i, owned) + " on the map of the owned elements",
             "must be the same: the owned ids come first, in the same order", "give maps that list them so");
    }
  }
  return ghosts;
}

}  // namespace

PreparedGhosted prepared_ghosted(const GhostedArray& array, const Communicator& comm, Index index_base,
                                 const ImportRequest& wanted) {
  ArrayMapOptions options;
  options.index_base = index_base;
  if (!wanted.node.on_host) check_ghosts(array, comm.raw());  // on the host, a GhostUpdate has done it
  Dense whole = mpi::collectively(comm.raw(), [&] {
    if (!is_row_major(array.local()))
      refuse("the local buffer is not contiguous and row-major", "must be, to be the memory of a vector without a copy",
             "pass a contiguous buffer, with the components of each element side by side");
    if (array.order() != Order::row_major && array.numbered() > 1)
      refuse("the ids are column-major numbers", "must be row-major ones, as those of the vectors' maps",
             "make the GhostedArray with Order::row_major");
    check_memory(array.local(), wanted);
    const Buffer& local = array.local();
    if (!wanted.node.holds(local.memory))
      refuse("the array is in " + local.memory.name() + " memory, and the vectors of this node are in " +
                 wanted.node.name + " memory",
             "", "make the array in the node's memory");
    return dense(local.data, local, in_order(local, memory_order(local)), wanted);
  });
  PreparedGhosted made{ArrayMap(array.owned(), comm, options), {}, std::move(whole), 0};
  const Distribution& all = made.owned.distribution();
  check_components(all, array.numbered());
  made.owned_entries = element_count(array.owned().buffer);
  Ids ids;
  mpi::collectively(comm.raw(), [&] {
    check_limits({index_base, made.owned.numbers().count(), element_count(array.local()), all.processes()});
    ids = overlap_ids(array, made.owned, index_base);
  });
  made.overlap_map = Teuchos::rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                                          Kokkos::View<const compat::Id*, Map::device_type>(ids),
                                          compat::id_of(index_base), comm.teuchos()));
  return made;
}

GhostedArray over(const GhostedArray& array, void* data) {
  Buffer local = array.local();
  local.data = data;
  local.memory = {};
  local.owner = nullptr;
  return {std::move(local), array.owned().dim_data, array.ghosts(), array.owned().version, array.order()};
}

GhostedArray ghosted_on_maps(Buffer columns, bool is_vector, const Map& overlap, const Map& owned) {
  const MPI_Comm comm = Communicator(owned.getComm()).raw();
  const Index base = owned.getIndexBase();
  std::vector<Index> ghosts = mpi::collectively(comm, [&] { return ghosts_of(overlap, owned, base); });
  infer::InferredDimData inferred = infer(owned, {});
  // Axis 0 of the buffer goes on behind the owned elements, so it cannot run backwards.
  const auto& reversed = inferred.order.reversed;
  const bool list = mpi::min_max({Index{!reversed.empty() && reversed[0]}}, comm)[0].largest > 0;
  return mpi::collectively(comm, [&] {
    DimData dim_data;
    dim_data.push_back(list ? listed(owned, base) : inferred.dim_data[0]);
    if (is_vector) {
      columns.shape = {columns.shape[0]};
      columns.strides = {columns.strides[0]};
    } else {
      Dimension vectors;
      vectors.size = columns.shape[1];
      vectors.dist = Block{0, vectors.size, {}};
      dim_data.push_back(vectors);
    }
    return GhostedArray(std::move(columns), std::move(dim_data), std::move(ghosts));
  });
}

}  // namespace tridap::tpetra::detail
