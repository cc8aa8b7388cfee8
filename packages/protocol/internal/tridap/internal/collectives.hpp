#pragma once

#include <tridap/index.hpp>
#include <tridap/internal/spread_lists.hpp>

#include <exception>
#include <limits>
#include <optional>
#include <vector>

namespace tridap {

/// Numbers that one process sends to another.
struct Message {
  Index from = 0, to = 0;  ///< ranks
  std::vector<Index> content;
};

/// The communication of the processes that hold an array, independent of the carrier of the messages. One object
/// represents its local processes: a single one under MPI, all of them if the whole array is in one process.
///
/// Every call except processes() is **collective**: all processes make the same calls in the same order.
class Collectives {
 public:
  virtual ~Collectives() = default;

  virtual Index processes() const = 0;  ///< the number of all processes, local or not
  /// Replaces each number by the largest over all processes. Every process gives the same number of numbers.
  virtual void max(std::vector<Index>& numbers) = 0;
  /// True on every process if `here` is true on every process. A carrier between separate processes must not allocate
  /// memory in this function, so that a process that has run out of memory can report it.
  virtual bool all(bool here);
  /// Replaces each number by the sum over all processes. Every process gives the same number of numbers.
  virtual void sum(std::vector<Index>& numbers) = 0;
  /// Sends each message to its process, and returns those for the local processes, ascending by `from`. Throws on every
  /// process or on none.
  virtual std::vector<Message> exchange(std::vector<Message> messages) = 0;
  /// Whether spread() can be called. A carrier whose processes are all in one place has all lists there.
  virtual bool can_spread() const { return false; }
  /// Leaves the lists of an unstructured axis on their processes. Throws on every process or on none.
  virtual SpreadLists spread(ListHere here);
};

/// Runs a step. Returns false if it throws; the exception is discarded. Allocates nothing itself.
template <class Step>
bool succeeds(Step&& step) {
  try {
    step();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

/// What a process gives to Collectives::max() in the place of a number that it does not have.
inline constexpr Index no_number = std::numeric_limits<Index>::min();

/// The smallest and the largest of each of some numbers over all processes: one reduction.
class Ends {
 public:
  explicit Ends(std::size_t count) : numbers_(2 * count, no_number) {}

  void add(std::size_t i, Index number);                                ///< one process's number
  void reduce(Collectives& collectives) { collectives.max(numbers_); }  ///< **collective**
  Index largest(std::size_t i) const { return numbers_[2 * i]; }
  Index smallest(std::size_t i) const { return ~numbers_[2 * i + 1]; }  ///< more than the largest if nobody has one

 private:
  std::vector<Index> numbers_;  // the largest and, with all bits inverted, the smallest
};

/// The smallest and largest of one number over all processes, and the lowest ranks that have them.
struct MinMax {
  Index smallest = 0, largest = 0;
  Index smallest_rank = 0, largest_rank = 0;  ///< only valid if the numbers differ

  bool is_same() const { return smallest >= largest; }  ///< also true if all numbers are missing
};

/// The smallest and largest of each number over all processes. `values[i]` are the numbers of the local process
/// `ranks[i]`; every process has the same number of them. A number equal to `missing` is ignored.
///
/// **Collective**: one reduction, and a second if some numbers differ.
std::vector<MinMax> min_max(const std::vector<Index>& ranks, const std::vector<std::vector<Index>>& values,
                            Collectives& collectives, std::optional<Index> missing = {});

}  // namespace tridap
