#include "dmda.hpp"

#include "call.hpp"
#include <tridap/detail/refuse.hpp>

#include <mpi.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tridap::petsc {

namespace {

const char* const names[] = {"x", "y", "z"};

// By PETSc's order: x, y, z.
struct Corners {
  std::array<PetscInt, 3> begin{}, count{};
};

void need_dmda(DM dm) {
  if (dm == nullptr) refuse("the DM is null", "", "give a DMDA");
  if (const std::string type(type_of(dm)); type != DMDA)
    refuse("the DM is of type " + (type.empty() ? "none" : type) + ", must be a DMDA", "",
           "give the DMDA whose Vec it is");
}

// A process without grid points has corners as if the DMDA were not set up. What DMSetUp makes is there on all
// processes.
void need_set_up(DM dm) {
  VecScatter to_local = nullptr;
  call("DMDAGetScatter", [&] { return DMDAGetScatter(dm, &to_local, nullptr); });
  if (to_local == nullptr) refuse("the DMDA is not set up", "", "call DMSetUp first (in Python dm.setUp())");
}

void need_describable(const DmdaAxis& axis, const char* name) {
  const bool mirror = axis.boundary == DM_BOUNDARY_MIRROR;
  if (mirror || axis.boundary == DM_BOUNDARY_TWIST)
    refuse(std::string("the boundary of the DMDA in ") + name + " is " +
               (mirror ? "DM_BOUNDARY_MIRROR" : "DM_BOUNDARY_TWIST") + ", which the protocol cannot describe",
           "must be DM_BOUNDARY_NONE, DM_BOUNDARY_GHOSTED or DM_BOUNDARY_PERIODIC",
           "use DM_BOUNDARY_GHOSTED, and set the ghost points at the outer edges yourself");
}

// The points of a coordinate with the ghost points that the stencil width gives it.
Range with_ghosts(const DmdaAxis& axis, Index width) {
  if (axis.boundary != DM_BOUNDARY_NONE) return {axis.begin - width, axis.end + width};
  return {std::max<Index>(axis.begin - width, 0), std::min(axis.end + width, axis.size)};
}

// A DMDA with an overlap or an offset has other ghost points.
void need_usual_ghosts(const DmdaAxis& axis, Index width, const char* name) {
  const auto [low, high] = with_ghosts(axis, width);
  if (axis.ghost_begin == low && axis.ghost_end == high) return;
  refuse("the ghost points of the DMDA in " + std::string(name) + " are [" + std::to_string(axis.ghost_begin) + ", " +
             std::to_string(axis.ghost_end) + ") on this process",
         "must be [" + std::to_string(low) + ", " + std::to_string(high) + ") for a stencil of width " +
             std::to_string(width),
         "use a DMDA without overlap and offset");
}

}  // namespace

Index Dmda::owned() const {
  Index count = dof;
  for (std::size_t i = 0; i < ndim; ++i) count *= axes[i].end - axes[i].begin;
  return count;
}

Index Dmda::ghosted() const {
  Index count = dof;
  for (std::size_t i = 0; i < ndim; ++i) count *= axes[i].ghost_end - axes[i].ghost_begin;
  return count;
}

