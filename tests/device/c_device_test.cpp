#include "device/device_moved.hpp"
#include <tridap/tridap.h>

#include <cmath>

using namespace on_device;

namespace {

void ok(int status) { ASSERT_EQ(status, TRIDAP_OK) << tridap_message(); }

/// An array of C in the memory of the device: element i of the whole is i + 1.
struct OnDevice {
  tridap_distribution layout{};
  tridap_array array{};
  std::vector<double> host;
  std::uintptr_t address = 0;

  explicit OnDevice(const char* dist) {
    const std::int64_t shape[] = {17};
    std::int64_t extent = 0;
    ok(tridap_distribute(1, shape, dist, world, nullptr, &layout));
    ok(tridap_local_shape(layout, TRIDAP_HERE, &extent));
    for (std::int64_t i = 0; i < extent; ++i) {
      std::int64_t global = 0;
      ok(tridap_global_index(layout, TRIDAP_HERE, &i, &global));
      host.push_back(static_cast<double>(global + 1));
    }
    const stand_in::Driver& driver = stand_in::Driver::loaded();
    const std::size_t bytes = host.size() * sizeof(double);
    if (bytes > 0) {
      address = driver.allocate(bytes, 0, stand_in::device);
      driver.write(address, host.data(), bytes, 0);
    }
    tridap_memory of{};
    of.data = reinterpret_cast<void*>(address);
    of.type = TRIDAP_FLOAT64;
    of.device.type = DAP_DEVICE_CUDA;
    ok(tridap_array_of(layout, &of, &array));
  }
  ~OnDevice() {
    tridap_release(array.number);
    tridap_release(layout.number);
    if (address != 0) stand_in::Driver::loaded().free(address);
  }
};

TEST(CDevice, ReducesThere) {
  OnDevice u("b");
  double sum = 0, dot = 0, norm = 0, most = 0, least = 0;
  ok(tridap_sum(u.array, &sum));
  ok(tridap_dot(u.array, u.array, &dot));
  ok(tridap_norm(u.array, &norm));
  ok(tridap_max(u.array, &most));
  ok(tridap_min(u.array, &least));
  EXPECT_EQ(sum, 153);
  EXPECT_EQ(dot, 1785);
  EXPECT_EQ(norm, std::sqrt(1785.0));
  EXPECT_EQ(most, 17);
  EXPECT_EQ(least, 1);
}

TEST(CDevice, MovesThere) {
  OnDevice u("b"), v("c:2");
  double sum = 0;
  const tridap_scaling scaling{{1, 0}, {2, 0}};
  ok(tridap_redistribute_into(u.array, v.array, nullptr, &scaling));
  ok(tridap_sum(v.array, &sum));
  EXPECT_EQ(sum, 3 * 153);
  tridap_array made{};
  ok(tridap_redistribute(u.array, v.layout, nullptr, &made));
  tridap_memory of;
  ok(tridap_array_memory(made, &of));
  EXPECT_TRUE(of.extents[0] == 0 || of.device.type == DAP_DEVICE_CUDA);
  ok(tridap_sum(made, &sum));
  EXPECT_EQ(sum, 153);
  ok(tridap_release(made.number));
}

}  // namespace
