#pragma once

#include "combine.hpp"
#include <tridap/buffer.hpp>
#include <tridap/internal/device_moves.hpp>
#include <tridap/internal/driver.hpp>

#include <algorithm>
#include <string>

#pragma GCC visibility push(hidden)

namespace tridap::device {

/// Runs a kernel of ours on a stream, as the legacy one, of a device that is in use. `task` is the kernel's only
/// argument, of which the driver takes a copy. Throws Error.
void launch(const Memory& memory, const std::string& kernel, unsigned blocks, unsigned in_block, void* task,
            driver::Stream stream = nullptr);

/// A stream of ours for the slots that are packed, or unpacked, beside one another. It does not wait for other streams.
/// Throws Error.
driver::Stream stream_of_slots(const Memory& memory, bool unpacks);

/// An event, which is destroyed with the result. Throws Error.
std::shared_ptr<void> make_event(const Memory& memory);
/// Whether what is before a recorded event has ended. Throws Error if it has failed.
bool has_ended(const Memory& memory, driver::Event event);

/// How many blocks of threads work on so many pieces, of which a block takes some at a time.
inline unsigned blocks_for(Index pieces, Index of_a_block) {
  return static_cast<unsigned>(std::min<Index>((pieces + of_a_block - 1) / of_a_block, 4096));
}

/// The largest word, of at most 16 bytes, that divides all numbers that were added: lengths, strides and addresses.
class WordSize {
 public:
  void add(Index number) { bits_ |= number; }
  void add(const void* address) { bits_ |= reinterpret_cast<Index>(address); }
  void add(const WordSize& other) { bits_ |= other.bits_; }
  Index bytes() const {
    Index size = 16;
    while (bits_ % size != 0) size /= 2;
    return size;
  }

 private:
  Index bits_ = 0;
};

/// The number of a type that kernels compute with. A bool is a byte.
Number number_of(const ElementType& type);
/// The length that addresses of such elements are multiples of.
Index part_bytes(const ElementType& type);

/// What a kernel computes. `here`, `there`: the words of the addresses and strides of targets and of sources.
Arithmetic arithmetic_of(const redistribute::DeviceStep& step, const WordSize& here, const WordSize& there);

}  // namespace tridap::device

#pragma GCC visibility pop
