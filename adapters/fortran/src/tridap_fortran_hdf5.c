/* The functions of files that get a communicator. */
#include <tridap/tridap.h>

int tridap_fortran_load(const char* path, const char* name, MPI_Fint comm, tridap_distribution layout,
                        const tridap_load_options* options, tridap_array* array) {
  return tridap_load(path, name, MPI_Comm_f2c(comm), layout, options, array);
}

int tridap_fortran_find(const char* path, const char* name, MPI_Fint comm, tridap_stored* stored,
                        tridap_distribution* layout) {
  return tridap_find(path, name, MPI_Comm_f2c(comm), stored, layout);
}
