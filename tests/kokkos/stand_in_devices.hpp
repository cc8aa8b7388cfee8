#pragma once

#include <Kokkos_Core.hpp>

// This machine's Kokkos may be built for the host alone: then devices that have names and rules, and no memory, stand
// in for the real ones. Views over them are made and asked for their address, and nobody follows it.
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && !defined(KOKKOS_ENABLE_SYCL)
#define TRIDAP_STAND_IN_DEVICES
#define KOKKOS_ENABLE_CUDA
#define KOKKOS_ENABLE_HIP
#define KOKKOS_ENABLE_SYCL

namespace stand_in {

template <class Space, class Execution>
struct Device {
  using memory_space = Space;
  using execution_space = Execution;
  using device_type = Kokkos::Device<Execution, Space>;
  using size_type = std::size_t;
};
template <class Self, class Space>
struct Runner {
  using execution_space = Self;
  using memory_space = Space;
  using device_type = Kokkos::Device<Self, Space>;
  using size_type = std::size_t;
  using index_type = int;
  using array_layout = Kokkos::LayoutLeft;
  using scratch_memory_space = Kokkos::ScratchMemorySpace<Self>;
  static const char* name() { return "stand-in"; }
};

}  // namespace stand_in

namespace Kokkos {

class CudaSpace;
class Cuda : public stand_in::Runner<Cuda, CudaSpace> {
 public:
  static inline int device = 1;
  int cuda_device() const { return device; }
};
class CudaSpace : public stand_in::Device<CudaSpace, Cuda> {
 public:
  static const char* name() { return "Cuda"; }
};
class CudaUVMSpace : public stand_in::Device<CudaUVMSpace, Cuda> {
 public:
  static const char* name() { return "CudaUVM"; }
};
class CudaHostPinnedSpace : public stand_in::Device<CudaHostPinnedSpace, Kokkos::HostSpace::execution_space> {
 public:
  static const char* name() { return "CudaHostPinned"; }
};

class FarSpace : public stand_in::Device<FarSpace, Cuda> {  // which the host reaches, and Memory has no word for
 public:
  static const char* name() { return "Far"; }
};

#if KOKKOS_VERSION < 40000
namespace Experimental {
#endif
class HIPSpace;
class HIP : public stand_in::Runner<HIP, HIPSpace> {
 public:
  int hip_device() const { return 3; }
};
class HIPSpace : public stand_in::Device<HIPSpace, HIP> {
 public:
  static const char* name() { return "HIP"; }
};
class HIPManagedSpace : public stand_in::Device<HIPManagedSpace, HIP> {
 public:
  static const char* name() { return "HIPManaged"; }
};
class HIPHostPinnedSpace : public stand_in::Device<HIPHostPinnedSpace, Kokkos::HostSpace::execution_space> {
 public:
  static const char* name() { return "HIPHostPinned"; }
};
#if KOKKOS_VERSION < 40000
}  // namespace Experimental
#endif

#if KOKKOS_VERSION < 40500
namespace Experimental {
#endif
class SYCLDeviceUSMSpace;
class SYCL : public stand_in::Runner<SYCL, SYCLDeviceUSMSpace> {};
class SYCLDeviceUSMSpace : public stand_in::Device<SYCLDeviceUSMSpace, SYCL> {
 public:
  static const char* name() { return "SYCLDeviceUSM"; }
};
class SYCLSharedUSMSpace : public stand_in::Device<SYCLSharedUSMSpace, SYCL> {
 public:
  static const char* name() { return "SYCLSharedUSM"; }
};
class SYCLHostUSMSpace : public stand_in::Device<SYCLHostUSMSpace, Kokkos::HostSpace::execution_space> {
 public:
  static const char* name() { return "SYCLHostUSM"; }
};
#if KOKKOS_VERSION < 40500
}  // namespace Experimental
#endif

namespace Impl {

template <bool Assignable, bool Accessible>
struct StandInAccess {
  enum : bool { assignable = Assignable };
  enum : bool { accessible = Accessible };
  enum : bool { deepcopy = true };
};
#if KOKKOS_VERSION >= 40000
using StandInHip = Kokkos::HIPSpace;
using StandInHipManaged = Kokkos::HIPManagedSpace;
using StandInHipHost = Kokkos::HIPHostPinnedSpace;
#else
using StandInHip = Kokkos::Experimental::HIPSpace;
using StandInHipManaged = Kokkos::Experimental::HIPManagedSpace;
using StandInHipHost = Kokkos::Experimental::HIPHostPinnedSpace;
#endif
#if KOKKOS_VERSION >= 40500
using StandInSycl = Kokkos::SYCLDeviceUSMSpace;
using StandInSyclShared = Kokkos::SYCLSharedUSMSpace;
using StandInSyclHost = Kokkos::SYCLHostUSMSpace;
#else
using StandInSycl = Kokkos::Experimental::SYCLDeviceUSMSpace;
using StandInSyclShared = Kokkos::Experimental::SYCLSharedUSMSpace;
using StandInSyclHost = Kokkos::Experimental::SYCLHostUSMSpace;
#endif
// As the headers of the real ones have them.
template <>
struct MemorySpaceAccess<StandInHip, StandInHipManaged> : StandInAccess<true, true> {};
template <>
struct MemorySpaceAccess<StandInSycl, StandInSyclShared> : StandInAccess<true, true> {};
template <>
struct MemorySpaceAccess<HostSpace, StandInSyclShared> : StandInAccess<false, true> {};
template <>
struct MemorySpaceAccess<HostSpace, CudaUVMSpace> : StandInAccess<false, true> {};
template <>
struct MemorySpaceAccess<HostSpace, FarSpace> : StandInAccess<false, true> {};
template <>
struct MemorySpaceAccess<CudaSpace, FarSpace> : StandInAccess<false, true> {};
template <>
struct MemorySpaceAccess<HostSpace, StandInHipHost> : StandInAccess<true, true> {};
template <>
struct MemorySpaceAccess<HostSpace, StandInSyclHost> : StandInAccess<true, true> {};
template <>
struct MemorySpaceAccess<HostSpace, CudaHostPinnedSpace> : StandInAccess<true, true> {};
template <>
struct MemorySpaceAccess<CudaSpace, CudaUVMSpace> : StandInAccess<true, true> {};
template <>
struct MemorySpaceAccess<CudaSpace, CudaHostPinnedSpace> : StandInAccess<false, true> {};
template <>
struct MemorySpaceAccess<CudaUVMSpace, CudaSpace> : StandInAccess<false, true> {};
template <>
struct MemorySpaceAccess<CudaHostPinnedSpace, HostSpace> : StandInAccess<false, true> {};

}  // namespace Impl
}  // namespace Kokkos
#endif
