#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/globalarrays/array.hpp>
#include <tridap/receipt.hpp>

#include <mpi.h>

#include <array>

namespace tridap::globalarrays {

/// How ghost cells are exported. Ghost cells between processes become communication padding.
struct ExportOptions {
  bool ghosts = true;  ///< false: only the owned elements
  /// Whether the ghost cells at the array's outer edges are included. They then are boundary padding of a periodic
  /// axis, as GA_Update_ghosts fills them, and count in `size`. The array's global index is then GA's plus the ghost
  /// width.
  bool outer = false;
};

/// An array over a Global Array's memory.
struct ExportedArray {
  /// It has no axes and no memory on a process that is not in the array's process grid.
  DistArray array;
  Receipt receipt;  ///< its `seconds` are 0: reading a clock would take as long as the export
  /// By axis: the array's global index minus GA's global index; 0 beyond the array's axes.
  std::array<Index, 7> shift{};
};

/// This process's part of a Global Array, in GA's own memory. The array's buffer keeps the memory alive, also after
/// destroy(). It cannot keep it alive after GA_Destroy: is_there() then returns false. Local. The time does not depend
/// on the array's size, with two exceptions: for a tiled array it reads the length of each tile along each axis, and
/// for an unstructured axis it makes the list of indices.
///
/// | GA's distribution | dim_data |
/// |---|---|
/// | regular, irregular, restricted, on any group | block |
/// | block-cyclic on a process grid (ScaLAPACK's) | cyclic |
/// | tiled, irregular, on a process grid | cyclic and block, if every process's part is one strided array |
/// | block-cyclic without a grid | one axis: cyclic; several axes: one unstructured axis, of row-major numbers |
///
/// Throws Error if the handle is invalid, its type is unknown, or the memory of a part is not a strided array. The
/// processes of the array are those in the process grid, in the order of placed().
ExportedArray export_array(int handle, const ExportOptions& options = {});
/// The same for an array made here.
ExportedArray export_array(const GlobalArray& array, const ExportOptions& options = {});

/// Sets the element type of a type that another library registered with GA. Without it the type is opaque; it is
/// refused on every process if a process's part is too small to determine its length. Local; call it with the same
/// arguments on every process. Throws Error if the number is known to be another type.
void name_type(int ga_type, const ElementType& type);

/// Whether an exported array's memory still belongs to the Global Array; false after GA_Destroy or GA_Terminate.
bool is_there(const DistArray& exported);

/// Which process owns which elements; ranks are those of communicator(). Local; takes time in proportion to GA's
/// blocks.
redistribute::PlacedDistribution placed(int handle, const ExportOptions& options = {});

/// The processes of the Global Array's group. GA owns the communicator: do not free it.
MPI_Comm communicator(int handle);
/// The processes that call what is collective for a Global Array: as communicator(), but MPI_COMM_WORLD if these are
/// all, and if there is no such array, since those that have one may be all. Local.
MPI_Comm holders(int handle);
/// The processes in the array's process grid, in the grid's row-major order, as gather_distribution() and solvers need
/// them; MPI_COMM_NULL on other processes. The caller frees it. **Collective** over communicator(): throws the same
/// Error on every process, also if one process gives a handle of no array, unless the array is one of a smaller group.
MPI_Comm grid_communicator(int handle);

}  // namespace tridap::globalarrays
