#include "random_arrays.hpp"
#include <tridap/globalarrays/array.hpp>
#include <tridap/globalarrays/export.hpp>
#include <tridap/globalarrays/import.hpp>
#include <tridap/globalarrays/session.hpp>

#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

extern "C" {
#include <ga.h>
}

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace {

bool all_handles_taken = false;

}  // namespace

// Found in place of GA's own by the library (the linker wraps it).
extern "C" int __real_GA_Verify_handle(int handle);
extern "C" int __wrap_GA_Verify_handle(int handle) {
  return all_handles_taken && handle >= -1000 && handle < 31768 ? 1 : __real_GA_Verify_handle(handle);
}

namespace {

using arrays::expect_says;
using arrays::Index;
using arrays::List;
using arrays::processes;
using arrays::Random;
using arrays::real;
using arrays::rows;
using arrays::thrown;
using tridap::globalarrays::create;
using tridap::globalarrays::GlobalArray;
using tridap::redistribute::PlacedDistribution;

[[maybe_unused]] const auto* const session = testing::AddGlobalTestEnvironment(new arrays::WithSession);

std::vector<int64_t> native(const List& numbers) { return {numbers.begin(), numbers.end()}; }

// Every element's owner, by who holds it in the oracle, is the process that GA names.
void expect_located(const GlobalArray& array, const oracle::Array& expected, const List& ranks) {
  for (Index process = 0; process < expected.processes(); ++process)
    for (const auto& element : expected.elements(process, tridap::Part::owned)) {
      std::vector<int64_t> at = native(element.global);
      ASSERT_EQ(NGA_Locate64(array.handle(), at.data()), ranks[static_cast<std::size_t>(process)]);
    }
}

TEST(Create, EveryElementOfRandomBlocksIsWhereGaFindsIt) {
  Random random(7);
  for (int turn = 0; turn < arrays::cases; ++turn) {
    const Index ndim = random.between(1, 4);
    std::vector<oracle::Axis> axes;
    for (const Index places : random.grid(ndim, random.between(1, processes()), false))
      axes.push_back(oracle::block(random.counts(places, 0, 4)));
    const oracle::Array expected(axes);
    const List ranks = random.permutation(processes());
    const List used(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(expected.processes()));
    const GlobalArray array = create(PlacedDistribution(expected.distribution(), used), real, MPI_COMM_WORLD);
    expect_located(array, expected, used);
    EXPECT_EQ(array.placed().ranks().empty() ? arrays::in_order(expected.processes()) : array.placed().ranks(), used);
    EXPECT_EQ(array.type(), real);
    if (HasFailure()) return;
  }
}

PlacedDistribution dealt(const std::vector<oracle::Axis>& axes, std::vector<Index> ranks = {}) {
  return {oracle::Array(axes).distribution(), std::move(ranks)};
}

// Of a dealing GA names the number of a block, counted with the last axis moving fastest. (Of uneven ones it names
// wrong ones; where their elements are, the import's tests read.)
TEST(Create, GaNamesTheBlocksOfRandomDealings) {
  Random random(8);
  for (int turn = 0; turn < arrays::cases && !HasFailure(); ++turn) {
    std::vector<oracle::Axis> axes;
    std::vector<List> blocks;  // by axis and index, the block that it stands in
    for (const Index places : random.grid(random.between(1, 3), processes(), true)) {
      const Index length = random.between(1, 3);
      axes.push_back(oracle::cyclic(length * places + random.between(1, 7), length, places));
      blocks.emplace_back();
      for (Index i = 0; i < axes.back().size(); ++i) blocks.back().push_back(places > 1 ? i / length : 0);
    }
    const oracle::Array expected(axes);
    const GlobalArray array = create(PlacedDistribution(expected.distribution()), real, MPI_COMM_WORLD);
    for (Index process = 0; process < expected.processes(); ++process)
      for (const auto& element : expected.elements(process, tridap::Part::owned)) {
        Index number = 0;
        for (std::size_t i = 0; i < axes.size(); ++i)
          number = number * (blocks[i].back() + 1) + blocks[i][static_cast<std::size_t>(element.global[i])];
        std::vector<int64_t> at = native(element.global);
        ASSERT_EQ(NGA_Locate64(array.handle(), at.data()), number);
      }
  }
}

TEST(Create, EmptyBlocksAtTheEndAndInsideAreLeftOut) {
  if (processes() < 3) GTEST_SKIP() << "needs at least 3 processes";
  const Index n = processes();
  for (Index empty = 0; empty < n; ++empty) {
    List counts(static_cast<std::size_t>(n), 2);
    counts[static_cast<std::size_t>(empty)] = 0;
    const oracle::Array expected({oracle::block(counts)});
    const GlobalArray array = create(PlacedDistribution(expected.distribution()), real, MPI_COMM_WORLD);
    expect_located(array, expected, arrays::in_order(n));
    int64_t lo = 0, hi = 0;
    NGA_Distribution64(array.handle(), static_cast<int>(empty), &lo, &hi);
    EXPECT_LT(hi, lo);
  }
}

TEST(Create, DifferentArgumentsOnOneProcessAreAnErrorOnAll) {
  const Index n = processes();
  if (n < 2) GTEST_SKIP() << "needs at least 2 processes";
  const bool odd = on::rank(MPI_COMM_WORLD) == n - 1;
  List ranks = arrays::in_order(n), counts(static_cast<std::size_t>(n), 3), cut = counts;
  std::swap(ranks.front(), ranks.back());
  ++cut.front();
  --cut.back();
  const std::vector<std::pair<PlacedDistribution, PlacedDistribution>> distributions = {
      {rows({}, 2), rows({}, 3)},
      {rows(), rows(ranks)},
      {dealt({oracle::block(counts)}), dealt({oracle::block(cut)})},
      {dealt({oracle::block(counts)}), dealt({oracle::block(counts, {}, {0, 0}, true)})},
      {dealt({oracle::block(counts, {}, {0, 1})}), dealt({oracle::block(counts, {}, {0, 0})})},
      {dealt({oracle::block(counts, {}, {0, 1})}), dealt({oracle::block(counts, {}, {1, 1})})},
      {dealt({oracle::cyclic(12, 1, n)}), dealt({oracle::cyclic(12, 2, n)})}};
  for (const auto& [one, other] : distributions)
    expect_says(thrown([&] { create(odd ? other : one, real, MPI_COMM_WORLD); }), "different distributions");
  tridap::ElementType seconds{tridap::ElementType::Kind::opaque, 8, true, "datetime64[s]"}, days = seconds;
  days.description = "datetime64[D]";
  const std::vector<std::pair<tridap::ElementType, tridap::ElementType>> types = {{real, tridap::element_type<float>()},
                                                                                  {real, tridap::element_type<Index>()},
                                                                                  {real, {real.kind, 8, false}},
                                                                                  {seconds, days}};
  for (const auto& [one, other] : types)
    expect_says(thrown([&] { create(rows(), odd ? other : one, MPI_COMM_WORLD); }), "or element types");
}

TEST(Create, RefusesTogetherWhereOneProcessAsksForTheImpossible) {
  const bool odd = on::rank(MPI_COMM_WORLD) == processes() - 1;
  expect_says(
      thrown([&] { create(odd ? PlacedDistribution(tridap::Distribution({})) : rows(), real, MPI_COMM_WORLD); }),
      "0 axes");
  expect_says(thrown([&] { create(rows(), odd ? tridap::ElementType{} : real, MPI_COMM_WORLD); }), "0 bytes");
}

std::string said(const PlacedDistribution& placed) {
  return thrown([&] { create(placed, real, MPI_COMM_WORLD); });
}

TEST(Create, DistributionsThatGaCannotHoldAreRefused) {
  const Index n = processes();
  expect_says(said(dealt({oracle::block(List(static_cast<std::size_t>(n + 1), 1))})), "fewer processes");
  expect_says(said(dealt({oracle::block({0})})), "'size' is 0");
  List ranks = arrays::in_order(n);
  ranks.back() = n;
  expect_says(said({rows().distribution(), ranks}), "a part on rank " + std::to_string(n));
  expect_says(said(dealt(std::vector<oracle::Axis>(8, oracle::block({1})))), "8 axes");
}

TEST(Create, DistributionsThatGaCannotHoldOnSeveralProcessesAreRefused) {
  const Index n = processes();
  if (n == 1) GTEST_SKIP() << "needs at least 2 processes";
  if (n > 2) expect_says(said(dealt({oracle::block({2, 2}, {1})})), "processes own nothing");
  expect_says(said(dealt({oracle::cyclic(4 * n, 1, n - 1)})),
              n == 2 ? "nothing" : "processes, and GA distributes blocks to all");
  expect_says(said(dealt({oracle::cyclic(4 * n, 1, n, 1)})), "'start' is");
  List backwards = arrays::in_order(n);
  std::reverse(backwards.begin(), backwards.end());
  expect_says(said(dealt({oracle::cyclic(4 * n, 1, n)}, backwards)), "the order of its processes differs from GA's");
  const oracle::Axis padded =
      oracle::block(List(static_cast<std::size_t>(n), 2), List(static_cast<std::size_t>(n - 1), 1));
  expect_says(said(dealt({padded}, backwards)), "filled from the wrong processes");
}

TEST(Create, TooLittleMemoryIsAnErrorAndNoEnd) {
  const Index n = processes();
  const auto bytes = [&](Index each) {
    return PlacedDistribution(tridap::Distribution({tridap::Axis(tridap::BlockKind(each / 8 * n, n, each / 8))}));
  };
  expect_says(thrown([&] { create(bytes(Index{1} << 46), real, MPI_COMM_WORLD); }), "no room");
  expect_says(thrown([&] { create(bytes(Index{1} << 56), real, MPI_COMM_WORLD); }), "no room");
  EXPECT_EQ(thrown([&] { create(rows(), real, MPI_COMM_WORLD); }), "nothing");
}

std::string host() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

// A variable of the environment, as it was before again at the end.
class Environment {
 public:
  Environment(std::string variable, const char* value) : variable_(std::move(variable)) {
    if (const char* const before = std::getenv(variable_.c_str())) before_ = before;
    set(value);
  }
  Environment(const Environment&) = delete;
  ~Environment() { set(before_ ? before_->c_str() : nullptr); }

