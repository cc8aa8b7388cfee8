// How long an exported array lives, of what type it is, and what is refused.

#include "export_support.hpp"

#include <algorithm>
#include <complex>
#include <numeric>
#include <optional>

namespace ga = tridap::globalarrays;
using namespace export_test;

namespace {

int array_of(int type, List shape, List widths = {}) { return Spec{shape, type, widths}.make(); }

// Of two elements on each process but the second, which has none of its own beside their ghost cells.
int ghosts_around_an_empty_block() {
  List starts;
  for (Index r = 0; r < processes(); ++r) starts.push_back(2 * r - (r > 1 ? 2 : 0));
  return Spec{{2 * (processes() - 1)}, C_LONG, {1}, {starts}}.make();
}

// On a grid over the first axis, or without one.
int cyclic_array(int type, List shape, List block, bool with_grid, int group = GA_Pgroup_get_world()) {
  List grid(with_grid ? shape.size() : 0, 1);
  if (with_grid) grid[0] = GA_Pgroup_nnodes(group);
  Spec spec{shape, type, {}, {}, block, grid};
  spec.group = group;
  return spec.make();
}

std::string refusal_of(int handle) {
  return on::error_text([&] { ga::export_array(handle); });
}

// Blocks that begin at these indices.
int irregular(const std::vector<List>& starts, List shape, std::vector<int> owners = {}, int type = C_LONG,
              bool by_range = false) {
  Spec spec{shape, type, {}, starts};
  spec.owners = owners;
  spec.by_range = by_range;
  return spec.make();
}

tridap::ElementType opaque(Index bytes) { return {tridap::ElementType::Kind::opaque, bytes, true}; }

void expect_opaque(int handle, Index bytes) {
  EXPECT_EQ(ga::export_array(handle).array.buffer.type, opaque(bytes));
  GA_Sync();
  GA_Destroy(handle);
}

// Among empty ones of the same ends any order is right: GA sees no difference.
void expect_own_places(const std::vector<List>& starts, const std::vector<int>& owners) {
  const int handle = irregular(starts, {5, 4}, owners);
  const tridap::redistribute::PlacedDistribution placed = ga::placed(handle);
  std::vector<int> places(owners.size(), 0);
  for (const int rank : owners) {
    List lo(2), hi(2);
    NGA_Distribution64(handle, rank, lo.data(), hi.data());
    const std::optional<Index> process = placed.process(rank);
    ASSERT_TRUE(process);
    ++places[static_cast<std::size_t>(*process)];
    const std::vector<tridap::Dimension> dims = placed.distribution().dim_data(*process);
    for (std::size_t axis = 0; axis < 2; ++axis) {
      EXPECT_EQ(std::get<tridap::Block>(dims[axis].dist).start, lo[axis]);
      EXPECT_EQ(std::get<tridap::Block>(dims[axis].dist).stop, hi[axis] + 1);
    }
  }
  EXPECT_EQ(places, std::vector<int>(owners.size(), 1));
  GA_Destroy(handle);
}

}  // namespace

TEST(ExportLifetime, AnExportOutlivesDestroy) {
  const int handle = array_of(C_LONG, {3 * processes()});
  ga::ExportedArray exported = ga::export_array(handle);
  EXPECT_EQ(ga::held(), 1);
  EXPECT_FALSE(ga::destroy(handle, ga::communicator(handle)));
  at(exported.array, {2}) = 17 + GA_Nodeid();
  GA_Sync();
  EXPECT_EQ(whole_of(handle)[static_cast<std::size_t>(3 * GA_Nodeid() + 2)], 17 + GA_Nodeid());
  EXPECT_TRUE(ga::is_there(exported.array));
  GA_Sync();
  tridap::Buffer part = exported.array.buffer;
  exported = {};
  EXPECT_EQ(ga::collect(), 0);  // a copy of the buffer holds it
  part = {};
  EXPECT_EQ(ga::held(), 0);
  EXPECT_EQ(ga::collect(), 1);
  EXPECT_EQ(GA_Verify_handle(handle), 0);
}

