#include <tridap/tpetra.hpp>

#include <Tpetra_Core.hpp>

#include <iostream>
#include <memory>
#include <vector>

int main(int argc, char** argv) {
  const Tpetra::ScopeGuard scope(&argc, &argv);
  int rank = 0, processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);

  // Your memory: 5 elements on each process.
  const auto mine = std::make_shared<std::vector<double>>(5, 1.0);

  // Where it is, what keeps it alive, and which part of the whole vector it is.
  tridap::DistArray array;
  array.buffer = tridap::row_major(mine->data(), {5}, mine);
  array.dim_data = {tridap::undistributed(5 * processes)};
  array.dim_data[0].proc_grid_size = processes;
  array.dim_data[0].proc_grid_rank = rank;
  array.dim_data[0].dist = tridap::Block{5 * rank, 5 * rank + 5, {}};

  // Collective: checks the array on every process, and makes a Tpetra::Vector.
  const auto x = tridap::tpetra::import_vector<double>(array, MPI_COMM_WORLD);
  x.vector->scale(2);
  if (rank == 0) {
    std::cout << x.receipt.text() << "\n";
    std::cout << "mine[0] is " << (*mine)[0] << "\n";
  }
}
