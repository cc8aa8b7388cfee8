#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_check.hpp>
#include <tridap/internal/collectives.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/directory.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/quick_gather.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/version.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <utility>
#include <vector>

namespace tridap::mpi {

namespace {

constexpr Index most_axes = 4;
constexpr Index listed_type = 2;     // the place of Unstructured among the kinds
constexpr int most_processes = 256;  // with more, a gather of all summaries costs more than reductions

// What one process states about one axis.
struct AxisSummary {
  Index dist_type = 0, periodic = 0, padded = 0;  // of lists, the third is one_to_one
  Index size = 0, proc_grid_size = 0, proc_grid_rank = 0;
  Index first = 0, second = 0;     // start and stop, or start and block_size; of a list its length and its hash
  std::array<Index, 2> padding{};  // of a list its smallest and its largest index

  friend bool operator==(const AxisSummary& a, const AxisSummary& b) {
    return a.dist_type == b.dist_type && a.periodic == b.periodic && a.padded == b.padded && a.size == b.size &&
           a.proc_grid_size == b.proc_grid_size && a.proc_grid_rank == b.proc_grid_rank && a.first == b.first &&
           a.second == b.second && a.padding == b.padding;
  }
};

// What one process states about its array. It holds numbers only, which are sent as bytes.
struct ArraySummary {
  Index clear = 0;  // 1: the array is right, and the fields below describe all of it
  Index flags = 0, ndim = 0, most_listed = 0;
  Index kind = 0, bytes = 0, native_order = 0, description = 0;  // of the elements
  std::array<AxisSummary, most_axes> axes;

