#include "support/mpi_abort.hpp"

#include <mpi.h>

#include <string>

// Found in place of MPI's own by all that is linked into the program: by Global Arrays, ARMCI and the BLACS, whose C
// functions have what an exception needs to pass them. MPI's errors do not come here.
int MPI_Abort(MPI_Comm, int code) { throw mpi_abort::Aborted("MPI_Abort(" + std::to_string(code) + ")"); }
