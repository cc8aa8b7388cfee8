#include "mpi/support.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/thrown.hpp"
#include <tridap/compare.hpp>
#include <tridap/internal/exchange.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/redistribute/gather.hpp>
#include <tridap/redistribute/padding.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <algorithm>
#include <string>

// Above 256 processes arrays are checked in another way than on few, and the lengths of messages may be told in another
// way. What is tested here on hundreds of them, other tests have on few: the answers must be the same.
namespace {

using namespace tridap;
using redistribute::Redistribution;

MPI_Comm const world = MPI_COMM_WORLD;

constexpr Index of_each = 5;

Index processes() { return on::processes(world); }

/// The ids of a process: those of the others lie between them. 7 divides no number of processes here.
std::vector<Index> ids_of(Index process) {
  std::vector<Index> ids;
  for (Index k = 0; k < of_each; ++k) ids.push_back(k * processes() + (process * 7 + k) % processes());
  std::reverse(ids.begin(), ids.end());
  return ids;
}

std::vector<std::vector<Index>> all_ids() {
  std::vector<std::vector<Index>> lists;
  for (Index process = 0; process < processes(); ++process) lists.push_back(ids_of(process));
  return lists;
}

/// This process's part: each element is its id.
DistArray numbered(const Distribution& all, const std::vector<Index>& ids) {
  DistArray part = on::part_of(all, on::rank(world));
  std::copy(ids.begin(), ids.end(), static_cast<double*>(part.buffer.data));
  return part;
}

std::vector<Index> own_numbers(const Distribution& all) {
  std::vector<Index> numbers;
  for (Index local = 0; local < all.axis(0).count(on::rank(world)); ++local)
    numbers.push_back(all.axis(0).global_index(on::rank(world), local));
  return numbers;
}

void expect_numbers(const DistArray& array, const std::vector<Index>& numbers) {
  const auto* elements = static_cast<const double*>(array.buffer.data);
  for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(elements[i], static_cast<double>(numbers[i])) << i;
}

struct HundredsOfProcesses : testing::TestWithParam<Index> {  // up to so many, an MPI_Alltoall is used
  void SetUp() override { mpi::most_told_by_alltoall() = GetParam(); }
  void TearDown() override { mpi::most_told_by_alltoall() = 1000; }
};

TEST_P(HundredsOfProcesses, KnowTheDistributionThatWasMade) {
  const Index p = processes(), n = of_each * p;
  const std::vector<Distribution> all{
      Distribution::make({n, 3}, {block(), whole()}, {p, 1}),
      Distribution::make({3, n}, {whole(), cyclic(2)}, {1, p}),
      Distribution::make({n}, {BlockSpec{{}, {}, 1}}, {p}),
      Distribution::make({n}, {unstructured(all_ids())}, {p}),
  };
  for (const Distribution& made : all) {
    const DistArray part = on::part_of(made, on::rank(world));
    EXPECT_TRUE(compare(mpi::gather_distribution(part, world), made).same_places) << made.axis(0).dist_type();
  }
}

TEST_P(HundredsOfProcesses, KnowTheirOwnListsAndAskForOthers) {
  const Index p = processes();
  const Distribution lists = Distribution::make({of_each * p}, {unstructured(all_ids())}, {p});
  const Distribution blocks = Distribution::make({of_each * p}, {block()}, {p});
  Reading reading;
  reading.most_listed = 0;
  const Distribution spread = mpi::gather_distribution(on::part_of(lists, on::rank(world)), world, reading);
  EXPECT_TRUE(compare(spread, lists).same_places);
  for (const Index id : ids_of(on::rank(world))) EXPECT_EQ(spread.axis(0).owner(id), on::rank(world));

  const DistArray source = numbered(lists, ids_of(on::rank(world)));
  const DistArray moved = Redistribution(spread, blocks, sizeof(double), world)(source);
  expect_numbers(moved, own_numbers(blocks));
  expect_numbers(Redistribution(blocks, spread, sizeof(double), world)(moved), ids_of(on::rank(world)));
  expect_numbers(Redistribution(spread, spread, sizeof(double), world)(source), ids_of(on::rank(world)));

  const DistArray whole = redistribute::gather(source, spread, world, static_cast<int>(p - 1));
  const Index gathered = on::rank(world) == p - 1 ? of_each * p : 0;
  if (gathered > 0) {
    ASSERT_EQ(element_count(whole.buffer), gathered);
  }
  for (Index id = 0; id < gathered; ++id)
    ASSERT_EQ(static_cast<const double*>(whole.buffer.data)[id], static_cast<double>(id));
}

TEST_P(HundredsOfProcesses, FillTheirPadding) {
  const Index p = processes(), n = of_each * p, rank = on::rank(world);
  const Distribution padded = Distribution::make({n}, {BlockSpec{{}, {}, 1}}, {p});
  const DistArray part = on::part_of(padded, rank);
  auto* elements = static_cast<double*>(part.buffer.data);
  const Index left = rank > 0 ? 1 : 0;
  for (Index i = 0; i < of_each; ++i) elements[left + i] = static_cast<double>(rank * of_each + i);
  redistribute::update_padding(part, world);
  for (Index i = 0; i < part.buffer.shape[0]; ++i)
    EXPECT_EQ(elements[i], static_cast<double>(rank * of_each + i - left));
}

TEST_P(HundredsOfProcesses, ThrowOneErrorIfOneOfThemIsWrong) {
  const Index p = processes();
  const Distribution made = Distribution::make({of_each * p}, {unstructured(all_ids())}, {p});
  for (const Index most : {Index{0}, of_each * p}) {
    DistArray part = on::part_of(made, on::rank(world));
    if (on::rank(world) == p - 2) part.dim_data[0].proc_grid_rank = p - 1;
    Reading reading;
    reading.most_listed = most;
    const std::string said = on::thrown([&] { mpi::gather_distribution(part, world, reading); });
    EXPECT_NE(said.find("(rank " + std::to_string(p - 2) + "): the row-major number"), std::string::npos) << said;
  }
}

INSTANTIATE_TEST_SUITE_P(, HundredsOfProcesses, testing::Values(10, 1000),
                         [](const auto& value) { return value.param == 10 ? "ByConsensus" : "ByAlltoall"; });

}  // namespace
