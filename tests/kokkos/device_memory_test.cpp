// Views in the memory of a real device, for a Kokkos that has one.

#include "kokkos/kokkos_environment.hpp"
#include "kokkos/support.hpp"
#include "support/oracle.hpp"
#include <tridap/kokkos/axis_view.hpp>
#include <tridap/kokkos/view.hpp>

#include <vector>

namespace device_memory {

using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using Kokkos::LayoutStride;
using tridap::Buffer;
using tridap::Index;
using tridap::Memory;
using tridap::kokkos::axis_view;
using tridap::kokkos::AxisView;
using tridap::kokkos::export_buffer;
using tridap::kokkos::shared_view;
using tridap::kokkos::view;
using namespace tridap::kokkos::compat;

const auto* const kokkos_environment = testing::AddGlobalTestEnvironment(new support::KokkosEnvironment);

// The spaces that a kernel of the default device can reach.
using Device = Kokkos::DefaultExecutionSpace::memory_space;
constexpr bool has_device = !std::is_same_v<Device, Kokkos::HostSpace>;
#if defined(KOKKOS_ENABLE_CUDA)
using Managed = CudaManagedSpace;
using Pinned = CudaHostSpace;
#elif defined(KOKKOS_ENABLE_HIP)
using Managed = HipManagedSpace;
using Pinned = HipHostSpace;
#elif defined(KOKKOS_ENABLE_SYCL)
using Managed = SyclSharedSpace;
using Pinned = SyclHostSpace;
#else
using Managed = Device;
using Pinned = Device;
#endif

#define NEED_DEVICE() \
  if (!has_device) GTEST_SKIP() << "this Kokkos has no device"

/// Writes 10 i + j to element (i, j).
template <class View>
struct Write {
  View to;
  KOKKOS_FUNCTION void operator()(int i) const {
    for (int j = 0; j < static_cast<int>(to.extent(1)); ++j) to(i, j) = 10.0 * i + j;
  }
};

template <class View>
void write(const View& to) {
  Kokkos::parallel_for("write", Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, static_cast<int>(to.extent(0))),
                       Write<View>{to});
  Kokkos::fence();
}

template <class View>
void expect_written(const View& from) {
  const Kokkos::View<double**, LayoutRight, Device> dense("dense", from.extent(0), from.extent(1));
  Kokkos::deep_copy(dense, from);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), dense);
  for (int i = 0; i < static_cast<int>(host.extent(0)); ++i)
    for (int j = 0; j < static_cast<int>(host.extent(1)); ++j) EXPECT_EQ(host(i, j), 10.0 * i + j);
}

/// A view becomes a buffer and a view again: the same memory, in which a kernel writes.
template <class Layout, class Space>
void expect_round_trip() {
  Buffer buffer;
  const double* address = nullptr;
  {
    const Kokkos::View<double**, Layout, Space> from("from", 5, 7);
    buffer = export_buffer(from);
    address = from.data();
  }  // the buffer keeps the memory
  EXPECT_EQ(buffer.data, address);
  EXPECT_TRUE(buffer.memory.kind == *tridap::kokkos::memory_kind<Space>()) << buffer.memory.name();
  const auto back = shared_view<double**, Layout, Space>(buffer);
  EXPECT_EQ(back.data(), address);
  write(back);
  expect_written(view<double**, Layout, Space>(buffer));
  expect_written(view<double**, LayoutStride, Space>(buffer));
}

TEST(DeviceMemory, ViewsComeBackAndKernelsWriteInThem) {
  NEED_DEVICE();
  expect_round_trip<LayoutLeft, Device>();
  expect_round_trip<LayoutRight, Device>();
  expect_round_trip<LayoutLeft, Managed>();
  expect_round_trip<LayoutRight, Managed>();
  expect_round_trip<LayoutLeft, Pinned>();
  expect_round_trip<LayoutRight, Pinned>();
}

TEST(DeviceMemory, PinnedMemoryIsAlsoTheHosts) {
  NEED_DEVICE();
  const Kokkos::View<double**, LayoutRight, Pinned> from("from", 3, 4);
  write(from);
  const Buffer buffer = export_buffer(from);
  EXPECT_TRUE(buffer.memory.is_on_host() || !has_device);
  const auto host = view<double**, LayoutRight, Kokkos::HostSpace>(buffer);
  EXPECT_EQ(host.data(), from.data());
  EXPECT_EQ(host(2, 3), 23.0);
}

