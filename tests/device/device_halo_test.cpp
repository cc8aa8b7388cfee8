#include "device/device_memory.hpp"
#include "mpi/support.hpp"
#include <tridap/ghosts/ghost_update.hpp>
#include <tridap/make.hpp>
#include <tridap/memory_order.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/redistribute/padding.hpp>

#include <functional>
#include <memory>
#include <numeric>
#include <vector>

namespace {

using tridap::DistArray;
using tridap::Distribution;
using tridap::Index;
using tridap::IndexList;
using tridap::Memory;
using tridap::redistribute::PaddingOperation;
using tridap::redistribute::PaddingUpdate;

const MPI_Comm world = MPI_COMM_WORLD;
Index rank() { return on::rank(world); }

/// The same numbers in a buffer on the host and in one elsewhere.
template <class T>
class Twins {
 public:
  Twins(const IndexList& shape, bool column_major, bool on_device, std::uintptr_t stream = 1) {
    host = tridap::allocate(tridap::element_type<T>(), shape);
    if (column_major) host.strides = tridap::column_major_strides(shape, sizeof(T));
    size_ = static_cast<std::size_t>(element_count(host)) * sizeof(T);
    auto* const numbers = static_cast<T*>(host.data);
    for (std::size_t k = 0; k < size_ / sizeof(T); ++k)
      numbers[k] = static_cast<T>(static_cast<float>(rank() + 1) * 10.3F + static_cast<float>(k) / 7);
    other = host;
    if (on_device && size_ > 0) {
      const stand_in::Driver& driver = stand_in::Driver::loaded();
      const std::uintptr_t address = driver.allocate(size_, 0, stand_in::device);
      driver.write(address, host.data, size_, stream);  // late
      other.data = reinterpret_cast<void*>(address);
      other.owner = {other.data, [&driver, address](void*) { driver.free(address); }};
      other.memory = on_device_memory();
    } else {
      const tridap::Buffer copy = tridap::allocate(host.type, {static_cast<Index>(size_ / sizeof(T))});
      std::memcpy(copy.data, host.data, size_);
      other.data = copy.data;
      other.owner = copy.owner;
    }
  }

  void expect_same(const char* what) const {
    std::vector<std::byte> found(size_);
    if (other.memory.is_on_host())
      std::memcpy(found.data(), other.data, size_);
    else
      stand_in::Driver::loaded().read(found.data(), reinterpret_cast<std::uintptr_t>(other.data), size_, 1);
    EXPECT_EQ(std::memcmp(found.data(), host.data, size_), 0) << what;
  }

  tridap::Buffer host, other;

 private:
  static Memory on_device_memory() { return {Memory::Kind::cuda, 0}; }
  std::size_t size_ = 0;
};

enum class Where { device, some };
bool is_here(Where where) { return where == Where::device || rank() % 2 == 0; }

Distribution padded(bool periodic) {
  const Index p = on::processes(world);
  tridap::BlockSpec rows = tridap::block();
  rows.padding = 2;
  rows.periodic = periodic;
  tridap::BlockSpec columns = tridap::block();
  columns.padding = 1;
  columns.periodic = periodic;
  return Distribution::make({5 * p, 7}, {rows, columns}, {p, 1});
}

template <class T>
void expect_padding(Where where) {
  for (const bool periodic : {false, true})
    for (const bool column_major : {false, true})
      for (const PaddingOperation operation : {PaddingOperation::fill, PaddingOperation::sum}) {
        const Distribution of = padded(periodic);
        Twins<T> twins(of.local_shape(rank()), column_major, is_here(where));
        PaddingUpdate(twins.host, of, world, operation).update();
        PaddingUpdate update(twins.other, of, world, operation);
        update.update();
        twins.expect_same("padding");
        PaddingUpdate(twins.host, of, world, operation).update();
        update.start();
        update.wait();
        twins.expect_same("padding, again");
      }
}

template <class T>
void expect_ghosts(Where where, Index components) {
  const Index p = on::processes(world), owned = 6;
  std::vector<Index> ghosts;
  for (Index k = 1; k < 4; ++k)
    if (p > 1) ghosts.push_back(((rank() + 1) % p) * owned + k * k % owned);
  IndexList shape = {owned + static_cast<Index>(ghosts.size())};
  if (components > 1) shape.push_back(components);
  for (const bool column_major : {false, true}) {
    Twins<T> twins(shape, column_major, is_here(where));
    const tridap::GhostedArray host = tridap::make_ghosted(twins.host, ghosts, world);
    const tridap::GhostedArray other = tridap::make_ghosted(twins.other, ghosts, world);
    tridap::GhostUpdate on_host(host, world), update(other, world);
    on_host.update_ghosts();
    update.update_ghosts();
    twins.expect_same("ghosts");
    on_host.sum_ghosts();
    update.sum_ghosts();
    twins.expect_same("sums of ghosts");
  }
}

class DeviceHalo : public testing::TestWithParam<Where> {
 protected:
  void SetUp() override { stand_in::Driver::loaded(); }
};

}  // namespace

