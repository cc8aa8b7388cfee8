#pragma once

#include "rings.hpp"
#include <tridap/buffer.hpp>

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// The same on every process. A copy between the host and a device takes about 10 us longer than its bytes do, so that
/// slots are large.
struct SlotLengths {
  Index rings = Index{64} << 20;     ///< bytes, the most that a process has for rings
  Index message = Index{512} << 10;  ///< bytes of one
  Index own = Index{16} << 20;       ///< bytes of the slot of elements that stay on a device

  static SlotLengths& of_new_slots();  ///< tests make them shorter
};

/// The slots of moves that pass through them and have arrays on devices. Those in the memory of the host are pinned as
/// soon as this process uses a device; where a driver does not do that, copies are slower.
class DeviceSlots {
 public:
  /// **Collective.** Throws nothing: without shared memory, there are no rings.
  explicit DeviceSlots(MPI_Comm comm);
  DeviceSlots(const DeviceSlots&) = delete;

  /// Allocates what a move with arrays on this device needs. Throws Error.
  void get_ready(const Memory& memory, bool messages_on_device);

  const Rings* rings() const { return rings_.get(); }  ///< null: there are none
  const SlotLengths& lengths() const { return lengths_; }
  const Memory& memory() const { return memory_; }  ///< of the device of own() and device_messages()
  /// For messages, first those of sends: made by the first call.
  std::byte* messages();
  /// The same in the memory of the device; null: MPI does not read it.
  std::byte* device_messages() const { return static_cast<std::byte*>(device_messages_.get()); }
  /// One slot in the memory of the device for this process's own elements.
  std::byte* own() const { return static_cast<std::byte*>(own_.get()); }

 private:
  Index bytes_of_messages() const { return 2 * message_slots * lengths_.message; }
  void pin_rings();

  std::unique_ptr<const Rings> rings_;
  SlotLengths lengths_ = SlotLengths::of_new_slots();
  Index rank_;
  std::shared_ptr<std::byte> messages_;  // whole pages, which are pinned
  Memory memory_;                        // of the device; the host's: none yet
  std::shared_ptr<void> own_, device_messages_;
  std::vector<std::shared_ptr<void>> pinned_;  // is let go before what it pins
};

}  // namespace tridap::redistribute

#pragma GCC visibility pop
