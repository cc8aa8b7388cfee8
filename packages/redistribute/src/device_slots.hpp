#pragma once

#include "rings.hpp"
#include <tridap/buffer.hpp>

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

// A copy between the host and a device takes about 10 us longer than its bytes do, so that slots are large.
inline constexpr Index device_message_bytes = Index{512} << 10;  ///< the same on every process
inline constexpr Index own_slot_bytes = Index{16} << 20;         ///< of elements that stay on a device

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
  /// For messages, first those of sends: made by the first call.
  std::byte* messages();
  /// The same in the memory of the device; null: MPI does not read it.
  std::byte* device_messages() const { return static_cast<std::byte*>(device_messages_.get()); }
  /// One slot in the memory of the device for this process's own elements.
  std::byte* own() const { return static_cast<std::byte*>(own_.get()); }

 private:
  void pin(const Memory& memory);

  std::unique_ptr<const Rings> rings_;
  std::vector<std::byte> messages_;
  Memory memory_;  // of the device; the host's: none yet
  std::shared_ptr<void> own_, device_messages_;
  std::vector<std::shared_ptr<void>> pinned_;  // is let go before what it pins
};

}  // namespace tridap::redistribute

#pragma GCC visibility pop
