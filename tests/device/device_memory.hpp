#pragma once

#include "redistribute/move_memory.hpp"
#include "support/stand_in_driver.hpp"

#include <optional>
#include <vector>

/// Parts of arrays in the memory of the stand-in's device.
namespace on_device {

using moves::Local;
using tridap::DistArray;
using tridap::Index;
using tridap::Memory;

inline const Memory cuda{Memory::Kind::cuda, 0};

/// One process's part of one side: laid out as a Local, in other memory. `kind`: the stand-in's; nothing: it stays in
/// the memory of the host.
class Part {
 public:
  Part(const moves::Side& side, Index rank, const tridap::ElementType& type, const oracle::Stand& stand,
       std::optional<int> kind = stand_in::device)
      : host(side, rank, type, stand) {
    if (!kind || host.bytes() == 0) return;
    const stand_in::Driver& driver = stand_in::Driver::loaded();
    address_ = driver.allocate(static_cast<std::size_t>(host.bytes()), 0, *kind);
    memory_ = *kind == stand_in::managed ? Memory{Memory::Kind::cuda_managed, 0} : cuda;
  }
  Part(const Part&) = delete;
  ~Part() { free(); }

  void free() {
    if (address_ != 0) stand_in::Driver::loaded().free(address_);
    address_ = 0;
  }
  bool is_on_device() const { return address_ != 0; }
  DistArray stamped() const {
    DistArray out = host.stamped();
    if (address_ == 0) return out;
    const auto offset = static_cast<std::byte*>(out.buffer.data) - host.begin();
    out.buffer.data = reinterpret_cast<void*>(address_ + static_cast<std::uintptr_t>(offset));
    out.buffer.memory = memory_;
    return out;
  }
  /// `late`: written when the legacy stream comes to it, as by a kernel that still runs.
  void set(const std::vector<std::byte>& picture, bool late = false) {
    if (address_ == 0) return host.set(picture);
    stand_in::Driver::loaded().write(address_, picture.data(), picture.size(), late ? 1 : 0);
  }
  std::vector<std::byte> now() const {
    std::vector<std::byte> all(static_cast<std::size_t>(host.bytes()));
    if (address_ == 0)
      std::copy_n(host.begin(), all.size(), all.data());
    else
      stand_in::Driver::loaded().read(all.data(), address_, all.size(), 1);
    return all;
  }

  Local host;

 private:
  std::uintptr_t address_ = 0;
  Memory memory_ = cuda;
};

}  // namespace on_device
