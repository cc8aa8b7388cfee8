#include <tridap/internal/state.hpp>
#include <tridap/mpi/regions.hpp>

#include <utility>

namespace tridap::mpi {

Regions trace(Regions regions) {
  if (regions.begin == nullptr || regions.end == nullptr) regions = {};
  if (regions.begin != nullptr) state().traces.store(true, std::memory_order_relaxed);
  return std::exchange(state().this_thread().regions, regions);
}

}  // namespace tridap::mpi
