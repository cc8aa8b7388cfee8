#pragma once

#include <tridap/internal/state.hpp>

#include <cstring>
#include <utility>

namespace tridap::mpi {

/// A region (mpi::Regions) from here to the end of the scope; none inside of a region of the same name, which the call
/// of another language begins for the call of C++ that it makes. Local.
///
/// Example: `const Region region("tridap::redistribute::gather");` as the first line of a public function.
class Region {
 public:
  /// `name` is a literal.
  explicit Region(const char* name) {
    if (!state().traces.load(std::memory_order_relaxed)) return;
    ThreadCalls& thread = state().this_thread();
    const Regions& regions = thread.regions;
    if (regions.begin == nullptr || (thread.region != nullptr && std::strcmp(thread.region, name) == 0)) return;
    if (!regions.begin(name)) return;
    end_ = regions.end;
    thread_ = &thread;
    outer_ = std::exchange(thread.region, name);
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region() {
    if (end_ == nullptr) return;
    thread_->region = outer_;
    end_();
  }

 private:
  void (*end_)() = nullptr;
  ThreadCalls* thread_ = nullptr;
  const char* outer_ = nullptr;
};

}  // namespace tridap::mpi