TEST(ExportLifetime, OneProcessThatHoldsItKeepsItForAll) {
  const int handle = array_of(C_LONG, {3 * processes()});
  ga::ExportedArray exported = ga::export_array(handle);
  if (GA_Nodeid() != GA_Nnodes() - 1) exported = {};
  EXPECT_FALSE(ga::destroy(handle, ga::communicator(handle)));
  EXPECT_EQ(GA_Verify_handle(handle), 1);
  exported = {};
  EXPECT_EQ(ga::collect(), 1);
}

TEST(ExportLifetime, ProcessesWithoutMemoryHoldItToo) {
  const int handle = array_of(C_LONG, {1});
  const ga::ExportedArray exported = ga::export_array(handle);
  EXPECT_EQ(exported.array.ndim(), GA_Nodeid() == 0 ? 1 : 0);
  EXPECT_EQ(exported.array.buffer.data != nullptr, GA_Nodeid() == 0);
  EXPECT_TRUE(ga::is_there(exported.array));
  EXPECT_EQ(ga::held(), 1);
  GA_Destroy(handle);
  EXPECT_FALSE(ga::is_there(exported.array));
}

TEST(ExportLifetime, AnArrayWithoutAGlobalArrayIsNotThere) {
  EXPECT_FALSE(ga::is_there(tridap::DistArray{}));
  tridap::DistArray array;
  array.buffer = tridap::allocate(tridap::element_type<long>(), {2});
  EXPECT_FALSE(ga::is_there(array));
}

TEST(ExportTypes, BuiltInTypesAreKnown) {
  const std::vector<std::pair<int, tridap::ElementType>> types = {
      {C_INT, tridap::element_type<int>()},
      {C_LONG, tridap::element_type<long>()},
      {C_LONGLONG, tridap::element_type<long long>()},
      {C_FLOAT, tridap::element_type<float>()},
      {C_DBL, tridap::element_type<double>()},
      {C_SCPL, tridap::element_type<std::complex<float>>()},
      {C_DCPL, tridap::element_type<std::complex<double>>()}};
  for (const auto& [number, type] : types) {
    const int handle = array_of(number, {4 * processes(), 3});
    EXPECT_EQ(ga::export_array(handle).array.buffer.type, type);
    GA_Destroy(handle);
  }
}

TEST(ExportTypes, ATypeRegisteredElsewhereIsAsLongAsItsAddressesSay) {
  const int type = NGA_Register_type(24);
  const Index n = processes();
  expect_opaque(array_of(type, {2 * n}), 24);
  expect_opaque(array_of(type, {n, 3, 1}), 24);
  expect_opaque(array_of(type, {n, 1}, {0, 1}), 24);
  expect_opaque(array_of(type, {2 * n, 2 * n}, {1, 2}), 24);
  expect_opaque(cyclic_array(type, {4 * n, 3}, {2, 3}, true), 24);
  expect_opaque(cyclic_array(type, {4 * n - 1}, {2}, false), 24);
  expect_opaque(cyclic_array(type, {4 * n, 2}, {2, 2}, false), 24);
}

// A tile for each process along the first axis, and all of the last one's on each.
TEST(ExportTypes, EmptyTilesTellNoLength) {
  const int type = NGA_Register_type(24);
  const auto tiled = [&](const List& starts, Index size) {
    List rows(static_cast<std::size_t>(processes()));
    std::iota(rows.begin(), rows.end(), 0);
    return Spec{{processes(), size}, type, {}, {rows, starts}, {}, {processes(), 1}}.make();
  };
  expect_opaque(tiled({0, 4}, 7), 24);
  expect_opaque(tiled({0, 0, 4}, 7), 24);
  const int none = tiled({0, 0}, 5);
  on::expect_says(refusal_of(none), "name_type()");
  GA_Destroy(none);
}