  bool same_type(const ArraySummary& other) const {
    return ndim == other.ndim && kind == other.kind && bytes == other.bytes && native_order == other.native_order &&
           description == other.description;
  }
};
static_assert(sizeof(ArraySummary) == (8 + 10 * most_axes) * sizeof(Index),
              "the struct is sent as bytes and must have no padding");

// By process. Those of a few need no allocation.
using Summaries = SmallList<ArraySummary, 4>;

// By axis. They are as large as data, and allocated before any process relies on them.
struct Lists {
  std::array<std::vector<Index>, most_axes> own;             // of this process
  std::array<std::vector<Index>, most_axes> all;             // of one process for each coordinate, one after the other
  std::array<std::optional<SpreadLists>, most_axes> spread;  // instead, of an axis whose lists stay where they are
  Index most = 0;                                            // Reading::most_listed of all processes
};

void summarize(const Dimension& dimension, std::size_t axis, AxisSummary& summary, Lists& lists) {
  summary.dist_type = static_cast<Index>(dimension.dist.index());
  summary.periodic = dimension.periodic;
  summary.size = dimension.size;
  summary.proc_grid_size = dimension.proc_grid_size;
  summary.proc_grid_rank = dimension.proc_grid_rank;
  if (const auto* block = std::get_if<Block>(&dimension.dist)) {
    summary.first = block->start;
    summary.second = block->stop;
    summary.padded = block->padding.has_value();
    summary.padding = block->padding.value_or(summary.padding);
    return;
  }
  if (const auto* cyclic = std::get_if<Cyclic>(&dimension.dist)) {
    summary.first = cyclic->start;
    summary.second = cyclic->block_size;
    return;
  }
  const auto& listed = std::get<Unstructured>(dimension.dist);
  std::optional<std::vector<Index>> list = read_indices(listed.indices);
  if (!list) throw std::bad_alloc();  // check() could read it
  Digest digest;
  digest.add_all(*list);
  summary.padded = listed.one_to_one;
  summary.first = static_cast<Index>(list->size());
  summary.second = digest.value();
  if (!list->empty()) {
    const auto [smallest, largest] = std::minmax_element(list->begin(), list->end());
    summary.padding = {*smallest, *largest};
  }
  lists.own[axis] = std::move(*list);
  if (dimension.size <= lists.most || dimension.proc_grid_size == 1)  // and not touched: the size may be wrong
    lists.all[axis].reserve(static_cast<std::size_t>(dimension.size));
}

void summarize(const DistArray& array, const Reading& reading, ArraySummary& summary, Lists& lists) {
  summary.ndim = array.ndim();
  summary.most_listed = lists.most;
  summary.kind = static_cast<Index>(array.buffer.type.kind);
  summary.bytes = array.buffer.type.bytes;
  summary.native_order = array.buffer.type.native_order;
  summary.description = array.buffer.type.description_number();
  if (summary.ndim > most_axes) return;
  const Report report = check(array, reading);
  Report ignored;
  bool clear = report.counts().empty() && read_version(array.version, ignored) == Version::v0_10;
  for (std::size_t axis = 0; clear && axis < array.dim_data.size(); ++axis)
    clear = succeeds([&] { summarize(array.dim_data[axis], axis, summary.axes[axis], lists); });
  summary.clear = clear;
}

// Makes an axis from one process for each coordinate on `axis`: the process at 0 on all other axes. These processes are
// `stride` ranks apart.
std::optional<Axis> assemble(const Summaries& all, std::size_t axis, Index stride, const Lists& lists) {
  if (const auto& spread = lists.spread[axis])
    return Axis(UnstructuredKind(spread->own, all.front().axes[axis].padded != 0));
  const auto at = [&](Index c) -> const AxisSummary& { return all[static_cast<std::size_t>(c * stride)].axes[axis]; };
  const AxisSummary& first = at(0);
  const Index grid = first.proc_grid_size;
  if (first.dist_type == 0 && !first.periodic && first.size > 0) {
    const BlockKind even(first.size, grid, std::max<Index>(first.second - first.first, 1));
    Index plain = 0, evenly = 0;
    for (; plain < grid; ++plain) {
      const AxisSummary& summary = at(plain);
      if (summary.padded || summary.first != (plain > 0 ? at(plain - 1).second : 0)) break;
      evenly += summary.second == even.begin(plain + 1) ? 1 : 0;
    }
    if (plain == grid && at(grid - 1).second == first.size) {
      const bool last_fits = first.size - at(grid - 1).first <= even.length();
      if (evenly == grid && last_fits) return Axis(even);
      std::vector<Index> bounds{0};
      for (Index c = 0; c < grid; ++c) bounds.push_back(at(c).second);
      return Axis(BlockKind(std::move(bounds)));
    }
  }
  std::vector<Dimension> dims(static_cast<std::size_t>(grid));
  const Index* list = lists.all[axis].data();
  for (Index c = 0; c < grid; ++c) {
    const AxisSummary& summary = at(c);
    Dimension& dimension = dims[static_cast<std::size_t>(c)];
    dimension.size = summary.size;
    dimension.proc_grid_size = grid;
    dimension.proc_grid_rank = c;
    dimension.periodic = summary.periodic != 0;
    if (summary.dist_type == listed_type) {
      dimension.dist.emplace<Unstructured>(Unstructured{row_major(list, {summary.first}), summary.padded != 0});
      list += summary.first;
    } else if (summary.dist_type != 0) {
      dimension.dist.emplace<Cyclic>(Cyclic{summary.first, summary.second});
    } else {
      auto& block = dimension.dist.emplace<Block>(Block{summary.first, summary.second, {}});
      if (summary.padded) block.padding = summary.padding;
    }
  }
  Report report;
  std::optional<Axis> made = Axis::make(dims, static_cast<Index>(axis), report);
  return report.ok() && report.warnings() == 0 ? made : std::nullopt;
}

bool all_clear(const Summaries& all) {
  return std::all_of(all.begin(), all.end(),
                     [&](const ArraySummary& summary) { return summary.clear && summary.same_type(all.front()); });
}

// By axis: how many ranks lie between two coordinates. Nothing if the processes do not agree on the array.
std::optional<IndexList> agreed_strides(const Summaries& all) {
  const ArraySummary& first = all.front();
  IndexList strides;
  if (!all_clear(all)) return std::nullopt;
  auto stride = static_cast<Index>(all.size());
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(first.ndim); ++axis) {
    const AxisSummary& of_first = first.axes[axis];
    const Index grid = of_first.proc_grid_size;
    if (stride % grid != 0) return std::nullopt;
    stride /= grid;
    for (std::size_t process = 0; process < all.size(); ++process) {
      const AxisSummary& summary = all[process].axes[axis];
      const Index c = static_cast<Index>(process) / stride % grid;
      const AxisSummary& representative = all[static_cast<std::size_t>(c * stride)].axes[axis];
      if (summary.proc_grid_rank != c || !(summary == representative) || summary.size != of_first.size ||
          summary.dist_type != of_first.dist_type || summary.proc_grid_size != grid ||
          summary.periodic != of_first.periodic)
        return std::nullopt;
    }
    strides.push_back(stride);
  }
  return stride == 1 ? std::optional(std::move(strides)) : std::nullopt;
}

// Makes the Distribution from the summaries of all processes, which agree; empty if they contradict each other.
std::optional<Distribution> assemble(const Summaries& all, const IndexList& strides, const Lists& lists) {
  std::vector<Axis> axes;
  axes.reserve(strides.size());
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    std::optional<Axis> made = assemble(all, axis, strides[axis], lists);
    if (!made) return std::nullopt;
    axes.push_back(std::move(*made));
  }
  return Distribution(std::move(axes));
}

