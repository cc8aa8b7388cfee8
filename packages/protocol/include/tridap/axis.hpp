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

/// One axis of a distributed array over all its grid coordinates: checked, and never changed afterwards.
///
/// Every part of a local buffer is a range of local indices; only the global indices behind it differ by kind.
/// For 10 elements dealt in blocks of 2 over 3 coordinates, `count(1) == 4`, `locate(8) == Location{1, 2}` and
/// `global_index(1, 2) == 8`. Costs memory in proportion to the coordinates where the shares are irregular or padded,
/// and to the lists of an unstructured axis. Cheap to copy.
class Axis {
 public:
  using Kind = std::variant<BlockKind, CyclicKind, UnstructuredKind>;

  /// From what each grid coordinate says, in order, in one version of the protocol; throws Error with every violation.
  /// `axis` is for messages.
  explicit Axis(const std::vector<Dimension>& of_each_coordinate, Index axis = 0, Version version = Version::v0_10);
  /// The same, adding violations and warnings to `report` instead; nothing where there was an error. A finding's
  /// `process` is the coordinate on this axis; warnings about single dimensions are left to check().
  static std::optional<Axis> make(const std::vector<Dimension>& of_each_coordinate, Index axis, Report& report,
                                  Version version = Version::v0_10);
  /// From a kind that is right by its construction.
  explicit Axis(Kind kind, bool periodic = false);

  Index size() const { return size_; }
  Index proc_grid_size() const { return proc_grid_size_; }
  bool periodic() const { return periodic_; }
  char dist_type() const { return "bcu"[kind_.index()]; }
  const Kind& kind() const { return kind_; }
  /// Calls `visit` with the axis's own kind, a BlockKind, CyclicKind or UnstructuredKind: for loops that would
  /// otherwise ask each time which one it is.
  template <class Visit>
  decltype(auto) with_kind(Visit&& visit) const {
    return std::visit(std::forward<Visit>(visit), kind_);
  }
  /// True where some index is known to stand on several coordinates (unstructured axes only).
  bool shares_indices() const;
  /// True where some coordinate's buffer holds communication padding (block axes only).
  bool has_communication_padding() const;

  /// The local indices of a part of coordinate `c`'s buffer; `part(c, Part::local).size()` is the buffer's extent.
  Range part(Index c, Part part) const;
  /// How many elements coordinate `c` owns.
  Index count(Index c) const { return part(c, Part::owned).size(); }

  /// Who owns a global index (the lowest coordinate where an unstructured index is shared), and where it stands there;
  /// nothing: nobody.
  std::optional<Location> locate(Index global) const {
    if (const auto* block = std::get_if<BlockKind>(&kind_)) return block->locate(global);
    if (const auto* cyclic = std::get_if<CyclicKind>(&kind_)) return cyclic->locate(global);
    return std::get_if<UnstructuredKind>(&kind_)->locate(global);
  }
  /// The coordinate of locate().
  std::optional<Index> owner(Index global) const {
    const std::optional<Location> place = locate(global);
    return place ? std::optional<Index>(place->coordinate) : std::nullopt;
  }
  /// All coordinates that own a global index, ascending.
  std::vector<Index> owners(Index global) const;
  /// Where a global index stands in coordinate `c`'s buffer, within a part of it; nothing: not there.
  std::optional<Index> local_index(Index c, Index global, Part part = Part::owned) const;
  /// The global index of a local one, `0 <= local < part(c, Part::local).size()`.
  Index global_index(Index c, Index local) const {
    if (const auto* block = std::get_if<BlockKind>(&kind_)) return block->global_index(c, local);
    if (const auto* cyclic = std::get_if<CyclicKind>(&kind_)) return cyclic->global_index(c, local);
    return std::get_if<UnstructuredKind>(&kind_)->global_index(c, local);
  }
  /// What a mirror at the edge of a periodic axis mirrors; nothing: `global` is no mirror. On an axis of 8 with edge
  /// widths (1, 1), index 0 mirrors 6, and 7 mirrors 1.
  std::optional<Index> mirrored(Index global) const;

  /// Calls `visit(local, global)` for a part of coordinate `c`'s buffer, in local order: the way to sweep.
  template <class Visit>
  void for_each(Index c, Part part, Visit&& visit) const;
  /// Calls `visit(global, Location)` for the owned indices `first <= global < end`, ascending: the way to sweep over
  /// all owners. A shared index is visited once, at its lowest coordinate.
  template <class Visit>
  void for_each_location(Index first, Index end, Visit&& visit) const;

  /// The maximal run of global indices that begins at local index `local` and stays below `end`.
  Run run_from(Index c, Index local, Index end) const;
  /// The runs of a part, in local order, one at a time. The axis must outlive them.
  AxisRuns runs(Index c, Part part = Part::owned) const&;
  AxisRuns runs(Index c, Part part = Part::owned) const&& = delete;

  /// The smallest and the largest global index that anybody holds; nothing where nobody holds any.
  std::optional<std::array<Index, 2>> extremes() const;

  /// The dimension dictionary of coordinate `c`, in the simplest place for an empty share. What a version cannot say
  /// throws Error; `axis` is for its message.
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
  if (const auto* block = std::get_if<BlockKind>(&kind_)) {
    const Index first = block->first_held(c);
    for (Index local = range.begin; local < range.end; ++local) visit(local, first + local);
  } else if (const auto* cyclic = std::get_if<CyclicKind>(&kind_)) {
    if (range.size() == 0) return;
    const Index length = cyclic->block_size();
    const Index step = checked_multiply(cyclic->grid() - 1, length).value_or(0);  // too long: there is one block
    if (length == 1) {
      const Index skip = cyclic->grid();
      Index global = cyclic->turn(c);
      for (Index local = 0; local + 1 < range.end; ++local, global += skip) visit(local, global);
      return visit(range.end - 1, global);  // past which there may be no number
    }
    Index ahead = cyclic->turn(c) * length;  // how far the global index is before the local one
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
  if (const auto* unstructured = std::get_if<UnstructuredKind>(&kind_)) {
    return unstructured->for_each_location(first, end, visit);
  }
  first = std::max<Index>(first, 0);
  end = std::min(end, size_);
  if (first >= end) return;
  Location place = *locate(first);
  if (const auto* block = std::get_if<BlockKind>(&kind_)) {  // one stretch of one owner after the other
    for (;;) {
      const Index stop = std::min(end, block->begin(place.coordinate + 1));
      for (; first < stop; ++first, ++place.local) visit(first, place);
      if (first == end) return;
      place = *locate(first);
    }
  }
  const auto& cyclic = std::get<CyclicKind>(kind_);
  const Index length = cyclic.block_size(), grid = cyclic.grid(), dealt_first = cyclic.first();
  const Index wrap = grid - dealt_first;
  Index offset = place.local % length, turn = cyclic.turn(place.coordinate);
  const auto served = [&] { return turn < wrap ? turn + dealt_first : turn - wrap; };
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
