#include "claims.hpp"

#include <tridap/draw_claims.hpp>
#include <tridap/version.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tridap::drawing {

namespace {

constexpr std::size_t most_ranges = 1024;         // of one process along a cyclic axis
constexpr std::size_t most_marks = 1000;          // of one axis
constexpr Index far_away = (Index{1} << 62) - 1;  // no sum of two such numbers overflows
constexpr const char* no_words = "cannot be read";

Index bounded(Index number) { return std::clamp(number, -far_away, far_away); }

// One process's dictionary of one axis; null if it could not be read.
const Dimension* dimension_of(const CapturedProcess& process, std::size_t axis) {
  const DimData& dims = process.read.array.dim_data;
  if (!process.ranked || axis >= dims.size()) return nullptr;
  for (const Finding& finding : process.read.report.findings())
    if (finding.severity() == Severity::error && finding.axis == static_cast<Index>(axis)) return nullptr;
  return &dims[axis];
}

Version version_of(const CapturedProcess& process) {
  Report ignored;
  return read_version(process.read.array.version, ignored).value_or(Version::v0_10);
}

// Widths of communication padding.
std::array<Index, 2> widths_of(const Dimension& d, const Block& block, Version version) {
  const std::array<Index, 2> widths = block.padding.value_or(std::array<Index, 2>{0, 0});
  const bool wraps = version == Version::v0_9 && d.periodic;
  return {wraps || d.proc_grid_rank > 0 ? bounded(widths[0]) : 0,
          wraps || d.proc_grid_rank < d.proc_grid_size - 1 ? bounded(widths[1]) : 0};
}

// The global indices of a buffer along a block axis, and those of them that are owned.
struct BlockRanges {
  Range held, owned;
};

BlockRanges ranges_of(const Dimension& d, const Block& block, Version version) {
  const auto [left, right] = widths_of(d, block, version);
  const Range stated = {bounded(block.start), bounded(block.stop)};
  const bool inside = version == Version::v0_10;  // padding is inside [start, stop)
  if (inside) return {stated, {bounded(stated.begin + left), bounded(stated.end - right)}};
  return {{bounded(stated.begin - left), bounded(stated.end + right)}, stated};
}

void add_range(std::vector<Range>& ranges, Range range) {
  if (range.begin >= range.end) return;
  if (!ranges.empty() && ranges.back().end == range.begin)
    ranges.back().end = range.end;
  else
    ranges.push_back(range);
}

// The blocks of a cyclic axis. Returns where they end if there are more than `most_ranges`.
std::optional<Index> add_blocks(const Dimension& d, const Cyclic& cyclic, std::vector<Range>& ranges) {
  if (cyclic.block_size < 1 || d.proc_grid_size < 1) return std::nullopt;
  const Index size = bounded(d.size);
  const std::optional<Index> step = checked_multiply(cyclic.block_size, d.proc_grid_size);
  if (d.proc_grid_size == 1) add_range(ranges, {bounded(cyclic.start), size});
  if (d.proc_grid_size == 1) return std::nullopt;
  for (Index begin = bounded(cyclic.start); begin < size;) {
    const Index end = checked_add(begin, cyclic.block_size).value_or(size);
    add_range(ranges, {begin, std::min(end, size)});
    const std::optional<Index> next = step ? checked_add(begin, *step) : std::nullopt;
    if (!next) break;
    begin = *next;
    if (ranges.size() == most_ranges && begin < size) return begin;
  }
  return std::nullopt;
}

std::string pair_text(const std::array<Index, 2>& pair) {
  return "(" + std::to_string(pair[0]) + ", " + std::to_string(pair[1]) + ")";
}

std::string words_of(const Dimension& d) {
  if (const auto* block = std::get_if<Block>(&d.dist))
    return "start " + std::to_string(block->start) + ", stop " + std::to_string(block->stop) +
           (block->padding ? ", padding " + pair_text(*block->padding) : "");
  if (const auto* cyclic = std::get_if<Cyclic>(&d.dist))
    return "start " + std::to_string(cyclic->start) + ", block_size " + std::to_string(cyclic->block_size);
  const auto& shape = std::get<Unstructured>(d.dist).indices.buffer.shape;
  const Index count = shape.size() == 1 ? shape[0] : 0;
  return std::to_string(count) + (count == 1 ? " index" : " indices");
}

// Collects the claims of one axis.
class AxisReader {
 public:
  AxisReader(const Capture& capture, std::size_t axis) : capture_(capture), axis_(axis) {}

