#pragma once

#include <tridap/distribution.hpp>
#include <tridap/memory_order.hpp>

#include <optional>
#include <vector>

namespace tridap {

/// One number for each element of an array, process after process: first those of process 0, then those of process 1,
/// and so on, and on a process in the order of its memory. So PETSc numbers the elements of a Vec, and Tpetra those of
/// a contiguous map. Padding and the mirrors of a periodic axis have no numbers: only Part::interior has.
///
/// Both ways are computed, for the elements of any process. Only an unstructured axis needs a table, with one number
/// for each coordinate. For a 4 x 6 array, block x block over a 2 x 2 grid, in row-major memory: process 1 has the
/// numbers 6 to 11, `number({0, 3})` is 6, `number({1, 3})` is 9, and `global_index(9)` is {1, 3}.
class ProcessNumbers {
 public:
  /// `orders` are the orders in memory of all processes, by process; or one, which all have; or none, if all are
  /// row-major. Only their `axes` and `reversed` are used. Throws Error if the numbers do not fit 64 bits.
  explicit ProcessNumbers(const Distribution& distribution, std::vector<MemoryOrder> orders = {});

  Index count() const { return inside_.front(); }  ///< all numbers are in `[0, count())`
  /// The first number of a process. If it has no elements, that of the next process that has some.
  Index first(Index process) const;
  /// The process of a number in `[0, count())`.
  Index process(Index number) const;
  /// The number of an element. Returns nullopt if no process has it in its interior. If several processes have it, this
  /// is its number on the lowest one.
  std::optional<Index> number(const Indices& global) const { return number(global.data()); }
  std::optional<Index> number(const Index* global) const;
  /// The global indices of the element that has a number. Returns nullopt if the number is not in `[0, count())`.
  std::optional<Indices> global_index(Index number) const;

 private:
  Index before(std::size_t axis, Index coordinate) const;
  Index coordinate(std::size_t axis, Index place) const;
  const MemoryOrder* order(Index process) const;

  Distribution distribution_;
  std::vector<MemoryOrder> orders_;
  // By axis, and one more: the elements of all processes for each index of the axis before, 1 for the last entry.
  std::vector<Index> inside_;
  std::vector<std::vector<Index>> bounds_;  // by axis: where each coordinate begins; empty unless it is unstructured
};

}  // namespace tridap
