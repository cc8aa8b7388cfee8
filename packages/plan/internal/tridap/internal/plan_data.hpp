#pragma once

#include <tridap/internal/axis_moves.hpp>
#include <tridap/redistribute/plan.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tridap::redistribute {

/// One side of a plan: the part of the distribution that this process holds, and what moves from or to it.
struct PlanSide {
  std::optional<Index> process;  ///< our part; nothing: none
  /// By axis of the target; the peers are coordinates of the other side. Of a ravelled array, one for all axes: its
  /// peers are the other side's processes, and local indices are those of the dense local buffer, in the order of
  /// Mapping::ravel. Empty where our process holds no part.
  std::vector<AxisMoves> axes;

  std::optional<Index> counted() const;          ///< the elements that move on it; nothing: 64 bits cannot say it
  Index elements() const { return *counted(); }  ///< of a plan that passed check_counts()
};

struct PlanData {
  PlacedDistribution source, target;
  Index element_bytes = 0, rank = 0;
  Mapping mapping;
  PlanSide out, in;
  bool listed = false;  ///< a side was given by ids: it is a block of as many elements, and no index of its own
  std::unordered_map<Index, Index> source_processes,
      target_processes;  ///< by rank; empty where ranks are the processes

  Part target_part() const { return mapping.fill_padding ? Part::local : Part::owned; }
  /// The axis of the source that is axis `i` of the target.
  Index source_axis(std::size_t i) const { return mapping.axes.empty() ? static_cast<Index>(i) : mapping.axes[i]; }
  /// The coordinates of a process of the other side, by axis of the target.
  std::vector<Index> peers_of_target(Index process) const;
  std::vector<Index> peers_of_source(Index process) const;
  /// The rank of the process of the target at the coordinates `peers`, or of the source's.
  Index target_rank(const std::vector<Index>& peers) const;
  Index source_rank(const std::vector<Index>& peers) const;

  /// Calls visit(peers, elements) for each process of the other side with which something is shared.
  void each_peer(const PlanSide& side, const std::function<void(const std::vector<Index>&, Index)>& visit) const;
};

/// Finds which part of either side the rank holds. Throws Error where an element has no bytes, or a placement is none.
void place(PlanData& parts);

/// Throws Error if Mapping::axes is not a permutation of the axes, or if the sizes of an axis differ and the mapping is
/// not partial. Indices of unstructured axes are compared when their moves are found.
void check_axes(const Distribution& source, const Distribution& target, const Mapping& mapping);

/// Throws Error if an index of this process, on the side `here`, is held by no process of the side `there`, and the
/// mapping is not partial.
void check_missing(const AxisMoves& moves, const char* here, const char* there, Index axis, const Mapping& mapping);

/// Throws Error where a side is on ranks that a communicator of so many processes does not have.
void check_ranks(const Plan& plan, Index processes);

/// Throws Error where 64 bits cannot say how many bytes move on a side.
void check_counts(const PlanData& parts);

/// Fills `out.axes` and `in.axes` of a plan with Mapping::ravel, in which the only axis of one side numbers the
/// elements of the other. The processes of both sides must be set before. Throws Error if the two sides do not have the
/// same elements.
void ravel(PlanData& parts);

/// Throws Error where relabel() cannot place the target. Returns, by rank, the part of the source; -1: none.
std::vector<Index> check_relabel(const PlacedDistribution& source, const PlacedDistribution& target,
                                 Index element_bytes, Index processes);

}  // namespace tridap::redistribute
