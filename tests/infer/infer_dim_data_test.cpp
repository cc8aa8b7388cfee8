#include "infer_support.hpp"

#include <limits>

namespace {

using given::all_processes;
using given::Array;
using given::our_rank;
using given::pick;
using given::Random;
using given::Walking;
using oracle::List;
using tridap::GlobalIds;
using tridap::Index;
using tridap::Order;
using tridap::infer::infer_dim_data;
using tridap::infer::InferenceHints;
using tridap::infer::InferredDimData;

const MPI_Comm all = MPI_COMM_WORLD;

List counted(Index grid, const std::function<Index(Index)>& of) {
  List counts;
  for (Index c = 0; c < grid; ++c) counts.push_back(of(c));
  return counts;
}

/// Axes of every kind over `grid` coordinates.
std::vector<oracle::Axis> axes_over(Index grid) {
  std::vector<List> disjoint, shared, long_and_none, dealt, odd;
  for (Index c = 0; c < grid; ++c) {
    disjoint.push_back({7 * c + 3, 7 * c - 1, 7 * c + 1});
    shared.push_back({10 - c, c / 2, 13});
    long_and_none.push_back(c % 2 == 0 ? List{9 * c, 9 * c + 1, 9 * c - 7, 20 - 3 * c} : List{});
    dealt.push_back({c, c + grid, c + 2 * grid});
    odd.push_back({2 * c, 2 * c + 1, 2 * c + 2});
  }
  return {
      oracle::block(counted(grid, [](Index) { return 2; })),
      oracle::block(counted(grid, [](Index c) { return (c * 2 + 1) % 4; })),
      oracle::block(counted(grid, [&](Index c) { return c == grid / 2 ? 3 : 0; })),
      oracle::block(List(static_cast<std::size_t>(grid), 0)),
      oracle::block(counted(grid, [](Index c) { return 3 + c % 2; }), counted(grid - 1, [](Index c) { return c % 3; })),
      oracle::block(counted(grid, [](Index c) { return 3 + c % 2; }), counted(grid - 1, [](Index c) { return c % 3; }),
                    {1, 2}),
      oracle::block(counted(grid, [](Index) { return 2; }), List(static_cast<std::size_t>(grid - 1), 2)),
      oracle::block(counted(grid, [](Index) { return 3; }), List(static_cast<std::size_t>(grid - 1), 1), {1, 1}, true),
      oracle::cyclic(2 * grid + 1, 1, grid),
      oracle::cyclic(2 * grid + 3, 2, grid, grid - 1),
      oracle::cyclic(4 * grid + 3, 2, grid, grid / 2),
      oracle::cyclic(3 * grid - 1, 3, grid, grid / 2),
      oracle::cyclic(2, 3, grid, grid / 2),
      oracle::cyclic(0, 1, grid),
      oracle::unstructured(disjoint, true),
      oracle::unstructured(shared),
      oracle::unstructured(long_and_none),
      oracle::unstructured(dealt),
      oracle::unstructured(odd),
  };
}

InferenceHints of_shape(List shape, Order numbering = Order::row_major, Index base = 0) {
  return {std::move(shape), {}, numbering, base};
}

/// The text of the Error that every process gets; empty: there was none on any.
std::string refusal(const GlobalIds& ids, const InferenceHints& how, MPI_Comm comm = all) {
  const auto error = on::error_of([&] { infer_dim_data(ids, comm, how); });
  const std::string text = error ? on::all_of(error->report()) : "";
  EXPECT_TRUE(on::same_everywhere(text, comm)) << text;
  return error ? error->what() : "";
}

TEST(InferDimData, OneAxisOfEveryKindComesBackWithAndWithoutAShape) {
  on::every_communicator([](MPI_Comm comm) {
    Index base = 0;
    for (const oracle::Axis& axis : axes_over(on::processes(comm)))
      for (const bool backwards : {false, true}) {
        base = base == 8 ? -7 : base + 1;
        const Array array({axis});
        const Walking walking{{0}, {backwards}};
        given::expect_inferred(array, walking, of_shape(array.extent, Order::row_major, base), comm);
        given::expect_inferred(array, walking, {{}, {}, Order::row_major, base}, comm);
      }
  });
}

TEST(InferDimData, EveryPairOfAxesComesBackOnEveryGrid) {
  Random random(1);
  for (const List& grid : on::grids(all_processes(), 2))
    for (const oracle::Axis& outer : axes_over(grid[0]))
      for (const oracle::Axis& inner : axes_over(grid[1])) {
        if (pick(random, all_processes()) > 1) continue;  // each pair on some of the grids
        const Array array({outer, inner});
        const bool told = pick(random, 2) == 0;
        InferenceHints how =
            of_shape(array.extent, pick(random, 2) == 0 ? Order::row_major : Order::column_major, pick(random, 3) - 1);
        if (told) how.grid = grid;
        given::expect_inferred(array, given::some_walking(2, random, told), how, all);
      }
}

TEST(InferDimData, EveryMemoryOrderIsFound) {
  Random random(4);
  for (const List& grid : on::grids(all_processes(), 3)) {
    const std::vector<std::vector<oracle::Axis>> arrays = {
        {oracle::block(List(static_cast<std::size_t>(grid[0]), 2)), oracle::cyclic(3 * grid[1] + 2, 2, grid[1], 0),
         oracle::block(List(static_cast<std::size_t>(grid[2]), 3), List(static_cast<std::size_t>(grid[2] - 1), 1))},
        {oracle::cyclic(3 * grid[0] + 1, 1, grid[0], grid[0] - 1),
         oracle::block(List(static_cast<std::size_t>(grid[1]), 1)), oracle::cyclic(5 * grid[2] + 3, 2, grid[2], 0)}};
    for (const auto& axes : arrays) {
      const Array array(axes);
      oracle::for_each_memory_order(3, [&](const std::vector<Index>& order, const std::vector<bool>& backwards) {
        if (pick(random, all_processes()) > 1) return;  // each order on some of the grids
        given::expect_inferred(array, {order, backwards}, of_shape(array.extent), all);
      });
    }
  }
}

TEST(InferDimData, EachProcessMayWalkItsPartInAnOrderOfItsOwn) {
  Random shared(2), own(3 + static_cast<unsigned>(our_rank()));
  for (int round = 0; round < 60; ++round) {
    const std::vector<List> grids = on::grids(all_processes(), 3);
    const List grid = grids[static_cast<std::size_t>(pick(shared, static_cast<Index>(grids.size())))];
    std::vector<oracle::Axis> axes;
    for (const Index extent : grid) {
      const auto kinds = axes_over(extent);
      axes.push_back(kinds[static_cast<std::size_t>(pick(shared, static_cast<Index>(kinds.size())))]);
    }
    const Array array(axes);
    const Order numbering = pick(shared, 2) == 0 ? Order::row_major : Order::column_major;
    given::expect_inferred(array, given::some_walking(3, own), of_shape(array.extent, numbering, pick(shared, 9)), all);
  }
}

TEST(InferDimData, FlatNumbersAreTheOracles) {
  const oracle::Array axes({oracle::block({3}), oracle::cyclic(5, 2, 2, 1), oracle::unstructured({{4, 1}, {3, 2}})});
  for (const Order order : {Order::row_major, Order::column_major})
    for (const auto& [global, number] : axes.flat_numbers(order == Order::column_major)) {
      List from_zero = global;
      from_zero[2] -= 1;
      EXPECT_EQ(Array(axes.axes).number(from_zero, order), number);
    }
}

/// The same of a range and of its list.
void expect_range(const GlobalIds& range, const InferenceHints& how) {
  List ids;
  for (Index i = 0; i < range.count; ++i) ids.push_back(range.first + i);
  const InferredDimData closed = infer_dim_data(range, all, how), read = infer_dim_data(given::listed(ids), all, how);
  given::expect_true(closed, ids, how, all);
  ASSERT_EQ(closed.dim_data.size(), read.dim_data.size());
  for (std::size_t k = 0; k < read.dim_data.size(); ++k)
    oracle::expect_same_dimension(closed.dim_data[k], read.dim_data[k]);
  EXPECT_EQ(closed.order.axes, read.order.axes);
  EXPECT_EQ(closed.losses, read.losses);
}

TEST(InferDimData, ARangeIsWhatItsListIs) {
  const Index r = our_rank(), processes = all_processes();
  for (const Index base : {0, 3}) {
    expect_range({4, nullptr, base + 4 * r}, {{}, {}, Order::row_major, base});
    expect_range({r, nullptr, base + r * (r - 1) / 2}, {{}, {}, Order::row_major, base});
    expect_range({4, nullptr, 10 + 5 * r}, {{}, {}, Order::row_major, base});
    expect_range({12, nullptr, base + 12 * r}, of_shape({2 * processes, 3, 2}, Order::row_major, base));
    expect_range({12, nullptr, base + 12 * r}, of_shape({2, 3, 2 * processes}, Order::column_major, base));
    expect_range({2, nullptr, base + 2 * r}, of_shape({1, processes, 1, 2, 1}, Order::row_major, base));
    expect_range({2, nullptr, base + 2 * r}, of_shape({1, 2, 1, processes, 1}, Order::column_major, base));
    expect_range({r == 0 ? 6 : 0, nullptr, base}, of_shape({2, 3}, Order::row_major, base));
  }
}

TEST(InferDimData, ARangeTakesNoTimeForItsLength) {
  const Index r = our_rank(), processes = all_processes(), huge = Index{1} << 58;
  const InferredDimData one = infer_dim_data({huge, nullptr, 5 + huge * r}, all, {{}, {}, Order::row_major, 5});
  oracle::expect_same_dimension(one.dim_data[0],
                                tridap::Axis(tridap::BlockKind(huge * processes, processes, huge)).dimension(r));
  EXPECT_EQ(one.losses, std::vector<std::string>{"the index base 5"});

  const InferredDimData rows =
      infer_dim_data({huge, nullptr, huge * r}, all, of_shape({(huge >> 20) * processes, 1 << 20}));
  oracle::expect_same_dimension(
      rows.dim_data[0], tridap::Axis(tridap::BlockKind((huge >> 20) * processes, processes, huge >> 20)).dimension(r));
  oracle::expect_same_dimension(rows.dim_data[1], tridap::undistributed(1 << 20));
  EXPECT_TRUE(rows.losses.empty());
}

TEST(InferDimData, TheSimplestPlacesAndLossesAreSaid) {
  const Index r = our_rank(), processes = all_processes();
  const List dealt = {1 + r, 1 + r + processes};
  const InferredDimData cyclic = infer_dim_data(given::listed(dealt), all, {{}, {}, Order::row_major, 1});
  EXPECT_EQ(cyclic.dim_data[0].dist_type(), processes == 1 ? 'b' : 'c');
  EXPECT_EQ(cyclic.dim_data[0].size, 2 * processes);
  EXPECT_EQ(cyclic.losses, std::vector<std::string>{"the index base 1"});

  const InferredDimData late = infer_dim_data(given::listed(dealt), all, {});  // nothing is at 0
  ASSERT_EQ(late.dim_data[0].dist_type(), 'u');
  EXPECT_TRUE(std::get<tridap::Unstructured>(late.dim_data[0].dist).one_to_one);
  EXPECT_TRUE(late.losses.empty());

  const List apart = {r, r + processes + 1};  // in rounds one longer than the processes
  EXPECT_EQ(infer_dim_data(given::listed(apart), all).dim_data[0].dist_type(), 'u');

  const InferredDimData gaps =
      infer_dim_data(given::listed(dealt), all, of_shape({2 * processes + 1}, Order::column_major));
  EXPECT_EQ(gaps.dim_data[0].dist_type(), 'u');
  EXPECT_EQ(gaps.dim_data[0].size, 2 * processes);
  EXPECT_EQ(gaps.losses,
            std::vector<std::string>{"the extent " + std::to_string(2 * processes + 1) +
                                     " of axis 0, whose shares add up to " + std::to_string(2 * processes)});

  const List column = {7 + 2 * r, 8 + 2 * r};
  const InferredDimData columns =
      infer_dim_data(given::listed(column), all, of_shape({2, processes}, Order::column_major, 7));
  EXPECT_EQ(columns.losses, (std::vector<std::string>{"the index base 7", "the column-major numbering"}));
  EXPECT_EQ(columns.order.axes, (List{0, 1}));
}

TEST(InferDimData, OverlapsThatAreNoPaddingAreSharedIndices) {
  const Index r = our_rank(), processes = all_processes();
  const auto kind = [&](const std::function<Index(Index)>& begin, const std::function<Index(Index)>& end) {
    List ids;
    for (Index i = begin(r); i < end(r); ++i) ids.push_back(i);
    const InferredDimData inferred = infer_dim_data(given::listed(ids), all);
    given::expect_true(inferred, ids, {}, all);
    return inferred.dim_data[0].dist_type();
  };
  const char shared = processes == 1 ? 'b' : 'u';
  EXPECT_EQ(kind([](Index c) { return 4 * c; }, [](Index c) { return 4 * c + 6; }), 'b');
  EXPECT_EQ(kind([](Index c) { return 4 * c; }, [](Index c) { return 4 * c + 7; }), shared);  // odd
  // 6 are shared: of three processes, the second owns 2 and its neighbours have 3 of them as padding
  EXPECT_EQ(kind([](Index c) { return 2 * c; }, [](Index c) { return 2 * c + 8; }), processes <= 2 ? 'b' : 'u');
  EXPECT_EQ(kind([](Index c) { return -4 * c; }, [](Index c) { return -4 * c + 6; }), shared);  // descending
  EXPECT_EQ(kind([](Index c) { return c - 2; }, [](Index c) { return 3 * c + 4; }), 'u');       // begins before 0
  // 6 are shared, of which the second process would own the last one alone
  EXPECT_EQ(kind([](Index c) { return c == 0 ? 0 : 2; }, [](Index c) { return c == 0 ? 8 : 4 + 2 * c; }), shared);
}

TEST(InferDimData, NoProcessHasIds) {
  const Index processes = all_processes();
  const auto expect = [&](const InferenceHints& how, const List& sizes, const std::string& kinds) {
    const InferredDimData inferred = infer_dim_data({0, nullptr, 99}, all, how);
    given::expect_true(inferred, {}, how, all);
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      EXPECT_EQ(inferred.dim_data[k].size, sizes[k]);
      EXPECT_EQ(inferred.dim_data[k].dist_type(), kinds[k]);
      EXPECT_EQ(inferred.dim_data[k].proc_grid_size, how.grid ? (*how.grid)[k] : k == 0 ? processes : 1);
    }
  };
  expect({}, {0}, "b");
  expect(of_shape({0}), {0}, "b");
  expect(of_shape({5}), {0}, "u");
  expect(of_shape({4, 5}), {0, 5}, "ub");
  expect(of_shape({5, 0}), {5, 0}, "bb");
  expect(of_shape({0, 7, 3}), {0, 7, 3}, "bbb");
  expect({List{4, 5}, List{1, processes}, Order::row_major, 0}, {0, 5}, "ub");
  expect({List{4, 0, std::numeric_limits<Index>::max()}, List{1, 1, processes}, Order::row_major, 0},
         {4, 0, std::numeric_limits<Index>::max()}, "bbb");
}

