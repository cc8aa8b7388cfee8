#pragma once

#include <tridap/internal/state.hpp>

namespace tridap::mpi {

/// While it lives, a watchdog shows this thread in a call that makes no reduction. Local.
///
/// Example: `const ShownCall shown("GhostUpdate::wait");` before a wait for messages of other processes.
class ShownCall {
 public:
  explicit ShownCall(const char* name)
      : thread_(state().watches.load(std::memory_order_relaxed) ? &state().this_thread() : nullptr) {
    if (thread_ != nullptr) thread_->enter(name);
  }
  ShownCall(const ShownCall&) = delete;
  ShownCall& operator=(const ShownCall&) = delete;
  ~ShownCall() {
    if (thread_ != nullptr) thread_->leave();
  }

 private:
  ThreadCalls* thread_;
};

}  // namespace tridap::mpi
