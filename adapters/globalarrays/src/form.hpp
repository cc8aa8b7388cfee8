#pragma once

#include <tridap/buffer.hpp>
#include <tridap/redistribute/plan.hpp>
#include <tridap/report.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tridap::globalarrays {

/// How Global Arrays is told of an ownership: in its own indices, without the array's outer mirrors.
///
/// 5 x 4 as block x block over 2 x 2 is `dims {5, 4}`, `blocks {2, 2}`, `map {0, 3, 0, 2}`; with an empty share between
/// the rows' two, over 3 x 2 processes, it is the same, and `owners {0, 1, 4, 5}`.
struct Form {
  enum class Kind {
    irregular,  ///< block on every axis: GA_Set_irreg_distr64
    cyclic,     ///< dealt on a process grid: GA_Set_block_cyclic_proc_grid64
    tiled,      ///< dealt on axis 0, block on the others: GA_Set_tiled_irreg_proc_grid64
  };
  Kind kind = Kind::irregular;
  std::vector<Index> dims;    ///< extents of the Global Array
  std::vector<Index> widths;  ///< ghost cells on each side of each axis; empty: none
  std::vector<Index> shift;   ///< by axis: what GA's index became more in the array's; empty: nothing
  std::vector<Index> grid;    ///< processes by axis: irregular: with data
  std::vector<Index> blocks;  ///< cyclic: their length by axis; else how many there are by axis
  std::vector<Index> map;     ///< where each block begins, one axis after the other; none where cyclic
  std::vector<int> owners;    ///< irregular: the rank of each block, row-major; empty: block r is rank r's
};

/// How GA can hold it on so many processes, or why it cannot; ranks are GA's, in the array's group, which holds GA's
/// first processes where it is `leading`. Local, and needs neither MPI nor GA.
std::variant<Form, Finding> form_of(const redistribute::PlacedDistribution& placed, const ElementType& type,
                                    Index processes, bool leading = true);

/// Why no other dealing of it would do: no shape that GA has, indices that are not 0 to `size` - 1, or no placement.
std::optional<Finding> none_is_near(const redistribute::PlacedDistribution& placed, const ElementType& type,
                                    Index processes);

/// A process's whole memory in a Global Array, ghost cells at the outer edges included, as extents; and the array's
/// buffer as a box in it.
struct Extent {
  std::vector<Index> shape;
  std::vector<Range> box;
};
Extent extent(const redistribute::PlacedDistribution& placed, const Form& form, Index process);

}  // namespace tridap::globalarrays
