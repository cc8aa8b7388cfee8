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

namespace tridap::tpetra {

namespace {

using detail::Counts;
using detail::OneRange;

Counts count(const Distribution& distribution, Index process) {
  const ProcessNumbers numbers(distribution);
  return {distribution.count(process, Part::interior), detail::largest_part(distribution, Part::interior),
          numbers.first(process), numbers.count()};
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

Distribution without(const Distribution& distribution, Index left_out) {
  std::vector<Axis> axes;
  for (Index i = 0; i < distribution.ndim(); ++i)
    if (i != left_out) axes.push_back(distribution.axis(i));
  return Distribution(std::move(axes));
}

[[noreturn]] void refuse_options() {
  refuse("the processes have different options", "", "give every process the same options");
}

// What gives smaller ids to an array whose ids have gaps.
std::string without_gaps(const Distribution& rows, const ArrayMapOptions& options) {
  bool lists = false;
  for (Index axis = 0; axis < rows.ndim(); ++axis) lists = lists || rows.axis(axis).dist_type() == 'u';
  const bool compact = lists && options.unstructured_ids != UnstructuredIds::compact;
  return std::string("C++ callers can instead set numbering = by_process") +
         (compact ? " or unstructured_ids = compact" : "") + ", for ids without gaps";
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
    : ArrayMap(array, comm, options, false, detail::memory_flags(array, options.vectors_axis),
               detail::Collective(comm, "ArrayMap")) {}

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
    if (options_.numbering == Numbering::by_process) return number_by_process(own);
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
    : agreed_(detail::memory_flags(array, options.vectors_axis)),
      distribution_(distribution),
      options_(options),
      comm_(comm),
      process_(mpi::rank_of(comm.raw())) {
  std::exception_ptr of_all;  // depends on the distribution and the options only
  detail::MapIds own;
  enum { said, directory, row_major, in_row_order, in_column_order, whole, asked };
  const mpi::Call call(comm.raw(), "ArrayMap", mpi::Library::trilinos, [&](mpi::Record& record) {
    detail::check_belongs(array, *this);
    try {
      arrange(array, false);
      own = ids();
      if (options_.numbering == Numbering::row_major) may_ascend(own);
    } catch (const Error&) {
      of_all = std::current_exception();
    }
    record.add(detail::said(options, false));
    record.add(asks_for_positions() ? fingerprint(distribution_) : 0);
    for (const Index flag : {detail::row_major, detail::in_row_order, detail::in_column_order})
      record.add(agreed_ & flag);
    record.add(fingerprint(distribution_));
    for (const Index number : own.asked) record.add(number);
  });
  if (!call.is_same(said)) refuse_options();
  mpi::need_same_directory(call, directory);
  if (!call.is_same(whole))
    refuse("the processes give different distributions", "must be the same on every process",
           "give every process the same");
  if (of_all) std::rethrow_exception(of_all);
  call.run([&] {
    know_positions();
    const bool all_row_major = call.smallest(row_major) != 0;
    agreed_ = call.smallest(row_major) | call.smallest(in_row_order) | call.smallest(in_column_order);
    if (options_.numbering == Numbering::by_process) return number_by_process(own);
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
    if (options_.numbering == Numbering::by_process)
      refuse("an index is on several processes, so that its element would have several numbers", "",
             "set numbering = row_major", axis);
    losses_.push_back("uniqueness of elements");
  }
  if ((detail::memory_flags(array, {}) & detail::row_major) != 0) {
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

// Makes the contiguous map. **Collective.**
void ArrayMap::number_by_process(const detail::MapIds& ids) {
  const detail::Counts& counts = ids.counts;
  if (counts.total > 0) find_orders();
  has_flat_ids_ = !orders_ && ids.range && ids.range->first == 0;
  if (!has_flat_ids_)
    losses_.push_back(
        "the row-major numbers of the elements: ids count process after process, and numbers() translates them");
  const bool uniform = checked_multiply(counts.largest, rows().processes()) == counts.total;
  make_map(ids, OneRange{0, uniform || (has_flat_ids_ && ids.range->uniform)});
}

// Fills `orders_`. **Collective** if the memory of some process is neither in row-major nor in column-major order.
void ArrayMap::find_orders() {
  if ((agreed_ & detail::in_row_order) != 0) return;
  std::vector<MemoryOrder> orders{order_};
  const auto ndim = static_cast<std::size_t>(rows().ndim());
  if ((agreed_ & detail::in_column_order) != 0) {
    orders[0] = row_major_order(rows().ndim());
    std::reverse(orders[0].axes.begin(), orders[0].axes.end());
  } else {
    std::vector<Index> own, all(ndim * static_cast<std::size_t>(rows().processes()));
    for (const Index axis : order_.axes)
      own.push_back(2 * axis + (order_.reversed[static_cast<std::size_t>(axis)] ? 1 : 0));
    mpi::gather_all(own.data(), static_cast<int>(ndim), all.data(), comm_.raw());
    orders.assign(static_cast<std::size_t>(rows().processes()), row_major_order(rows().ndim()));
    for (std::size_t process = 0; process < orders.size(); ++process) {
      const auto from = static_cast<std::size_t>(rank(static_cast<Index>(process))) * ndim;
      for (std::size_t k = 0; k < ndim; ++k) {
        const Index axis = all[from + k] / 2;
        orders[process].axes[k] = axis;
        orders[process].reversed[static_cast<std::size_t>(axis)] = all[from + k] % 2 != 0;
      }
    }
  }
  orders_ = std::make_shared<const std::vector<MemoryOrder>>(std::move(orders));
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
    detail::check_limits({base, span, counts.largest, rows().processes(), range.has_value(),
                          span > counts.total ? without_gaps(rows(), options_) : ""});
  };
  if (!range) {
    std::optional<FlatNumbers> flat;
    detail::ListedIds listed;
    listed.count = counts.local;
    listed.prepare = [&] { check(flat.emplace(flat_numbers()).count()); };
    listed.write = [&](auto* to) { flat->write(process_, Part::interior, order_, to); };
    map_ = detail::list_map(listed, base, comm_);
    return;
  }
  check(range->first + counts.total);
  const auto total = static_cast<Tpetra::global_size_t>(counts.total);
  const auto first = compat::id_of(base + range->first);
  map_ = Teuchos::rcp(range->uniform ? new Map(total, first, comm_.teuchos(), Tpetra::GloballyDistributed)
                                     : new Map(total, static_cast<std::size_t>(counts.local), first, comm_.teuchos()));
}

ElementNumbers ArrayMap::numbers(const Distribution& known) const {
  if (options_.numbering == Numbering::row_major)
    return {known, positions_ ? flat_numbers() : FlatNumbers(known, Order::row_major, options_.unstructured_ids)};
  return {known, ProcessNumbers(known, orders_ ? *orders_ : std::vector<MemoryOrder>()), ranks_};
}

ElementNumbers::ElementNumbers(Distribution distribution, FlatNumbers flat)
    : distribution_(std::move(distribution)), flat_(std::move(flat)) {}

ElementNumbers::ElementNumbers(Distribution distribution, ProcessNumbers numbers, const std::vector<int>& ranks)
    : distribution_(std::move(distribution)),
      of_processes_(std::move(numbers)),
      processes_(ranks.size()),
      by_process_(ranks.size()) {
  for (std::size_t process = 0; process < ranks.size(); ++process)
    processes_[static_cast<std::size_t>(ranks[process])] = static_cast<Index>(process);
  Index next = 0;
  for (const Index process : processes_) {
    by_rank_.push_back(next);
    by_process_[static_cast<std::size_t>(process)] = next;
    next += distribution_.count(process, Part::interior);
  }
}

std::optional<Indices> ElementNumbers::global_index(Index number) const {
  if (flat_) return flat_->global_index(number);
  if (by_rank_.empty() || number < 0) return of_processes_->global_index(number);
  const auto rank =
      static_cast<std::size_t>(std::upper_bound(by_rank_.begin(), by_rank_.end(), number) - by_rank_.begin() - 1);
  return number < count()
             ? of_processes_->global_index(of_processes_->first(processes_[rank]) + number - by_rank_[rank])
             : std::nullopt;
}

std::optional<Index> ElementNumbers::number(const Indices& global) const {
  if (flat_) return distribution_.owner(global) ? std::optional<Index>(flat_->number(global)) : std::nullopt;
  std::optional<Index> number = of_processes_->number(global);
  if (!number || by_rank_.empty()) return number;
  const Index process = of_processes_->process(*number);
  return by_process_[static_cast<std::size_t>(process)] + *number - of_processes_->first(process);
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