TEST(InferDimData, OneElementAlone) {
  const Index id = 3;
  const InferenceHints how{List{}, {}, Order::row_major, 3};
  if (all_processes() == 1) {
    EXPECT_TRUE(infer_dim_data({1, &id, 0}, all, how).dim_data.empty());
    EXPECT_NE(refusal({0, nullptr, 0}, how), "");
  } else {
    on::expect_says(refusal({our_rank() == 0 ? 1 : 0, &id, 0}, how), "must be one process with one id");
  }
  const InferredDimData inferred = infer_dim_data({our_rank() == 0 ? 1 : 0, &id, 0}, all, of_shape({2, 2}));
  given::expect_true(inferred, our_rank() == 0 ? List{3} : List{}, of_shape({2, 2}), all);
}

TEST(InferDimData, OfSeveralGridsThatEmptySharesLeaveTheSimplestIsTaken) {
  if (all_processes() != 4) GTEST_SKIP() << "needs 4 processes";
  const auto shape = of_shape({4, 2});
  const std::vector<List> ids = {{0, 1, 4, 5}, {}, {2, 3, 6, 7}, {}};  // cyclic rows, and nothing for column 1
  const InferredDimData inferred = infer_dim_data(given::listed(ids[static_cast<std::size_t>(our_rank())]), all, shape);
  EXPECT_EQ(inferred.dim_data[0].dist_type(), 'c');
  EXPECT_EQ(inferred.dim_data[0].proc_grid_size, 2);
  EXPECT_EQ(inferred.dim_data[1].dist_type(), 'b');
  const std::vector<List> whole = {{0, 1, 2, 3}, {}, {}, {4, 5, 6, 7}};  // over 2 x 2, somebody's part is missing
  EXPECT_EQ(
      infer_dim_data(given::listed(whole[static_cast<std::size_t>(our_rank())]), all, shape).dim_data[0].proc_grid_size,
      4);
  on::expect_says(refusal(given::listed(whole[static_cast<std::size_t>(our_rank())]),
                          {List{4, 2}, List{2, 2}, Order::row_major, 0}),
                  "(rank 1): the process has no ids, but other processes at each of its coordinates have some");
}

