#pragma once

#include <petscdmda.h>
#include <petscksp.h>

namespace examples {

/// PETSc, from its beginning to its end. MPI must be initialised longer.
class Petsc {
 public:
  Petsc();
  Petsc(const Petsc&) = delete;
  Petsc& operator=(const Petsc&) = delete;
  ~Petsc();
};

/// How PETSc's own multigrid solved a system.
struct Gamg {
  int iterations = 0;
  double seconds = 0;     ///< on this process, with the time to make the preconditioner
  double difference = 0;  ///< the largest between its solution and another one, divided by the largest value
};

/// `-div grad u + c u = f` in the unit cube, where `u` is 0 on the faces, as a program of PETSc has it: a DMDA
/// distributes the points, and a Mat of PETSc has the matrix, times the square of the spacing. All is **collective**.
class PetscPoisson {
 public:
  /// With c = 0, and the right-hand side of the known solution.
  PetscPoisson(int points, MPI_Comm comm);
  PetscPoisson(const PetscPoisson&) = delete;
  PetscPoisson& operator=(const PetscPoisson&) = delete;
  ~PetscPoisson();

  DM grid() const { return grid_; }
  Mat matrix() const { return matrix_; }
  Vec right_hand_side() const { return right_; }
  Vec solution() const { return solution_; }  ///< 0 at first

  /// Adds a reaction term: the matrix has other values, and the right-hand side is that of the same known solution.
  void add_reaction(double c);
  /// Solves with conjugate gradients and GAMG of PETSc, and compares with solution().
  Gamg solve_with_gamg() const;
  /// The largest difference between solution() and the known one.
  double error() const;

 private:
  void assemble();
  void make_right_hand_side();

  DM grid_ = nullptr;
  Mat matrix_ = nullptr;
  Vec right_ = nullptr, solution_ = nullptr, known_ = nullptr;
  int points_;
};

}  // namespace examples