Dmda describe(DM dm) {
  need_dmda(dm);
  need_set_up(dm);
  PetscInt dim = 0, dof = 0, width = 0;
  std::array<PetscInt, 3> size{}, processes{};
  std::array<DMBoundaryType, 3> boundary{};
  Dmda grid;
  call("DMDAGetInfo", [&] {
    return DMDAGetInfo(dm, &dim, &size[0], &size[1], &size[2], &processes[0], &processes[1], &processes[2], &dof,
                       &width, &boundary[0], &boundary[1], &boundary[2], &grid.stencil);
  });
  Corners own, all;
  call("DMDAGetCorners", [&] {
    return DMDAGetCorners(dm, &own.begin[0], &own.begin[1], &own.begin[2], &own.count[0], &own.count[1], &own.count[2]);
  });
  call("DMDAGetGhostCorners", [&] {
    return DMDAGetGhostCorners(dm, &all.begin[0], &all.begin[1], &all.begin[2], &all.count[0], &all.count[1],
                               &all.count[2]);
  });
  int rank = 0;
  MPI_Comm_rank(PetscObjectComm(reinterpret_cast<PetscObject>(dm)), &rank);
  grid.ndim = static_cast<std::size_t>(dim);
  grid.dof = dof;
  grid.width = width;
  Index left = rank;  // PETSc's ranks are in the order of x, then y, then z
  for (std::size_t k = 0; k < grid.ndim; ++k) {
    const Index place = left % processes[k];
    left /= processes[k];
    DmdaAxis& axis = grid.axes[grid.ndim - 1 - k];
    axis = {size[k],
            processes[k],
            place,
            own.begin[k],
            own.begin[k] + own.count[k],
            all.begin[k],
            all.begin[k] + all.count[k],
            boundary[k]};
    need_describable(axis, names[k]);
    need_usual_ghosts(axis, grid.width, names[k]);
  }
  return grid;
}

bool fills_corners(const Dmda& grid) {
  if (grid.stencil == DMDA_STENCIL_BOX) return true;
  Index with_ghosts = 0;
  for (std::size_t i = 0; i < grid.ndim; ++i)
    with_ghosts += grid.axes[i].processes > 1 || grid.axes[i].boundary != DM_BOUNDARY_NONE ? 1 : 0;
  return with_ghosts < 2;
}

Index shift_of(const DmdaAxis& axis, Index width, bool ghosts) {
  return ghosts && axis.boundary != DM_BOUNDARY_NONE ? width : 0;
}

Dimension dimension_of(const DmdaAxis& axis, Index width, bool ghosts) {
  const Index shift = shift_of(axis, width, ghosts);
  Dimension dimension;
  dimension.size = axis.size + 2 * shift;
  dimension.proc_grid_size = axis.processes;
  dimension.proc_grid_rank = axis.coordinate;
  dimension.periodic = axis.boundary == DM_BOUNDARY_PERIODIC;
  if (ghosts)
    dimension.dist = Block{axis.ghost_begin + shift, axis.ghost_end + shift,
                           std::array<Index, 2>{axis.begin - axis.ghost_begin, axis.ghost_end - axis.end}};
  else
    dimension.dist = Block{axis.begin, axis.end, {}};
  return dimension;
}

DimData dim_data_of(const Dmda& grid, bool ghosts) {
  DimData dim_data;
  for (std::size_t i = 0; i < grid.ndim; ++i) dim_data.push_back(dimension_of(grid.axes[i], grid.width, ghosts));
  if (grid.dof > 1) dim_data.push_back(undistributed(grid.dof));
  return dim_data;
}

Distribution distribution_of(DM dm, const Dmda& grid, bool ghosts) {
  std::array<const PetscInt*, 3> lengths{};
  call("DMDAGetOwnershipRanges", [&] { return DMDAGetOwnershipRanges(dm, &lengths[0], &lengths[1], &lengths[2]); });
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < grid.ndim; ++i) {
    DmdaAxis axis = grid.axes[i];
    std::vector<Dimension> dimensions;
    axis.end = 0;
    for (axis.coordinate = 0; axis.coordinate < axis.processes; ++axis.coordinate) {
      axis.begin = axis.end;
      axis.end += lengths[grid.ndim - 1 - i][axis.coordinate];
      const Range all = with_ghosts(axis, grid.width);
      axis.ghost_begin = all.begin;
      axis.ghost_end = all.end;
      dimensions.push_back(dimension_of(axis, grid.width, ghosts));
    }
    axes.emplace_back(dimensions, static_cast<Index>(i));
  }
  if (grid.dof > 1) axes.emplace_back(BlockKind({0, grid.dof}));
  return Distribution(std::move(axes));
}

}  // namespace tridap::petsc
