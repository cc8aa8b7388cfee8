#include "mpi/gathered_whole.hpp"
#include "support.hpp"
#include <tridap/gather_distribution.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/gather_distribution.hpp>

#include <limits>
#include <random>

namespace {

using oracle::List;
using tridap::Block;
using tridap::Cyclic;
using tridap::Dimension;
using tridap::DistArray;
using tridap::Distribution;
using tridap::Index;
using tridap::Report;
using tridap::Rule;
using tridap::Unstructured;
using tridap::Version;
using Random = std::mt19937;

Index pick(Random& random, Index below) { return static_cast<Index>(random() % static_cast<std::uint32_t>(below)); }

/// What every process of a distribution stamps; buffers are described only.
std::vector<DistArray> stamped(const Distribution& distribution, Version version) {
  std::vector<DistArray> all;
  for (Index p = 0; p < distribution.processes(); ++p) {
    DistArray array;
    array.version = tridap::stamp(version);
    array.dim_data = distribution.dim_data(p, version);
    array.buffer.type = tridap::element_type<double>();
    array.buffer.shape = distribution.local_shape(p);
    array.buffer.strides = tridap::row_major_strides(array.buffer.shape, 8);
    array.buffer.memory.kind = tridap::Memory::Kind::nowhere;
    all.push_back(array);
  }
  return all;
}

/// Lists for each coordinate, some of whose indices stand twice.
tridap::UnstructuredSpec lists(Random& random, Index grid) {
  std::vector<List> all(static_cast<std::size_t>(grid));
  for (Index c = 0; c < grid; ++c)
    for (Index i = 0; i < 3; ++i)
      all[static_cast<std::size_t>(c)].push_back(7 * c + 2 * i - (pick(random, 4) == 0 ? 7 : 0));
  return tridap::unstructured(all);
}

Distribution some_distribution(Random& random, Index processes) {
  const std::vector<List> grids = on::grids(processes, 2);
  const List grid = grids[static_cast<std::size_t>(pick(random, static_cast<Index>(grids.size())))];
  List shape;
  std::vector<tridap::AxisSpec> specs;
  for (const Index places : grid) {
    const Index kind = pick(random, 4);
    shape.push_back(kind == 3 ? 3 * places : 3 * places + (kind == 1 ? pick(random, 5) : 0));
    if (kind == 0) specs.emplace_back(tridap::padded_block(1, pick(random, 2) == 0));
    if (kind == 1) specs.emplace_back(tridap::cyclic(1 + pick(random, 3), pick(random, places)));
    if (kind == 2) specs.emplace_back(tridap::block());
    if (kind == 3) specs.emplace_back(lists(random, places));
  }
  return Distribution::make(shape, specs, grid);
}

void change(Index& number, Random& random) {
  const Index strange[] = {-1, 0, 1, 2, number + 1, number - 1, Index{1} << 62, std::numeric_limits<Index>::max()};
  number = strange[pick(random, 8)];
}

/// Makes one process say something else; it may be legal.
void spoil(DistArray& array, Random& random) {
  const Index what = pick(random, 14);
  Dimension& d = array.dim_data[static_cast<std::size_t>(pick(random, array.ndim()))];
  if (what == 0) array.version = pick(random, 2) == 0 ? "0.9.0" : "nonsense";
  if (what == 1) array.buffer.type = tridap::element_type<float>();
  if (what == 2) change(array.buffer.shape[0], random);
  if (what == 3) array.dim_data.pop_back();
  if (what == 4) change(d.size, random);
  if (what == 5) change(d.proc_grid_size, random);
  if (what == 6) change(d.proc_grid_rank, random);
  if (what == 7) d.periodic = !d.periodic;
  if (what == 8) d.dist = Cyclic{0, 2};
  if (what == 9) d.extras.push_back({"colour", "3"});
  if (what < 10) return;
  if (auto* block = std::get_if<Block>(&d.dist)) {
    if (what == 10) change(block->start, random);
    if (what == 11) change(block->stop, random);
    if (what == 12) block->padding.reset();
    if (what == 13) block->padding = std::array<Index, 2>{pick(random, 3), pick(random, 3)};
  } else if (auto* cyclic = std::get_if<Cyclic>(&d.dist)) {
    change(what % 2 == 0 ? cyclic->start : cyclic->block_size, random);
  } else {
    auto& unstructured = std::get<Unstructured>(d.dist);
    List list = *tridap::read_indices(unstructured.indices);
    if (what == 10) unstructured.one_to_one = !unstructured.one_to_one;
    if (what == 11 && !list.empty()) list[0] = pick(random, 9);
    if (what == 12) std::reverse(list.begin(), list.end());
    unstructured.indices = list;
  }
}

std::string all_of(const Distribution& distribution) {
  std::string all;
  for (Index p = 0; p < distribution.processes(); ++p)
    oracle::for_each_index(distribution.local_shape(p), [&](const List& local) {
      for (const Index global : distribution.global_index(p, local)) all += std::to_string(global) + " ";
    });
  return all;
}

/// The same findings and the same distribution, or refusal, over MPI as in one place, on every process.
void expect_the_same(const std::vector<DistArray>& all, const tridap::Reading& reading = {}) {
  const DistArray& own = all[static_cast<std::size_t>(on::rank(MPI_COMM_WORLD))];
  const Report together = tridap::check(all, reading), apart = tridap::mpi::check(own, MPI_COMM_WORLD, reading);
  EXPECT_EQ(on::all_of(apart), on::all_of(together));
  EXPECT_TRUE(on::same_everywhere(on::all_of(apart), MPI_COMM_WORLD));
  std::optional<Distribution> made;
  const auto error = on::error_of([&] { made = on::gathered_whole(own, MPI_COMM_WORLD, reading); });
  EXPECT_EQ(made.has_value(), together.ok()) << together.text();
  EXPECT_EQ(error ? on::all_of(error->report()) : "", together.ok() ? "" : on::all_of(together));
  EXPECT_EQ(made ? all_of(*made) : "", together.ok() ? all_of(tridap::gather_distribution(all, reading)) : "");
}

TEST(Whole, ArrayIsJudgedOverMpiAsItIsInOnePlace) {
  const Index processes = on::processes(MPI_COMM_WORLD);
  Random random(5);
  int right = 0, wrong = 0;
  for (int round = 0; round < 150; ++round) {
    SCOPED_TRACE(round);
    const Distribution distribution = some_distribution(random, processes);
    std::vector<DistArray> all = stamped(distribution, Version::v0_10);
    for (Index faults = pick(random, 3); faults > 0; --faults) {
      DistArray& one = all[static_cast<std::size_t>(pick(random, processes))];
      if (one.ndim() > 0) spoil(one, random);
    }
    (tridap::check(all).ok() ? right : wrong) += 1;
    expect_the_same(all);
  }
  EXPECT_GT(right, 20);
  EXPECT_GT(wrong, 20);
}

TEST(Whole, PaddedArraysOf0_9AreGatheredAsThoseOf0_10) {
  const Index processes = on::processes(MPI_COMM_WORLD);
  for (const List& grid : on::grids(processes, 2))
    for (const bool periodic : {false, true}) {
      const Distribution truth =
          Distribution::make({4 * grid[0], 2 * grid[1]}, {tridap::padded_block(1, periodic), tridap::block()}, grid);
      const std::vector<DistArray> old = stamped(truth, Version::v0_9), now = stamped(truth, Version::v0_10);
      EXPECT_EQ(tridap::check(old).text(), "");
      expect_the_same(old);
      EXPECT_EQ(all_of(tridap::gather_distribution(old)), all_of(truth));
      if (processes == 1) continue;
      std::vector<DistArray> mixed = now;
      mixed.back() = old.back();
      expect_the_same(mixed);
      EXPECT_EQ(tridap::check(mixed).count(Rule::agree_version), 1);
    }
}

TEST(Whole, PaddingWithoutNeighboursFitsBothVersions) {
  const Distribution truth = Distribution::make({4, 3}, {tridap::padded_block(1), tridap::whole()}, {1, 1});
  std::vector<DistArray> array = stamped(truth, Version::v0_10);
  array.front().version = "0.9.0";
  EXPECT_EQ(tridap::check(array).text(), "");
}

TEST(Whole, StampThatLiesEverywhereIsRefusedOrWhereAskedNotTrusted) {
  const Index processes = on::processes(MPI_COMM_WORLD);
  if (processes == 1) GTEST_SKIP() << "needs at least 2 processes";
  const tridap::Reading trust{true};
  const Distribution truth =
      Distribution::make({4 * processes, 3}, {tridap::padded_block(1), tridap::whole()}, {processes, 1});
  std::vector<DistArray> lying = stamped(truth, Version::v0_10);
  for (DistArray& array : lying) array.version = "0.9.0";  // as older Trilinos stamped what it exported
  expect_the_same(lying);
  expect_the_same(lying, trust);
  const Report refused = tridap::check(lying), trusted = tridap::check(lying, trust);
  EXPECT_EQ(refused.count(Rule::shape_extent), processes) << refused.text();
  on::expect_says(refused.text(), "it would fit as version 0.10");
  EXPECT_EQ(trusted.counts(), (oracle::Counts{{Rule::version_extent, processes}})) << trusted.text();
  EXPECT_EQ(all_of(tridap::gather_distribution(lying, trust)), all_of(truth));

  lying.back().buffer.shape[0] += 1;  // now no version fits on every process
  lying.back().buffer.strides = tridap::row_major_strides(lying.back().buffer.shape, 8);
  expect_the_same(lying, trust);
  EXPECT_FALSE(tridap::check(lying, trust).ok());
}

TEST(Whole, FaultsOnDifferentAxesOfDifferentProcessesAreAllFound) {
  const Index processes = on::processes(MPI_COMM_WORLD);
  const Distribution truth =
      Distribution::make({6, 2 * processes, 4}, {tridap::whole(), tridap::block(), tridap::whole()}, {1, processes, 1});
  std::vector<DistArray> all = stamped(truth, Version::v0_10);
  all.front().dim_data[0].size = -1;
  all.back().dim_data[2].dist = Block{3, 1, {}};
  std::get<Block>(all.back().dim_data[1].dist).stop -= 1;
  all.back().buffer.shape[1] -= 1;
  all.back().buffer.strides = tridap::row_major_strides(all.back().buffer.shape, 8);
  const Report report = tridap::check(all);
  for (const Rule rule : {Rule::size, Rule::block_bounds, Rule::block_tiling})
    EXPECT_GT(report.count(rule), 0) << report.text();
  expect_the_same(all);
}

}  // namespace