TEST(InferDimData, AnEmptyProcessGetsTheListOfItsCoordinate) {
  if (all_processes() != 6) GTEST_SKIP() << "needs 6 processes";
  // Over 2 x 3: rows {5, 0, 3} and {1, 4, 7}; columns {0, 1}, none and {2}.
  const std::vector<List> rows = {{5, 0, 3}, {1, 4, 7}}, columns = {{0, 1}, {}, {2}};
  const Index r = our_rank();
  List ids;
  for (const Index row : rows[static_cast<std::size_t>(r / 3)])
    for (const Index column : columns[static_cast<std::size_t>(r % 3)]) ids.push_back(3 * row + column);
  const InferredDimData inferred = infer_dim_data(given::listed(ids), all, of_shape({8, 3}));
  given::expect_true(inferred, ids, of_shape({8, 3}), all);
  const auto& list = std::get<tridap::Unstructured>(inferred.dim_data[0].dist);
  EXPECT_EQ(tridap::read_indices(list.indices), rows[static_cast<std::size_t>(r / 3)]);
  EXPECT_TRUE(list.one_to_one);
}

TEST(InferDimData, NothingStraysIntoTheCallersMessages) {
  const on::PendingReceive pending(all);
  for (const oracle::Axis& axis : axes_over(all_processes())) {
    const List& ids = axis.held_by(our_rank());
    given::expect_true(infer_dim_data(given::listed(ids), all), ids, {}, all);
  }
}

}  // namespace
