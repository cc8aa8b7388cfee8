#pragma once

#include "petsc_support.hpp"

#include <petscao.h>

namespace petsc_test {

/// The arguments of a DMDA, in PETSc's order: x, y, z.
struct Made {
  Index dim = 1, dof = 1, width = 1;
  DMDAStencilType stencil = DMDA_STENCIL_BOX;
  std::array<DMBoundaryType, 3> boundary{DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE};
  std::array<std::vector<Index>, 3> lengths{{{1}, {1}, {1}}};  // of each coordinate

  Index size(std::size_t k) const {
    Index sum = 0;
    for (const Index length : lengths[k]) sum += length;
    return sum;
  }
  bool beyond(std::size_t k) const { return boundary[k] != DM_BOUNDARY_NONE; }
  DM create() const {
    std::array<std::vector<PetscInt>, 3> l;
    std::array<PetscInt, 3> n{}, p{};
    for (std::size_t k = 0; k < 3; ++k) {
      l[k].assign(lengths[k].begin(), lengths[k].end());
      n[k] = static_cast<PetscInt>(size(k));
      p[k] = static_cast<PetscInt>(l[k].size());
    }
    const auto d = static_cast<PetscInt>(dof), s = static_cast<PetscInt>(width);
    DM dm = nullptr;
    PetscErrorCode code = 0;
    if (dim == 1)
      code = DMDACreate1d(MPI_COMM_WORLD, boundary[0], n[0], d, s, l[0].data(), &dm);
    else if (dim == 2)
      code = DMDACreate2d(MPI_COMM_WORLD, boundary[0], boundary[1], stencil, n[0], n[1], p[0], p[1], d, s, l[0].data(),
                          l[1].data(), &dm);
    else
      code = DMDACreate3d(MPI_COMM_WORLD, boundary[0], boundary[1], boundary[2], stencil, n[0], n[1], n[2], p[0], p[1],
                          p[2], d, s, l[0].data(), l[1].data(), l[2].data(), &dm);
    EXPECT_EQ(code, 0);
    EXPECT_EQ(DMSetUp(dm), 0);
    return dm;
  }
};

inline Made random_dmda(Random& random) {
  Made made;
  made.dim = random.between(1, 3);
  made.dof = random.one_in(2) ? 1 : random.between(2, 3);
  made.width = random.between(0, 2);
  made.stencil = random.one_in(3) ? DMDA_STENCIL_STAR : DMDA_STENCIL_BOX;
  std::array<Index, 3> grid{1, 1, 1};
  for (Index left = processes(), prime = 2; left > 1;) {
    if (left % prime != 0) {
      ++prime;
      continue;
    }
    grid[static_cast<std::size_t>(random.between(0, made.dim - 1))] *= prime;
    left /= prime;
  }
  for (std::size_t k = 0; k < static_cast<std::size_t>(made.dim); ++k) {
    made.boundary[k] = std::array{DM_BOUNDARY_NONE, DM_BOUNDARY_GHOSTED,
                                  DM_BOUNDARY_PERIODIC}[static_cast<std::size_t>(random.between(0, 2))];
    const Index least = std::max<Index>(made.width, 1);
    made.lengths[k] = split(random, least * grid[k] + random.between(0, 4), grid[k], least);
  }
  return made;
}

/// The number of a grid point's degree of freedom in the natural order of the grid: x is the fastest index after `c`.
/// `index` is in the order of the array's axes: z, y, x[, c].
inline Index natural(const Made& made, const Indices& index) {
  const auto dim = static_cast<std::size_t>(made.dim);
  Index number = 0;
  for (std::size_t i = 0; i < dim; ++i) number = number * made.size(dim - 1 - i) + index[i];
  return made.dof == 1 ? number : number * made.dof + index[dim];
}

inline Index points(const Made& made) {
  Index count = made.dof;
  for (std::size_t k = 0; k < static_cast<std::size_t>(made.dim); ++k) count *= made.size(k);
  return count;
}

/// Gives each entry of a global Vec the value of its natural number. PETSc's own ordering says where it is.
inline void number_naturally(DM dm, const Made& made, Vec vec) {
  AO ordering = nullptr;
  EXPECT_EQ(DMDAGetAO(dm, &ordering), 0);
  for (Index n = 0; n < points(made); ++n) {
    auto there = static_cast<PetscInt>(n);
    AOApplicationToPetsc(ordering, 1, &there);
    if (rank() == 0) VecSetValue(vec, there, value_of(n), INSERT_VALUES);
  }
  VecAssemblyBegin(vec);
  VecAssemblyEnd(vec);
}

}  // namespace petsc_test
