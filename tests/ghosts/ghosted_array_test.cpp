#include "ghosts/ghost_case.hpp"
#include <tridap/ghosts/ghost_update.hpp>
#include <tridap/make.hpp>

namespace {

using on::error_text;
using on::expect_says;
using tridap::block;
using tridap::Distribution;
using tridap::GhostedArray;
using tridap::Index;
using tridap::whole;

Index rank() { return on::rank(MPI_COMM_WORLD); }
Index processes() { return on::processes(MPI_COMM_WORLD); }

}  // namespace

TEST(GhostedArray, TheOwnedPartIsTheBeginningOfTheSameMemory) {
  std::vector<double> memory(10 * 3);
  const Distribution nodes = Distribution::make({4, 6, 3}, {block(), block(), whole()}, {2, 2, 1});
  const GhostedArray array(tridap::row_major(memory.data(), {10, 3}), nodes.dim_data(1), {0, 1, 2, 8});
  EXPECT_EQ(array.numbered(), 2);
  EXPECT_EQ(array.owned_count(), 6);
  EXPECT_EQ(array.owned().buffer.data, memory.data());
  EXPECT_EQ(array.owned().buffer.shape, (tridap::IndexList{2, 3, 3}));
  EXPECT_EQ(array.owned().buffer.strides, (tridap::IndexList{72, 24, 8}));
  EXPECT_EQ(array.local().shape, (tridap::IndexList{10, 3}));
}

TEST(GhostedArray, ElementsMayBeInColumnMajorOrder) {
  std::vector<double> memory(10 * 3);
  const Distribution nodes = Distribution::make({4, 6, 3}, {block(), block(), whole()}, {2, 2, 1});
  const GhostedArray array(tridap::row_major(memory.data(), {10, 3}), nodes.dim_data(1), {0, 1, 2, 8}, "0.10.0",
                           tridap::Order::column_major);
  EXPECT_EQ(array.order(), tridap::Order::column_major);
  EXPECT_EQ(array.owned().buffer.shape, (tridap::IndexList{2, 3, 3}));
  EXPECT_EQ(array.owned().buffer.strides, (tridap::IndexList{24, 48, 8}));
}

TEST(GhostedArray, ComponentsMayComeFirstInMemory) {
  std::vector<double> memory(5 * 2);
  tridap::Buffer local = tridap::row_major(memory.data(), {5, 2});
  local.strides = tridap::column_major_strides(local.shape, 8);
  const Distribution rows = Distribution::make({6, 2}, {block(), whole()}, {2, 1});
  const GhostedArray array(local, rows.dim_data(0), {4, 5});
  EXPECT_EQ(array.numbered(), 1);
  EXPECT_EQ(array.owned().buffer.shape, (tridap::IndexList{3, 2}));
  EXPECT_EQ(array.owned().buffer.strides, (tridap::IndexList{8, 40}));
}

TEST(GhostedArray, ABufferThatDoesNotFitIsRefused) {
  std::vector<double> memory(40);
  const Distribution rows = Distribution::make({6, 2}, {block(), whole()}, {2, 1});
  const auto over = [&](const tridap::IndexList& shape, std::vector<Index> ghosts) {
    return error_text([&] { GhostedArray(tridap::row_major(memory.data(), shape), rows.dim_data(0), ghosts); });
  };
  EXPECT_EQ(over({5, 2}, {4, 5}), "");
  expect_says(over({6, 2}, {4, 5}),
              "holds 6 elements along its axis 0, must hold 5: the 3 owned ones of dim_data "
              "and 2 ghosts");
  expect_says(over({5, 3}, {4, 5}), "axis 1: the local buffer has 3 components on its axis 1, must have 2");
  expect_says(over({5, 2, 1}, {4, 5}), "the local buffer has 3 axes, and dim_data describes 2");
  expect_says(over({}, {}), "the local buffer has no axis");
  EXPECT_EQ(over({8}, {4, 5}), "");  // 3 x 2 numbered elements
  tridap::DimData wrong = rows.dim_data(0);
  std::get<tridap::Block>(wrong[0].dist).stop = 9;
  expect_says(error_text([&] { GhostedArray(tridap::row_major(memory.data(), {9, 2}), wrong, {}); }), "[block.bounds]");
}

TEST(GhostedArray, BlocksAreMadeFromTheNumberOfElementsOfEachProcess) {
  const Index owned = rank() % 3;
  std::vector<double> memory(static_cast<std::size_t>((owned + 1) * 2));
  const GhostedArray array =
      tridap::make_ghosted(tridap::row_major(memory.data(), {owned + 1, 2}), {7}, MPI_COMM_WORLD);
  Index start = 0, all = 0;
  for (Index r = 0; r < processes(); ++r) {
    start += r < rank() ? r % 3 : 0;
    all += r % 3;
  }
  const auto& block_of = std::get<tridap::Block>(array.owned().dim_data[0].dist);
  EXPECT_EQ(block_of.start, start);
  EXPECT_EQ(block_of.stop, start + owned);
  EXPECT_EQ(array.owned().dim_data[0].size, all);
  EXPECT_EQ(array.owned().dim_data[1].size, 2);
  EXPECT_EQ(array.owned().buffer.data, memory.data());
}

TEST(GhostedArray, OneBadProcessFailsEveryProcess) {
  std::vector<double> memory(8);
  for (Index bad = 0; bad < processes(); ++bad) {
    const Index extent = rank() == bad ? 2 : 5;
    const std::string text = error_text([&] {
      tridap::make_ghosted(tridap::row_major(memory.data(), {extent}), {1, 2, 3}, MPI_COMM_WORLD);
    });
    expect_says(text, "holds 2 elements along its axis 0, and there are 3 ghosts");
    EXPECT_TRUE(on::same_everywhere(text, MPI_COMM_WORLD));
  }
}

TEST(GhostedArray, ACopyHasRoomForGhostsAndAnyOrderOfTheArray) {
  std::mt19937 random(3);
  for (int i = 0; i < 60; ++i) {
    const auto grids = on::grids(processes(), 2);
    const oracle::List grid = grids[random() % grids.size()];
    ghost::Case of{oracle::Array({ghost::any_axis(grid[0], random), ghost::any_axis(grid[1], random)}),
                   1 + random() % 2};
    of.choose_ghosts(random, 6);
    tridap::DistArray part = on::stamped(of.array, rank());
    if (i % 2 == 1) part.buffer.strides = tridap::column_major_strides(part.buffer.shape, 8);
    double value = 0;
    for (std::byte* at : oracle::addresses(part.buffer)) {
      value += 1;
      std::memcpy(at, &value, sizeof(value));
    }
    const GhostedArray array =
        tridap::copy_with_ghosts(part, of.ghosts_of(rank()), MPI_COMM_WORLD, static_cast<Index>(of.numbered));
    value = 0;
    for (std::byte* at : oracle::addresses(array.owned().buffer)) {
      value += 1;
      EXPECT_EQ(std::memcmp(at, &value, sizeof(value)), 0);
    }
    EXPECT_NE(array.local().data, part.buffer.data);
    tridap::update_ghosts(array, MPI_COMM_WORLD);
  }
}
