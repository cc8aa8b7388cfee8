#include "gathering.hpp"
#include "map_parts.hpp"
#include <tridap/check.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/directory.hpp>
#include <tridap/internal/fingerprint.hpp>
#include <tridap/internal/own_positions.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/runs.hpp>
#include <tridap/tpetra/import.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace tridap::tpetra {

namespace {

using detail::Counts;
using detail::OneRange;

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

[[noreturn]] void refuse_options() {
  refuse("the processes have different options", "", "give every process the same options");
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

}  // namespace

ArrayMap::ArrayMap(const DistArray& array, const Communicator& comm, const ArrayMapOptions& options)
    : ArrayMap(array, comm, options, false, detail::memory_flags(array), detail::Collective(comm, "ArrayMap")) {}

ArrayMap::ArrayMap(const DistArray& array, const Communicator& comm, const ArrayMapOptions& options, bool vectors,
                   Index flags, const detail::Collective& call)
    : agreed_(flags | detail::said(options, vectors)),
      distribution_(call.run([&] { return detail::gather_any(array, comm.raw(), options.reorder, ranks_, agreed_); })),
      options_(options),
      comm_(comm),
      process_(mpi::rank_of(comm.raw())) {
  if (!detail::all_said_the_same(agreed_)) refuse_options();
  call.run([&] {
    arrange(array, vectors);
    know_positions();
    detail::MapIds own = ids();
    std::optional<detail::OneRange> range;
    if (own.counts.total == 0 || (agreed_ & detail::row_major) != 0) range = own.range;
    if (!range && may_ascend(own)) {
      std::array<Index, 3> largest = own.asked;
      mpi::reduce(largest.data(), 3, MPI_MAX, comm_.raw());
      range = own.found(largest);
    }
    make_map(own, range);
  });
}

ArrayMap::ArrayMap(const DistArray& array, const Distribution& distribution, const Communicator& comm,
                   const ArrayMapOptions& options)
    : agreed_(detail::memory_flags(array)),
      distribution_(distribution),
      options_(options),
      comm_(comm),
      process_(mpi::rank_of(comm.raw())) {
  std::exception_ptr of_all;  // depends on the distribution and the options only
  detail::MapIds own;
  enum { said, directory, row_major, asked };
  const mpi::Call call(comm.raw(), "ArrayMap", mpi::Library::trilinos, [&](mpi::Record& record) {
    detail::check_belongs(array, *this);
    try {
      arrange(array, false);
      own = ids();
      may_ascend(own);
    } catch (const Error&) {
      of_all = std::current_exception();
    }
    record.add(detail::said(options, false));
    record.add(asks_for_positions() ? fingerprint(distribution_) : 0);
    record.add(agreed_ & detail::row_major);
    for (const Index number : own.asked) record.add(number);
  });
  if (!call.is_same(said)) refuse_options();
  if (of_all) std::rethrow_exception(of_all);
  mpi::need_same_directory(call, directory);
  call.run([&] {
    know_positions();
    const bool all_row_major = call.smallest(row_major) != 0;
    if (!all_row_major) agreed_ = 0;
    const auto found = own.found({call.largest(asked), call.largest(asked + 1), call.largest(asked + 2)});
    make_map(own, own.range && (all_row_major || own.counts.total == 0) ? own.range : found);
  });
}

// Its Errors depend on the distribution and the options only: they are the same on every process.
void ArrayMap::arrange(const DistArray& array, bool vectors) {
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
  if ((detail::memory_flags(array) & detail::row_major) != 0) {
    order_ = row_major_order(rows().ndim());
  } else {
    Buffer interior = sub_buffer(array.buffer, distribution_.part(process_, Part::interior));
    if (options_.vectors_axis) {
      interior.shape.erase(interior.shape.begin() + *options_.vectors_axis);
      interior.strides.erase(interior.strides.begin() + *options_.vectors_axis);
    }
    order_ = memory_order(interior);
  }
}

bool ArrayMap::asks_for_positions() const {
  return options_.unstructured_ids == UnstructuredIds::compact && mpi::has_directory(rows());
}

void ArrayMap::know_positions() {
  if (asks_for_positions()) positions_ = mpi::own_positions(rows(), comm_.raw());
}

detail::MapIds ArrayMap::ids() const {
  detail::MapIds own;
  own.counts = count(rows(), process_);
  if (ranks_.empty() || own.counts.total == 0) own.range = one_range(rows(), own.counts);
  return own;
}

// Fills MapIds::asked, and returns whether the processes must ask one another.
bool ArrayMap::may_ascend(detail::MapIds& own) const {
  own.may_ascend = own.counts.total > 0 && ranks_.empty() && fit(rows());
  if (!own.may_ascend) return false;
  constexpr Index nothing = std::numeric_limits<Index>::min();
  own.asked = {0, nothing, nothing};
  if (own.counts.local == 0) return true;
  const std::optional<Index> first = own_range(rows(), process_, order_);
  const Index here = first ? *first - own.counts.before : 0;
  own.asked = {first ? 0 : 1, here, -here};
  return true;
}

void ArrayMap::make_map(const detail::MapIds& ids, const std::optional<detail::OneRange>& range) {
  const detail::Counts& counts = ids.counts;
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
    map_ = detail::list_map(list, process_, Part::interior, order_, base, comm_);
    return;
  }
  check(range->first + counts.total);
  const auto total = static_cast<Tpetra::global_size_t>(counts.total);
  map_ = Teuchos::rcp(
      range->uniform ? new Map(total, base + range->first, comm_.teuchos(), Tpetra::GloballyDistributed)
                     : new Map(total, static_cast<std::size_t>(counts.local), base + range->first, comm_.teuchos()));
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
  return call.run([&] {
    DistArray array;
    array.dim_data = dim_data;
    array.buffer.type = element_type<std::byte>();
    array.buffer.memory.kind = Memory::Kind::nowhere;
    for (std::size_t axis = 0; axis < dim_data.size(); ++axis) {
      Report ignored;  // gather_distribution() reports it
      array.buffer.shape.push_back(check_dimension(dim_data[axis], static_cast<Index>(axis), ignored).value_or(0));
    }
    array.buffer.strides = row_major_strides(array.buffer.shape, 1);
    return ArrayMap(array, comm, options).map();
  });
}

}  // namespace tridap::tpetra
