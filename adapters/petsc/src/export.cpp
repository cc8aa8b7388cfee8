#include "access.hpp"
#include "call.hpp"
#include "comms.hpp"
#include "dmda.hpp"
#include "vec.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/petsc/export.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tridap::petsc {

namespace {

void fill(ExportedArray& made, Vec vec, bool on_device, IndexList shape, const ExportOptions& options) {
  Buffer& buffer = made.array.buffer;
  buffer.type = scalar_type();
  buffer.strides = row_major_strides(shape, buffer.type.bytes);
  buffer.shape = std::move(shape);
  buffer.read_only = options.read_only;
  if (on_device)
    open_access_anywhere(vec, options.read_only, buffer);
  else
    buffer.owner = open_access(vec, options.read_only, buffer.data);
}

bool is_plain(std::string_view type) { return type == VECSEQ || type == VECMPI || type == VECSHARED; }

bool is_of_device(std::string_view type) {
  constexpr std::array<const char*, 8> types = {VECSEQCUDA, VECMPICUDA, VECCUDA,      VECSEQHIP,
                                                VECMPIHIP,  VECHIP,     VECSEQKOKKOS, VECMPIKOKKOS};
  return std::find(types.begin(), types.end(), type) != types.end();
}

std::string_view need_type(Vec vec) {
  need_petsc();
  if (vec == nullptr) refuse("the Vec is null", "", "give a Vec that was created");
  const std::string_view type = type_of(vec);
  if (type.empty()) refuse("the Vec has no type", "", "call VecSetSizes and VecSetFromOptions or VecSetType first");
  return type;
}

[[noreturn]] void refuse_type(std::string_view type) {
  refuse("the Vec is of type " + std::string(type) + ", whose memory is not one array in host memory",
         "must be of type seq, mpi or shared",
         type == VECNEST ? "export each block of it, from VecNestGetSubVec"
                         : "create it with VecSetType(vec, VECSTANDARD)");
}

// Whether a Vec is a local one of the DMDA; throws Error if it is neither a local nor a global one.
bool is_local(const Dmda& grid, Vec vec) {
  const Index size = local_size(vec);
  if (size == grid.owned()) return false;
  if (size == grid.ghosted()) return true;
  refuse("the Vec has " + std::to_string(size) + " elements on this process",
         "must have " + std::to_string(grid.owned()) + " as a global Vec of the DMDA, or " +
             std::to_string(grid.ghosted()) + " as a local one",
         "give a Vec of this DMDA");
}

}  // namespace

bool need_one_array(Vec vec) {
  const std::string_view type = need_type(vec);
  if (is_plain(type)) return false;
  if (!is_of_device(type)) refuse_type(type);
  return true;
}

void need_plain(Vec vec) {
  const std::string_view type = need_type(vec);
  if (!is_plain(type)) refuse_type(type);
}

Index local_size(Vec vec) {
  PetscInt size = 0;
  call("VecGetLocalSize", [&] { return VecGetLocalSize(vec, &size); });
  return size;
}

DimData dim_data_of(Vec vec, PetscInt block) {
  PetscInt size = 0, begin = 0, end = 0;
  call("VecGetSize", [&] { return VecGetSize(vec, &size); });
  call("VecGetOwnershipRange", [&] { return VecGetOwnershipRange(vec, &begin, &end); });
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(vec));
  Dimension elements;
  elements.size = size / block;
  elements.proc_grid_size = mpi::processes_of(comm);
  elements.proc_grid_rank = mpi::rank_of(comm);
  elements.dist = Block{begin / block, end / block, {}};
  DimData dim_data;
  dim_data.push_back(std::move(elements));
  if (block > 1) dim_data.push_back(undistributed(block));
  return dim_data;
}

std::optional<Index> size_with_ghosts(Vec vec) {
  if (type_of(vec) != VECMPI) return std::nullopt;  // PETSc takes a sequential Vec for its own local form
  Vec local = nullptr;
  call("VecGhostGetLocalForm", [&] { return VecGhostGetLocalForm(vec, &local); });
  std::optional<Index> size;
  if (local != nullptr) size = local_size(local);
  call("VecGhostRestoreLocalForm", [&] { return VecGhostRestoreLocalForm(vec, &local); });
  return size;
}

ExportedArray export_array(Vec vec, const ExportOptions& options) {
  need_petsc();
  const QuietCalls quiet;
  const bool on_device = need_one_array(vec);
  ExportedArray made;
  made.array.dim_data = dim_data_of(vec);
  fill(made, vec, on_device, {local_size(vec)}, options);
  if (size_with_ghosts(vec))
    made.receipt.losses.push_back("the ghost elements of the Vec, which export_ghosted() exports");
  return made;
}

ExportedArray export_array(DM dm, Vec vec, const ExportOptions& options) {
  const bool on_device = need_one_array(vec);
  const Dmda grid = describe(dm);
  const bool ghosts = is_local(grid, vec);
  ExportedArray made;
  made.array.dim_data = dim_data_of(grid, ghosts);
  IndexList shape;
  for (std::size_t i = 0; i < grid.ndim; ++i) {
    const DmdaAxis& axis = grid.axes[i];
    made.shift[i] = shift_of(axis, grid.width, ghosts);
    shape.push_back(ghosts ? axis.ghost_end - axis.ghost_begin : axis.end - axis.begin);
  }
  if (grid.dof > 1) shape.push_back(grid.dof);
  fill(made, vec, on_device, std::move(shape), options);
  if (ghosts && !fills_corners(grid))
    made.receipt.losses.push_back(
        "the star stencil: PETSc fills no ghost points that differ from the owned ones in several axes, and "
        "update_padding() fills them too");
  return made;
}

Distribution distribution_of(Vec vec) {
  need_one_array(vec);
  const int processes = mpi::processes_of(PetscObjectComm(reinterpret_cast<PetscObject>(vec)));
  const PetscInt* ranges = nullptr;
  call("VecGetOwnershipRanges", [&] { return VecGetOwnershipRanges(vec, &ranges); });
  return Distribution({Axis(BlockKind({ranges, ranges + processes + 1}))});
}

Distribution distribution_of(DM dm, Vec vec) {
  need_one_array(vec);
  const Dmda grid = describe(dm);
  return distribution_of(dm, grid, is_local(grid, vec));
}

Index collect() {
  need_petsc();
  const mpi::Call beginning(PETSC_COMM_WORLD, "petsc::collect", mpi::Library::petsc);
  return beginning.run([] {
    const Index destroyed = destroy_waiting();
    give_back_comms(PETSC_COMM_WORLD);
    return destroyed;
  });
}

}  // namespace tridap::petsc
