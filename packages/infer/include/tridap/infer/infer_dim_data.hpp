#pragma once

#include <tridap/dimension.hpp>
#include <tridap/flat_numbers.hpp>
#include <tridap/global_ids.hpp>
#include <tridap/memory_order.hpp>

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

namespace tridap::infer {

/// What the caller knows about the array whose elements the ids number. The same on every process.
struct InferenceHints {
  std::optional<std::vector<Index>>
      shape;  ///< the array's shape, whose flat numbers the ids are; nothing: one axis of any extent
  std::optional<std::vector<Index>> grid;  ///< processes along each axis; nothing: infer_dim_data() finds it
  Order numbering = Order::row_major;      ///< the order in which flat numbers count the elements of the shape
  Index base = 0;                          ///< the id of the first element
};

/// How the array is distributed, as one process sees it.
struct InferredDimData {
  DimData dim_data;                 ///< of this process, in version 0.10; it passes check()
  MemoryOrder order;                ///< the order in which this process's ids visit its part; `data` is null
  std::vector<std::string> losses;  ///< what dim_data cannot say, as "the index base 1"; the same on every process
};

/// Finds the simplest dim_data that describes the global ids of each process. A Tpetra map or a PETSc IS has such ids.
///
/// Each axis gets the first of these kinds that fits:
/// 1. block;
/// 2. block with padding, if neighbours share an even number of indices: each neighbour owns half of them;
/// 3. cyclic or block-cyclic, with the first block at any coordinate;
/// 4. unstructured, which is `one_to_one` if and only if no two coordinates share an index.
///
/// The ids {0, 1, 4} and {2, 3} of two processes give `Cyclic{0, 2}` and `Cyclic{2, 2}` of size 5. The ids {0, 1, 2}
/// and {1, 2, 3} give the blocks `[0, 3)` and `[1, 4)` with padding 1.
///
/// Overlapping ids do not show whether indices are padding or shared. For example, if two processes both hold all of an
/// axis of even extent, the result is two padded blocks, each of which owns half of the axis.
///
/// If a shape is given, the ids of each process must be a Cartesian product of indices along the axes. They may run
/// through the axes in any order, and through each axis forwards or backwards. The processes must form a grid in the
/// row-major order of their ranks. All processes at one coordinate of an axis must hold the same indices of that axis;
/// this function compares lists of indices by a 64-bit hash, and gather_distribution() compares them exactly. The
/// `size` of an unstructured axis is the sum of its shares, as the protocol says. If that differs from the extent in
/// the shape, `losses` says so. If no shape is given, block and cyclic axes begin at the base, because in dim_data they
/// begin at index 0. Ids that begin elsewhere give an unstructured axis.
///
/// If processes without ids leave several grids possible, the result is the grid with the simplest axes, and among
/// these the one with the fewest processes along the last axes. An empty share begins where the previous share ends. If
/// no process holds any id, all axes are distributed in even blocks; but if the shape has elements, no process holds an
/// index of axis 0.
///
/// **Collective**: throws the same Error on every process or on none. It throws if a list is not such a product, holds
/// an id twice or an id outside the array, or if the processes form no grid. The Error names the id, its local index
/// and its process.
///
/// It costs one pass over a list (a range needs none), two small reductions, and memory and one message in proportion
/// to the number of processes. An unstructured axis also costs memory in proportion to its lists, whose indices are
/// sent once, distributed over the processes by their hash.
InferredDimData infer_dim_data(const GlobalIds& ids, MPI_Comm comm, const InferenceHints& how = {});

}  // namespace tridap::infer
