#pragma once

#include <tridap/gather_distribution.hpp>
#include <tridap/internal/collective_check.hpp>

#include <optional>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap {

/// One unstructured axis on which all processes agree, except for the indices.
struct ListedAxis {
  Index axis = 0, grid = 1, size = 0;
  Index stride = 1;         ///< from one coordinate to the next, in ranks
  Index total = 0;          ///< the sum of the lengths of its lists
  bool one_to_one = false;  ///< as the processes state
};

/// The indices that the members hold on some unstructured axes.
class IndexLists {
 public:
  /// Reads them. Throws std::bad_alloc if memory runs out.
  IndexLists(const std::vector<LocalArray>& members, const std::vector<ListedAxis>& axes);

  /// Compares the lists at each coordinate with that of its first process, which is sent to the others along a binomial
  /// tree. Adds differences to the members' reports. Returns for each axis whether all lists are the same, or nullopt
  /// if some process ran out of memory. **Collective.**
  std::optional<std::vector<bool>> compare(Collectives& collectives, std::vector<Report>& reports) const;

  /// Counts the different indices of each axis, by sending every index to the process that its hash gives. If an axis
  /// claims `one_to_one`, an index on two coordinates is a finding. Returns nullopt if some process ran out of memory.
  /// **Collective.**
  std::optional<std::vector<Index>> count_distinct(Collectives& collectives, std::vector<Report>& reports) const;

 private:
  Index coordinate(std::size_t k, const ListedAxis& a) const { return members_[k].rank / a.stride % a.grid; }
  Index position(std::size_t k, const ListedAxis& a) const;                 // among the processes at its coordinate
  Index rank_at(std::size_t k, const ListedAxis& a, Index position) const;  // the rank at that position

  std::vector<Message> indices_by_hash(std::size_t k, Index processes) const;
  std::size_t member(Index rank) const;

  const std::vector<LocalArray>& members_;
  const std::vector<ListedAxis>& axes_;
  std::vector<std::vector<std::vector<Index>>> lists_;  // by member and axis
};

}  // namespace tridap

#pragma GCC visibility pop
