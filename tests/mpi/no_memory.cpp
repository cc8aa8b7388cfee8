// Rank 1 has no memory for a step of a call, between two messages. It ends the job, so that the others do not wait.

#include <tridap/internal/collective_call.hpp>

#include <mpi.h>

#include <new>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const tridap::mpi::Call call(MPI_COMM_WORLD, "count_all");
  call.run([&] {
    int length = 1;
    MPI_Bcast(&length, 1, MPI_INT, 0, call.comm());
    if (tridap::mpi::rank_of(call.comm()) == 1) throw std::bad_alloc();
    MPI_Bcast(&length, 1, MPI_INT, 1, call.comm());
  });
  MPI_Finalize();
}