  AxisClaims read() {
    settle_size();
    all_listed_ = has_only_lists();
    if (all_listed_) collect_indices();
    for (const CapturedProcess& process : capture_.processes) add(process);
    for (auto& [key, claim] : groups_) found_.claims.push_back(std::move(claim));
    std::stable_sort(found_.claims.begin(), found_.claims.end(), [](const AxisClaim& a, const AxisClaim& b) {
      return std::pair(a.coordinate, a.processes.front()) < std::pair(b.coordinate, b.processes.front());
    });
    settle_shown();
    mark();
    return std::move(found_);
  }

 private:
  void settle_size() {
    std::map<Index, Index> counts;
    for (const CapturedProcess& process : capture_.processes)
      if (const Dimension* d = dimension_of(process, axis_)) ++counts[d->size];
    Index most = 0;
    for (const auto& [size, count] : counts)
      if (count > most) {
        most = count;
        found_.size = size;
      }
    for (const auto& [size, count] : counts)
      if (size != found_.size) found_.other_sizes.push_back(size);
  }

  bool has_only_lists() const {
    bool some = false;
    for (const CapturedProcess& process : capture_.processes)
      if (const Dimension* d = dimension_of(process, axis_)) {
        if (d->dist_type() != 'u') return false;
        some = true;
      }
    return some;
  }

  std::vector<Index> list_of(const Dimension& d) const {
    std::vector<Index> list = read_indices(std::get<Unstructured>(d.dist).indices).value_or(std::vector<Index>{});
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }

  void collect_indices() {
    for (const CapturedProcess& process : capture_.processes)
      if (const Dimension* d = dimension_of(process, axis_)) {
        one_to_one_ = one_to_one_ || std::get<Unstructured>(d->dist).one_to_one;
        const std::vector<Index> list = list_of(*d);
        found_.indices.insert(found_.indices.end(), list.begin(), list.end());
      }
    std::sort(found_.indices.begin(), found_.indices.end());
    found_.indices.erase(std::unique(found_.indices.begin(), found_.indices.end()), found_.indices.end());
  }

  void add(const CapturedProcess& process) {
    AxisClaim claim;
    claim.processes = {process.ranked ? process.rank : -1};
    const Dimension* const d = dimension_of(process, axis_);
    std::string key = no_words;
    if (d == nullptr) {
      claim.known = false;
      claim.words = no_words;
      claim.coordinate = std::numeric_limits<Index>::max();  // after all others
    } else {
      claim.coordinate = d->proc_grid_rank;
      claim.words = words_of(*d);
      add_ranges(*d, version_of(process), claim);
      key = std::to_string(d->proc_grid_rank) + ' ' + stamp(version_of(process)) + claim.words;
      if (d->dist_type() == 'u')  // lists of one length may differ
        for (const Range& range : claim.owned)
          key += ' ' + std::to_string(range.begin) + ' ' + std::to_string(range.end);
    }
    const auto [at, is_new] = groups_.try_emplace(key, claim);
    if (!is_new) at->second.processes.push_back(claim.processes.front());
  }

  void add_ranges(const Dimension& d, Version version, AxisClaim& claim) {
    if (const auto* block = std::get_if<Block>(&d.dist)) {
      const BlockRanges ranges = ranges_of(d, *block, version);
      add_range(claim.owned, ranges.owned);
      if (ranges.owned.begin >= ranges.owned.end) return add_range(claim.padding, ranges.held);
      add_range(claim.padding, {ranges.held.begin, ranges.owned.begin});
      add_range(claim.padding, {ranges.owned.end, ranges.held.end});
    } else if (const auto* cyclic = std::get_if<Cyclic>(&d.dist)) {
      if (const std::optional<Index> end = add_blocks(d, *cyclic, claim.owned))
        horizon_ = std::min(horizon_.value_or(*end), *end);
    } else {
      for (const Index global : list_of(d)) {
        Index position = bounded(global);
        if (all_listed_)
          position = std::lower_bound(found_.indices.begin(), found_.indices.end(), global) - found_.indices.begin();
        add_range(claim.owned, {position, position + 1});
      }
    }
  }

