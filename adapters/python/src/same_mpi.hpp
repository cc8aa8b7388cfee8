#pragma once

namespace tridap::python {

/// Throws ImportError if mpi4py was built for another MPI than this module, or if this process gives this module
/// another MPI than it was compiled for: handles of one MPI end the process in another one. It neither imports
/// mpi4py.MPI nor initializes MPI. Local.
void need_the_mpi_of_mpi4py();

}  // namespace tridap::python
