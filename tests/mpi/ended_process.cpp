// Rank 1 ends without a word, and the others wait for it in a call. Their watchdog shows it; then SIGALRM ends them.

#include <tridap/dist_array.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/mpi/watch.hpp>

#include <mpi.h>
#include <signal.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  tridap::mpi::watch(0.5);
  if (rank == 1) raise(SIGKILL);
  alarm(3);
  tridap::DistArray array;
  array.buffer = tridap::allocate(tridap::element_type<double>(), {});
  tridap::mpi::gather_distribution(array, MPI_COMM_WORLD);
  MPI_Finalize();
}
