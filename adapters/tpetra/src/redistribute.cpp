#include "gathering.hpp"
#include "map_parts.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/directory.hpp>
#include <tridap/internal/fingerprint.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/or_end_job.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/redistribute/ids.hpp>
#include <tridap/tpetra/redistribute.hpp>

namespace tridap::tpetra {

namespace {

using redistribute::PlacedDistribution;
using redistribute::Redistribution;

// How the ids of a map number an array's elements.
class Numbering {
 public:
  Numbering(const Map& map, const Distribution& array, const RedistributeOptions& options)
      : base_(options.index_base.value_or(map.getIndexBase())),
        numbers_(array, *options.mapping.ravel, options.unstructured_ids),
        plain_(array, *options.mapping.ravel) {}

  Index base() const { return base_; }
  Index count() const { return numbers_.count(); }
  bool closes_gaps() const { return numbers_.count() != plain_.count(); }

  // The number of the element in a plan, in which gaps count.
  Index planned(Index id) const {
    Index of_array = 0;
    if (__builtin_sub_overflow(id, base_, &of_array) || of_array < 0 || of_array >= count())
      refuse("the map's id " + std::to_string(id) + " is not an element of the array",
             "must be one of the " + std::to_string(count()) + " ids from " + std::to_string(base_) + " on",
             "set the index base, or leave the id out of the map");
    return closes_gaps() ? plain_.number(*numbers_.global_index(of_array)) : of_array;
  }