TEST(DeviceMemory, PaddedAndStridedViewsKeepTheirStrides) {
  NEED_DEVICE();
  const Kokkos::View<double***, LayoutRight, Device> whole("whole", 4, 6, 3);
  const auto part = Kokkos::subview(whole, std::make_pair(1, 4), std::make_pair(2, 5), 1);
  const Buffer buffer = export_buffer(part);
  EXPECT_EQ(buffer.shape, (support::Shape{3, 3}));
  const auto back = view<double**, LayoutStride, Device>(buffer);
  EXPECT_EQ(back.data(), part.data());
  EXPECT_EQ(back.stride(0), part.stride(0));
  EXPECT_EQ(back.stride(1), part.stride(1));
  write(back);
  expect_written(part);
}

TEST(DeviceMemory, AScalarComesBack) {
  NEED_DEVICE();
  const Kokkos::View<double, Device> scalar("scalar");
  const Buffer buffer = export_buffer(scalar);
  EXPECT_TRUE(buffer.shape.empty());
  EXPECT_EQ((view<double, LayoutRight, Device>(buffer).data()), scalar.data());
}

TEST(DeviceMemory, AnotherPlaceIsRefused) {
  NEED_DEVICE();
  const Kokkos::View<double**, LayoutRight, Device> from("from", 2, 3);
  Buffer buffer = export_buffer(from);
  EXPECT_REFUSED((view<double**, LayoutRight, Kokkos::HostSpace>(buffer)), "in Host cannot use");
  buffer.memory.device += 1;
  EXPECT_REFUSED((view<double**, LayoutRight, Device>(buffer)),
                 buffer.memory.name());  // a real driver's check is first
  double memory[6] = {};
  const Buffer host = tridap::row_major(memory, {2, 3});
  EXPECT_REFUSED((view<double**, LayoutRight, Device>(host)), "cannot use host memory");
}

TEST(DeviceMemory, AnOwnerLivesWithTheLastView) {
  NEED_DEVICE();
  const Kokkos::View<double*, LayoutRight, Device> memory("memory", 8);
  int released = 0;
  {
    Buffer buffer = export_buffer(memory);
    buffer.owner = {buffer.data, [&released](void*) { ++released; }};
    auto shared = shared_view<double*, LayoutRight, Device>(buffer);
    buffer = {};
    const auto part = Kokkos::subview(shared, std::make_pair(2, 5));
    shared = {};
    EXPECT_EQ(released, 0);
    EXPECT_EQ(part.data(), memory.data() + 2);
  }
  EXPECT_EQ(released, 1);
}

template <class Space>
struct GlobalIndices {
  AxisView<Space> axis;
  Kokkos::View<Index*, Device> to;
  KOKKOS_FUNCTION void operator()(int local) const { to(local) = axis(local); }
};

template <class Space>
void expect_indices(const tridap::Dimension& dimension, const oracle::List& expected) {
  tridap::DistArray array;
  array.dim_data = {dimension};
  const AxisView<Space> axis = axis_view<Space>(array, 0);
  const auto count = static_cast<int>(axis.extent());
  ASSERT_EQ(count, static_cast<int>(expected.size()));
  const Kokkos::View<Index*, Device> found("found", static_cast<std::size_t>(count));
  Kokkos::parallel_for("indices", Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, count),
                       GlobalIndices<Space>{axis, found});
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
  for (int i = 0; i < count; ++i) EXPECT_EQ(host(i), expected[static_cast<std::size_t>(i)]);
}

TEST(DeviceMemory, KernelsFindGlobalIndices) {
  NEED_DEVICE();
  const oracle::Axis cyclic = oracle::cyclic(11, 2, 3);
  const oracle::List listed = {7, 0, 5};
  tridap::Dimension list;
  list.size = 8;
  list.dist = tridap::Unstructured{tridap::IndexBuffer(tridap::row_major(listed.data(), {3})), false};
  for (Index c = 0; c < 3; ++c) {
    expect_indices<Device>(cyclic.dims[static_cast<std::size_t>(c)], cyclic.held_by(c));
    expect_indices<Managed>(cyclic.dims[static_cast<std::size_t>(c)], cyclic.held_by(c));
  }
  expect_indices<Device>(list, listed);
  expect_indices<Managed>(list, listed);
  expect_indices<Pinned>(list, listed);
}

}  // namespace device_memory
