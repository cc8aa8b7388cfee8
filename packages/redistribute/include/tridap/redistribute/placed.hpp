#pragma once

#include <tridap/distribution.hpp>

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tridap::redistribute {

/// A distribution, and the rank of a communicator that holds each of its parts. A rank holds at most one part. A rank
/// that holds none must still take part in collective calls. It is checked when it is made, does not change, and is
/// cheap to copy.
class PlacedDistribution {
 public:
  /// `ranks`: by process of the distribution, its rank; empty: process r is on rank r. Throws Error unless each process
  /// has another rank, at least 0: on this process alone, so make it before a collective call begins. A call with a
  /// communicator or a number of processes checks that all ranks are in it.
  PlacedDistribution(Distribution distribution, std::vector<Index> ranks = {});

  const Distribution& distribution() const { return distribution_; }
  /// By process of the distribution: its rank. Empty if each process r is on rank r, also if it was made with a list.
  const std::vector<Index>& ranks() const;
  Index rank(Index process) const { return moved_ ? moved_->ranks[static_cast<std::size_t>(process)] : process; }
  std::optional<Index> process(Index rank) const;  ///< the process whose part a rank holds; nothing: it holds none
  Index highest_rank() const;                      ///< that holds a part
  Index memory() const;                            ///< of the placement itself, bytes

 private:
  struct Moved {
    std::vector<Index> ranks;                    // by process
    std::unordered_map<Index, Index> processes;  // by rank
  };

  Distribution distribution_;
  std::shared_ptr<const Moved> moved_;  // null: process r is on rank r
};

}  // namespace tridap::redistribute
