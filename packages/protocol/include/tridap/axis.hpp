#pragma once

#include <tridap/dimension.hpp>
#include <tridap/index.hpp>
#include <tridap/kinds.hpp>
#include <tridap/report.hpp>
#include <tridap/version.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace tridap {

class AxisRuns;

/// One axis of a distributed array over all its grid coordinates. It is checked when it is made and does not change.
///
/// A grid coordinate is the position of a process along this axis, and its share is the set of indices that it owns.
/// Every part of a local buffer is a range of local indices. Which global indices belong to it depends on the kind of
/// distribution. For 10 elements distributed in blocks of 2 over 3 coordinates, `count(1) == 4`,
/// `locate(8) == Location{1, 2}` and `global_index(1, 2) == 8`. If the shares are irregular or padded, the memory is
/// proportional to the number of coordinates; for an unstructured axis, to the lengths of its lists; otherwise it is
/// constant. An Axis is cheap to copy.
class Axis {
 public:
  using Kind = std::variant<BlockKind, CyclicKind, UnstructuredKind>;

  /// Makes the axis from the dimension of each grid coordinate, in the order of the coordinates. All dimensions are of
  /// one version of the protocol. Throws Error with every violation. `axis` is the number of the axis in messages.
  explicit Axis(const std::vector<Dimension>& of_each_coordinate, Index axis = 0, Version version = Version::v0_10);
  /// Does the same, but adds violations and warnings to `report` instead of throwing. Returns nullopt if there was an
  /// error. The `process` of a finding is the coordinate on this axis. Warnings about single dimensions are not
  /// repeated here: check() gives them.
  static std::optional<Axis> make(const std::vector<Dimension>& of_each_coordinate, Index axis, Report& report,
                                  Version version = Version::v0_10);
  /// Makes the axis from a kind that is known to be valid.
  explicit Axis(Kind kind, bool periodic = false);

  Index size() const { return size_; }
  Index proc_grid_size() const { return proc_grid_size_; }
  bool periodic() const { return periodic_; }
  char dist_type() const { return "bcu"[kind_.index()]; }
  const Kind& kind() const { return kind_; }
  /// The kind of the axis, if it is this one; else null.
  const BlockKind* block() const { return std::get_if<BlockKind>(&kind_); }
  const CyclicKind* cyclic() const { return std::get_if<CyclicKind>(&kind_); }
  const UnstructuredKind* unstructured() const { return std::get_if<UnstructuredKind>(&kind_); }
  /// Calls `visit` with the axis's BlockKind, CyclicKind or UnstructuredKind. A loop inside `visit` does not have to
  /// test the kind in each iteration.
  template <class Visit>
  decltype(auto) with_kind(Visit&& visit) const {
    return std::visit(std::forward<Visit>(visit), kind_);
  }
  /// True if some index is held by several coordinates (unstructured axes only).
  bool shares_indices() const;
  /// True if the buffer of some coordinate holds communication padding (block axes only).
  bool has_communication_padding() const;
  /// The widths of the padding before the first and behind the last owned index: boundary padding, or mirrors if the
  /// axis is periodic. Both are 0 unless it is a block axis.
  std::array<Index, 2> edges() const { return block() != nullptr ? block()->edges() : std::array<Index, 2>{0, 0}; }
  bool has_edges() const { return edges() != std::array<Index, 2>{0, 0}; }
  /// The edges of a periodic axis, which repeat elements of the other end. Both are 0 if it is not periodic.
  std::array<Index, 2> mirrors() const { return periodic_ ? edges() : std::array<Index, 2>{0, 0}; }

  /// The local indices of a part of the buffer of coordinate `c`. `part(c, Part::local).size()` is the buffer's extent.
  Range part(Index c, Part part) const;
  /// How many elements coordinate `c` owns.
  Index count(Index c) const { return part(c, Part::owned).size(); }

  /// The coordinate that owns a global index, and the local index there. If several coordinates share an unstructured
  /// index, the lowest one is returned. Returns nullopt if no coordinate owns it.
  std::optional<Location> locate(Index global) const {
    if (const auto* block = this->block()) return block->locate(global);
    if (const auto* cyclic = this->cyclic()) return cyclic->locate(global);
    return std::get_if<UnstructuredKind>(&kind_)->locate(global);
  }
  /// The coordinate that locate() finds.
  std::optional<Index> owner(Index global) const {
    const std::optional<Location> place = locate(global);
    return place ? std::optional<Index>(place->coordinate) : std::nullopt;
  }
  /// All coordinates that own a global index, in ascending order.
  std::vector<Index> owners(Index global) const;
  /// The local index of a global index in a part of the buffer of coordinate `c`. Returns nullopt if it is not in that
  /// part.
  std::optional<Index> local_index(Index c, Index global, Part part = Part::owned) const;
  /// The global index of a local one, `0 <= local < part(c, Part::local).size()`.
  Index global_index(Index c, Index local) const {
    if (const auto* block = this->block()) return block->global_index(c, local);
    if (const auto* cyclic = this->cyclic()) return cyclic->global_index(c, local);
    return std::get_if<UnstructuredKind>(&kind_)->global_index(c, local);
  }
  /// The global index whose value a mirror at the edge of a periodic axis repeats. Returns nullopt if `global` is not a
  /// mirror. On an axis of size 8 with edge widths (1, 1), index 0 mirrors 6, and 7 mirrors 1.
  std::optional<Index> mirrored(Index global) const;

