#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/globalarrays/array.hpp>
#include <tridap/receipt.hpp>

#include <mpi.h>

#include <array>

namespace tridap::globalarrays {

/// What becomes of ghost cells. Those between processes are communication padding.
struct ExportOptions {
  bool ghosts = true;  ///< false: the owned elements alone
  /// The ghost cells at the array's outer edges: left out; or counted in `size` as boundary padding of a periodic axis,
  /// as GA_Update_ghosts fills them: then the array's global index is GA's plus the ghost width.
  bool outer = false;
};

/// An array over a Global Array's memory.
struct ExportedArray {
  /// Without axes, and without memory, on a process that holds no place of the array's grid.
  DistArray array;
  Receipt receipt;  ///< its `seconds` are 0: to look at a clock would take as long as the export
  /// By axis: what GA's global index became more in the array's; 0 beyond the array's axes.
  std::array<Index, 7> shift{};
};

/// This process's part of a Global Array, in GA's own memory, which is kept as long as the array's buffer is: also
/// beyond destroy(). GA_Destroy itself is seen by is_there() alone. Local, in time that does not depend on the array's
/// size, but for tiles, whose lengths along each axis it looks at, and for lists of numbers.
///
/// | GA's distribution | dim_data |
/// |---|---|
/// | regular, irregular, restricted, on any group | block |
/// | block-cyclic on a process grid (ScaLAPACK's) | cyclic |
/// | tiled, irregular, on a process grid | cyclic and block, where every process's part is one strided array |
/// | block-cyclic without a grid | cyclic where it has one axis; else one unstructured axis, of row-major numbers |
///
/// Throws Error where the handle is none, its type is not known, or the memory of a part is no strided array. The
/// processes with a place in the grid, in the order of placed(), are those of the array.
ExportedArray export_array(int handle, const ExportOptions& options = {});
/// The same of an array made here.
ExportedArray export_array(const GlobalArray& array, const ExportOptions& options = {});

/// Says what GA's number of a registered type stands for, where it was registered elsewhere: what is not said is
/// opaque, and refused on every process where one has too small a part to tell its length. Local; the same on every
/// process. Throws Error where the number is of another type.
void name_type(int ga_type, const ElementType& type);

/// Whether an exported array's memory is still the Global Array's: not where somebody called GA_Destroy or
/// GA_Terminate.
bool is_there(const DistArray& exported);

/// Who owns what, for every process: ranks are those of communicator(). Local; in time in proportion to GA's blocks.
redistribute::PlacedDistribution placed(int handle, const ExportOptions& options = {});

/// The processes of the Global Array's group. GA's own: not to be freed.
MPI_Comm communicator(int handle);
/// Those that hold a place of its grid, in the grid's row-major order, as gather_distribution() and solvers want them;
/// MPI_COMM_NULL elsewhere. The caller frees it. **Collective** over communicator().
MPI_Comm grid_communicator(int handle);

}  // namespace tridap::globalarrays
