#include "mpi/gathered_whole.hpp"
#include "mpi/support.hpp"
#include "support/expect_dimension.hpp"
#include <tridap/mpi/gather_distribution.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <map>

namespace {

using oracle::List;
using tridap::DistArray;
using tridap::Distribution;
using tridap::Index;
using tridap::Indices;
using tridap::Part;
using tridap::Report;
using tridap::Rule;
using tridap::mpi::check;
using tridap::mpi::gather_distribution;

int our_rank() { return on::rank(MPI_COMM_WORLD); }
int all_processes() { return on::processes(MPI_COMM_WORLD); }

List counted(Index grid, const std::function<Index(Index)>& of) {
  List all;
  for (Index c = 0; c < grid; ++c) all.push_back(of(c));
  return all;
}

/// Axes of every kind over `grid` coordinates.
std::vector<oracle::Axis> axes_over(Index grid) {
  std::vector<List> disjoint, shared, long_and_none;
  for (Index c = 0; c < grid; ++c) {
    disjoint.push_back({7 * c + 3, -5 * c - 1, 7 * c + 1});
    shared.push_back({100 - c, c / 2, 50});
    long_and_none.push_back(c % 2 == 0 ? List{1000 * c, 1000 * c + 1, 1000 * c - 7, 9 - 1000 * c} : List{});
  }
  return {
      oracle::block(counted(grid, [](Index) { return 2; })),
      oracle::block(counted(grid, [](Index c) { return (c * 2 + 1) % 4; })),
      oracle::block(counted(grid, [&](Index c) { return c == grid / 2 ? 3 : 0; })),
      oracle::block(List(static_cast<std::size_t>(grid), 0)),
      oracle::block(counted(grid, [](Index c) { return 3 + c % 2; }), counted(grid - 1, [](Index c) { return c % 3; }),
                    {1, 2}),
      oracle::block(counted(grid, [](Index) { return 3; }), List(static_cast<std::size_t>(grid - 1), 1), {1, 1}, true),
      oracle::block(List(static_cast<std::size_t>(grid), 2), {}, {0, 0}, true),
      oracle::cyclic(2 * grid + 1, 1, grid),
      oracle::cyclic(2 * grid + 3, 2, grid, grid - 1),
      oracle::cyclic(2, 3, grid, grid / 2),
      oracle::cyclic(0, 1, grid),
      oracle::unstructured(disjoint, true),
      oracle::unstructured(shared),
      oracle::unstructured(long_and_none),
  };
}

/// The owners of every element, and what process `p` holds.
void expect_table(const Distribution& d, const oracle::Array& truth, Index p) {
  ASSERT_EQ(d.processes(), truth.processes());
  ASSERT_EQ(d.coordinates(p), truth.coordinates(p));
  std::map<List, List> owners;
  for (Index q = 0; q < truth.processes(); ++q)
    for (const auto& element : truth.elements(q, Part::owned)) owners[element.global].push_back(q);
  for (const auto& [global, all] : owners) {
    ASSERT_EQ(d.owner(global), all.front());
    ASSERT_EQ(d.owners(global), all);
  }
  ASSERT_EQ(d.local_shape(p), truth.local_shape(p));
  for (const Part part : oracle::parts) {
    const auto elements = truth.elements(p, part);
    ASSERT_EQ(d.count(p, part), static_cast<Index>(elements.size()));
    for (const auto& [local, global] : elements) {
      ASSERT_EQ(d.global_index(p, local), global);
      ASSERT_EQ(d.local_index(p, global, part), local);
    }
  }
}

/// Every process stamps its part; everybody gets the whole.
void expect_gathered(const oracle::Array& truth, MPI_Comm comm) {
  const Index r = on::rank(comm);
  const DistArray array = on::stamped(truth, r);
  const Distribution d = on::gathered_whole(array, comm);
  ASSERT_NO_FATAL_FAILURE(expect_table(d, truth, r));
  ASSERT_NO_FATAL_FAILURE(expect_table(d, truth, (r + 1) % truth.processes()));
  for (Index p = 0; p < truth.processes(); ++p) {
    const DistArray theirs = on::stamped(truth, p);
    const std::vector<tridap::Dimension> said = d.dim_data(p);
    ASSERT_EQ(said.size(), theirs.dim_data.size());
    for (std::size_t i = 0; i < said.size(); ++i) oracle::expect_same_dimension(said[i], theirs.dim_data[i]);
  }
  EXPECT_EQ(check(array, comm).text(), "");
}

TEST(Gather, OneAxisOfEveryKindAnswersAsTheTable) {
  on::every_communicator([](MPI_Comm comm) {
    for (const oracle::Axis& axis : axes_over(on::processes(comm))) expect_gathered(oracle::Array({axis}), comm);
  });
}

TEST(Gather, TwoAxesOverEveryGridAnswerAsTheTable) {
  for (const List& grid : on::grids(all_processes(), 2)) {
    const auto rows = axes_over(grid[0]), columns = axes_over(grid[1]);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const std::size_t step : {1u, 4u, 11u})
        expect_gathered(oracle::Array({rows[i], columns[(i + step) % columns.size()]}), MPI_COMM_WORLD);
  }
}

