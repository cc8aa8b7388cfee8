#pragma once

#include <dap/dimension.hpp>
#include <dap/index.hpp>
#include <dap/report.hpp>

#include <array>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace dap {

/// Which elements of a local buffer are meant.
enum class Part {
  local,     ///< all that the buffer holds, communication padding included
  owned,     ///< without communication padding: over all processes, every index once
  interior,  ///< owned without the mirrors of a periodic axis: what solvers, norms and sums use
};

class AxisRuns;

/// One axis of a distributed array over all its grid coordinates: checked, and never changed afterwards.
///
/// Every part of a local buffer is a range of local indices; only the global indices behind it differ by kind.
/// For 10 elements dealt in blocks of 2 over 3 coordinates, `count(1) == 4`, `owner(8) == 1`, `local_index(1, 8) == 2`
/// and `global_index(1, 2) == 8`. Costs memory in proportion to the coordinates and to the lists of an unstructured
/// axis. Cheap to copy.
class Axis {
 public:
  /// From what each grid coordinate says, in order; throws Error with every violation. `axis` is for messages.
  explicit Axis(const std::vector<Dimension>& of_each_coordinate, Index axis = 0);
  /// The same, adding violations and warnings to `report` instead; nothing where there was an error. A finding's
  /// `process` is the coordinate on this axis; warnings about single dimensions are left to check().
  static std::optional<Axis> make(const std::vector<Dimension>& of_each_coordinate, Index axis, Report& report);

  Index size() const { return size_; }
  Index proc_grid_size() const { return proc_grid_size_; }
  bool periodic() const { return periodic_; }
  char dist_type() const { return "bcu"[kind_.index()]; }
  /// True where some index is known to stand on several coordinates (unstructured axes only).
  bool shares_indices() const;
  /// True where some coordinate's buffer holds communication padding (block axes only).
  bool has_communication_padding() const;

  /// The local indices of a part of coordinate `c`'s buffer; `part(c, Part::local).size()` is the buffer's extent.
  Range part(Index c, Part part) const;
  /// How many elements coordinate `c` owns.
  Index count(Index c) const { return part(c, Part::owned).size(); }

  /// The coordinate that owns a global index (the lowest where an unstructured index is shared); nothing: nobody.
  std::optional<Index> owner(Index global) const;
  /// All coordinates that own a global index, ascending.
  std::vector<Index> owners(Index global) const;
  /// Where a global index stands in coordinate `c`'s buffer, within a part of it; nothing: not there.
  std::optional<Index> local_index(Index c, Index global, Part part = Part::owned) const;
  /// The global index of a local one, `0 <= local < part(c, Part::local).size()`.
  Index global_index(Index c, Index local) const;

  /// The maximal run of global indices that begins at local index `local` and stays below `end`.
  Run run_from(Index c, Index local, Index end) const;
  /// The runs of a part, in local order, one at a time. The axis must outlive them.
  AxisRuns runs(Index c, Part part = Part::owned) const&;
  AxisRuns runs(Index c, Part part = Part::owned) const&& = delete;

  /// The smallest and the largest global index that anybody holds; nothing where nobody holds any.
  std::optional<std::array<Index, 2>> extremes() const;

  /// The dimension dictionary of coordinate `c` (0.10.0, in the simplest place for an empty share).
  Dimension dimension(Index c) const;

 private:
  friend class AxisBuilder;
  Axis() = default;

  struct BlockKind {
    std::vector<Index> bounds;                  // coordinate c owns [bounds[c], bounds[c + 1])
    std::vector<std::array<Index, 2>> padding;  // by coordinate, as stamped; empty: nowhere any
  };
  struct CyclicKind {
    Index block_size = 1, first = 0;  // `first` is the coordinate where dealing starts
  };
  struct Place {
    Index global, coordinate, local;
  };
  struct UnstructuredKind {
    std::vector<std::vector<Index>> lists;  // by coordinate
    std::vector<Place> places;              // sorted by global, then coordinate
    bool one_to_one = false;                // as claimed
    bool shared = false;                    // as found
  };

  std::array<Index, 2> communication_padding(const BlockKind& kind, Index c) const;
  Index turn(const CyclicKind& kind, Index c) const;  // c's place in the order of dealing
  Index stamped_start(const CyclicKind& kind, Index c) const;

  Index size_ = 0, proc_grid_size_ = 1;
  bool periodic_ = false;
  std::variant<std::shared_ptr<const BlockKind>, CyclicKind, std::shared_ptr<const UnstructuredKind>> kind_;
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

inline AxisRuns Axis::runs(Index c, Part which) const& { return {*this, c, part(c, which)}; }

}  // namespace dap
