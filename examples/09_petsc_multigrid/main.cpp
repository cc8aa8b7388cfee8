// PETSc distributes a grid and assembles two systems on it, one after the other. MueLu and conjugate gradients of
// Trilinos solve them in PETSc's own vectors. PETSc's own multigrid, GAMG, solves them too.
//
//   mpiexec -n 4 09_petsc_multigrid [--points N]
//
// Prints the distribution of the grid, what was copied, and for each system the times of both multigrid methods and how
// far their solutions differ. Exits non-zero if they differ by more than 1e-10, if a vector was copied, or if PETSc's
// grid does not have the known solution.

#include "support/petsc_poisson.hpp"
#include "support/program.hpp"
#include <tridap/compare.hpp>
#include <tridap/petsc.hpp>
#include <tridap/solvers/solve.hpp>
#include <tridap/tpetra/import.hpp>
#include <tridap/tpetra/matrix.hpp>

namespace {

namespace pt = tridap::petsc;
namespace solvers = tridap::solvers;
namespace tp = tridap::tpetra;

void solve(int points, examples::Claims& claims) {
  const examples::Petsc petsc;

  // 1. A program of PETSc has a DMDA, a matrix on it, and Vecs.
  examples::PetscPoisson poisson(points, claims.comm());
  const auto grid = pt::distribution_of(poisson.grid(), poisson.solution());
  claims.say("grid      %d x %d x %d points, %s", points, points, points, tridap::describe(grid).c_str());

  // 2. The matrix in Tpetra, on the map of the grid's array. PETSc and Tpetra keep matrices differently, so it is
  // copied. Ids count process after process, as PETSc's numbers do: the map needs no list of them.
  const pt::ExportedMatrix rows = pt::export_matrix(poisson.matrix());
  tp::ArrayMapOptions numbers;
  numbers.numbering = tp::Numbering::by_process;
  const tp::ArrayMap layout(pt::export_array(poisson.grid(), poisson.solution()).array, claims.comm(), numbers);
  const tp::ImportedMatrix matrix = tp::import_matrix(rows.rows, layout.map(), layout.map());
  claims.say("matrix    %.0f bytes of values copied once",
             claims.sum(static_cast<double>(matrix.receipt.bytes_copied)));

  const char* const name = solvers::default_preconditioner();
  solvers::Options cg;
  cg.tol = 1e-13;
  for (const double reaction : {0.0, 300.0}) {
    // 3. Another system has other values in the same places: Tpetra keeps its graph.
    poisson.add_reaction(reaction);
    const auto updated = tridap::update_values(rows.rows, matrix.rows, claims.comm());
    claims.say("reaction  %g, %.0f bytes of new values in the same graph", reaction,
               claims.sum(static_cast<double>(updated.bytes_copied)));

    {  // 4. Vectors over PETSc's memory, in which Trilinos solves.
      const auto b = pt::export_array(poisson.grid(), poisson.right_hand_side(), {true});
      const auto x = pt::export_array(poisson.grid(), poisson.solution());
      const auto vb = tp::import_vector<const double>(b.array, layout);
      const auto vx = tp::import_vector<double>(x.array, layout);
      claims.note(vb.receipt, b.array.buffer.data, vb.vector->getData().get());
      claims.note(vx.receipt, x.array.buffer.data, vx.vector->getData().get());
      const double begin = MPI_Wtime();
      const auto preconditioner = solvers::make_preconditioner(name, cg.method, matrix.matrix);
      const auto solution = solvers::solve(matrix.matrix, preconditioner, *vb.vector, *vx.vector, cg);
      claims.say("  %-8s%.3f s in %d iterations", name, MPI_Wtime() - begin, solution.iterations);
    }  // so that PETSc may use its vectors

    // 5. PETSc's own multigrid.
    const examples::Gamg gamg = poisson.solve_with_gamg();
    claims.say("  gamg    %.3f s in %d iterations, largest difference %.1e of 1.0e-10 allowed", gamg.seconds,
               gamg.iterations, gamg.difference);
    claims.require(gamg.difference <= 1e-10, "PETSc's multigrid has another solution");
    claims.require(poisson.error() <= 1e-9, "PETSc's grid does not have the known solution");
  }
  claims.say("field     %s", claims.copies().c_str());
  claims.require_no_copies();
  claims.say("answer    largest error %.1e, where PETSc's grid has the known solution", poisson.error());
}

}  // namespace

int main(int argc, char** argv) {
  int points = 24;
  return examples::run(argc, argv, "PETSc assembles, and Trilinos solves in PETSc's memory.",
                       {{"--points", "points along each side of the cube", &points}},
                       [&](examples::Claims& claims) { solve(points, claims); });
}
