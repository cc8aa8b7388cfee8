#include "cyclic.hpp"
#include <dap/axis.hpp>

#include <algorithm>
#include <limits>

namespace dap {

namespace {
template <class Vector>
decltype(auto) at(const Vector& vector, Index i) {
  return vector[static_cast<std::size_t>(i)];
}
}  // namespace

Axis::Axis(const std::vector<Dimension>& of_each_coordinate, Index axis) {
  Report report;
  std::optional<Axis> made = make(of_each_coordinate, axis, report);
  throw_if_wrong(report);
  *this = std::move(*made);
}

std::array<Index, 2> Axis::communication_padding(const BlockKind& kind, Index c) const {
  if (kind.padding.empty()) return {0, 0};
  const auto [left, right] = at(kind.padding, c);
  return {c > 0 ? left : 0, c < proc_grid_size_ - 1 ? right : 0};
}

Index Axis::turn(const CyclicKind& kind, Index c) const { return (c - kind.first + proc_grid_size_) % proc_grid_size_; }

bool Axis::shares_indices() const {
  const auto* kind = std::get_if<2>(&kind_);
  return kind != nullptr && (*kind)->shared;
}

bool Axis::has_communication_padding() const {
  const auto* kind = std::get_if<0>(&kind_);
  if (kind == nullptr) return false;
  for (Index c = 0; c < static_cast<Index>((*kind)->padding.size()); ++c)
    if (communication_padding(**kind, c) != std::array<Index, 2>{0, 0}) return true;
  return false;
}

Range Axis::part(Index c, Part part) const {
  if (const auto* cyclic = std::get_if<1>(&kind_))
    return {0, cyclic_count(size_, proc_grid_size_, cyclic->block_size, turn(*cyclic, c))};
  if (const auto* unstructured = std::get_if<2>(&kind_))
    return {0, static_cast<Index>(at((*unstructured)->lists, c).size())};

  const BlockKind& block = *std::get<0>(kind_);
  const auto [left, right] = communication_padding(block, c);
  const Index begin = at(block.bounds, c), end = at(block.bounds, c + 1);
  const Range owned{left, left + (end - begin)};
  if (part == Part::local) return {0, owned.end + right};
  if (part == Part::owned || !periodic_ || block.padding.empty()) return owned;
  const Range interior{block.padding.front()[0], size_ - block.padding.back()[1]};  // global
  const Index first = std::clamp(interior.begin, begin, end), last = std::clamp(interior.end, first, end);
  return {first - begin + left, last - begin + left};
}

std::vector<Index> Axis::owners(Index global) const {
  if (const auto* kind = std::get_if<2>(&kind_)) {
    const auto less = [](const Place& place, Index value) { return place.global < value; };
    const std::vector<Place>& places = (*kind)->places;
    std::vector<Index> found;
    for (auto place = std::lower_bound(places.begin(), places.end(), global, less);
         place != places.end() && place->global == global; ++place)
      found.push_back(place->coordinate);
    return found;
  }
  const std::optional<Index> one = owner(global);
  return one ? std::vector<Index>{*one} : std::vector<Index>{};
}

std::optional<Index> Axis::owner(Index global) const {
  if (std::holds_alternative<std::shared_ptr<const UnstructuredKind>>(kind_)) {
    const std::vector<Index> all = owners(global);
    return all.empty() ? std::nullopt : std::optional<Index>(all.front());
  }
  if (global < 0 || global >= size_) return std::nullopt;
  if (const auto* cyclic = std::get_if<1>(&kind_))
    return (global / cyclic->block_size % proc_grid_size_ + cyclic->first) % proc_grid_size_;
  const std::vector<Index>& bounds = std::get<0>(kind_)->bounds;
  return std::upper_bound(bounds.begin(), bounds.end(), global) - bounds.begin() - 1;
}

std::optional<Index> Axis::local_index(Index c, Index global, Part which) const {
  if (const auto* kind = std::get_if<2>(&kind_)) {
    const std::vector<Place>& places = (*kind)->places;
    const auto less = [](const Place& a, const Place& b) {
      return a.global != b.global ? a.global < b.global : a.coordinate < b.coordinate;
    };
    const auto place = std::lower_bound(places.begin(), places.end(), Place{global, c, 0}, less);
    if (place == places.end() || place->global != global || place->coordinate != c) return std::nullopt;
    return place->local;
  }
  if (global < 0 || global >= size_) return std::nullopt;
  if (const auto* cyclic = std::get_if<1>(&kind_)) {
    const Index block = global / cyclic->block_size;
    if (block % proc_grid_size_ != turn(*cyclic, c)) return std::nullopt;
    return block / proc_grid_size_ * cyclic->block_size + global % cyclic->block_size;
  }
  const BlockKind& block = *std::get<0>(kind_);
  const Index local = global - (at(block.bounds, c) - communication_padding(block, c)[0]);
  if (!part(c, which).contains(local)) return std::nullopt;
  return local;
}

Index Axis::global_index(Index c, Index local) const {
  if (const auto* cyclic = std::get_if<1>(&kind_)) {
    const Index block = local / cyclic->block_size * proc_grid_size_ + turn(*cyclic, c);
    return block * cyclic->block_size + local % cyclic->block_size;
  }
  if (const auto* unstructured = std::get_if<2>(&kind_)) return at(at((*unstructured)->lists, c), local);
  const BlockKind& block = *std::get<0>(kind_);
  return at(block.bounds, c) - communication_padding(block, c)[0] + local;
}

Run Axis::run_from(Index c, Index local, Index end) const {
  Run run{global_index(c, local), local, end - local};
  if (const auto* cyclic = std::get_if<1>(&kind_)) {
    if (proc_grid_size_ > 1) run.length = std::min(run.length, cyclic->block_size - local % cyclic->block_size);
  } else if (const auto* unstructured = std::get_if<2>(&kind_)) {
    const std::vector<Index>& list = at((*unstructured)->lists, c);
    Index length = 1;
    while (length < run.length && at(list, local + length - 1) != std::numeric_limits<Index>::max() &&
           at(list, local + length) == at(list, local + length - 1) + 1)
      ++length;
    run.length = length;
  }
  return run;
}

std::optional<std::array<Index, 2>> Axis::extremes() const {
  if (size_ == 0) return std::nullopt;
  if (const auto* kind = std::get_if<2>(&kind_))
    return {{(*kind)->places.front().global, (*kind)->places.back().global}};
  return {{0, size_ - 1}};
}

Index Axis::stamped_start(const CyclicKind& kind, Index c) const {
  return checked_multiply(turn(kind, c), kind.block_size).value_or(size_);
}

Dimension Axis::dimension(Index c) const {
  Dimension dimension;
  dimension.size = size_;
  dimension.proc_grid_size = proc_grid_size_;
  dimension.proc_grid_rank = c;
  dimension.periodic = periodic_;
  if (const auto* cyclic = std::get_if<1>(&kind_)) {
    dimension.dist = Cyclic{stamped_start(*cyclic, c), cyclic->block_size};
  } else if (const auto* unstructured = std::get_if<2>(&kind_)) {
    const std::vector<Index>& list = at((*unstructured)->lists, c);
    const std::shared_ptr<void> owner(*unstructured, const_cast<UnstructuredKind*>(unstructured->get()));
    dimension.dist =
        Unstructured{row_major(list.data(), {static_cast<Index>(list.size())}, owner), (*unstructured)->one_to_one};
  } else {
    const BlockKind& block = *std::get<0>(kind_);
    const auto [left, right] = communication_padding(block, c);
    Block stamped{at(block.bounds, c) - left, at(block.bounds, c + 1) + right, {}};
    if (!block.padding.empty()) stamped.padding = at(block.padding, c);
    dimension.dist = std::move(stamped);
  }
  return dimension;
}

}  // namespace dap
