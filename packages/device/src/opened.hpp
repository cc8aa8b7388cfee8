#pragma once

#include <tridap/internal/driver.hpp>

#include <cstdint>
#include <memory>

#pragma GCC visibility push(hidden)

namespace tridap::device {

/// An allocation of a device, as the process that has it tells it to others.
struct Exported {
  driver::Handle handle;
  std::uint64_t process = 0;  ///< process_number() there
  std::uint64_t number = 0;   ///< the driver's: it differs between two allocations at one address
  std::uint64_t address = 0;  ///< there
};

/// A number of this process that no other one has.
std::uint64_t process_number();

/// An allocation of another process that this process has opened. It is closed when its last holder is gone.
class Opened {
 public:
  Opened(std::uintptr_t address, std::uint64_t number, const Memory& from)
      : address_(address), number_(number), from_(from) {}
  Opened(const Opened&) = delete;
  ~Opened() { close(); }

  std::uintptr_t address() const { return address_; }  ///< in this process
  std::uint64_t number() const { return number_; }
  const Memory& from() const { return from_; }
  /// Closes it before its holders let it go: its memory was freed.
  void close() noexcept;

 private:
  std::uintptr_t address_;
  std::uint64_t number_;
  Memory from_;
};

/// Opens an allocation for kernels of the device `from`, or finds it among those that are open, of any communicator.
/// One of other memory that was at this address before is closed. Throws Error.
std::shared_ptr<const Opened> open(const Exported& memory, const Memory& from);

}  // namespace tridap::device

#pragma GCC visibility pop
