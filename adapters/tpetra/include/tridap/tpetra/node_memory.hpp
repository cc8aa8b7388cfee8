#pragma once

#include <tridap/buffer.hpp>
#include <tridap/device_stream.hpp>
#include <tridap/kokkos/memory.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace tridap::tpetra::detail {

/// True if vectors of a node with this memory can be over host memory. On a device it is false: its kernels cannot read
/// host memory.
template <class Space>
inline constexpr bool over_host = kokkos::can_name<Space>(Memory::Kind::host);

/// The memory in which a node's vectors have their values: host memory, or that of a device. The default is the host's.
struct NodeMemory {
  bool on_host = true;
  std::string name = "host";                 ///< for messages; of a device, that of Kokkos' memory space
  std::optional<Index> device = {};          ///< the number of the device; nothing: Kokkos cannot say
  bool (*can_name)(Memory::Kind) = nullptr;  ///< on a device: whether vectors may use memory of this kind

  /// Whether vectors of the node can be over this memory.
  bool holds(const Memory& memory) const {
    if (on_host) return memory.is_on_host();
    return can_name(memory.kind) && (!device || *device == memory.device);
  }
};

/// That of the memory space of a node's vectors.
template <class Space>
NodeMemory node_memory() {
  if constexpr (over_host<Space>)
    return {};
  else
    return {false, Space::name(), kokkos::device_number<Space>(), &kokkos::can_name<Space>};
}

/// Copies the elements of `from` to `to`, which has its shape and element type. One of them is dense and row-major;
/// one, or both, may be in memory of a device. If one is, the copies wait for the work on the legacy stream, and have
/// ended at the return. Throws Error if the process has no driver for this memory.
void copy_elements(const Buffer& from, const Buffer& to);

/// Waits for the work on the legacy default stream of a device, if the process has its driver, and on the stream.
/// Throws Error if the device has no such stream.
void wait_for(const Memory& memory, DeviceStream stream);

/// Lets the stream of a device wait for the work on the default stream. Throws Error if the device has no such stream.
void let_wait(const Memory& memory, DeviceStream stream);

/// The device's own memory, if `memory` is managed; else `memory`.
Memory of_device(Memory memory);

/// A dense row-major buffer in this memory. Throws Error if the process has no driver for it.
Buffer allocate_in(const Memory& memory, const ElementType& type, const IndexList& shape);

}  // namespace tridap::tpetra::detail
