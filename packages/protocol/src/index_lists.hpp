#pragma once

#include <tridap/gather_distribution.hpp>
#include <tridap/internal/collective_check.hpp>

#include <optional>
#include <vector>

namespace tridap {

/// One unstructured axis on which all processes agree but for the indices themselves.
struct ListedAxis {
  Index axis = 0, grid = 1, size = 0;
  Index stride = 1;         ///< from one coordinate to the next, in ranks
  Index total = 0;          ///< the sum of the lengths of its lists
  bool one_to_one = false;  ///< as claimed
};

/// The indices that the members here hold on some unstructured axes.
class IndexLists {
 public:
  /// Reads them; throws where memory ends.
  IndexLists(const std::vector<LocalArray>& members, const std::vector<ListedAxis>& axes);

  /// Compares the lists at each coordinate with that of its first process, which a binomial tree brings to the others.
  /// Adds what differs to the members' reports; returns for each axis whether all are the same, or nothing where memory
  /// ended somewhere. **Collective.**
  std::optional<std::vector<bool>> compare(Collectives& collectives, std::vector<Report>& reports) const;

  /// Counts the different indices of each axis, by handing every index to the process that its hash names; where an
  /// axis claims `one_to_one`, an index that stands on two coordinates is a finding. Nothing where memory ended
  /// somewhere.
  /// **Collective.**
  std::optional<std::vector<Index>> count_distinct(Collectives& collectives, std::vector<Report>& reports) const;

 private:
  Index coordinate(std::size_t k, const ListedAxis& a) const { return members_[k].rank / a.stride % a.grid; }
  Index position(std::size_t k, const ListedAxis& a) const;                 // among the processes at its coordinate
  Index rank_at(std::size_t k, const ListedAxis& a, Index position) const;  // who has that position beside member k

  std::vector<Message> indices_by_hash(std::size_t k, Index processes) const;
  std::size_t member(Index rank) const;

  const std::vector<LocalArray>& members_;
  const std::vector<ListedAxis>& axes_;
  std::vector<std::vector<std::vector<Index>>> lists_;  // by member and axis
};

}  // namespace tridap
