#include <tridap/tpetra/compat.hpp>
#include <tridap/tpetra/trace.hpp>

#include <Kokkos_Core.hpp>
#include <Teuchos_TimeMonitor.hpp>

#include <memory>
#include <string>
#include <vector>

namespace tridap::tpetra {

namespace {

// A region that has begun: its timer, and whether it is a region of Kokkos that is not the timer's.
struct Open {
  bool in_kokkos;
  std::unique_ptr<Teuchos::TimeMonitor> timer;  // ends with its time
};

// Those of this thread. Never destroyed: a call may be in progress when the thread ends.
std::vector<Open>& open() {
  thread_local auto& all = *new std::vector<Open>;
  return all;
}

bool begin(const char* name) {
  const bool in_kokkos = !compat::timers_are_regions && Kokkos::is_initialized();
  if (in_kokkos) Kokkos::Profiling::pushRegion(name);
  open().push_back({in_kokkos, std::make_unique<Teuchos::TimeMonitor>(*Teuchos::TimeMonitor::getNewCounter(name))});
  return true;
}

void end() {
  const bool in_kokkos = open().back().in_kokkos;
  open().pop_back();
  if (in_kokkos && Kokkos::is_initialized()) Kokkos::Profiling::popRegion();
}

}  // namespace

mpi::Regions trace() { return mpi::trace({begin, end}); }

}  // namespace tridap::tpetra