TEST(ExportTypes, WhatATypeIsSaidToBeMustBeAsLong) {
  const int type = NGA_Register_type(16), handle = array_of(type, {2 * processes()});
  ga::name_type(type, opaque(8));
  on::expect_says(refusal_of(handle), "is 16 bytes long, but name_type() or an array made here set it to");
  EXPECT_EQ(ga::held(), 0);
  GA_Destroy(handle);
}

TEST(ExportTypes, AnUnknownElementLengthIsRefusedUntilNameType) {
  const int type = NGA_Register_type(40);
  const Index n = processes();
  const int small = array_of(type, {n}), one_block = cyclic_array(type, {2 * n, 2}, {2, 2}, true);
  List starts;
  for (Index r = 0; r < n; ++r) starts.push_back(3 * r);
  const int last_small = irregular({starts}, {3 * n - 2}, {}, type);
  const int last_one_block = cyclic_array(type, {4 * n - 2}, {2}, false);
  const int one_of_a_row = cyclic_array(type, {2 * n, 2}, {2, 2}, false);
  const int nothing_elsewhere = array_of(type, {1});
  const std::vector<int> handles{small, one_block, last_small, last_one_block, one_of_a_row, nothing_elsewhere};
  for (const int handle : handles) on::expect_says(refusal_of(handle), "name_type()");
  EXPECT_THROW(ga::name_type(type, opaque(0)), tridap::Error);
  ga::name_type(type, opaque(40));
  for (const int handle : handles) EXPECT_EQ(ga::export_array(handle).array.buffer.type, opaque(40));
  EXPECT_THROW(ga::name_type(type, opaque(24)), tridap::Error);
  EXPECT_THROW(ga::name_type(C_DBL, opaque(8)), tridap::Error);
  ga::name_type(C_DBL, tridap::element_type<double>());
  for (const int handle : handles) GA_Destroy(handle);
}

TEST(ExportRefusals, WhereThereIsNoArray) {
  const int unallocated = GA_Create_handle();
  List shape = {7};
  GA_Set_data64(unallocated, 1, shape.data(), C_DBL);
  const int destroyed = array_of(C_DBL, {9});
  GA_Destroy(destroyed);
  for (const int handle : {unallocated, destroyed, -777, 0, 5, 1 << 30, -(1 << 30)}) {
    on::expect_says(refusal_of(handle), "there is no Global Array " + std::to_string(handle));
    EXPECT_THROW(ga::placed(handle), tridap::Error);
    EXPECT_THROW(ga::communicator(handle), tridap::Error);
    EXPECT_THROW(ga::grid_communicator(handle), tridap::Error);
  }
  EXPECT_NE(GA_Allocate(unallocated), 0);
  GA_Destroy(unallocated);
}

// On one process alone there is nothing to mirror, and GA makes a plain array.
TEST(ExportRefusals, MirroredArrays) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  Spec spec{{2 * processes(), 3}};
  spec.group = GA_Pgroup_get_mirror();
  const int handle = spec.make();
  ASSERT_EQ(GA_Is_mirrored(handle), 1);
  on::expect_says(refusal_of(handle), "is mirrored");
  EXPECT_THROW(ga::placed(handle), tridap::Error);
  EXPECT_THROW(ga::communicator(handle), tridap::Error);
  EXPECT_EQ(ga::held(), 0);
  GA_Sync();
  GA_Destroy(handle);
}

// GA_Update_ghosts hangs there.
TEST(ExportRefusals, GhostCellsBesideAnEmptyBlock) {
  if (processes() < 3) GTEST_SKIP() << "needs at least 3 processes";
  const int handle = ghosts_around_an_empty_block();
  EXPECT_EQ(refusal_of(handle).find("an empty block") != std::string::npos, GA_Nodeid() == 1) << refusal_of(handle);
  EXPECT_EQ(ga::held(), 0);
  GA_Sync();
  GA_Destroy(handle);
}

