#pragma once

namespace tridap::mpi {

/// What a profiler does with the calls of TriDAP that move, solve or wait. Each of them is a *region*, named by its
/// public C++ name, such as "tridap::redistribute::gather", whichever language has made the call. The regions of a
/// thread are nested, and each one ends when its call returns or throws. A call that starts something and the call that
/// waits for it are two regions.
///
/// The functions must not throw, nor call TriDAP.
///
/// Example: `tridap::kokkos::trace()` gives the regions to the tools of Kokkos, and `tridap::tpetra::trace()` also
/// makes them timers of Teuchos.
struct Regions {
  bool (*begin)(const char* name) = nullptr;  ///< `name` is never freed. False: end() is not called for this region
  void (*end)() = nullptr;                    ///< ends the region that has begun last
};

/// From now on, the calls of this thread have these regions; those of other threads do not. Both functions are null:
/// they have none, as in the beginning. Returns the regions that this thread had before. Local.
Regions trace(Regions regions);

}  // namespace tridap::mpi
