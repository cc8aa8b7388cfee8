#include <tridap/internal/inside_if_free.hpp>
#include <tridap/tpetra/compat.hpp>
#include <tridap/tpetra/trace.hpp>

#include <Kokkos_Core.hpp>
#include <Teuchos_TimeMonitor.hpp>

#include <mutex>
#include <vector>

namespace tridap::tpetra {

namespace {

// A region that has begun: its timer, and whether it is a region of Kokkos that is not the timer's.
struct Open {
  Teuchos::Time* timer;  // of Teuchos' list, which keeps it; null: none
  bool in_kokkos;
};

// Those of this thread. Never destroyed: a call may be in progress when the thread ends.
std::vector<Open>& open() {
  thread_local auto& all = *new std::vector<Open>;
  return all;
}

std::mutex timers;

// A timer that has started; null if it runs already, or if another thread is in Trilinos, whose timers are for one
// thread at a time.
Teuchos::Time* started(const char* name) {
  const mpi::InsideIfFree inside(mpi::Library::trilinos);
  if (!inside) return nullptr;
  Teuchos::Time& timer = *Teuchos::TimeMonitor::getNewCounter(name);
  const std::lock_guard lock(timers);
  if (timer.isRunning()) return nullptr;
  timer.start();
  return &timer;
}

bool begin(const char* name) {
  Teuchos::Time* const timer = started(name);
  const bool in_kokkos = !(timer != nullptr && compat::timers_are_regions) && Kokkos::is_initialized();
  if (in_kokkos) Kokkos::Profiling::pushRegion(name);
  open().push_back({timer, in_kokkos});
  return true;
}

void end() {
  const Open ended = open().back();
  open().pop_back();
  if (ended.timer != nullptr) {
    const std::lock_guard lock(timers);
    ended.timer->stop();
    ended.timer->incrementNumCalls();
  }
  if (ended.in_kokkos && Kokkos::is_initialized()) Kokkos::Profiling::popRegion();
}

}  // namespace

mpi::Regions trace() { return mpi::trace({begin, end}); }

}  // namespace tridap::tpetra
