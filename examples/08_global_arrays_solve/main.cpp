// One Global Array has the charge density of a water molecule on a cube of points, and another receives its potential.
// Global Arrays' own calls make and distribute both, as in a chemistry code. Trilinos solves for the potential in the
// memory of the Global Arrays. Then a vector that Trilinos computes from both is copied to a third Global Array.
//
//   mpiexec -n 4 08_global_arrays_solve [--points N] [--chunk N]
//
// Prints the distribution of the cube, what was copied, and the errors of potential and energy, which each process
// computes from another process's part. Exits non-zero if these are too large, or one of the first two arrays was
// copied.

#include "support/cube.hpp"
#include "support/hartree.hpp"
#include "support/program.hpp"
#include <tridap/compare.hpp>
#include <tridap/globalarrays.hpp>
#include <tridap/solvers/solve.hpp>

namespace {

namespace ga = tridap::globalarrays;
namespace solvers = tridap::solvers;

void solve(int points, int chunk, examples::Claims& claims) {
  const examples::Hartree water(points);
  const ga::Session session;

  // 1. The cubes, as the chemistry code makes them.
  const int density = examples::make_cube("density", points, chunk);
  const int potential = examples::make_cube("potential", points, chunk);
  examples::fill_cube(density, [&](auto... at) { return water.density(at...); });

  // 2. Both as distributed arrays. A process without elements of a Global Array is not in the process grid.
  const ga::ExportedArray rho = ga::export_array(density), v = ga::export_array(potential);
  const tridap::redistribute::PlacedDistribution placed = ga::placed(density);
  MPI_Comm grid = ga::grid_communicator(density);
  ga::make_group(grid);
  claims.say("cube      %d x %d x %d points, %s", points, points, points,
             tridap::describe(placed.distribution()).c_str());

  solvers::Solution solution;
  ga::ImportedArray energy;
  examples::Findings found;
  claims.on_some(grid != MPI_COMM_NULL, [&] {
    // 3. Vectors over the memory of this process's parts; then -Laplace v = 4 pi rho is solved.
    const tridap::tpetra::ArrayMap layout(rho.array, grid);
    const auto b = tridap::tpetra::import_vector<double>(rho.array, layout);
    const auto x = tridap::tpetra::import_vector<double>(v.array, layout);
    claims.note(b.receipt, examples::cube_part(density), b.vector->getData().get());
    claims.note(x.receipt, examples::cube_part(potential), x.vector->getData().get());
    const auto matrix = water.operator_on(layout.map());
    const char* const name = solvers::default_preconditioner();
    solvers::Options cg;
    cg.tol = 1e-12;
    const auto preconditioner = solvers::make_preconditioner(name, cg.method, matrix);
    solution = solvers::solve(matrix, preconditioner, *water.right_hand_side(*b.vector), *x.vector, cg);
    claims.say("to Tpetra %s", x.receipt.text().c_str());
    claims.say("solver    cg + %s: %d iterations", name, solution.iterations);

    // 4. The other direction: each process copies its part of a vector that Tpetra made to a new Global Array.
    const auto product = water.energy_density(*b.vector, *x.vector);
    energy = ga::import_array(tridap::tpetra::export_array(product, layout).array, grid, tridap::Copy::if_needed);
    claims.say("to GA     %s", energy.receipt.text().c_str());
  });
  GA_Sync();

  // 5. Each process gets the next process's parts from Global Arrays, and compares them with the known values.
  claims.on_some(grid != MPI_COMM_NULL, [&] {
    const tridap::Index next = (tridap::mpi::rank_of(grid) + 1) % placed.distribution().processes();
    const auto get = [&](int handle) { return examples::get_part(handle, placed, next); };
    found = water.judge(get(density), get(potential), get(energy.array.handle()));
    MPI_Comm_free(&grid);
  });
  water.conclude(found, solution, claims);

  // 6. Instead of GA_Destroy: the memory is freed when no export of it is left.
  for (const int cube : {density, potential}) ga::destroy(cube, ga::communicator(cube));
}

}  // namespace

int main(int argc, char** argv) {
  int points = 47, chunk = 1;
  return examples::run(
      argc, argv, "Trilinos solves for a molecule's potential in the memory of a Global Array.",
      {{"--points", "points along each side of the cube", &points}, {"--chunk", "smallest length of a block", &chunk}},
      [&](examples::Claims& claims) { solve(points, chunk, claims); });
}