TEST(Gather, ThreeAxesOverEveryGridAnswerAsTheTable) {
  for (const List& grid : on::grids(all_processes(), 3)) {
    const auto a = axes_over(grid[0]), b = axes_over(grid[1]), c = axes_over(grid[2]);
    for (std::size_t i = 0; i < a.size(); i += 2)
      expect_gathered(oracle::Array({a[i], b[(i + 5) % b.size()], c[(i + 8) % c.size()]}), MPI_COMM_WORLD);
  }
}

TEST(Gather, ArrayWithoutAxesIsOnOneProcess) {
  expect_gathered(oracle::Array({}), MPI_COMM_SELF);
  const DistArray array = on::stamped(oracle::Array({}), 0);
  if (all_processes() == 1) return expect_gathered(oracle::Array({}), MPI_COMM_WORLD);
  const auto error = on::error_of([&] { gather_distribution(array, MPI_COMM_WORLD); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->report().counts(), (oracle::Counts{{Rule::grid_product, 1}}));
}

TEST(Gather, OtherMemoryOrdersStridesAndBoundsDoNotMatter) {
  const oracle::Array truth({oracle::block(List(static_cast<std::size_t>(all_processes()), 3)), oracle::block({4})});
  DistArray array = on::stamped(truth, our_rank());
  auto* const memory = static_cast<double*>(array.buffer.data);
  if (our_rank() % 3 == 1) array.buffer.strides = tridap::column_major_strides({3, 4}, 8);
  if (our_rank() % 3 == 2) array.buffer.data = memory + 11, array.buffer.strides = {-32, -8};
  array.buffer.read_only = our_rank() == 0;
  ASSERT_NO_FATAL_FAILURE(expect_table(on::gathered_whole(array, MPI_COMM_WORLD), truth, our_rank()));
}

TEST(Gather, ListsOfEveryIntegerTypeAndStrideAreReadAlike) {
  const std::vector<List> lists(static_cast<std::size_t>(all_processes()), {3, 120, 7});
  const oracle::Array truth({oracle::unstructured(lists)});
  DistArray array = on::stamped(truth, our_rank());
  const std::uint8_t narrow[] = {3, 120, 7};
  const std::int16_t swapped_apart[] = {0x0300, -1, 0x7800, -1, 0x0700};  // every second one, bytes swapped
  const std::uint64_t backwards[] = {7, 120, 3};
  tridap::Buffer list = tridap::row_major(narrow, {3});
  if (our_rank() % 3 == 1) {
    list = tridap::row_major(swapped_apart, {3});
    list.strides = {4};
    list.type.native_order = false;
  } else if (our_rank() % 3 == 2) {
    list = tridap::row_major(backwards, {3});
    list.data = const_cast<std::uint64_t*>(backwards + 2);
    list.strides = {-8};
  }
  std::get<tridap::Unstructured>(array.dim_data[0].dist).indices = list;
  ASSERT_NO_FATAL_FAILURE(expect_table(on::gathered_whole(array, MPI_COMM_WORLD), truth, our_rank()));
}

TEST(Gather, KeepsNothingOfTheListsItWasMadeFrom) {
  std::vector<Index> mine = {our_rank(), our_rank() + 100};
  DistArray array = on::stamped(
      oracle::Array({oracle::unstructured(std::vector<List>(static_cast<std::size_t>(all_processes()), {0, 1}))}),
      our_rank());
  std::get<tridap::Unstructured>(array.dim_data[0].dist).indices = tridap::row_major(mine.data(), {2});
  const Distribution d = on::gathered_whole(array, MPI_COMM_WORLD);
  mine = {-1, -2};
  EXPECT_EQ(d.owner({our_rank()}), our_rank());
  EXPECT_EQ(d.owner({-1}), std::nullopt);
}

/// A 2-D grid whose first axis is block with one shared element at each border and boundary widths that each column of
/// the grid says differently.
DistArray with_own_boundary(const oracle::Array& truth, Index rank) {
  DistArray array = on::stamped(truth, rank);
  const Index row = truth.coordinates(rank)[0], column = truth.coordinates(rank)[1];
  auto& padding = std::get<tridap::Block>(array.dim_data[0].dist).padding;
  padding = padding.value_or(std::array<Index, 2>{0, 0});
  if (row == 0) (*padding)[0] = column % 2;
  if (row == truth.axes[0].grid() - 1) (*padding)[1] = column % 3;
  return array;
}

TEST(Gather, BoundaryPaddingMayDifferBetweenProcessesAtOneCoordinate) {
  for (const List& grid : on::grids(all_processes(), 2)) {
    const auto rows = static_cast<std::size_t>(grid[0]);
    const oracle::Array truth({oracle::block(List(rows, 3), List(rows - 1, 1)), oracle::cyclic(5, 2, grid[1])});
    const DistArray array = with_own_boundary(truth, our_rank());
    EXPECT_EQ(check(array, MPI_COMM_WORLD).text(), "");
    ASSERT_NO_FATAL_FAILURE(expect_table(on::gathered_whole(array, MPI_COMM_WORLD), truth, our_rank()));
  }
}

TEST(Gather, BoundaryPaddingOfAPeriodicAxisMayNotDiffer) {
  for (const List& grid : on::grids(all_processes(), 2)) {
    if (grid[1] == 1) continue;  // nobody to differ from
    const auto rows = static_cast<std::size_t>(grid[0]);
    const oracle::Array truth(
        {oracle::block(List(rows, 3), List(rows - 1, 1), {0, 0}, true), oracle::cyclic(5, 2, grid[1])});
    const DistArray array = with_own_boundary(truth, our_rank());
    const auto error = on::error_of([&] { gather_distribution(array, MPI_COMM_WORLD); });
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->report().count(Rule::axis_same), error->report().errors());
    std::set<std::string> keys;
    for (const tridap::Finding& finding : error->report().findings()) {
      keys.insert(finding.key);
      EXPECT_EQ(finding.axis, 0);
    }
    EXPECT_EQ(keys, (std::set<std::string>{"padding[0]", "padding[1]"}));
    EXPECT_TRUE(on::same_everywhere(error->what(), MPI_COMM_WORLD));
  }
}

