#pragma once

#include <tridap/buffer.hpp>
#include <tridap/internal/driver.hpp>

#include <string>

#pragma GCC visibility push(hidden)

namespace tridap::device {

/// Runs a kernel of ours on the legacy stream of a device that is in use. `task` is the kernel's only argument, of
/// which the driver takes a copy. Throws Error.
void launch(const Memory& memory, const std::string& kernel, unsigned blocks, unsigned threads, void* task);

/// The largest word, of at most 16 bytes, that divides all numbers that were added: lengths, strides and addresses.
class WordSize {
 public:
  void add(Index number) { bits_ |= number; }
  void add(const void* address) { bits_ |= reinterpret_cast<Index>(address); }
  Index bytes() const {
    Index size = 16;
    while (bits_ % size != 0) size /= 2;
    return size;
  }

 private:
  Index bits_ = 0;
};

}  // namespace tridap::device

#pragma GCC visibility pop
