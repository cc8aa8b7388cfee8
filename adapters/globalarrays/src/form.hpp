#pragma once

#include <tridap/buffer.hpp>
#include <tridap/redistribute/plan.hpp>
#include <tridap/report.hpp>

#include <optional>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::globalarrays {

/// How an ownership is passed to Global Arrays: in GA's own indices, without the array's outer periodic padding.
///
/// 5 x 4 as block x block over 2 x 2 is `dims {5, 4}`, `blocks {2, 2}`, `map {0, 3, 0, 2}`. With an empty share between
/// the two of the rows, over 3 x 2 processes, these are the same, and there is `owners {0, 1, 4, 5}`.
struct Form {
  enum class Kind {
    irregular,  ///< block on every axis: GA_Set_irreg_distr64
    cyclic,     ///< cyclic on a process grid: GA_Set_block_cyclic_proc_grid64
    tiled,      ///< cyclic on axis 0, block on the others: GA_Set_tiled_irreg_proc_grid64
  };
  Kind kind = Kind::irregular;
  std::vector<Index> dims;    ///< extents of the Global Array
  std::vector<Index> widths;  ///< ghost cells on each side of each axis
  std::vector<Index> shift;   ///< by axis: the array's index minus GA's index
  bool has_ghosts = false;
  std::vector<Index> grid;    ///< processes by axis; irregular: those with data
  std::vector<Index> blocks;  ///< cyclic: length of the blocks by axis; else number of blocks by axis
  std::vector<Index> map;     ///< where each block begins, one axis after the other; empty if cyclic
  std::vector<int> owners;    ///< irregular: the rank of each block, row-major; empty: block r is on rank r
};

/// How GA can hold it on this number of processes. Ranks are GA's, in the array's group. `leading`: the group holds
/// GA's first processes. Local, and needs neither MPI nor GA. Throws Error, of one finding, if GA cannot hold it.
Form form_of(const redistribute::PlacedDistribution& placed, const ElementType& type, Index processes,
             bool leading = true);
/// Why it cannot; std::nullopt: it can.
std::optional<Finding> why_not(const redistribute::PlacedDistribution& placed, const ElementType& type, Index processes,
                               bool leading = true);

/// Throws Error if no other distribution of it would be possible either: GA has no such shape, the indices are not 0 to
/// `size` - 1, or the placement is wrong.
void check_hope(const redistribute::PlacedDistribution& placed, const ElementType& type, Index processes);

/// The extents of a process's whole memory in a Global Array, with ghost cells at the outer edges; and the box in it
/// that is the array's buffer.
struct Extent {
  std::vector<Index> shape;
  std::vector<Range> box;
};
Extent extent(const redistribute::PlacedDistribution& placed, const Form& form, Index process);

}  // namespace tridap::globalarrays

#pragma GCC visibility pop