TEST(Gather, FaultOfACoordinateNamesItsFirstProcess) {
  for (const List& grid : on::grids(all_processes(), 2)) {
    const oracle::Array truth({oracle::block(List(static_cast<std::size_t>(grid[0]), 3)),
                               oracle::block(List(static_cast<std::size_t>(grid[1]), 3))});
    for (const std::size_t axis : {0u, 1u})
      for (Index c = 0; c < grid[axis]; ++c) {  // everybody at coordinate c begins too late
        DistArray array = on::stamped(truth, our_rank());
        if (truth.coordinates(our_rank())[axis] == c) {
          std::get<tridap::Block>(array.dim_data[axis].dist).start += 1;
          array.buffer.shape[axis] -= 1;
        }
        const Report report = check(array, MPI_COMM_WORLD);
        ASSERT_EQ(report.counts(), (oracle::Counts{{Rule::block_tiling, 1}})) << report.text();
        EXPECT_EQ(report.findings()[0].axis, static_cast<Index>(axis));
        EXPECT_EQ(report.findings()[0].process, axis == 0 ? c * grid[1] : c) << report.text();
      }
  }
}

TEST(Gather, AbsentPaddingIsPaddingOfNothing) {
  for (const List& grid : on::grids(all_processes(), 2)) {
    const oracle::Array truth(
        {oracle::block(List(static_cast<std::size_t>(grid[0]), 2)), oracle::cyclic(5, 2, grid[1])});
    DistArray array = on::stamped(truth, our_rank());
    if (our_rank() % 2 == 1) std::get<tridap::Block>(array.dim_data[0].dist).padding = {0, 0};
    ASSERT_NO_FATAL_FAILURE(expect_table(on::gathered_whole(array, MPI_COMM_WORLD), truth, our_rank()));
  }
}

TEST(Gather, EmptyBlocksMayStartAtTheEnd) {
  const oracle::Array truth({oracle::block(counted(all_processes(), [](Index c) { return c == 0 ? 4 : 0; }))});
  DistArray array = on::stamped(truth, our_rank());
  ASSERT_NO_FATAL_FAILURE(expect_table(on::gathered_whole(array, MPI_COMM_WORLD), truth, our_rank()));
  const oracle::Array late({oracle::block(counted(all_processes(), [](Index c) { return c == all_processes() - 1; }))});
  array = on::stamped(late, our_rank());
  if (our_rank() < all_processes() - 1) array.dim_data[0].dist = tridap::Block{1, 1, {}};
  ASSERT_NO_FATAL_FAILURE(expect_table(on::gathered_whole(array, MPI_COMM_WORLD), late, our_rank()));
}

