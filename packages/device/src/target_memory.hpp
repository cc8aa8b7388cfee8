#pragma once

#include <tridap/internal/driver.hpp>
#include <tridap/internal/shared_allocation.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::device {

/// Memory of a device that targets were made in. It is freed with its last holder: an array, the list of what may be
/// used again, or a board on which other processes see it, since memory must not be freed as long as one of them has it
/// open.
class TargetMemory {
 public:
  TargetMemory(const Memory& memory, Index bytes, std::shared_ptr<void> held)
      : memory_(memory), bytes_(bytes), held_(std::move(held)) {}

  const Memory& memory() const { return memory_; }
  Index bytes() const { return bytes_; }
  void* address() const { return held_.get(); }
  /// An array uses it, or a new one may: no board need let it go.
  bool is_wanted() const { return wanted_.load(); }
  void want(bool wanted) { wanted_.store(wanted); }

 private:
  Memory memory_;
  Index bytes_;
  std::shared_ptr<void> held_;
  std::atomic<bool> wanted_{true};
};

/// Memory of a new target, from what was released before, or from the driver. Its release is local. Throws Error.
std::shared_ptr<void> make_target(const Memory& memory, Index bytes, bool zeros);

/// The memory of targets that begins at this address; null: it is another's.
std::shared_ptr<TargetMemory> target_memory_at(std::uintptr_t address);

/// Lets go of all memory that no array uses.
void drop_unused_targets();

/// Keeps memory until `are_closed()`, which make_target() asks.
void keep_until(std::function<bool()> are_closed, std::vector<std::shared_ptr<TargetMemory>> memory);

}  // namespace tridap::device

#pragma GCC visibility pop
