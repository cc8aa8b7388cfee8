#include <tridap/internal/reads_devices.hpp>

#include <mpi.h>

#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace tridap::mpi {

bool reads_devices() {
#ifdef MPIX_CUDA_AWARE_SUPPORT
  if (MPIX_Query_cuda_support() != 0) return true;
#endif
#ifdef MPIX_ROCM_AWARE_SUPPORT
  if (MPIX_Query_rocm_support() != 0) return true;
#endif
#ifdef MPIX_GPU_SUPPORT_CUDA
  for (const int kind : {MPIX_GPU_SUPPORT_CUDA, MPIX_GPU_SUPPORT_HIP}) {
    int is_supported = 0;
    if (MPIX_GPU_query_support(kind, &is_supported) == MPI_SUCCESS && is_supported != 0) return true;
  }
#endif
  return false;
}

}  // namespace tridap::mpi
