#include "c_read.hpp"
#include <tridap/c_array.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace tridap {

std::optional<Memory> memory_of(std::int32_t device_type, std::int32_t device_id) {
  if (device_id < 0) return std::nullopt;
  switch (device_type) {
    case DAP_DEVICE_HOST:
      return device_id == 0 ? std::optional(Memory{}) : std::nullopt;
    case DAP_DEVICE_CUDA_HOST:
      return Memory{Memory::Kind::cuda_host, 0};
    case DAP_DEVICE_ROCM_HOST:
      return Memory{Memory::Kind::hip_host, 0};
    case DAP_DEVICE_CUDA:
      return Memory{Memory::Kind::cuda, device_id};
    case DAP_DEVICE_CUDA_MANAGED:
      return Memory{Memory::Kind::cuda_managed, device_id};
    case DAP_DEVICE_ROCM:
      return Memory{Memory::Kind::hip, device_id};
    case DAP_DEVICE_ONEAPI:
      return Memory{Memory::Kind::sycl, device_id};
    default:
      return std::nullopt;
  }
}

DistArray from_c(CArray array) {
  if (!array) throw Error(c_finding({}, "dap_array", "NULL", "must be an array"));
  if (const std::optional<Finding> finding = unknown_major(*array)) throw Error(*finding);
  const std::shared_ptr<dap_array> held = std::move(array);
  Report report;
  DistArray read = read_c(*held, held, report);
  throw_if_wrong(report);
  return read;
}

}  // namespace tridap
