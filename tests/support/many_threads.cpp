#include <mpi.h>

#include <cstdio>
#include <cstdlib>

// Lets every thread of a test program call MPI.
extern "C" int MPI_Init(int* argc, char*** argv) {
  int given = MPI_THREAD_SINGLE;
  const int status = PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &given);
  if (given != MPI_THREAD_MULTIPLE) {
    std::fputs("this MPI has no MPI_THREAD_MULTIPLE\n", stderr);
    std::abort();
  }
  return status;
}
