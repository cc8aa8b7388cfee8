#include "kokkos/kokkos_environment.hpp"
#include "kokkos/stand_in_devices.hpp"
#include "kokkos/support.hpp"
#include <tridap/kokkos/axis_view.hpp>
#include <tridap/kokkos/view.hpp>

namespace {

using tridap::Memory;
using tridap::kokkos::can_name;
using tridap::kokkos::memory_kind;
using Kind = Memory::Kind;
using namespace tridap::kokkos::compat;

/// The kinds of memory that a view in `Space` may stand over.
template <class Space>
std::vector<Kind> named() {
  std::vector<Kind> all;
  for (const Kind kind : {Kind::host, Kind::cuda, Kind::cuda_host, Kind::cuda_managed, Kind::hip, Kind::hip_host,
                          Kind::hip_managed, Kind::sycl, Kind::sycl_host, Kind::sycl_shared, Kind::nowhere})
    if (can_name<Space>(kind)) all.push_back(kind);
  return all;
}
using Kinds = std::vector<Kind>;

static_assert(memory_kind<Kokkos::HostSpace>() == Kind::host);

TEST(DeviceSpaces, HostNamesItsOwnAndPinnedMemory) {
  EXPECT_EQ(named<Kokkos::HostSpace>(), (Kinds{Kind::host, Kind::cuda_host, Kind::hip_host, Kind::sycl_host}));
}

// Real or a stand-in. No memory is needed for what types may name.
#if defined(KOKKOS_ENABLE_CUDA)
static_assert(memory_kind<CudaHostSpace>() == Kind::cuda_host);
static_assert(memory_kind<CudaSpace>() == Kind::cuda);
static_assert(memory_kind<CudaManagedSpace>() == Kind::cuda_managed);
static_assert(!memory_kind<Kokkos::ScratchMemorySpace<Kokkos::Cuda>>());

TEST(DeviceSpaces, OfCudaNameTheirOwnMemoryAndNeverTheHosts) {
  EXPECT_EQ(named<CudaSpace>(), (Kinds{Kind::cuda, Kind::cuda_managed}));
  EXPECT_EQ(named<CudaManagedSpace>(), Kinds{Kind::cuda_managed});
  EXPECT_EQ(named<CudaHostSpace>(), Kinds{Kind::cuda_host});
}
#endif

}  // namespace

#if defined(TRIDAP_STAND_IN_DEVICES)

namespace {

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using tridap::Buffer;
using tridap::Index;
using tridap::kokkos::view;

const auto* const kokkos_environment = testing::AddGlobalTestEnvironment(new support::KokkosEnvironment);

static_assert(memory_kind<HipSpace>() == Kind::hip && memory_kind<HipHostSpace>() == Kind::hip_host);
static_assert(memory_kind<SyclSpace>() == Kind::sycl && memory_kind<SyclSharedSpace>() == Kind::sycl_shared);
static_assert(memory_kind<SyclHostSpace>() == Kind::sycl_host);
static_assert(!memory_kind<Kokkos::FarSpace>());

TEST(DeviceSpaces, OfHipAndSyclNameTheirOwnMemoryAndNeverTheHosts) {
  EXPECT_EQ(named<HipSpace>(), KOKKOS_VERSION < 40000 ? Kinds{Kind::hip} : (Kinds{Kind::hip, Kind::hip_managed}));
  EXPECT_EQ(named<HipHostSpace>(), Kinds{Kind::hip_host});
  EXPECT_EQ(named<SyclSpace>(), (Kinds{Kind::sycl, Kind::sycl_shared}));
  EXPECT_EQ(named<SyclSharedSpace>(), Kinds{Kind::sycl_shared});
  EXPECT_EQ(named<SyclHostSpace>(), Kinds{Kind::sycl_host});
}

template <class Space>
void expect_round_trip() {
  double memory[6] = {};
  const Kokkos::View<double**, LayoutLeft, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> from(memory, 2, 3);
  const Buffer buffer = tridap::kokkos::export_buffer(from, std::make_shared<int>(1));
  const auto back = view<double**, LayoutLeft, Space>(buffer);
  EXPECT_EQ(back.data(), from.data()) << buffer.memory.name();
  EXPECT_EQ(back.stride(1), from.stride(1)) << buffer.memory.name();
}

TEST(DeviceSpaces, ViewsInEveryMemoryComeBack) {
  expect_round_trip<Kokkos::HostSpace>();
  expect_round_trip<CudaSpace>();
  expect_round_trip<CudaHostSpace>();
  expect_round_trip<CudaManagedSpace>();
  expect_round_trip<HipSpace>();
  expect_round_trip<HipHostSpace>();
  expect_round_trip<SyclSpace>();
  expect_round_trip<SyclHostSpace>();
  expect_round_trip<SyclSharedSpace>();
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
  EXPECT_EQ(exported<CudaHostSpace>().name(), "cuda_host");
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

#else

TEST(DeviceSpaces, OfARealDeviceHaveTheirViewsInDeviceMemory) {
  GTEST_SKIP() << "this Kokkos has a device: device_memory_test makes views in its memory";
}

#endif
