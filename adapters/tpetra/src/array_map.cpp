#include "gathering.hpp"
#include "map_parts.hpp"
#include <tridap/check.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/runs.hpp>
#include <tridap/tpetra/array_map.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <numeric>

namespace tridap::tpetra {

namespace {

// How many elements a map has: on this process, on the largest one, on those before this one, on all. Computed axis by
// axis, without communication: a process is before this one if its coordinate is less on some axis and equal on the
// axes before that.
struct Counts {
  Index local = 1, largest = 1, before = 0, total = 1;
};

// Allocates nothing.
Counts count(const Distribution& distribution, Index process) {
  Counts counts;
  Index inner = distribution.processes();  // processes along the axes that follow
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    Index before = 0, total = 0, largest = 0;
    inner /= axis.proc_grid_size();
    const Index own = process / inner % axis.proc_grid_size();
    for (Index c = 0; c < axis.proc_grid_size(); ++c) {
      const Index held = axis.part(c, Part::interior).size();
      if (c < own) before += held;
      total += held;
      largest = std::max(largest, held);
    }
    if (total == 0) return {0, 0, 0, 0};
    const auto all = checked_multiply(counts.total, total);
    if (!all) refuse("the number of elements does not fit 64 bits", "", "use fewer elements");
    counts.total = *all;
    counts.before = counts.before * total + counts.local * before;
    counts.local *= axis.part(own, Part::interior).size();
    counts.largest *= largest;
  }
  return counts;
}

// Whether an axis is not distributed, holds its indices in order, and has no padding.
bool is_identity(const Axis& axis) {
  return axis.proc_grid_size() == 1 && axis.dist_type() != 'u' && axis.part(0, Part::interior).size() == axis.size();
}

// One range over all processes.
struct OneRange {
  Index first = 0;      // the first id of all
  bool uniform = true;  // Tpetra's uniform distribution, which needs no message, is that of the ids
};

// The ids of row-major memory if they ascend in one range over the processes: one axis is distributed in blocks, the
// axes before it have one element, and the axes after it are not distributed.
std::optional<OneRange> one_range(const Distribution& rows, const Counts& counts) {
  if (counts.total == 0) return OneRange{};
  Index axis = 0;
  while (axis < rows.ndim() && is_identity(rows.axis(axis)) && rows.axis(axis).size() == 1) ++axis;
  if (axis == rows.ndim()) return OneRange{};
  Index inside = 1;  // ids for each index of the axis; at most counts.total
  for (Index inner = axis + 1; inner < rows.ndim(); ++inner) {
    if (!is_identity(rows.axis(inner))) return std::nullopt;
    inside *= rows.axis(inner).size();
  }
  const Axis& distributed = rows.axis(axis);
  if (!is_identity(distributed) && distributed.dist_type() != 'b') return std::nullopt;
  OneRange range;
  bool found = false;
  const Index grid = distributed.proc_grid_size(), quotient = counts.total / grid, rest = counts.total % grid;
  for (Index c = 0; c < grid; ++c) {
    const Range held = distributed.part(c, Part::interior);
    range.uniform = range.uniform && held.size() * inside == quotient + (c < rest ? 1 : 0);
    if (held.size() == 0 || found) continue;
    range.first = distributed.global_index(c, held.begin) * inside;
    found = true;
  }
  return range;
}

// Whether the flat numbers of all elements, gaps included, fit 64 bits; the same on every process.
bool fit(const Distribution& rows) {
  try {
    const FlatNumbers numbers(rows);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// The first flat number of a process's interior if the numbers ascend by one in memory order; nothing otherwise.
std::optional<Index> own_range(const Distribution& rows, Index process, const MemoryOrder& order) {
  const std::vector<Range> box = rows.part(process, Part::interior);
  Index last = -1;
  for (const Index axis : order.axes) {
    const auto i = static_cast<std::size_t>(axis);
    if (box[i].size() == 1) continue;
    if (order.reversed[i] || axis < last) return std::nullopt;
    last = axis;
  }
  const std::optional<Run> run = ArrayRuns(rows, process, Part::interior).next();
  if (!run || run->length != rows.count(process, Part::interior)) return std::nullopt;
  return run->global;
}

MemoryOrder row_major_order(Index ndim) {
  MemoryOrder order;
  order.axes.resize(static_cast<std::size_t>(ndim));
  std::iota(order.axes.begin(), order.axes.end(), Index{0});
  order.reversed.assign(order.axes.size(), false);
  return order;
}

Distribution without(const Distribution& distribution, Index left_out) {
  std::vector<Axis> axes;
  for (Index i = 0; i < distribution.ndim(); ++i)
    if (i != left_out) axes.push_back(distribution.axis(i));
  return Distribution(std::move(axes));
}

Index find_vectors_axis(const Distribution& distribution, std::optional<Index> named, bool vectors) {
  if (!named) {
    for (Index axis = distribution.ndim(); vectors && axis-- > 0;)
      if (is_identity(distribution.axis(axis))) return axis;
    refuse("every axis is distributed, but a MultiVector has all of its vectors on each process", "",
           "import it as a vector");
  }
  if (*named < 0 || *named >= distribution.ndim())
    refuse("there is no axis " + std::to_string(*named) + " for the vectors", "",
           "the array has " + std::to_string(distribution.ndim()) + " axes: set vectors_axis to one of them");
  if (!is_identity(distribution.axis(*named)))
    refuse("the vectors' axis is distributed", "", "set vectors_axis to an axis that is not distributed", *named);
  return *named;
}

// Null and empty if this process has no memory for it.
detail::ReservedMap reserve(Index ndim) {
  detail::ReservedMap made;
  try {
    made.order = row_major_order(ndim);
    made.map = detail::ReservedObject<Map>::make();
  } catch (const std::bad_alloc&) {  // the processes find out together
  }
  return made;
}

}  // namespace

namespace detail {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace detail

ArrayMap::ArrayMap(const DistArray& array, const Communicator& comm, const ArrayMapOptions& options)
    : ArrayMap(array, comm, options, false, detail::memory_flags(array), detail::Collective(comm, "ArrayMap")) {}

ArrayMap::ArrayMap(const DistArray& array, const Communicator& comm, const ArrayMapOptions& options, bool vectors,
                   Index flags, const detail::Collective&)
    : ArrayMap(array, comm, options, vectors, flags, reserve(array.ndim())) {}

ArrayMap::ArrayMap(const DistArray& array, const Communicator& comm, const ArrayMapOptions& options, bool vectors,
                   Index flags, detail::ReservedMap&& reserved)
    : agreed_(flags | (reserved.map.has_memory() ? Index{detail::map_reserved} : Index{0}) |
              detail::said(options, vectors)),
      distribution_(detail::gather_any(array, comm.raw(), options.reorder, ranks_, agreed_)),
      options_(options),
      comm_(comm),
      process_(mpi::rank_of(comm.raw())) {
  if (!detail::all_said_the_same(agreed_))
    refuse("the processes have different options", "", "give every process the same options");
  make_map(array, vectors, reserved);
}

// It depends on the distribution and the options only, so that its Errors are the same on every process.
void ArrayMap::arrange(const DistArray& array, bool vectors, detail::ReservedMap& reserved) {
  if (is_reordered()) {
    process_ = std::find(ranks_.begin(), ranks_.end(), static_cast<int>(process_)) - ranks_.begin();
    losses_.push_back("the order of the processes");
  }
  if (options_.vectors_axis || vectors) {
    options_.vectors_axis = find_vectors_axis(distribution_, options_.vectors_axis, vectors);
    rows_ = without(distribution_, *options_.vectors_axis);
  }
  for (Index axis = 0; axis < rows().ndim(); ++axis) {
    if (!rows().axis(axis).shares_indices()) continue;
    if (!options_.shared)
      refuse("an index is on several processes, so that a vector would hold its element twice", "",
             "give each index to one process only; C++ callers that use no solver can set shared = true", axis);
    losses_.push_back("uniqueness of elements");
  }
  if ((agreed_ & detail::row_major) != 0) {
    order_ = rows_ || !reserved.map.has_memory() ? row_major_order(rows().ndim()) : std::move(reserved.order);
  } else {
    Buffer interior = sub_buffer(array.buffer, distribution_.part(process_, Part::interior));
    if (options_.vectors_axis) {
      interior.shape.erase(interior.shape.begin() + *options_.vectors_axis);
      interior.strides.erase(interior.strides.begin() + *options_.vectors_axis);
    }
    order_ = memory_order(interior);
  }
}

// Whether make_map() needs no memory but what was reserved: for one range of row-major elements. The same on every
// process.
bool ArrayMap::allocates_nothing(bool vectors) const {
  constexpr Index simple = detail::row_major | detail::map_reserved;
  if ((agreed_ & simple) != simple || !ranks_.empty() || vectors || options_.vectors_axis) return false;
  const Counts counts = count(distribution_, process_);
  return counts.total > 0 && one_range(distribution_, counts);
}

// Every constructor of a Map communicates. So the memory of the Map and of its RCP is allocated before, on every
// process or on none. This library cannot guard what Trilinos allocates in the constructor: if memory ends there, or in
// another call of Trilinos that communicates, the other processes wait.
void ArrayMap::make_map(const DistArray& array, bool vectors, detail::ReservedMap& reserved) {
  if ((agreed_ & detail::map_reserved) == 0) reserved = {};  // the same on every process
  detail::ReservedObject<Map>& map = reserved.map;
  Counts counts;
  std::optional<OneRange> range;  // found without listing any id
  bool asks = false;              // whether the processes must communicate to find it
  Index found[4] = {};            // the last one: a process could not plan
  const auto plan = [&] {
    arrange(array, vectors, reserved);
    counts = count(rows(), process_);
    if (counts.total == 0)
      range = OneRange{};
    else if (ranks_.empty() && (agreed_ & detail::row_major) != 0)
      range = one_range(rows(), counts);
    if (range && !map.has_memory()) map = detail::ReservedObject<Map>::make();
    asks = ranks_.empty() && !range && fit(rows());
    if (!asks) return;
    std::optional<Index> first = Index{0};
    if (counts.local > 0) first = own_range(rows(), process_, order_);
    const Index here = first ? *first - counts.before : 0;
    constexpr Index nothing = std::numeric_limits<Index>::min();
    found[0] = first ? 0 : 1;
    found[1] = counts.local > 0 ? here : nothing;
    found[2] = counts.local > 0 ? -here : nothing;
  };
  if (allocates_nothing(vectors)) {
    plan();
  } else {  // one message says whether all could plan, and where their ids begin
    mpi::Faults faults;
    std::exception_ptr of_all;  // depends on the distribution and the options only
    faults.attempt([&] {
      try {
        plan();
      } catch (const Error&) {
        of_all = std::current_exception();
      }
    });
    found[3] = faults.ok() ? 0 : 1;
    mpi::must_succeed(MPI_Allreduce(MPI_IN_PLACE, found, 4, MPI_INT64_T, MPI_MAX, comm_.raw()), "MPI_Allreduce");
    if (found[3] != 0) mpi::throw_faults(std::move(faults), comm_.raw());
    if (of_all) std::rethrow_exception(of_all);
    if (asks && found[0] == 0 && found[1] == -found[2]) range = OneRange{found[1], false};
  }

  const Index base = options_.index_base;
  const auto check = [&](Index span) {
    detail::check_limits(span, counts.largest, rows().processes(), range.has_value());
    if (base < 0 || !checked_add(base, span))
      refuse("the index base is " + std::to_string(base) + ", for ids that span " + std::to_string(span) + " numbers",
             "must not be negative, and the largest id must be below 2^63", "set a smaller index_base");
  };
  if (!range) {
    std::optional<FlatNumbers> listed;
    const auto list = [&]() -> const FlatNumbers& {
      check(listed.emplace(numbers()).count());
      return *listed;
    };
    map_ = detail::list_map(std::ref(list), process_, Part::interior, order_, base, comm_);
    return;
  }
  check(range->first + counts.total);
  const auto total = static_cast<Tpetra::global_size_t>(counts.total);
  if (!map.has_memory()) map = mpi::collectively(comm_.raw(), [] { return detail::ReservedObject<Map>::make(); });
  map_ = map.construct([&] {
    return range->uniform ? Map(total, base + range->first, comm_.teuchos(), Tpetra::GloballyDistributed)
                          : Map(total, static_cast<std::size_t>(counts.local), base + range->first, comm_.teuchos());
  });
}

int ArrayMap::rank(Index process) const {
  return ranks_.empty() ? static_cast<int>(process) : ranks_[static_cast<std::size_t>(process)];
}

Teuchos::RCP<const Map> make_map(const DistArray& array, const Communicator& comm, const ArrayMapOptions& options) {
  const detail::Collective call(comm, "make_map");
  return ArrayMap(array, comm, options).map();
}

Teuchos::RCP<const Map> make_map(const DimData& dim_data, const Communicator& comm, const ArrayMapOptions& options) {
  const detail::Collective call(comm, "make_map");
  const DistArray array = mpi::collectively(comm.raw(), [&] {
    DistArray made;
    made.dim_data = dim_data;
    made.buffer.type = element_type<std::byte>();
    made.buffer.memory.kind = Memory::Kind::nowhere;
    for (std::size_t axis = 0; axis < dim_data.size(); ++axis) {
      Report ignored;  // gather_distribution() reports it
      made.buffer.shape.push_back(check_dimension(dim_data[axis], static_cast<Index>(axis), ignored).value_or(0));
    }
    made.buffer.strides = row_major_strides(made.buffer.shape, 1);
    return made;
  });
  return ArrayMap(array, comm, options).map();
}

}  // namespace tridap::tpetra
