#include "support/petsc_poisson.hpp"

#include <cmath>

namespace examples {

namespace {

// An error of PETSc ends all processes.
void need(PetscErrorCode code) { PetscCallAbort(PETSC_COMM_WORLD, code); }

// A product of waves that are 0 on the faces.
double known_value(int points, PetscInt k, PetscInt j, PetscInt i) {
  const double pi = std::acos(-1.0), n = points;
  double value = 1;
  for (const PetscInt at : {k, j, i}) value *= std::sin(pi * (at + 1) / (n + 1)) * (1 + at / n);
  return value;
}

// The largest difference between two Vecs.
double distance(Vec a, Vec b) {
  Vec difference = nullptr;
  PetscReal largest = 0;
  need(VecDuplicate(a, &difference));
  need(VecWAXPY(difference, -1, a, b));
  need(VecNorm(difference, NORM_INFINITY, &largest));
  need(VecDestroy(&difference));
  return largest;
}

}  // namespace

Petsc::Petsc() {
  need(PetscOptionsSetValue(nullptr, "-no_signal_handler", "true"));
  need(PetscInitializeNoArguments());
}

Petsc::~Petsc() { PetscFinalize(); }

PetscPoisson::PetscPoisson(int points, MPI_Comm comm) : points_(points) {
  const auto n = static_cast<PetscInt>(points);
  need(DMDACreate3d(comm, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n, n, n,
                    PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, 1, 1, nullptr, nullptr, nullptr, &grid_));
  need(DMSetUp(grid_));
  need(DMCreateMatrix(grid_, &matrix_));
  for (Vec* vec : {&right_, &solution_, &known_}) need(DMCreateGlobalVector(grid_, vec));
  assemble();
  make_right_hand_side();
}

PetscPoisson::~PetscPoisson() {
  for (Vec* vec : {&right_, &solution_, &known_}) VecDestroy(vec);
  MatDestroy(&matrix_);
  DMDestroy(&grid_);
}

void PetscPoisson::assemble() {
  DMDALocalInfo here;
  need(DMDAGetLocalInfo(grid_, &here));
  PetscScalar*** known = nullptr;
  need(DMDAVecGetArray(grid_, known_, &known));
  for (PetscInt k = here.zs; k < here.zs + here.zm; ++k)
    for (PetscInt j = here.ys; j < here.ys + here.ym; ++j)
      for (PetscInt i = here.xs; i < here.xs + here.xm; ++i) {
        const MatStencil row{k, j, i, 0};
        const MatStencil around[6] = {{k - 1, j, i, 0}, {k + 1, j, i, 0}, {k, j - 1, i, 0},
                                      {k, j + 1, i, 0}, {k, j, i - 1, 0}, {k, j, i + 1, 0}};
        const PetscScalar six = 6, minus = -1;
        known[k][j][i] = known_value(points_, k, j, i);
        need(MatSetValuesStencil(matrix_, 1, &row, 1, &row, &six, INSERT_VALUES));
        for (const MatStencil& neighbour : around) {
          const auto inside = [&](PetscInt at) { return 0 <= at && at < points_; };
          if (inside(neighbour.i) && inside(neighbour.j) && inside(neighbour.k))
            need(MatSetValuesStencil(matrix_, 1, &row, 1, &neighbour, &minus, INSERT_VALUES));
        }
      }
  need(DMDAVecRestoreArray(grid_, known_, &known));
  need(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
  need(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
}

void PetscPoisson::make_right_hand_side() {
  need(MatMult(matrix_, known_, right_));
  need(VecSet(solution_, 0));
}

void PetscPoisson::add_reaction(double c) {
  need(MatShift(matrix_, c / ((points_ + 1.0) * (points_ + 1.0))));
  make_right_hand_side();
}

Gamg PetscPoisson::solve_with_gamg() const {
  Gamg found;
  Vec theirs = nullptr;
  KSP solver = nullptr;
  PC preconditioner = nullptr;
  PetscInt iterations = 0;
  PetscReal largest = 0;
  need(VecDuplicate(right_, &theirs));
  need(KSPCreate(PetscObjectComm(reinterpret_cast<PetscObject>(matrix_)), &solver));
  need(KSPSetOperators(solver, matrix_, matrix_));
  need(KSPSetType(solver, KSPCG));
  need(KSPGetPC(solver, &preconditioner));
  need(PCSetType(preconditioner, PCGAMG));
  need(KSPSetTolerances(solver, 1e-13, PETSC_DEFAULT, PETSC_DEFAULT, 200));
  const double begin = MPI_Wtime();
  need(KSPSolve(solver, right_, theirs));
  found.seconds = MPI_Wtime() - begin;
  need(KSPGetIterationNumber(solver, &iterations));
  found.iterations = static_cast<int>(iterations);
  need(VecNorm(theirs, NORM_INFINITY, &largest));
  found.difference = distance(theirs, solution_) / largest;
  need(KSPDestroy(&solver));
  need(VecDestroy(&theirs));
  return found;
}

double PetscPoisson::error() const { return distance(known_, solution_); }

}  // namespace examples
