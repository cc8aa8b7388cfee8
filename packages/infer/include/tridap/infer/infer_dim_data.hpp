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

/// What is known about the array that ids number. The same on every process.
struct InferenceHints {
  std::optional<std::vector<Index>> shape;  ///< the ids are its flat numbers; nothing: one axis, of any extent
  std::optional<std::vector<Index>> grid;   ///< processes along each axis; nothing: found
  Order numbering = Order::row_major;       ///< how flat numbers ravel the shape
  Index base = 0;                           ///< the id of the first element
};

/// What a process's ids are part of.
struct InferredDimData {
  DimData dim_data;                 ///< of this process: version 0.10, and it passes check()
  MemoryOrder order;                ///< how this process's ids walk its part; `data` is null
  std::vector<std::string> losses;  ///< what dim_data does not say: "the index base 1"; the same on every process
};

/// The simplest true dim_data behind each process's list of global ids, as a Tpetra map or a PETSc IS has them.
///
/// Each axis is, in this order of preference: block; block with padding, where neighbours share an even number of
/// indices, half of which each owns; cyclic or block-cyclic, dealt from any coordinate; unstructured, `one_to_one`
/// exactly where no two coordinates share an index. Two processes with the ids {0, 1, 4} and {2, 3} are `Cyclic{0, 2}`
/// and `Cyclic{2, 2}` of size 5; with {0, 1, 2} and {1, 2, 3}, blocks `[0, 3)` and `[1, 4)` padded by 1.
///
/// Overlaps alone do not tell padding from sharing: two processes that both hold all of an axis of even extent are read
/// as padded blocks of half of it.
///
/// With a shape, each process's ids must be a product of indices along the axes, walked in any order of the axes and
/// any of them backwards, and the processes a grid in the row-major order of their ranks. Processes at one coordinate
/// hold the same indices there; lists of them are held against one another by a 64-bit hash, and by
/// gather_distribution() exactly. `size` of an unstructured axis is the sum of its shares, as the protocol has it;
/// where that is not the extent in the shape, `losses` says so. Without a shape, blocks and dealt blocks begin at the
/// base, since dim_data has no other beginning: ids that begin elsewhere are listed.
///
/// Where empty shares leave several grids, the one with the simplest axes is taken, and of those the one with the
/// fewest processes along the last axes. An empty share stands where the share before it ends. Of an array that nobody
/// holds any element of, all axes are even blocks; unless its shape has elements: then axis 0 holds nothing.
///
/// **Collective**: throws the same Error on every process or on none. It names the id, its place and its process where
/// a list is no such product, holds an id twice or one outside the array, or where processes are no grid. Costs one
/// pass over a list (a range costs none), two small reductions, and memory and one message in proportion to the
/// processes; unstructured axes cost memory in proportion to their lists, which travel once by their hash.
InferredDimData infer_dim_data(const GlobalIds& ids, MPI_Comm comm, const InferenceHints& how = {});

}  // namespace tridap::infer
