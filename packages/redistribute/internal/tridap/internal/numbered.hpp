#pragma once

#include <tridap/flat_numbers.hpp>
#include <tridap/internal/axis_moves.hpp>
#include <tridap/runs.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace tridap::redistribute {

/// Finds the elements of an array by their flat numbers, and their places in the contiguous local buffers in the same
/// memory order.
class NumberedArray {
 public:
  /// Throws Error where the flat numbers do not fit 64 bits.
  NumberedArray(const Distribution& distribution, Order order);

  Index count() const { return numbers_.count(); }
  bool shares() const { return shares_; }  ///< several processes hold some element

  /// Where an element is.
  struct Found {
    Index process = 0, local = 0;  ///< the lowest that holds it; in its dense local buffer
    Index length = 0;              ///< of the run of numbers that begins with it there; 0: no process holds it
  };
  Found find(Index number, Index most) const;  ///< `length` at most `most`
  /// Of all processes that hold an element; `length` is 1.
  std::vector<Found> find_all(Index number) const;

  /// Adds the pieces of a run of numbers: `here` as the run is local, and `there` in the dense local buffers of the
  /// processes. `all`: each number with every process that holds it. Calls `missing(number, local)` if none does.
  template <class Missing>
  void look_up(const Run& run, bool all, std::vector<Piece>& pieces, Missing&& missing) const;

  /// Adds the index of an element along each axis whose lists are in a directory. A number that none can have adds
  /// nothing.
  void add_indices(Index number, std::vector<std::vector<Index>>& of_axes) const;

  /// A part of one process's buffer as runs of flat numbers, ascending in its dense local buffer.
  ArrayRuns runs(Index process, Part part) const;

 private:
  Index dense(const Indices& coordinates, const Indices& local) const;

  const Distribution& of_;
  FlatNumbers numbers_;
  Order order_;
  std::vector<std::size_t> axes_;  // outermost first
  bool shares_ = false, gaps_ = false;
  std::vector<bool> spread_;  // by axis: its lists are in a directory
  mutable Indices at_, local_;
};

template <class Missing>
void NumberedArray::look_up(const Run& run, bool all, std::vector<Piece>& pieces, Missing&& missing) const {
  for (Index done = 0; done < run.length;) {
    const Index number = run.global + done, local = run.local + done;
    const Found found = find(number, run.length - done);
    if (found.length == 0)
      missing(number, local);
    else if (!all)
      add_piece(pieces, {local, found.local, found.length, found.process});
    else
      for (const Found& one : find_all(number)) add_piece(pieces, {local, one.local, 1, one.process});
    done += all ? 1 : std::max<Index>(found.length, 1);
  }
}

}  // namespace tridap::redistribute
