// Where an address is, according to the driver of a GPU, and where its view or buffer says: a stand-in for the driver,
// whose memory the host cannot touch.

#include "kokkos/kokkos_environment.hpp"
#include "kokkos/stand_in_devices.hpp"
#include "kokkos/support.hpp"
#include "support/stand_in_driver.hpp"
#include <tridap/kokkos/view.hpp>

#if defined(TRIDAP_STAND_IN_DEVICES)

namespace {

using Kokkos::CudaHostPinnedSpace;
using Kokkos::CudaSpace;
using Kokkos::CudaUVMSpace;
using Kokkos::HostSpace;
using Kokkos::LayoutRight;
using tridap::Buffer;
using tridap::Memory;
using tridap::kokkos::export_buffer;
using tridap::kokkos::shared_view;
using tridap::kokkos::view;
using Kind = Memory::Kind;

const auto* const kokkos_environment = testing::AddGlobalTestEnvironment(new support::KokkosEnvironment([] {
  Kokkos::Cuda::device = 0;
  stand_in::Driver::loaded();
}));

Buffer in(Kind kind, int allocated) { return stand_in::numbers({2, 3}, {kind, 0}, allocated); }

// An unmanaged view of a space over the buffer's address, wherever that is, exported with the buffer's owner.
template <class Space>
Buffer exported(const Buffer& buffer) {
  const Kokkos::View<double**, LayoutRight, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> over(
      static_cast<double*>(buffer.data), 2, 3);
  return export_buffer(over, buffer.owner);
}

TEST(Places, RightPlacesGoInAndOut) {
  const Buffer device = in(Kind::cuda, stand_in::device), managed = in(Kind::cuda_managed, stand_in::managed),
               pinned = in(Kind::cuda_host, stand_in::pinned);
  EXPECT_EQ((view<double**, LayoutRight, CudaSpace>(device).data()), device.data);
  EXPECT_EQ((view<double**, LayoutRight, CudaSpace>(managed).data()), managed.data);
  EXPECT_EQ((view<double**, LayoutRight, CudaUVMSpace>(managed).data()), managed.data);
  EXPECT_EQ((view<double**, LayoutRight, HostSpace>(pinned).data()), pinned.data);
  EXPECT_EQ(exported<CudaSpace>(device).memory.name(), "cuda:0");
  EXPECT_EQ(exported<CudaSpace>(managed).data, managed.data);
  EXPECT_EQ(exported<CudaUVMSpace>(managed).memory.name(), "cuda_managed:0");
  EXPECT_EQ(exported<CudaHostPinnedSpace>(pinned).data, pinned.data);
  EXPECT_EQ(exported<HostSpace>(managed).data, managed.data);
}

TEST(Places, BufferOfTheWrongPlaceIsRefusedAsAView) {
  Buffer host = in(Kind::cuda, stand_in::pinned);
  EXPECT_REFUSED((view<double**, LayoutRight, CudaSpace>(host)), "its address is in pinned memory of the host");
  double ordinary[6] = {};
  host = tridap::row_major(ordinary, {2, 3});
  host.memory = {Kind::cuda, 0};
  EXPECT_REFUSED((view<double**, LayoutRight, CudaSpace>(host)), "its address is in memory of the host");
  EXPECT_REFUSED((shared_view<double**, LayoutRight, CudaSpace>(host)), "state the memory as host");
  const Buffer device = in(Kind::host, stand_in::device);
  EXPECT_REFUSED((view<double**, LayoutRight, HostSpace>(device)), "its address is in cuda:0 memory");
  const Buffer not_managed = in(Kind::cuda_managed, stand_in::device);
  EXPECT_REFUSED((view<double**, LayoutRight, CudaUVMSpace>(not_managed)), "its address is in cuda:0 memory");
}

TEST(Places, ViewOfTheWrongPlaceIsNotExported) {
  const Buffer device = in(Kind::cuda, stand_in::device), pinned = in(Kind::cuda_host, stand_in::pinned);
  EXPECT_REFUSED(exported<HostSpace>(device), "host memory, but its address is in cuda:0 memory");
  EXPECT_REFUSED(exported<CudaHostPinnedSpace>(device), "cuda_host memory, but its address is in cuda:0 memory");
  EXPECT_REFUSED(exported<CudaUVMSpace>(device), "cuda_managed:0 memory, but its address is in cuda:0 memory");
  EXPECT_REFUSED(exported<CudaSpace>(pinned), "cuda:0 memory, but its address is in pinned memory of the host");
  Kokkos::Cuda::device = 1;
  EXPECT_REFUSED(exported<CudaSpace>(device), "cuda:1 memory, but its address is in cuda:0 memory");
  Kokkos::Cuda::device = 0;
}

TEST(Places, ViewsThatAreSmallOrEmptyAreExported) {
  const Kokkos::View<double**, LayoutRight> none("none", 0, 3);
  EXPECT_EQ(export_buffer(none).shape, (support::Shape{0, 3}));
  const Kokkos::View<double> scalar("scalar");
  EXPECT_EQ(export_buffer(scalar).data, scalar.data());
  const Kokkos::View<double**, LayoutRight> never;
  EXPECT_EQ(export_buffer(never).data, nullptr);
}

}  // namespace

#else

TEST(Places, OfARealDeviceAreItsDrivers) {
  GTEST_SKIP() << "this Kokkos has a device: a stand-in cannot take its place";
}

#endif
