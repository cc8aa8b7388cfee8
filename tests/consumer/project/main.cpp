#include <tridap/tpetra.hpp>

#include <Tpetra_Core.hpp>

#include <iostream>

int main(int argc, char** argv) {
  const Tpetra::ScopeGuard scope(&argc, &argv);
  int rank = 0, processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  tridap::DistArray array;
  array.buffer = tridap::allocate(tridap::element_type<double>(), {5});
  array.dim_data = {{5 * processes, processes, rank, false, tridap::Block{5 * rank, 5 * rank + 5, {}}, {}}};
  const auto x = tridap::tpetra::import_vector<double>(array, MPI_COMM_WORLD);
  x.vector->putScalar(2);
  if (rank == 0) std::cout << x.receipt.text() << ", " << static_cast<double*>(array.buffer.data)[4] << std::endl;
}
