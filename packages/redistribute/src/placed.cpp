#include <tridap/detail/refuse.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/fingerprint.hpp>
#include <tridap/internal/placement.hpp>
#include <tridap/redistribute/placed.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tridap::redistribute {

PlacedDistribution::PlacedDistribution(Distribution distribution, std::vector<Index> ranks)
    : distribution_(std::move(distribution)) {
  if (ranks.empty()) return;
  const auto count = static_cast<Index>(ranks.size());
  if (count != distribution_.processes())
    refuse(
        "PlacedDistribution::ranks has " + std::to_string(count) + " ranks",
        "must have one for each of the " + std::to_string(distribution_.processes()) + " processes of the distribution",
        "give a rank for each process, or leave the list empty");
  Moved moved;
  bool in_order = true;
  for (Index process = 0; process < count; ++process) {
    const Index rank = ranks[static_cast<std::size_t>(process)];
    in_order = in_order && rank == process;
    if (rank < 0)
      refuse("PlacedDistribution::ranks has rank " + std::to_string(rank) + " for process " + std::to_string(process),
             "must be at least 0", "give ranks of the communicator");
    if (!moved.processes.emplace(rank, process).second)
      refuse("PlacedDistribution::ranks has rank " + std::to_string(rank) + " twice", "must have each rank once",
             "give each process another rank");
  }
  if (in_order) return;
  moved.ranks = std::move(ranks);
  moved_ = std::make_shared<const Moved>(std::move(moved));
}

const std::vector<Index>& PlacedDistribution::ranks() const {
  static const std::vector<Index> in_order;
  return moved_ ? moved_->ranks : in_order;
}

std::optional<Index> PlacedDistribution::process(Index rank) const {
  if (!moved_) return rank >= 0 && rank < distribution_.processes() ? std::optional(rank) : std::nullopt;
  const auto found = moved_->processes.find(rank);
  return found == moved_->processes.end() ? std::nullopt : std::optional(found->second);
}

Index PlacedDistribution::highest_rank() const {
  return moved_ ? *std::max_element(moved_->ranks.begin(), moved_->ranks.end()) : distribution_.processes() - 1;
}

Index PlacedDistribution::memory() const {
  return moved_ ? static_cast<Index>((moved_->ranks.capacity() + moved_->processes.size() * 4) * sizeof(Index)) : 0;
}

void need_ranks(const PlacedDistribution& placed, Index processes, const std::string& of) {
  const Index parts = placed.distribution().processes();
  if (parts > processes)
    refuse(of + " has " + std::to_string(parts) + " parts",
           "must have at most " + std::to_string(processes) + ", one for each process",
           "distribute it over fewer processes");
  if (placed.highest_rank() >= processes)
    refuse(of + " has a part on rank " + std::to_string(placed.highest_rank()),
           "must be less than the " + std::to_string(processes) + " processes",
           "pass a communicator with the processes of all parts");
}

Index fingerprint(const PlacedDistribution& placed) {
  Digest digest;
  digest.add(tridap::fingerprint(placed.distribution()));
  digest.add_all(placed.ranks());
  return digest.value();
}

}  // namespace tridap::redistribute
