#pragma once

#include <dlpack/dlpack.h>

#include <cstdint>

// The types of DLPack 1.0 that an older header, such as Debian 12's DLPack 0.6, does not have, in their memory layout.
#ifndef DLPACK_MAJOR_VERSION

/// The DLPack version of a tensor. If `major` is unknown, only manager_ctx and deleter may be used.
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

constexpr std::uint32_t major_version = 1;   ///< of DLPack; tensors of other major versions are refused
constexpr std::uint64_t read_only_flag = 1;  ///< DLPACK_FLAG_BITMASK_READ_ONLY: the memory must not be written
constexpr std::uint64_t is_copied_flag = 2;  ///< DLPACK_FLAG_BITMASK_IS_COPIED: the memory is a copy for this consumer
constexpr std::uint8_t boolean_code = 6;     ///< kDLBool, since DLPack 0.8
constexpr std::int32_t sycl_device_type = 14;  ///< kDLOneAPI, since DLPack 0.7

}  // namespace tridap::dlpack
