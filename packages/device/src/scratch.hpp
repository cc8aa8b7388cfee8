#pragma once

#include <tridap/internal/driver.hpp>

#include <memory>

#pragma GCC visibility push(hidden)

namespace tridap::device {

/// Memory of a device in which elements are contiguous on their way to or from a slot of the host.
class Scratch {
 public:
  /// Takes what was kept, or allocates. Throws Error.
  Scratch(const Memory& memory, Index bytes);
  Scratch(Scratch&&) = default;
  Scratch& operator=(Scratch&&) = default;

  char* data() const { return static_cast<char*>(held_.get()); }
  /// Keeps it for the next one that needs so much.
  void keep();
  /// Frees all that is kept.
  static void free_kept();

 private:
  struct Kept;

  Memory memory_;
  Index bytes_;  // few lengths
  std::shared_ptr<void> held_;
};

}  // namespace tridap::device

#pragma GCC visibility pop
