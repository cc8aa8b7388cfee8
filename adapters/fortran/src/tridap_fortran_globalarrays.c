/* The functions of Global Arrays that get or give a communicator. */
#include <tridap/tridap.h>

int tridap_fortran_array_of_ga(int handle, int ghosts, MPI_Fint comm, tridap_array* array) {
  return tridap_array_of_ga(handle, ghosts, MPI_Comm_f2c(comm), array);
}

int tridap_fortran_ga_communicator(int handle, MPI_Fint* comm) {
  MPI_Comm made = MPI_COMM_NULL;
  const int status = tridap_ga_communicator(handle, &made);
  *comm = MPI_Comm_c2f(made);
  return status;
}
