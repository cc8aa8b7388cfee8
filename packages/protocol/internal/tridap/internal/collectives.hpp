#pragma once

#include <tridap/index.hpp>

#include <exception>
#include <optional>
#include <vector>

namespace tridap {

/// Numbers on their way from one process to another.
struct Message {
  Index from = 0, to = 0;  ///< ranks
  std::vector<Index> content;
};

/// How the processes that hold an array reach one another, whatever carries their messages. One object stands for those
/// of them that are here: a single one under MPI, all of them where everything is in one place.
///
/// Every call but processes() is **collective**: all processes make the same ones in the same order.
class Collectives {
 public:
  virtual ~Collectives() = default;

  virtual Index processes() const = 0;  ///< how many there are, here and elsewhere
  /// Replaces each number by the largest over all; as many on each.
  virtual void max(std::vector<Index>& numbers) = 0;
  /// True on every process where `here` is, on every process. Carriers whose other processes are elsewhere allocate
  /// nothing in it, so that a process can still say that its memory has ended.
  virtual bool all(bool here);
  /// Replaces each number by the sum over all.
  virtual void sum(std::vector<Index>& numbers) = 0;
  /// Hands each message to its process, and returns those for the processes that are here, ascending by `from`. Throws
  /// on every process or on none.
  virtual std::vector<Message> exchange(std::vector<Message> messages) = 0;
};

/// Whether a step throws nothing; what it throws is lost. Allocates nothing itself.
template <class Step>
bool succeeds(Step&& step) {
  try {
    step();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

/// The smallest and largest of one number over all processes, and the lowest ranks that have them.
struct MinMax {
  Index smallest = 0, largest = 0;
  Index smallest_rank = 0, largest_rank = 0;  ///< meaningful where the numbers differ

  bool is_same() const { return smallest >= largest; }  ///< also where nobody said anything
};

/// The spread of each number over all processes, given `values[i]` of the process `ranks[i]` that is here; as many
/// values for each. A number that is `missing` counts for nothing. **Collective**: two reductions, and a third where
/// some differ; throws std::bad_alloc on every process where memory ends on one.
std::vector<MinMax> min_max(const std::vector<Index>& ranks, const std::vector<std::vector<Index>>& values,
                            Collectives& collectives, std::optional<Index> missing = {});

}  // namespace tridap