// Leaves the lists of an axis on their processes. False, on all of them, if what they say of `one_to_one` differs or is
// wrong. **Collective.**
bool spread_lists(const Summaries& all, std::size_t axis, Index stride, Lists& lists, MPI_Comm comm) {
  const AxisSummary& first = all.front().axes[axis];
  const auto rank = static_cast<Index>(rank_of(comm));
  ListHere here{[&] { return std::move(lists.own[axis]); }, rank / stride % first.proc_grid_size, false, {}, {}};
  here.represents = here.coordinate * stride == rank;
  here.extremes = {std::numeric_limits<Index>::max(), std::numeric_limits<Index>::min()};
  for (Index c = 0; c < first.proc_grid_size; ++c) {
    const AxisSummary& summary = all[static_cast<std::size_t>(c * stride)].axes[axis];
    if (summary.padded != first.padded) return false;
    here.counts.push_back(summary.first);
    if (summary.first == 0) continue;
    here.extremes = {std::min(here.extremes[0], summary.padding[0]), std::max(here.extremes[1], summary.padding[1])};
  }
  lists.spread[axis] = Directory::make(std::move(here), comm);
  return first.padded == 0 || lists.spread[axis]->own->distinct == first.size;
}

// Brings the lists of each coordinate to all processes, or leaves them where they are. False if `size` is not the sum
// of their lengths, which is the same on all processes: some indices are shared, or something is wrong. **Collective**
// if an axis has lists.
bool gather_lists(const Summaries& all, const IndexList& strides, Lists& lists, MPI_Comm comm) {
  const auto rank = static_cast<std::size_t>(rank_of(comm));
  std::array<Index, most_axes> ours{};  // where this process's list begins; -1: another one represents its coordinate
  ours.fill(-1);
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    const AxisSummary& first = all.front().axes[axis];
    if (first.dist_type != listed_type) continue;
    Index length = 0;
    for (Index c = 0; c < first.proc_grid_size; ++c) {
      const auto representative = static_cast<std::size_t>(c * strides[axis]);
      if (representative == rank) ours[axis] = length;
      length += all[representative].axes[axis].first;
    }
    if (length != first.size) return false;
  }
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    const AxisSummary& first = all.front().axes[axis];
    if (first.dist_type != listed_type) continue;
    if (first.proc_grid_size > 1 && first.size > lists.most) {
      if (!spread_lists(all, axis, strides[axis], lists, comm)) return false;
      continue;
    }
    lists.all[axis].resize(static_cast<std::size_t>(first.size), std::numeric_limits<Index>::min());  // reserved
    if (ours[axis] >= 0)
      std::copy(lists.own[axis].begin(), lists.own[axis].end(), lists.all[axis].begin() + ours[axis]);
  }
  for (std::vector<Index>& gathered : lists.all)
    if (!gathered.empty()) reduce(gathered.data(), static_cast<Index>(gathered.size()), MPI_MAX, comm);
  return true;
}

bool has_lists(const ArraySummary& summary) {
  return std::any_of(summary.axes.begin(), summary.axes.end(),
                     [](const AxisSummary& axis) { return axis.dist_type == listed_type; });
}

// Sends the summary of each process to all. For a power of 2 processes, MPI_Allgather by recursive doubling is the
// fastest way. For other numbers of processes, Open MPI's MPI_Allgather takes twice as long as a bitwise OR, in which
// each process fills its own summary and leaves the others zero.
void exchange(ArraySummary* all, std::size_t processes, MPI_Comm comm) {
  if (processes == 1) return;
  if ((processes & (processes - 1)) == 0)
    must_succeed(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, sizeof(ArraySummary), MPI_BYTE, comm),
                 "MPI_Allgather");
  else
    reduce(reinterpret_cast<Index*>(all), static_cast<Index>(processes * sizeof(ArraySummary) / sizeof(Index)), MPI_BOR,
           comm);
}

}  // namespace

std::optional<Distribution> quick_gather(const DistArray* array, MPI_Comm comm, const Reading& reading, Index* flags,
                                         bool want_lists) {
  const int processes = processes_of(comm);
  if (processes > most_processes) {
    if (flags != nullptr) *flags = reduced(*flags, MPI_BAND, comm);
    return std::nullopt;
  }
  Summaries all(static_cast<std::size_t>(processes));
  ArraySummary& ours = all[static_cast<std::size_t>(rank_of(comm))];
  Lists lists;
  lists.most = reading.most_listed;
  if (array != nullptr) summarize(*array, reading, ours, lists);
  if (flags != nullptr) ours.flags = *flags;
  exchange(all.data(), all.size(), comm);
  for (const ArraySummary& summary : all) {
    if (flags != nullptr) *flags &= summary.flags;
    lists.most = std::min(lists.most, summary.most_listed);
  }
  const std::optional<IndexList> strides = agreed_strides(all);
  if (!strides) return std::nullopt;
  if (!has_lists(all.front())) return assemble(all, *strides, lists);
  std::optional<Distribution> made;
  if (!want_lists || !gather_lists(all, *strides, lists, comm)) return std::nullopt;
  const auto is_gathered = [](const std::vector<Index>& list) { return !list.empty(); };
  if (std::none_of(lists.all.begin(), lists.all.end(), is_gathered)) return assemble(all, *strides, lists);
  const bool here = succeeds([&] { made = assemble(all, *strides, lists); });
  return reduced(here && made ? 1 : 0, MPI_MIN, comm) != 0 ? std::move(made) : std::nullopt;
}

}  // namespace tridap::mpi