  void settle_shown() {
    const Index size =
        all_listed_ ? static_cast<Index>(found_.indices.size()) : bounded(std::max<Index>(found_.size, 0));
    const Index room = std::max<Index>(size / 2, 2);  // one number that is far away does not shrink the others
    found_.shown = {0, size};
    for (const AxisClaim& claim : found_.claims)
      for (const std::vector<Range>* ranges : {&claim.owned, &claim.padding})
        for (const Range& range : *ranges) {
          found_.shown.begin = std::min(found_.shown.begin, std::max(range.begin, -room));
          found_.shown.end = std::max(found_.shown.end, std::min(range.end, size + room));
        }
    if (!horizon_ || *horizon_ >= found_.shown.end) return;
    found_.shown.end = std::max(*horizon_, found_.shown.begin);
    found_.complete = false;
  }

  // A border of a range of one group: the position, by how much the number of owning groups at a coordinate changes,
  // and the coordinate.
  struct Border {
    Index position, change, coordinate;
  };

  // Counts at each position the coordinates that own it, from one border of a range to the next. If the groups at one
  // coordinate differ, only some processes there may own a position.
  void mark() {
    if (all_listed_ && !one_to_one_) return;  // every index of a list is on a process, and may be on several
    std::map<Index, Index> groups, owning;    // by coordinate
    std::vector<Border> borders;
    for (const AxisClaim& claim : found_.claims) {
      if (!claim.known) continue;
      ++groups[claim.coordinate];
      for (const Range& range : claim.owned) {
        borders.push_back({range.begin, 1, claim.coordinate});
        borders.push_back({range.end, -1, claim.coordinate});
      }
    }
    const Index size = all_listed_ ? found_.shown.end : bounded(std::max<Index>(found_.size, 0));
    for (const Index end : {Index{0}, size}) borders.push_back({end, 0, -1});
    std::sort(borders.begin(), borders.end(), [](const Border& a, const Border& b) { return a.position < b.position; });
    Index owners = 0, whole = 0;  // coordinates of which some, and all groups own the position
    for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
      if (borders[i].change != 0) {
        Index& here = owning[borders[i].coordinate];
        const Index all = groups[borders[i].coordinate];
        owners -= here > 0 ? 1 : 0;
        whole -= here == all ? 1 : 0;
        here += borders[i].change;
        owners += here > 0 ? 1 : 0;
        whole += here == all ? 1 : 0;
      }
      const Range range = {std::max(borders[i].position, found_.shown.begin),
                           std::min(borders[i + 1].position, found_.shown.end)};
      const bool inside = range.begin >= 0 && range.end <= size, is_gap = owners <= 1 && whole == 0 && inside;
      if (range.begin >= range.end || !(is_gap || owners > 1)) continue;
      found_.more_marks = found_.marks.size() == most_marks;
      if (found_.more_marks) return;
      add_mark(range, is_gap);
    }
  }

  void add_mark(Range range, bool is_gap) {
    std::set<Index> processes, coordinates;
    for (const AxisClaim& claim : found_.claims)
      if (coverage(claim.owned, range) != Coverage::none) {
        coordinates.insert(claim.coordinate);
        if (!is_gap) processes.insert(claim.processes.begin(), claim.processes.end());
      }
    for (const AxisClaim& claim : found_.claims)  // at the coordinate of those that own it
      if (is_gap && coordinates.count(claim.coordinate) > 0 && coverage(claim.owned, range) == Coverage::none)
        processes.insert(claim.processes.begin(), claim.processes.end());
    std::vector<Index> ranks(processes.begin(), processes.end());
    if (!found_.marks.empty() && found_.marks.back().range.end == range.begin && found_.marks.back().is_gap == is_gap &&
        found_.marks.back().processes == ranks)
      found_.marks.back().range.end = range.end;
    else
      found_.marks.push_back({range, is_gap, std::move(ranks)});
  }

  const Capture& capture_;
  std::size_t axis_;
  AxisClaims found_;
  std::map<std::string, AxisClaim> groups_;
  bool all_listed_ = false, one_to_one_ = false;
  std::optional<Index> horizon_;  // where the blocks that are looked at end
};