 private:
  Index base_;
  FlatNumbers numbers_, plain_;
};

// Whether each process has one range of ids, in the order of the ranks; the same answer on all processes.
bool is_line(const Map& map) {
  return map.isContiguous() &&
         (map.isDistributed() || map.getComm()->getSize() == 1 || map.getGlobalNumElements() == 0);
}

// A map as one side of a plan: ranges that begin at number 0, or ids.
struct Side {
  bool is_line = false;
  GlobalIds ids;
  std::vector<Index> list;  // the memory of `ids` if they are not the map's own
};

// Makes a new list if the plan has other numbers for the ids.
void list_ids(const Map& map, const Numbering& numbering, Side& side) {
  side.ids.count = static_cast<Index>(compat::local_count(map));
  if (side.ids.count == 0) return;
  const bool same = numbering.base() == 0 && !numbering.closes_gaps();
  if (map.isContiguous()) {
    side.ids.first = numbering.planned(map.getMinGlobalIndex());
    numbering.planned(map.getMaxGlobalIndex());
    if (!numbering.closes_gaps()) return;
    for (Index k = 0; k < side.ids.count; ++k) side.list.push_back(numbering.planned(map.getMinGlobalIndex() + k));
  } else {
    const auto ids = compat::local_ids(map);
    if (same) {
      side.ids.list = compat::as_indices(ids.getRawPtr(), compat::local_count(map), side.list);
      return;
    }
    side.list.reserve(static_cast<std::size_t>(side.ids.count));
    for (const auto id : ids) side.list.push_back(numbering.planned(id));
  }
  side.ids.list = side.list.data();
}

// **Collective.** The processes agree on what decides between ranges and lists.
Side side_of(const Map& map, const Distribution& array, const RedistributeOptions& options, MPI_Comm comm) {
  // Positions among all indices need all lists.
  const bool gathers = options.unstructured_ids == UnstructuredIds::compact && mpi::has_directory(array);
  std::optional<Numbering> numbering;
  mpi::collectively(comm, [&] {
    if (!gathers) numbering.emplace(map, array, options);
  });
  const std::vector<Index> said{
      gathers ? fingerprint(array) : 0,           options.index_base.value_or(map.getIndexBase()),
      numbering ? numbering->count() : 0,         Index{numbering && numbering->closes_gaps()},
      static_cast<Index>(*options.mapping.ravel), Index{options.mapping.partial}};
  for (const MinMax& spread : mpi::min_max(said, comm))
    if (!spread.is_same())
      refuse("the processes have different distributions or options", "", "give every process the same");
  if (gathers) {
    const Distribution all = mpi::completed(array, comm);
    mpi::collectively(comm, [&] { numbering.emplace(map, all, options); });
  }

  Side side;
  const auto total = static_cast<Index>(map.getGlobalNumElements());
  side.is_line =
      is_line(map) && !numbering->closes_gaps() && (total == 0 || map.getMinAllGlobalIndex() == numbering->base());
  if (side.is_line && total != numbering->count() && !options.mapping.partial)
    refuse("the map has " + std::to_string(total) + " ids, and the array " + std::to_string(numbering->count()) +
               " flat numbers",
           "",
           "give a map with as many ids, or set unstructured_ids = compact for a list with gaps, or mapping.partial to "
           "leave out what one side lacks");
  if (!side.is_line) mpi::collectively(comm, [&] { list_ids(map, *numbering, side); });
  return side;
}

// The ranges of a map as blocks. **Collective.**
PlacedDistribution line_of(const Map& map, MPI_Comm comm) {
  std::vector<Index> bounds(static_cast<std::size_t>(map.getComm()->getSize()) + 1);
  const auto count = static_cast<Index>(compat::local_count(map));
  mpi::gather_all(&count, 1, bounds.data() + 1, comm);
  for (std::size_t c = 1; c < bounds.size(); ++c) bounds[c] += bounds[c - 1];
  return PlacedDistribution(Distribution({Axis(BlockKind(std::move(bounds)))}));
}

Redistribution plan(const Teuchos::RCP<const Map>& map, const PlacedDistribution& array, Index element_bytes,
                    const RedistributeOptions& given, bool from_array) {
  if (map.is_null()) refuse("the map is null", "", "give a map");
  const Communicator communicator(map->getComm());
  const detail::Collective call(communicator, from_array ? "plan_to" : "plan_from");
  const MPI_Comm comm = communicator.raw();
  return call.run([&] {
    RedistributeOptions options = given;
    if (!options.mapping.ravel) options.mapping.ravel = Order::row_major;
    const Side side = side_of(*map, array.distribution(), options, comm);
    if (!side.is_line)
      return from_array ? redistribute::to_ids(array, side.ids, element_bytes, comm, std::move(options))
                        : redistribute::from_ids(side.ids, array, element_bytes, comm, std::move(options));
    const PlacedDistribution line = line_of(*map, comm);
    return from_array ? Redistribution(array, line, element_bytes, comm, options)
                      : Redistribution(line, array, element_bytes, comm, options);
  });
}

}  // namespace

Redistribution plan_to(const Teuchos::RCP<const Map>& map, const PlacedDistribution& source, Index element_bytes,
                       const RedistributeOptions& options) {
  return plan(map, source, element_bytes, options, true);
}

Redistribution plan_from(const Teuchos::RCP<const Map>& map, const PlacedDistribution& target, Index element_bytes,
                         const RedistributeOptions& options) {
  return plan(map, target, element_bytes, options, false);
}

namespace detail {

PlacedDistribution place_source(const Teuchos::RCP<const Map>& map, const DistArray& array, const ElementType& wanted,
                                const RedistributeOptions& options) {
  if (map.is_null()) refuse("the map is null", "", "give a map");
  const MPI_Comm comm = Communicator(map->getComm()).raw();
  std::vector<int> ranks;
  Index flags = 0;
  Distribution distribution =
      mpi::or_end_job("redistribute_to", comm, [&] { return gather_any(array, comm, options.reorder, ranks, flags); });
  return mpi::collectively(comm, [&] {
    if (!options.convert && array.buffer.type != wanted)
      refuse("the array's elements are " + array.buffer.type.name() + ", the vector's " + wanted.name(), "",
             "redistribute it to a vector of the array's own element type, or set convert");
    return PlacedDistribution(std::move(distribution), {ranks.begin(), ranks.end()});
  });
}

}  // namespace detail

}  // namespace tridap::tpetra
