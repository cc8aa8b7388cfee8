#pragma once

#include <dlpack/dlpack.h>

#include <cstdint>

// What differs between DLPack 0.6, whose header Debian 12 has, and DLPack 1: the types that a header older than 1.0
// lacks, as DLPack 1.0 lays them out in memory.
#ifndef DLPACK_MAJOR_VERSION

/// The version that a tensor's maker speaks. An unknown `major` leaves only manager_ctx and deleter to be relied on.
struct DLPackVersion {
  std::uint32_t major;
  std::uint32_t minor;
};

/// DLPack 1's form of DLManagedTensor.
struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  std::uint64_t flags;
  DLTensor dl_tensor;
};

#endif

namespace tridap::dlpack {

constexpr std::uint32_t major_version = 1;     ///< of DLPack, the only one whose tensors are read
constexpr std::uint64_t read_only_flag = 1;    ///< DLPACK_FLAG_BITMASK_READ_ONLY: nobody may write
constexpr std::uint64_t is_copied_flag = 2;    ///< DLPACK_FLAG_BITMASK_IS_COPIED: nobody else sees what is written
constexpr std::uint8_t boolean_code = 6;       ///< kDLBool, since DLPack 0.8
constexpr std::int32_t sycl_device_type = 14;  ///< kDLOneAPI, since DLPack 0.7

}  // namespace tridap::dlpack
