#pragma once

namespace tridap::mpi {

/// Whether this MPI sends and receives the memory of devices, as it says itself: Open MPI by MPIX_Query_cuda_support()
/// and MPIX_Query_rocm_support(), MPICH by MPIX_GPU_query_support(). Local.
bool reads_devices();

}  // namespace tridap::mpi
