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
#else
using StandInHip = Kokkos::Experimental::HIPSpace;
using StandInHipManaged = Kokkos::Experimental::HIPManagedSpace;
#endif
#if KOKKOS_VERSION >= 40500
using StandInSycl = Kokkos::SYCLDeviceUSMSpace;
using StandInSyclShared = Kokkos::SYCLSharedUSMSpace;
#else
using StandInSycl = Kokkos::Experimental::SYCLDeviceUSMSpace;
using StandInSyclShared = Kokkos::Experimental::SYCLSharedUSMSpace;
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

#include "kokkos/kokkos_environment.hpp"
#include "kokkos/support.hpp"
#include <tridap/kokkos/axis_view.hpp>
#include <tridap/kokkos/view.hpp>

#if defined(TRIDAP_STAND_IN_DEVICES)

namespace {

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using tridap::Buffer;
using tridap::Index;
using tridap::Memory;
using tridap::kokkos::can_name;
using tridap::kokkos::memory_kind;
using tridap::kokkos::view;
using Kind = Memory::Kind;
using tridap::kokkos::compat::HipSpace;
using tridap::kokkos::compat::SyclSharedSpace;
using tridap::kokkos::compat::SyclSpace;

const auto* const kokkos_environment = testing::AddGlobalTestEnvironment(new support::KokkosEnvironment);

static_assert(memory_kind<Kokkos::HostSpace>() == Kind::host);
static_assert(memory_kind<Kokkos::CudaHostPinnedSpace>() == Kind::host);
static_assert(memory_kind<Kokkos::CudaSpace>() == Kind::cuda);
static_assert(memory_kind<Kokkos::CudaUVMSpace>() == Kind::cuda_managed);
static_assert(memory_kind<HipSpace>() == Kind::hip);
static_assert(memory_kind<SyclSpace>() == Kind::sycl && memory_kind<SyclSharedSpace>() == Kind::sycl);
static_assert(!memory_kind<Kokkos::FarSpace>() && !memory_kind<Kokkos::ScratchMemorySpace<Kokkos::Cuda>>());

/// The kinds of memory that a view in `Space` may stand over.
template <class Space>
std::vector<Kind> named() {
  std::vector<Kind> all;
  for (const Kind kind : {Kind::host, Kind::cuda, Kind::cuda_managed, Kind::hip, Kind::sycl, Kind::nowhere})
    if (can_name<Space>(kind)) all.push_back(kind);
  return all;
}

TEST(DeviceSpaces, NameTheirOwnMemoryAndNeverTheHosts) {
  using Kinds = std::vector<Kind>;
  EXPECT_EQ(named<Kokkos::HostSpace>(), Kinds{Kind::host});
  EXPECT_EQ(named<Kokkos::CudaSpace>(), (Kinds{Kind::cuda, Kind::cuda_managed}));
  EXPECT_EQ(named<Kokkos::CudaUVMSpace>(), Kinds{Kind::cuda_managed});
  EXPECT_EQ(named<Kokkos::CudaHostPinnedSpace>(), Kinds{});
  EXPECT_EQ(named<HipSpace>(), Kinds{Kind::hip});
  EXPECT_EQ(named<SyclSpace>(), Kinds{Kind::sycl});
  EXPECT_EQ(named<SyclSharedSpace>(), Kinds{});
}

template <class Space>
auto view_in(const Buffer& buffer) {
  return view<double**, LayoutRight, Space>(buffer);
}

TEST(DeviceSpaces, ViewsAreOfTheMemoryThatTheBufferNames) {
  alignas(8) char nobodys[8];
  const std::size_t there = reinterpret_cast<std::size_t>(nobodys);
  Buffer buffer = tridap::row_major(reinterpret_cast<double*>(there), {2, 3});
  EXPECT_REFUSED(view_in<Kokkos::CudaSpace>(buffer), "a view of float64 in Cuda cannot use host memory");
  EXPECT_REFUSED(view_in<HipSpace>(buffer), "host memory");
  EXPECT_REFUSED(view_in<SyclSpace>(buffer), "host memory");
  buffer.memory = {Kind::cuda, 1};
  EXPECT_EQ(view_in<Kokkos::CudaSpace>(buffer).data(), buffer.data);
  EXPECT_EQ(view_in<Kokkos::CudaSpace>(buffer).extent(1), 3u);
  EXPECT_REFUSED(view_in<Kokkos::HostSpace>(buffer), "in Host cannot use cuda:1 memory");
  EXPECT_REFUSED(view_in<HipSpace>(buffer), "cuda:1 memory");
  EXPECT_REFUSED(view_in<Kokkos::CudaUVMSpace>(buffer), "cuda:1 memory");
  buffer.memory = {Kind::cuda_managed, 1};
  EXPECT_EQ(view_in<Kokkos::CudaUVMSpace>(buffer).data(), buffer.data);
  EXPECT_EQ(view_in<Kokkos::CudaSpace>(buffer).data(), buffer.data);
  EXPECT_REFUSED(view_in<Kokkos::HostSpace>(buffer), "memory");
  buffer.memory = {Kind::hip, 3};
  EXPECT_EQ(view_in<HipSpace>(buffer).data(), buffer.data);
  buffer.memory = {Kind::sycl, 5};  // of which Kokkos tells no number
  EXPECT_EQ(view_in<SyclSpace>(buffer).data(), buffer.data);
}

TEST(DeviceSpaces, AnotherDeviceThanKokkosRunsOnIsRefused) {
  double memory[2] = {};
  Buffer buffer = tridap::row_major(memory, {1, 2});
  buffer.memory = {Kind::cuda, 0};
  EXPECT_REFUSED(view_in<Kokkos::CudaSpace>(buffer), "is on device 1, but the buffer is on cuda:0");
  buffer.memory = {Kind::hip, 2};
  EXPECT_REFUSED(view_in<HipSpace>(buffer), "is on device 3");
}

template <class Space>
Memory exported() {
  double memory[6] = {};
  const Kokkos::View<double**, LayoutLeft, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> from(memory, 2, 3);
  const Buffer buffer = tridap::kokkos::export_buffer(from, std::make_shared<int>(1));
  EXPECT_EQ(buffer.data, memory);
  EXPECT_EQ(buffer.strides, (support::Shape{8, 16}));
  return buffer.memory;
}

TEST(DeviceSpaces, ExportedBuffersNameTheirDevice) {
  EXPECT_EQ(exported<Kokkos::CudaSpace>().name(), "cuda:1");
  EXPECT_EQ(exported<Kokkos::CudaUVMSpace>().kind, Kind::cuda_managed);
  EXPECT_EQ(exported<Kokkos::CudaUVMSpace>().device, 1);
  EXPECT_EQ(exported<HipSpace>().name(), "hip:3");
  EXPECT_EQ(exported<SyclSpace>().kind, Kind::sycl);
  EXPECT_EQ(exported<Kokkos::HostSpace>().name(), "host");
  EXPECT_EQ(exported<Kokkos::CudaHostPinnedSpace>().name(), "host");
}

TEST(DeviceSpaces, ViewsOnADeviceShareInAnOwnerToo) {
  double memory[2] = {};
  const auto owner = std::make_shared<int>(1);
  Buffer buffer = tridap::row_major(memory, {2}, owner);
  buffer.memory = {Kind::cuda, 1};
  {
    const auto shared = tridap::kokkos::shared_view<double*, LayoutRight, Kokkos::CudaSpace>(buffer);
    EXPECT_EQ(owner.use_count(), 3);
    const Buffer back = tridap::kokkos::export_buffer(shared);
    EXPECT_EQ(back.memory.name(), "cuda:1");
    EXPECT_EQ(owner.use_count(), 4);  // the owner itself, no view of it
  }
  EXPECT_EQ(owner.use_count(), 2);
}

TEST(DeviceSpaces, AnAxisThatIsAFormulaIsOneEverywhere) {
  tridap::DistArray array;
  array.dim_data = {tridap::undistributed(4)};
  EXPECT_EQ(tridap::kokkos::axis_view<Kokkos::HostSpace>(array, 0)(3), 3);
}

}  // namespace
#endif