// The local index along one axis, and whether it is padding.
std::optional<std::pair<Index, bool>> local_index(const Dimension& d, Version version, Index global) {
  if (const auto* block = std::get_if<Block>(&d.dist)) {
    const BlockRanges ranges = ranges_of(d, *block, version);
    if (!ranges.held.contains(global) && !ranges.owned.contains(global)) return std::nullopt;
    return std::pair(global - ranges.held.begin, !ranges.owned.contains(global));
  }
  if (const auto* cyclic = std::get_if<Cyclic>(&d.dist)) {
    const auto ahead = checked_add(global, -std::max(cyclic->start, -far_away));
    if (cyclic->block_size < 1 || d.proc_grid_size < 1 || global >= d.size || !ahead || *ahead < 0) return std::nullopt;
    const std::optional<Index> step = checked_multiply(cyclic->block_size, d.proc_grid_size);
    const Index round = step ? *ahead / *step : 0, within = step ? *ahead % *step : *ahead;
    if (within >= cyclic->block_size) return std::nullopt;
    return std::pair(round * cyclic->block_size + within, false);
  }
  const auto list = read_indices(std::get<Unstructured>(d.dist).indices).value_or(std::vector<Index>{});
  const auto at = std::find(list.begin(), list.end(), global);
  if (at == list.end()) return std::nullopt;
  return std::pair(static_cast<Index>(at - list.begin()), false);
}

}  // namespace

Index AxisClaims::index(Index position) const {
  return indices.empty() ? position : indices[static_cast<std::size_t>(position)];
}

std::vector<AxisClaims> claims_of_axes(const Capture& capture) {
  std::size_t ndim = 0;
  for (const CapturedProcess& process : capture.processes)
    ndim = std::max(ndim, static_cast<std::size_t>(process.read.array.ndim()));
  std::vector<AxisClaims> axes;
  for (std::size_t axis = 0; axis < ndim; ++axis) axes.push_back(AxisReader(capture, axis).read());
  return axes;
}

Coverage coverage(const std::vector<Range>& ranges, Range cell) {
  auto at = std::upper_bound(ranges.begin(), ranges.end(), cell.begin,
                             [](Index position, const Range& range) { return position < range.end; });
  Index covered = 0;
  for (; at != ranges.end() && at->begin < cell.end; ++at)
    covered += std::min(at->end, cell.end) - std::max(at->begin, cell.begin);
  return covered == 0 ? Coverage::none : covered == cell.size() ? Coverage::all : Coverage::some;
}

std::string ranks_text(const std::vector<Index>& ranks, std::size_t most) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    const bool run = end - i > 2;
    parts.push_back((ranks[i] < 0 ? "?" : std::to_string(ranks[i])) +
                    (run ? " to " + std::to_string(ranks[end - 1]) : ""));
    i = run ? end : i + 1;
  }
  if (parts.size() > most) {
    parts.resize(most);
    parts.emplace_back("others");
  }
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

std::string range_text(const AxisClaims& axis, Range range) {
  if (axis.indices.empty()) return "[" + std::to_string(range.begin) + ", " + std::to_string(range.end) + ")";
  const Index first = axis.index(range.begin), last = axis.index(range.end - 1);
  return first == last ? "index " + std::to_string(first)
                       : "indices " + std::to_string(first) + " to " + std::to_string(last);
}

std::string size_text(const AxisClaims& axis) {
  std::string text = "size " + std::to_string(axis.size);
  for (std::size_t i = 0; i < axis.other_sizes.size() && i < 3; ++i)
    text += (i == 0 ? ", but on other processes " : ", ") + std::to_string(axis.other_sizes[i]);
  return text + (axis.other_sizes.size() > 3 ? ", ..." : "");
}

}  // namespace tridap::drawing

namespace tridap {

std::vector<Claim> claims_of(const Capture& capture, const Indices& global) {
  std::vector<Claim> found;
  for (const CapturedProcess& process : capture.processes) {
    if (!process.ranked || process.read.array.dim_data.size() != global.size()) continue;
    Claim claim;
    claim.process = process.rank;
    for (std::size_t axis = 0; axis < global.size(); ++axis) {
      const Dimension* const d = drawing::dimension_of(process, axis);
      if (d == nullptr) break;
      const auto local = drawing::local_index(*d, drawing::version_of(process), global[axis]);
      if (!local) break;
      claim.local.push_back(local->first);
      claim.padding = claim.padding || local->second;
    }
    if (claim.local.size() == global.size()) found.push_back(std::move(claim));
  }
  return found;
}

}  // namespace tridap
