#pragma once

#include <tridap/mpi/regions.hpp>

#include <Kokkos_Core.hpp>

namespace tridap::kokkos {

/// The calls of this thread that move, solve or wait are regions of the tools of Kokkos (mpi::Regions), while Kokkos is
/// initialised. Needs TriDAP::mpi. Returns what this thread had before. Local.
///
/// Example: a tool that KOKKOS_PROFILE_LIBRARY names (from Kokkos 4 on, KOKKOS_TOOLS_LIBS) sees
/// "tridap::redistribute::Redistribution::start" and then "tridap::redistribute::Redistribution::wait".
inline mpi::Regions trace() {
  return mpi::trace({[](const char* name) {
                       if (!Kokkos::is_initialized()) return false;
                       Kokkos::Profiling::pushRegion(name);
                       return true;
                     },
                     [] {
                       if (Kokkos::is_initialized()) Kokkos::Profiling::popRegion();
                     }});
}

}  // namespace tridap::kokkos
