/* The function of dense matrices that gets memory and a communicator. */
#include <tridap/tridap.h>

#include <ISO_Fortran_binding.h>

tridap_type tridap_fortran_type(const CFI_cdesc_t* a);

int tridap_fortran_array_of_desc(const int desc[9], CFI_cdesc_t* local, MPI_Fint comm, tridap_array* array) {
  return tridap_array_of_desc(desc, local->base_addr, tridap_fortran_type(local), MPI_Comm_f2c(comm), array);
}
