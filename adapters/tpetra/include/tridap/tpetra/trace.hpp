#pragma once

#include <tridap/mpi/regions.hpp>

namespace tridap::tpetra {

/// The calls of this thread that move, solve or wait are regions of the tools of Kokkos, as kokkos::trace() makes them,
/// and timers of Teuchos of the same names: Teuchos::TimeMonitor::summarize() has them. A timer counts the outermost of
/// nested calls of one name, and a call that begins while another thread is in Trilinos has none. Returns what this
/// thread had before. Local.
mpi::Regions trace();

}  // namespace tridap::tpetra
