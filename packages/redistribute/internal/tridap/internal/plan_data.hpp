#pragma once

#include <tridap/internal/axis_moves.hpp>
#include <tridap/redistribute/plan.hpp>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tridap::redistribute {

enum class End { source, target };
constexpr End other(End end) { return end == End::source ? End::target : End::source; }
constexpr const char* name_of(End end) { return end == End::source ? "source" : "target"; }
/// Which index of a piece is the source's, as seen from an end.
constexpr Index Piece::*source_of(End end) { return end == End::source ? &Piece::here : &Piece::there; }

/// One end of a plan: the distribution there, the part of it that this process holds, and what moves from or to it.
struct PlanSide {
  PlacedDistribution placed;
  std::optional<Index> process = {};  ///< our part; nothing: none
  /// By axis of the target; the peers are coordinates of the other side. Of a ravelled array, one for all axes: its
  /// peers are the other side's processes, and local indices are those of the dense local buffer, in the order of
  /// Mapping::ravel. Empty where our process holds no part.
  std::vector<AxisMoves> axes = {};

  std::optional<Index> counted() const;          ///< the elements that move on it; nothing: 64 bits cannot say it
  Index elements() const { return *counted(); }  ///< of a plan that passed check_counts()
};

struct PlanData {
  PlanSide source, target;
  Index element_bytes = 0, rank = 0;
  Mapping mapping = {};
  bool listed = false;  ///< a side was given by ids: it is a block of as many elements, and no index of its own

  PlanSide& side(End end) { return end == End::source ? source : target; }
  const PlanSide& side(End end) const { return end == End::source ? source : target; }
  Part target_part() const { return mapping.fill_padding ? Part::local : Part::owned; }
  /// The axis of the distribution at an end that is axis `i` of the target.
  Index axis_of(End end, std::size_t i) const {
    return end == End::target || mapping.axes.empty() ? static_cast<Index>(i) : mapping.axes[i];
  }
  /// The coordinates of a process at an end, by axis of the target.
  std::vector<Index> peers(End end, Index process) const;
  /// Calls visit(rank, peers, elements) for each process at the other end that shares something with our part of `end`:
  /// `peers` are its coordinates.
  using Visit = std::function<void(Index, const std::vector<Index>&, Index)>;
  void each_peer(End end, const Visit& visit) const;

  static const PlanData& of(const Plan& plan) { return *plan.data_; }
  static Plan plan(std::shared_ptr<const PlanData> data) { return Plan(std::move(data)); }
};

/// Finds which part of either side the rank holds. Throws Error where an element has no bytes.
void place(PlanData& parts);

/// Throws Error if Mapping::axes is not a permutation of the axes, or if the sizes of an axis differ and the mapping is
/// not partial. Indices of unstructured axes are compared when their moves are found.
void check_axes(const Distribution& source, const Distribution& target, const Mapping& mapping);

/// Throws Error if an index of this process at the end `here` is held by no process at the other end, and the mapping
/// is not partial.
void check_missing(const AxisMoves& moves, End here, Index axis, const Mapping& mapping);

/// What moves on axis `i` of the target, from or to this process's part at an end, which has one.
AxisMoves moves_on(const PlanData& parts, End end, std::size_t i);

/// The plan of this process, whose ranks, lengths and mapping are set. `moves(parts, end, i)` are its moves on an axis
/// of the target, where the mapping is not of flat numbers. `named`: the source and the target that the plan keeps,
/// which need not know what was learned to find the moves; null: those of `parts`. Throws Error.
using MovesOn = std::function<AxisMoves(const PlanData&, End, std::size_t)>;
Plan plan_of(PlanData parts, const MovesOn& moves, const std::array<PlacedDistribution, 2>* named = nullptr);

/// Throws Error where a side is on ranks that a communicator of so many processes does not have.
void check_ranks(const Plan& plan, Index processes);
void check_ranks(const PlacedDistribution& source, const PlacedDistribution& target, Index processes);

/// Throws Error where 64 bits cannot say how many bytes move on a side.
void check_counts(const PlanData& parts);

/// Throws Error if the mapping and the sides do not fit Mapping::ravel, which is set.
void check_ravel(const PlanData& parts);

/// Fills the axes of both sides of a plan with Mapping::ravel, in which the only axis of one side numbers the
/// elements of the other. The processes of both sides must be set before. Throws Error if the two sides do not have the
/// same elements.
void ravel(PlanData& parts);

/// Throws Error where relabel() cannot place the target.
void check_relabel(const PlacedDistribution& source, const PlacedDistribution& target, Index element_bytes,
                   Index processes);

}  // namespace tridap::redistribute
