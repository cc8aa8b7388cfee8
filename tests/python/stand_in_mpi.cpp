// Two stand-ins in one file. As mpi4py/MPI.so it is an mpi4py that was built for the MPI that STAND_IN_MPI names: it
// ends the process if Python imports it. In LD_PRELOAD it replaces the MPI of the process, as far as tridap asks before
// MPI_Init.

#include <cstdlib>
#include <cstring>

extern "C" {

__attribute__((visibility("default"))) int PMPI_Get_library_version(char* version, int* length) {
  const char* const named = std::getenv("STAND_IN_MPI");
  std::strcpy(version, named == nullptr ? "no name" : named);
  *length = static_cast<int>(std::strlen(version));
  return 0;
}

__attribute__((visibility("default"))) void* PyInit_MPI() { std::abort(); }

}  // extern "C"
