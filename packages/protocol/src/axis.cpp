#include <tridap/axis.hpp>

#include <algorithm>
#include <limits>
#include <string>

namespace tridap {

Axis::Axis(const std::vector<Dimension>& of_each_coordinate, Index axis, Version version) : kind_(BlockKind(0, 1, 0)) {
  Report report;
  std::optional<Axis> made = make(of_each_coordinate, axis, report, version);
  throw_if_wrong(report);
  *this = std::move(*made);
}

Axis::Axis(Kind kind, bool periodic) : kind_(std::move(kind)), periodic_(periodic) {
  if (const auto* unstructured = this->unstructured()) {
    size_ = unstructured->total();
    proc_grid_size_ = unstructured->grid();
  } else if (const auto* block = this->block()) {
    size_ = block->size();
    proc_grid_size_ = block->grid();
  } else {
    size_ = std::get<CyclicKind>(kind_).size();
    proc_grid_size_ = std::get<CyclicKind>(kind_).grid();
  }
}

bool Axis::shares_indices() const {
  const auto* kind = this->unstructured();
  return kind != nullptr && kind->shares_indices();
}

bool Axis::has_communication_padding() const {
  const auto* kind = this->block();
  if (kind == nullptr || !kind->is_padded()) return false;
  for (Index c = 0; c < proc_grid_size_; ++c)
    if (kind->communication(c) != std::array<Index, 2>{0, 0}) return true;
  return false;
}

Range Axis::part(Index c, Part part) const {
  if (const auto* block = this->block()) return block->part(c, part);
  if (const auto* cyclic = this->cyclic()) return {0, cyclic->count(c)};
  return {0, std::get<UnstructuredKind>(kind_).count(c)};
}

std::vector<Index> Axis::owners(Index global) const {
  std::vector<Index> found;
  if (const auto* kind = this->unstructured()) {
    const auto [begin, end] = kind->entries(global);
    for (const auto* entry = begin; entry != end; ++entry) found.push_back(entry->place.coordinate);
  } else if (const std::optional<Location> place = locate(global)) {
    found.push_back(place->coordinate);
  }
  return found;
}

std::optional<Index> Axis::local_index(Index c, Index global, Part which) const {
  if (const auto* kind = this->unstructured()) {
    if (kind->own() != nullptr && kind->own()->coordinate == c && !kind->knows(global)) return std::nullopt;
    const auto [begin, end] = kind->entries(global);
    const auto* const entry = std::lower_bound(
        begin, end, c, [](const auto& held, Index coordinate) { return held.place.coordinate < coordinate; });
    return entry != end && entry->place.coordinate == c ? std::optional<Index>(entry->place.local) : std::nullopt;
  }
  if (global < 0 || global >= size_) return std::nullopt;
  if (const auto* block = this->block()) {
    const Range range = block->part(c, which);
    if (range.size() == 0) return std::nullopt;
    const Index local = global - block->first_held(c);
    return range.contains(local) ? std::optional<Index>(local) : std::nullopt;
  }
  const std::optional<Location> place = locate(global);
  return place->coordinate == c ? std::optional<Index>(place->local) : std::nullopt;
}

std::optional<Index> Axis::mirrored(Index global) const {
  const auto* block = this->block();
  if (block == nullptr || !periodic_ || !block->is_padded()) return std::nullopt;
  const auto [left, right] = block->edges();
  const Index period = size_ - left - right;
  if (global >= 0 && global < left) return global + period;
  if (global >= size_ - right && global < size_) return global - period;
  return std::nullopt;
}

Run Axis::run_from(Index c, Index local, Index end) const {
  Run run{global_index(c, local), local, end - local};
  if (const auto* cyclic = this->cyclic()) {
    if (proc_grid_size_ > 1) run.length = std::min(run.length, cyclic->block_size() - local % cyclic->block_size());
  } else if (const auto* unstructured = this->unstructured()) {
    const Index* const list = unstructured->list(c).data() + local;
    Index length = 1;
    while (length < run.length && list[length - 1] != std::numeric_limits<Index>::max() &&
           list[length] == list[length - 1] + 1)
      ++length;
    run.length = length;
  }
  return run;
}

std::optional<std::array<Index, 2>> Axis::extremes() const {
  if (size_ == 0) return std::nullopt;
  if (const auto* kind = this->unstructured()) return kind->extremes();
  return {{0, size_ - 1}};
}

namespace {

// Why 0.9 cannot describe a padded periodic axis; empty if it can. In 0.9 the edge padding is communication padding:
// the last coordinate owns the elements that the edge padding of the first one repeats, and the reverse.
std::string obstacle_in_0_9(const BlockKind& block) {
  const auto [left, right] = block.edges();
  const Index last = block.grid() - 1;
  const auto owned = [&, l = left, r = right](Index c) {
    return block.begin(c + 1) - block.begin(c) - (c == 0 ? l : 0) - (c == last ? r : 0);
  };
  if (left != right)
    return "the edge widths (" + std::to_string(left) + ", " + std::to_string(right) + ") of a periodic axis differ";
  if (owned(0) < right || owned(last) < left)
    return "the edge padding of a periodic axis is wider than the share that its first or last coordinate owns without "
           "it";
  if (last > 0 && (owned(0) < block.padding(1)[0] || owned(last) < block.padding(last - 1)[1]))
    return "an edge coordinate of a periodic axis owns less than its neighbour's padding";
  return "";
}

Block stamped(const BlockKind& block, Index c, Version version, bool periodic, Index& size) {
  Block dimension{block.begin(c), block.begin(c + 1), {}};
  if (!block.is_padded()) return dimension;
  dimension.padding = block.padding(c);
  if (version == Version::v0_10) {
    const auto [left, right] = block.communication(c);
    dimension.start -= left;
    dimension.stop += right;
  } else if (periodic) {
    const auto [left, right] = block.edges();
    size -= left + right;
    dimension.start -= c > 0 ? left : 0;
    dimension.stop -= left + (c == block.grid() - 1 ? right : 0);
  }
  return dimension;
}

}  // namespace

Dimension Axis::dimension(Index c, Version version, std::optional<Index> axis) const {
  Dimension dimension;
  dimension.size = size_;
  dimension.proc_grid_size = proc_grid_size_;
  dimension.proc_grid_rank = c;
  dimension.periodic = periodic_;
  if (const auto* cyclic = this->cyclic()) {
    dimension.dist = Cyclic{cyclic->start(c), cyclic->block_size()};
  } else if (const auto* unstructured = this->unstructured()) {
    const std::vector<Index>& list = unstructured->list(c);
    const std::shared_ptr<void> owner = std::const_pointer_cast<void>(unstructured->owner());
    dimension.dist =
        Unstructured{row_major(list.data(), {static_cast<Index>(list.size())}, owner), unstructured->one_to_one()};
  } else {
    const auto& block = std::get<BlockKind>(kind_);
    if (version == Version::v0_9 && periodic_ && block.is_padded())
      if (const std::string obstacle = obstacle_in_0_9(block); !obstacle.empty())
        throw Error(
            Finding{Rule::conversion, {}, axis, "", obstacle, "which 0.9 cannot describe", "write it as 0.10.0"});
    dimension.dist = stamped(block, c, version, periodic_, dimension.size);
  }
  return dimension;
}

}  // namespace tridap