/// A cyclic axis over all processes, four elements each.
DistArray dealt() {
  return on::stamped(oracle::Array({oracle::cyclic(4 * all_processes(), 2, all_processes())}), our_rank());
}

TEST(Check, ExtraKeyOnOneProcessComesBackOnEvery) {
  for (int r = 0; r < all_processes(); ++r) {
    DistArray array = dealt();
    if (our_rank() == r) array.dim_data[0].extras = {{"units", "\"m\""}};
    const Report report = check(array, MPI_COMM_WORLD);
    EXPECT_EQ(report.counts(), (oracle::Counts{{Rule::extra_key, 1}}));
    EXPECT_EQ(report.findings().at(0).process, r);
    EXPECT_EQ(report.findings().at(0).axis, 0);
    EXPECT_EQ(report.findings().at(0).key, "units");
    EXPECT_TRUE(on::same_everywhere(on::all_of(report), MPI_COMM_WORLD));
    EXPECT_NO_THROW(gather_distribution(array, MPI_COMM_WORLD));
  }
}

TEST(Check, PeriodicOnACyclicAxisIsOneWarningForEachProcess) {
  DistArray array = dealt();
  array.dim_data[0].periodic = true;
  const Report report = check(array, MPI_COMM_WORLD);
  EXPECT_EQ(report.counts(), (oracle::Counts{{Rule::periodic_kind, all_processes()}})) << report.text();
  for (int p = 0; p < all_processes(); ++p)
    EXPECT_EQ(report.findings().at(static_cast<std::size_t>(p)).process, p) << report.text();
  EXPECT_TRUE(on::same_everywhere(on::all_of(report), MPI_COMM_WORLD));
  EXPECT_TRUE(gather_distribution(array, MPI_COMM_WORLD).axis(0).periodic());
}

TEST(Check, SizeThatCountsSharedIndicesOnceIsOneWarning) {
  if (all_processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  DistArray array = on::stamped(
      oracle::Array({oracle::unstructured(std::vector<List>(static_cast<std::size_t>(all_processes()), {4, 2}))}),
      our_rank());
  array.dim_data[0].size = 2;
  const Report report = check(array, MPI_COMM_WORLD);
  EXPECT_EQ(report.counts(), (oracle::Counts{{Rule::unstructured_distinct, 1}})) << report.text();
  EXPECT_TRUE(on::same_everywhere(on::all_of(report), MPI_COMM_WORLD));
  EXPECT_EQ(gather_distribution(array, MPI_COMM_WORLD).owners({4}).size(), static_cast<std::size_t>(all_processes()));
}

TEST(Gather, LeavesTheCallersMessagesAlone) {
  on::every_communicator([](MPI_Comm comm) {
    const on::PendingReceive pending(comm);
    const auto grid = static_cast<std::size_t>(on::processes(comm));
    const oracle::Array truth({oracle::unstructured(std::vector<List>(grid, {4, 2}))});
    DistArray array = on::stamped(truth, on::rank(comm));
    gather_distribution(array, comm);
    array.version = "1.0.0";
    EXPECT_FALSE(check(array, comm).ok());
    EXPECT_TRUE(on::error_of([&] { gather_distribution(array, comm); }).has_value());
  });
}

// An array of one axis whose dimension on each process is said; the text of what gather_distribution() throws on it.
std::string refusal_of(const tridap::Dimension& dimension, tridap::Index extent) {
  tridap::DistArray array;
  array.dim_data = {dimension};
  array.buffer = tridap::allocate(tridap::element_type<double>(), {extent});
  return on::error_text([&] { tridap::mpi::gather_distribution(array, MPI_COMM_WORLD); });
}

TEST(GatherRefuses, CyclicPartsOnProcessesOfOtherCoordinates) {
  const int processes = on::processes(MPI_COMM_WORLD), rank = on::rank(MPI_COMM_WORLD);
  if (processes == 1) GTEST_SKIP() << "needs at least 2 processes";
  const oracle::Axis axis = oracle::cyclic(4 * processes, 2, processes);
  const int place = (rank + 1) % processes;  // as if dealing began elsewhere
  const std::string text = refusal_of(axis.dims[static_cast<std::size_t>(place)], 4);
  on::expect_says(text, "grid.order");
}

TEST(GatherRefuses, BlocksThatEndBeforeTheSize) {
  const int processes = on::processes(MPI_COMM_WORLD), rank = on::rank(MPI_COMM_WORLD);
  tridap::Dimension dimension;
  dimension.size = 3 * processes + 2;
  dimension.proc_grid_size = processes;
  dimension.proc_grid_rank = rank;
  dimension.dist = tridap::Block{3 * rank, 3 * rank + 3, {}};
  const std::string text = refusal_of(dimension, 3);
  on::expect_says(text, "block.tiling");
}

}  // namespace
