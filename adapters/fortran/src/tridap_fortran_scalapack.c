/* The function of dense matrices that gets memory and a communicator. */
#include <tridap/tridap.h>

#include <ISO_Fortran_binding.h>

tridap_type tridap_fortran_type(const CFI_cdesc_t* a);

/* Whether the elements stand as ScaLAPACK takes them: one behind the other in columns that are desc(9) elements apart.
 */
static int is_dense(const CFI_cdesc_t* a, int lld) {
  if (a->base_addr == NULL || a->rank == 0 || a->rank > 2) return a->base_addr == NULL;
  if (a->dim[0].extent > 1 && a->dim[0].sm != (CFI_index_t)a->elem_len) return 0;
  return a->rank == 1 || a->dim[1].extent == 1 || a->dim[1].extent == 0 ||
         a->dim[1].sm == (CFI_index_t)a->elem_len * lld;
}

int tridap_fortran_array_of_desc(const int desc[9], CFI_cdesc_t* local, MPI_Fint comm, tridap_array* array) {
  /* Memory without a type is an error on all processes. */
  const tridap_type type = is_dense(local, desc[8]) ? tridap_fortran_type(local) : (tridap_type)0;
  return tridap_array_of_desc(desc, local->base_addr, type, MPI_Comm_f2c(comm), array);
}
