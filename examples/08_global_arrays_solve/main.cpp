// The charge of a water molecule stands on a cube of points in one Global Array, and its potential shall stand in
// another: both made by Global Arrays' own calls, as in a chemistry code, and dealt as these please. Trilinos solves
// for the potential in the Global Arrays' own memory; what it then makes of both goes the other way, into a third one.
//
//   mpiexec -n 4 08_global_arrays_solve [--points N] [--chunk N]
//
// Prints how the cube is dealt, what was copied, and how far potential and energy are from the known ones, read by each
// process from another one's part; exits non-zero where these are wrong, or one of the first two arrays was copied.

#include "support/cube.hpp"
#include "support/hartree.hpp"
#include "support/program.hpp"
#include <tridap/compare.hpp>
#include <tridap/globalarrays.hpp>

namespace {

namespace ga = tridap::globalarrays;

void solve(int points, int chunk, examples::Claims& claims) {
  const examples::Hartree water(points);
  const ga::Session session;

  // 1. The cubes, in the code that has them.
  const int density = examples::make_cube("density", points, chunk);
  const int potential = examples::make_cube("potential", points, chunk);
  examples::fill_cube(density, [&](auto... at) { return water.density(at...); });

  // 2. Both as the protocol has them. A process to which Global Arrays dealt nothing has no place in the grid.
  const ga::ExportedArray rho = ga::export_array(density), v = ga::export_array(potential);
  const tridap::redistribute::PlacedDistribution placed = ga::placed(density);
  MPI_Comm grid = ga::grid_communicator(density);
  ga::make_group(grid);
  claims.say("cube      %d x %d x %d points, %s", points, points, points,
             tridap::describe(placed.distribution).c_str());

  examples::Solution solution;
  ga::ImportedArray energy;
  examples::Findings found;
  claims.on_some(grid != MPI_COMM_NULL, [&] {
    // 3. Vectors, each of which *is* this process's part of a Global Array; and -Laplace v = 4 pi rho between them.
    const tridap::tpetra::ArrayMap layout(rho.array, grid);
    const auto b = tridap::tpetra::import_vector<double>(rho.array, layout);
    const auto x = tridap::tpetra::import_vector<double>(v.array, layout);
    claims.note(b.receipt, examples::cube_part(density), b.vector->getData().get());
    claims.note(x.receipt, examples::cube_part(potential), x.vector->getData().get());
    const examples::Solver solver(water.operator_on(layout.map()));
    solution = solver.solve(*water.right_hand_side(*b.vector), *x.vector);
    claims.say("to Tpetra %s", x.receipt.text().c_str());
    claims.say("solver    %s: %d iterations", solver.name().c_str(), solution.iterations);

    // 4. The other way: what is Tpetra's own becomes a Global Array, into which each process copies its part.
    const auto product = water.energy_density(*b.vector, *x.vector);
    energy = ga::import_array(tridap::tpetra::export_array(product, layout).array, grid, tridap::Copy::if_needed);
    claims.say("to GA     %s", energy.receipt.text().c_str());
  });
  GA_Sync();

  // 5. Each process gets from Global Arrays what stands on the process after it; the rest is arithmetic.
  claims.on_some(grid != MPI_COMM_NULL, [&] {
    const tridap::Index next = (tridap::mpi::rank_of(grid) + 1) % placed.distribution.processes();
    const auto get = [&](int handle) { return examples::get_part(handle, placed, next); };
    found = water.judge(get(density), get(potential), get(energy.array.handle()));
    MPI_Comm_free(&grid);
  });
  water.conclude(found, solution, claims);

  // 6. In place of GA_Destroy: their memory goes when nobody holds an export of it any more.
  for (const int cube : {density, potential}) ga::destroy(cube, ga::communicator(cube));
}

}  // namespace

int main(int argc, char** argv) {
  int points = 47, chunk = 1;
  return examples::run(
      argc, argv, "A molecule's potential, solved for by Trilinos in a Global Array.",
      {{"--points", "along each side of the cube", &points}, {"--chunk", "the shortest block", &chunk}},
      [&](examples::Claims& claims) { solve(points, chunk, claims); });
}