// Restricted to fewer processes than blocks.
TEST(ExportRefusals, BlocksWithoutAProcess) {
  if (processes() < 4) GTEST_SKIP() << "needs at least 4 processes";
  for (const std::vector<List>& starts : {std::vector<List>{{0, 1, 2, 3}}, {{0, 2}, {0, 2}}})
    for (const int places : {2, 3}) {
      const int handle = irregular(starts, List(starts.size(), 4), {0, places - 1}, C_LONG, true);
      EXPECT_THROW(ga::placed(handle), tridap::Error);
      GA_Destroy(handle);
    }
}

TEST(ExportBlocks, EmptyBlocksAlongSeveralAxesHaveTheBoundsOfGA) {
  if (processes() < 4) GTEST_SKIP() << "needs at least 4 processes";
  using Starts = std::vector<List>;
  const std::vector<Starts> for_four = {Starts{{0, 0}, {0, 0}}};
  const std::vector<Starts> for_six = {Starts{{0, 0, 3}, {0, 0}}, Starts{{0, 0, 0}, {0, 0}}};
  const bool six = processes() >= 6;
  Random random(20264);
  for (const Starts& starts : six ? for_six : for_four) {
    std::vector<int> owners(six ? 6 : 4);
    std::iota(owners.begin(), owners.end(), 0);
    for (int turn = 0; turn < 24; ++turn) {
      expect_own_places(starts, owners);
      random.shuffle(owners);
    }
  }
}

TEST(ExportRefusals, CyclicOnAGroupThatGlobalArraysCannotFind) {
  if (processes() < 3) GTEST_SKIP() << "needs at least 3 processes";
  const Group last = all_groups()[first_groups().size() + 1];  // of the last two
  ASSERT_EQ(last.size(), 2);
  if (last.has_us()) {
    for (const bool with_grid : {true, false}) {
      const int handle = cyclic_array(C_LONG, {16, 2}, {2, 2}, with_grid, last.number);
      on::expect_says(refusal_of(handle), "group");
      EXPECT_THROW(ga::placed(handle), tridap::Error);
      GA_Destroy(handle);
    }
  }
  const Group& first = first_groups().back();  // the first process
  if (first.has_us()) {
    const int handle = cyclic_array(C_LONG, {16}, {2}, false, first.number);
    on::expect_says(refusal_of(handle), "group");
    GA_Destroy(handle);
  }
  GA_Sync();
}

// GA_Put and GA_Get crash there; the memory is right.
TEST(ExportRefusals, FewerCyclicBlocksThanProcessesAreExported) {
  for (const bool with_grid : {true, false}) {
    const int handle = cyclic_array(C_LONG, {3}, {2}, with_grid);
    const ga::ExportedArray exported = ga::export_array(handle);
    const Index own = processes() == 1 ? 3 : GA_Nodeid() == 0 ? 2 : GA_Nodeid() == 1 ? 1 : 0;
    EXPECT_EQ(exported.array.buffer.shape, Indices{own});
    EXPECT_EQ(exported.array.buffer.data == nullptr, own == 0);
    for (Index k = 0; k < own; ++k) at(exported.array, {k}) = k;
    expect_gathers(handle, exported.array, {});
    GA_Destroy(handle);
  }
}

TEST(ExportRefusals, FewerUnevenTilesThanProcessesAreExported) {
  const int handle = Spec{{5}, C_LONG, {}, {processes() == 1 ? List{0} : List{0, 2}}, {}, {processes()}}.make();
  const ga::ExportedArray exported = ga::export_array(handle);
  const Index own = processes() == 1 ? 5 : GA_Nodeid() == 0 ? 2 : GA_Nodeid() == 1 ? 3 : 0;
  EXPECT_EQ(exported.array.buffer.shape, Indices{own});
  expect_gathers(handle, exported.array, {});
  GA_Destroy(handle);
}