  /// Calls `visit(local, global)` for each element of a part of the buffer of coordinate `c`, in the order of the local
  /// indices. Use it to loop over a part.
  template <class Visit>
  void for_each(Index c, Part part, Visit&& visit) const;
  /// Calls `visit(global, Location)` for the owned indices `first <= global < end`, in ascending order. Use it to loop
  /// over the elements of all owners. A shared index is visited once, at its lowest coordinate.
  template <class Visit>
  void for_each_location(Index first, Index end, Visit&& visit) const;

  /// The longest run of consecutive global indices that begins at local index `local`, and whose local indices are less
  /// than `end`.
  Run run_from(Index c, Index local, Index end) const;
  /// The runs of a part, one at a time, in the order of the local indices. The axis must outlive the result.
  AxisRuns runs(Index c, Part part = Part::owned) const&;
  AxisRuns runs(Index c, Part part = Part::owned) const&& = delete;

  /// The smallest and the largest global index that any coordinate holds. Returns nullopt if no coordinate holds any.
  std::optional<std::array<Index, 2>> extremes() const;

  /// The dimension dictionary of coordinate `c`. Several positions are valid for an empty share; the simplest one is
  /// given. Throws Error if the version cannot describe the axis. `axis` is the number of the axis in the message.
  Dimension dimension(Index c, Version version = Version::v0_10, std::optional<Index> axis = {}) const;

 private:
  friend class AxisBuilder;

  Kind kind_;
  Index size_ = 0, proc_grid_size_ = 1;
  bool periodic_ = false;
};

/// A lazy sequence of the runs of a part of one coordinate's buffer.
class AxisRuns {
 public:
  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Run;
    using difference_type = std::ptrdiff_t;
    using pointer = const Run*;
    using reference = const Run&;

    reference operator*() const { return run_; }
    pointer operator->() const { return &run_; }
    iterator& operator++() {
      advance(run_.local + run_.length);
      return *this;
    }
    iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) { return a.run_.local == b.run_.local; }
    friend bool operator!=(const iterator& a, const iterator& b) { return !(a == b); }

   private:
    friend class AxisRuns;
    iterator(const Axis& axis, Index c, Index begin, Index end) : axis_(&axis), c_(c), end_(end) { advance(begin); }
    void advance(Index local) { run_ = local < end_ ? axis_->run_from(c_, local, end_) : Run{0, local, 0}; }

    const Axis* axis_;
    Index c_, end_;
    Run run_;
  };

  iterator begin() const { return {*axis_, c_, range_.begin, range_.end}; }
  iterator end() const { return {*axis_, c_, range_.end, range_.end}; }

 private:
  friend class Axis;
  AxisRuns(const Axis& axis, Index c, Range range) : axis_(&axis), c_(c), range_(range) {}

  const Axis* axis_;
  Index c_;
  Range range_;
};

template <class Visit>
void Axis::for_each(Index c, Part which, Visit&& visit) const {
  const Range range = part(c, which);
  if (const auto* block = this->block()) {
    const Index first = block->first_held(c);
    for (Index local = range.begin; local < range.end; ++local) visit(local, first + local);
  } else if (const auto* cyclic = this->cyclic()) {
    if (range.size() == 0) return;
    const Index length = cyclic->block_size();
    const Index step = checked_multiply(cyclic->grid() - 1, length).value_or(0);  // overflow: there is one block
    if (length == 1) {
      const Index skip = cyclic->grid();
      Index global = cyclic->turn(c);
      for (Index local = 0; local + 1 < range.end; ++local, global += skip) visit(local, global);
      return visit(range.end - 1, global);  // the next index may not fit 64 bits
    }
    Index ahead = cyclic->turn(c) * length;  // global index minus local index
    for (Index local = 0; local < range.end; ahead += step) {
      const Index end = length < range.end - local ? local + length : range.end;
      for (; local < end; ++local) visit(local, local + ahead);
      if (local == range.end) return;
    }
  } else {
    const std::vector<Index>& list = std::get<UnstructuredKind>(kind_).list(c);
    for (Index local = range.begin; local < range.end; ++local) visit(local, list[static_cast<std::size_t>(local)]);
  }
}

template <class Visit>
void Axis::for_each_location(Index first, Index end, Visit&& visit) const {
  if (const auto* unstructured = this->unstructured()) {
    return unstructured->for_each_location(first, end, visit);
  }
  first = std::max<Index>(first, 0);
  end = std::min(end, size_);
  if (first >= end) return;
  Location place = *locate(first);
  if (const auto* block = this->block()) {  // the range of one owner after the other
    for (;;) {
      const Index stop = std::min(end, block->begin(place.coordinate + 1));
      for (; first < stop; ++first, ++place.local) visit(first, place);
      if (first == end) return;
      place = *locate(first);
    }
  }
  const auto& cyclic = std::get<CyclicKind>(kind_);
  const Index length = cyclic.block_size(), grid = cyclic.grid(), first_coordinate = cyclic.first();
  const Index wrap = grid - first_coordinate;
  Index offset = place.local % length, turn = cyclic.turn(place.coordinate);
  const auto served = [&] { return turn < wrap ? turn + first_coordinate : turn - wrap; };
  if (length == 1)
    for (Index round = place.local;; ++round, turn = 0)
      for (; turn < grid; ++turn) {
        visit(first, Location{served(), round});
        if (++first == end) return;
      }
  for (Index round = place.local - offset;; round += length, turn = 0)
    for (; turn < grid; ++turn, offset = 0) {
      const Index stop = first + std::min(end - first, length - offset);
      for (place = {served(), round + offset}; first < stop; ++first, ++place.local) visit(first, place);
      if (first == end) return;
    }
}

inline AxisRuns Axis::runs(Index c, Part which) const& { return {*this, c, part(c, which)}; }

}  // namespace tridap
