// Hillslope diffusion of a terrain that is distributed block x block over a grid of processes. Trilinos solves in the
// memory that each process allocated for its block, and the solution is exported as a distributed array. No byte of the
// field is copied.
//
//   mpiexec -n 4 01_solve_in_place [--steps N] [--dt YEARS] [--diffusivity M2_PER_YEAR] [--grid PxQ] [--output FILE]
//
// Prints what was copied (0 bytes), the iterations and the true residual, the mass before and after, and the name of
// the picture (before | after). Exits non-zero if one of these is wrong.

#include "support/ascii_grid.hpp"
#include "support/diffusion.hpp"
#include "support/field.hpp"
#include "support/options.hpp"
#include "support/program.hpp"
#include "support/proof.hpp"
#include <tridap/solvers/solve.hpp>
#include <tridap/tpetra.hpp>

namespace solvers = tridap::solvers;

namespace {

// The dimension dictionary of an axis in even blocks, as `__distarray__` would return it.
tridap::Dimension block(tridap::Index size, int processes, int place) {
  tridap::Dimension dimension;
  dimension.size = size;
  dimension.proc_grid_size = processes;
  dimension.proc_grid_rank = place;
  dimension.dist = tridap::Block{size * place / processes, size * (place + 1) / processes, {}};
  return dimension;
}

// A distributed array over new memory on this process, row-major and zero.
tridap::DistArray make_array(std::vector<tridap::Dimension> dim_data) {
  const auto &rows = std::get<tridap::Block>(dim_data[0].dist), &cols = std::get<tridap::Block>(dim_data[1].dist);
  tridap::DistArray array;
  array.version = "0.10.0";
  array.buffer = tridap::allocate(tridap::element_type<double>(), {rows.stop - rows.start, cols.stop - cols.start});
  array.dim_data = std::move(dim_data);
  return array;
}

void solve_in_place(const examples::Options& options, MPI_Comm comm) {
  // 1. Each process reads its own block of the terrain. 2. Both arrays are described by the protocol.
  const auto grid = tridap::mpi::collectively(comm, [&] { return examples::read_header(options.elevation); });
  const auto [p, q, row, col] = examples::process_grid(options, comm);
  const std::vector<tridap::Dimension> dim_data{block(grid.rows, p, row), block(grid.cols, q, col)};
  tridap::DistArray now = make_array(dim_data), next = make_array(dim_data);
  tridap::mpi::collectively(comm, [&] { examples::read_block(options.elevation, grid, now); });

  // 3. The map's ids are the row-major global indices in memory order. Each vector below shares an array's memory.
  const tridap::tpetra::ArrayMap layout(now, comm);
  examples::Proof proof(options, grid, layout, now);

  // 4. (I - dt D Laplace) next = now, by conjugate gradients and algebraic multigrid.
  const auto matrix = examples::diffusion_matrix(layout.map(), grid, options.dt * options.diffusivity);
  solvers::Options cg;
  cg.tol = 1e-12;
  const auto multigrid = solvers::make_preconditioner(solvers::default_preconditioner(), cg.method, matrix);

  for (int step = 1; step <= options.steps; ++step) {
    const auto z = tridap::tpetra::import_vector<double>(now, layout);
    const auto z_next = tridap::tpetra::import_vector<double>(next, layout);
    const solvers::Solution solution = solvers::solve(matrix, multigrid, *z.vector, *z_next.vector, cg);

    // 5. The solution is in the second array's memory. It is exported as an array.
    const auto result = tridap::tpetra::export_array(z_next.vector, layout);
    proof.add_step(step, solution, {z.receipt, z_next.receipt, result.receipt}, next, result.array);
    std::swap(now, next);
  }

  // 6. Throws if a claim does not hold.
  proof.conclude(now);
}

}  // namespace

int main(int argc, char** argv) { return examples::run(argc, argv, solve_in_place); }