TEST_P(DeviceHalo, PaddingIsThatOfTheHost) {
  expect_padding<double>(GetParam());
  expect_padding<float>(GetParam());
  expect_padding<std::int16_t>(GetParam());
  expect_padding<std::complex<float>>(GetParam());
}

TEST_P(DeviceHalo, GhostsAreThoseOfTheHost) {
  for (const Index components : {1, 3}) {
    expect_ghosts<double>(GetParam(), components);
    expect_ghosts<float>(GetParam(), components);
    expect_ghosts<std::int8_t>(GetParam(), components);
  }
}

TEST_P(DeviceHalo, WaitsForTheStreamThatIsNamed) {
  if (stand_in::Driver::loaded().is_real) GTEST_SKIP() << "a real driver has no stream 7";
  const Distribution of = padded(true);
  const bool here = is_here(GetParam());
  Twins<double> twins(of.local_shape(rank()), false, here, 7);
  PaddingUpdate(twins.host, of, world).update();
  PaddingUpdate(twins.other, of, world).update(tridap::DeviceStream(7));
  twins.expect_same("padding");
  const Index p = on::processes(world);
  const std::vector<Index> ghosts(p > 1 ? 1 : 0, (rank() + 1) % p * 4);
  Twins<double> ghosted({4 + static_cast<Index>(ghosts.size())}, false, here, 7);
  tridap::update_ghosts(tridap::make_ghosted(ghosted.host, ghosts, world), world);
  tridap::update_ghosts(tridap::make_ghosted(ghosted.other, ghosts, world), world, tridap::DeviceStream(7));
  ghosted.expect_same("ghosts");
  const int wrong = here && rank() == 0 ? 0 : 7;  // CUDA has no stream 0 by DLPack's numbers
  on::expect_refused([&] { PaddingUpdate(twins.other, of, world).update(tridap::DeviceStream(wrong)); },
                     "the stream is 0");
}

TEST_P(DeviceHalo, AKernelThatFailsOnOneProcessIsAnErrorOnAll) {
  if (stand_in::Driver::loaded().is_real) GTEST_SKIP() << "a real driver does not fail when it is told to";
  if (on::processes(world) == 1) GTEST_SKIP() << "one process repeats nothing of others";
  const Distribution of = padded(false);
  Twins<double> twins(of.local_shape(rank()), false, is_here(GetParam()));
  PaddingUpdate update(twins.other, of, world);
  if (rank() == 0) stand_in::Driver::loaded().fail(1, 0);
  on::expect_refused([&] { update.update(); }, "CUDA_ERROR_LAUNCH_FAILED");
  PaddingUpdate(twins.host, of, world).update();
  update.update();
  twins.expect_same("after a kernel that failed");
}

INSTANTIATE_TEST_SUITE_P(Where, DeviceHalo, testing::Values(Where::device, Where::some),
                         [](const auto& where) { return where.param == Where::device ? "device" : "some"; });