 private:
  void set(const char* value) const {
    value == nullptr ? unsetenv(variable_.c_str()) : setenv(variable_.c_str(), value, 1);
  }
  std::string variable_;
  std::optional<std::string> before_;
};

TEST(Create, TheFolderBehindTheWindowsMustHaveRoomWhereverItIs) {
  const std::string none = "nothing";
  const auto near = static_cast<int>(on::ranks_of_node(MPI_COMM_WORLD).size());
  int most = near;  // a process that is alone on its node needs no file, and hears of the nodes that need one
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  const std::string of_node = near == 1 ? "" : host() + " has 0 bytes left";
  const std::string full = most == 1 ? none : "no room for 48 bytes: /proc on " + of_node;
  const auto expect = [&](const char* components, const std::string& words) {
    const Environment chosen("OMPI_MCA_osc", components);
    expect_says(thrown([] { create(rows(), real, MPI_COMM_WORLD); }), words);
  };
  for (const char* const one : {"rdma", "sm"}) {  // whose folder has room for nothing
    SCOPED_TRACE(one);
    const bool rdma = std::string(one) == "rdma";
    const Environment folder("OMPI_MCA_osc_" + std::string(one) + "_backing_directory", "/proc");
    for (const char* const components :
         {"rdma", "^ucx", "^sm", "rdma,sm", "ucx,rdma", "", static_cast<const char*>(nullptr)})
      expect(components, rdma ? full : none);
    for (const char* const components : {"sm", "ucx,sm", "^rdma"}) expect(components, rdma ? none : full);
    for (const char* const components : {"ucx", "^rdma,sm", "pt2pt,ucx"}) expect(components, none);  // have no files
  }
  expect(nullptr, none);
}

// On one process the memory is not touched; on several, Open MPI would fill it.
TEST(Create, MoreElementsThanAnIntCounts) {
  if (processes() > 1) GTEST_SKIP() << "needs 1 process";
  constexpr Index many = (Index{1} << 31) + 5;
  const tridap::ElementType byte = tridap::element_type<unsigned char>();
  const GlobalArray array =
      create(tridap::Distribution({tridap::Axis(tridap::BlockKind(many, 1, many))}), byte, MPI_COMM_WORLD);
  const tridap::globalarrays::ExportedArray exported = tridap::globalarrays::export_array(array);
  ASSERT_EQ(exported.array.buffer.shape, List{many});
  EXPECT_EQ(tridap::globalarrays::placed(array.handle()).distribution().shape(), List{many});
  auto* const bytes = static_cast<unsigned char*>(exported.array.buffer.data);
  for (const Index index : {Index{4}, Index{1} << 31, many - 1}) {
    bytes[index] = static_cast<unsigned char>(index % 251);
    unsigned char brought = 0;
    int64_t at[] = {index}, ld[] = {1};
    EXPECT_EQ(NGA_Locate64(array.handle(), at), 0);
    NGA_Get64(array.handle(), at, at, &brought, ld);
    EXPECT_EQ(brought, index % 251);
  }
}

// GA aborts: "too many arrays".
TEST(Create, MoreArraysThanGaHasHandlesAreRefused) {
  all_handles_taken = on::rank(MPI_COMM_WORLD) == processes() - 1;
  expect_says(thrown([&] { create(rows(), real, MPI_COMM_WORLD); }), "32768 arrays and cannot have more");
  all_handles_taken = false;
  EXPECT_EQ(thrown([&] { create(rows(), real, MPI_COMM_WORLD); }), "nothing");
}

// Processes register types apart where they have arrays of groups.
TEST(Create, ATypeThatOneProcessHasNoRoomForIsRefusedOnAll) {
  const tridap::ElementType odd{tridap::ElementType::Kind::opaque, 7, true};
  std::vector<int> taken;
  if (on::rank(MPI_COMM_WORLD) == 0)
    for (int type = NGA_Register_type(11); type >= 0; type = NGA_Register_type(11)) taken.push_back(type);
  expect_says(thrown([&] { create(rows(), odd, MPI_COMM_WORLD); }), "cannot register another type");
  for (const int type : taken) NGA_Deregister_type(type);
  EXPECT_EQ(thrown([&] { create(rows(), odd, MPI_COMM_WORLD); }), "nothing");
}

TEST(Create, GasOwnLimitOfMemoryIsAnErrorToo) {
  tridap::globalarrays::collect();  // what GA frees within the limit raises it
  GA_Set_memory_limit(40);
  const std::string text = thrown([] { create(rows(), real, MPI_COMM_WORLD); });
  GA_Set_memory_limit(static_cast<std::size_t>(-1));  // none
  expect_says(text, "leaves 40 bytes, and the array needs 48");
  EXPECT_EQ(thrown([] { create(rows(), real, MPI_COMM_WORLD); }), "nothing");
}

TEST(Create, FreesArraysThatAreNoLongerHeld) {
  create(rows(), real, MPI_COMM_WORLD);
  const GlobalArray other = create(rows(), real, MPI_COMM_WORLD);
  EXPECT_EQ(tridap::globalarrays::collect(), 0);
}

TEST(Create, TheNullCommunicatorIsRefused) {
  EXPECT_NE(thrown([] { create(rows(), real, MPI_COMM_NULL); }), "nothing");
}

TEST(Create, CommunicatorsThatAreNoGroupAreRefused) {
  if (processes() < 4) GTEST_SKIP() << "needs at least 4 processes";
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, on::rank(MPI_COMM_WORLD) % 2, 0, &half);
  const int there = on::processes(half);
  const PlacedDistribution placed = dealt({oracle::block(List(static_cast<std::size_t>(there), 2))});
  expect_says(thrown([&] { create(placed, real, half); }), "make_group(comm)");
  tridap::globalarrays::make_group(half);
  for (int turn = 0; turn < 2; ++turn)  // Open MPI's windows of two groups get in one another's way at the same time
    EXPECT_EQ(thrown([&] {
                if (on::rank(MPI_COMM_WORLD) % 2 == turn) create(placed, real, half);
                MPI_Barrier(MPI_COMM_WORLD);
              }),
              "nothing");
  const PlacedDistribution cyclic = dealt({oracle::cyclic(8, 1, there)});
  const oracle::Axis padded =
      oracle::block(List(static_cast<std::size_t>(there), 2), List(static_cast<std::size_t>(there - 1), 1));
  const std::string refusal = thrown([&] { create(cyclic, real, half); });
  expect_says(refusal, "leaves out one of GA's first processes");
  expect_says(refusal, "nearest distribution that GA holds: block over");  // and not a dealing, which it cannot either
  expect_says(thrown([&] { create(dealt({padded}), real, half); }), "leaves out one of GA's first processes");
  MPI_Comm_free(&half);
}

}  // namespace
