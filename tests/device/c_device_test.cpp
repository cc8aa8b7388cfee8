#include "device/device_moved.hpp"
#include <tridap/tridap.h>

#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

using namespace on_device;

namespace {

void ok(int status) { ASSERT_EQ(status, TRIDAP_OK) << tridap_message(); }

/// Memory of the device with these elements; `stream`, unless 0: a kernel that still runs there writes them.
struct Written {
  tridap_memory of{};

  explicit Written(const std::vector<double>& elements, std::uintptr_t stream = 0) {
    const stand_in::Driver& driver = stand_in::Driver::loaded();
    const std::size_t bytes = elements.size() * sizeof(double);
    if (bytes > 0) {
      const std::uintptr_t address = driver.allocate(bytes, 0, stand_in::device);
      driver.write(address, elements.data(), bytes, stream);
      of.data = reinterpret_cast<void*>(address);
    }
    of.type = TRIDAP_FLOAT64;
    of.device.type = DAP_DEVICE_CUDA;
    of.device.stream = reinterpret_cast<void*>(stream);
  }
  Written(const Written&) = delete;
  ~Written() {
    if (of.data != nullptr) stand_in::Driver::loaded().free(reinterpret_cast<std::uintptr_t>(of.data));
  }
};

/// An array of C in the memory of the device: element i of the whole is i + 1.
struct OnDevice {
  tridap_distribution layout{};
  tridap_array array{};
  std::optional<Written> memory;

  explicit OnDevice(const char* dist, std::uintptr_t stream = 0) {
    const std::int64_t shape[] = {17};
    std::int64_t extent = 0;
    ok(tridap_distribute(1, shape, dist, world, nullptr, &layout));
    ok(tridap_local_shape(layout, TRIDAP_HERE, &extent));
    std::vector<double> host;
    for (std::int64_t i = 0; i < extent; ++i) {
      std::int64_t global = 0;
      ok(tridap_global_index(layout, TRIDAP_HERE, &i, &global));
      host.push_back(static_cast<double>(global + 1));
    }
    memory.emplace(host, stream);
    ok(tridap_array_of(layout, &memory->of, &array));
  }
  ~OnDevice() {
    tridap_release(array.number);
    tridap_release(layout.number);
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

// The memory of the array and the whole may still be written by kernels on their streams.
TEST(CDevice, GathersAndScattersAfterTheStreams) {
  const stand_in::Driver& driver = stand_in::Driver::loaded();
  if (driver.is_real) GTEST_SKIP() << "a real driver has no stream 7";
  const bool is_root = on::rank(world) == 0;
  const std::vector<double> zeros(17, 0.0);
  std::vector<double> numbers(17), found(17);
  std::iota(numbers.begin(), numbers.end(), 1.0);
  {
    OnDevice u("b", 7);
    Written whole(is_root ? zeros : std::vector<double>{}, 8);
    ok(tridap_gather_into(u.array, 0, is_root ? &whole.of : nullptr));
    if (is_root) {
      driver.read(found.data(), reinterpret_cast<std::uintptr_t>(whole.of.data), 17 * sizeof(double), 1);
      EXPECT_EQ(found, numbers);
    }
  }
  OnDevice v("c:2", 7);
  for (double& number : numbers) number *= 2;
  Written whole(is_root ? numbers : std::vector<double>{}, 8);
  ok(tridap_scatter(is_root ? &whole.of : nullptr, 0, v.array));
  tridap_array all{};
  ok(tridap_allgather(v.array, &all));
  tridap_memory of;
  ok(tridap_array_memory(all, &of));
  driver.read(found.data(), reinterpret_cast<std::uintptr_t>(of.data), 17 * sizeof(double), 1);
  EXPECT_EQ(found, numbers);
  ok(tridap_release(all.number));
}

}  // namespace
