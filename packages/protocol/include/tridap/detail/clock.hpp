#pragma once

#include <chrono>

namespace tridap::detail {

/// Seconds since some moment, for receipts. Needs no MPI.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace tridap::detail
