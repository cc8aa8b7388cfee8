#include "dense_support.hpp"
#include "support/inter_communicator.hpp"
#include <tridap/compare.hpp>

// What the dense functions refuse: the same Error on every process, and nobody waits.
namespace {

using namespace dense_test;

Whole<double> some_definite(Index n) {
  Whole<double> made(n, n);
  for (Index i = 0; i < n; ++i) made.at(i, i) = 2 + static_cast<double>(i);
  return made;
}

// Every function on one array.
template <class Check>
void expect_each_refuses(const DistArray& array, const DenseOptions& options, Check&& check) {
  check(thrown([&] { sl::solve(array, array, MPI_COMM_WORLD, options); }));
  check(thrown([&] { sl::cholesky(array, MPI_COMM_WORLD, false, options); }));
  check(thrown([&] { sl::eigh(array, MPI_COMM_WORLD, true, options); }));
  check(thrown([&] { sl::svd(array, MPI_COMM_WORLD, options); }));
  check(thrown([&] { sl::qr(array, MPI_COMM_WORLD, options); }));
}

auto expect_says(const std::string& words) {
  return [words](const std::string& said) {
    EXPECT_TRUE(same_everywhere(said)) << said;
    on::expect_says(said, words);
  };
}

TEST(ScalapackDenseRefuses, WhatOneProcessAloneHasOnAll) {
  const auto spoilt = [&](const auto& spoil) {
    Held<double> held = part_of(some_definite(3 * processes()),
                                sl::squares({3 * processes(), 3 * processes()}, processes()), Lines::columns);
    if (rank_here() == processes() - 1) spoil(held.array);
    return held;
  };
  const auto integers = spoilt([](DistArray& a) { a.buffer.type = tridap::element_type<std::int64_t>(); });
  expect_each_refuses(integers.array, {}, expect_says("are int64"));
  const auto on_device = spoilt([](DistArray& a) { a.buffer.memory.kind = tridap::Memory::Kind::cuda; });
  expect_each_refuses(on_device.array, {}, expect_says("must be in host memory"));
  const auto negative = spoilt([](DistArray& a) { a.dim_data[0].size = -5; });
  expect_each_refuses(negative.array, {}, expect_says("'size' is -5"));
  const auto of_no_axes = spoilt([](DistArray& a) { a = {}; });
  expect_each_refuses(of_no_axes.array, {}, expect_says("elements are 0 bytes long"));
  const auto read_only = spoilt([](DistArray& a) { a.buffer.read_only = true; });
  DenseOptions over;
  over.overwrite_a = over.overwrite_b = true;
  expect_each_refuses(read_only.array, over, expect_says("is read-only"));
  EXPECT_NO_THROW(sl::qr(read_only.array, MPI_COMM_WORLD));
}

TEST(ScalapackDenseRefuses, NumbersThatAreNotFinite) {
  const Index n = 2 * processes() + 1;
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Whole<double> a = some_definite(n);
    a.at(n - 1, 1) = bad;
    const Held<double> held = part_of(a, sl::squares({n, n}, processes()), Lines::columns);
    expect_each_refuses(held.array, {}, expect_says("the element (" + std::to_string(n - 1) + ", 1) of the array a"));
  }
  Whole<std::complex<float>> c(n, n);
  c.at(0, n - 1) = {0, std::numeric_limits<float>::quiet_NaN()};
  const auto held = part_of(c, sl::squares({n, n}, processes()), Lines::rows);
  expect_each_refuses(held.array, {}, expect_says("is not finite"));
}

TEST(ScalapackDenseRefuses, OtherDistributionsByTheNameOfTheNearest) {
  const Index all = processes(), n = 4 * all;
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(all));
  for (Index i = 0; i < n; ++i) lists[static_cast<std::size_t>(i * 3 % all)].push_back(n - 1 - i);
  const auto listed = Distribution::make({n, n}, {tridap::unstructured(lists, true), tridap::whole()}, {all, 1});
  const Held<double> held = part_of(some_definite(n), listed, Lines::columns);
  const std::string nearest = describe(sl::squares({n, n}, all));
  expect_each_refuses(held.array, {}, expect_says("move it to " + nearest + " (in Python A = A.redistribute("));
  EXPECT_EQ(describe(sl::nearest_square(listed)), nearest);
  const auto square = sl::squares({n, n}, all);
  EXPECT_EQ(describe(sl::nearest_square(square)), describe(square));
  EXPECT_NE(thrown([] { sl::nearest_square(Distribution::make({4}, {tridap::block()}, {1})); }), "");
}

// Blocks of 600 x 80 elements over 2 x 2 processes. No process is needed.
TEST(ScalapackDenseRefuses, TheNearestHasBlocksThatTheMatrixHas) {
  const auto nearest = [](const AxisSpec& rows, const AxisSpec& columns) {
    return describe(sl::nearest_square(Distribution::make({600, 80}, {rows, columns}, {2, 2})));
  };
  const auto squares_by = [](const std::string& length) {
    return "block-cyclic by " + length + " x block-cyclic by " + length + " over 2 x 2 processes";
  };
  EXPECT_EQ(nearest(tridap::cyclic(32), tridap::cyclic(16)), squares_by("32"));
  EXPECT_EQ(nearest(tridap::cyclic(64), tridap::block()), squares_by("40"));
  EXPECT_EQ(nearest(tridap::cyclic(64, 1), tridap::cyclic(8, 1)), squares_by("8"));
  EXPECT_EQ(describe(sl::squares({600, 80}, 4)), squares_by("40"));
}

TEST(ScalapackDenseRefuses, BlocksThatAreNotSquare) {
  if (processes() < 4) GTEST_SKIP() << "needs at least 4 processes";
  const Index n = 13;
  const auto oblong =
      Distribution::make({n, n}, {tridap::cyclic(2), tridap::cyclic(3)}, tridap::near_square_grid(processes(), 2));
  const Held<double> held = part_of(some_definite(n), oblong, Lines::columns);
  expect_says("needs square blocks")(thrown([&] { sl::svd(held.array, MPI_COMM_WORLD); }));
  EXPECT_NO_THROW(sl::qr(held.array, MPI_COMM_WORLD));
  const auto rotated =
      Distribution::make({n, n}, {tridap::cyclic(2, 1), tridap::cyclic(2)}, tridap::near_square_grid(processes(), 2));
  const Held<double> turned = part_of(some_definite(n), rotated, Lines::columns);
  expect_says("needs square blocks")(thrown([&] { sl::eigh(turned.array, MPI_COMM_WORLD); }));
  EXPECT_NO_THROW(sl::cholesky(turned.array, MPI_COMM_WORLD));
}

TEST(ScalapackDenseRefuses, MemoryThatItCannotOverwrite) {
  const Index n = 4 * processes();
  DenseOptions over;
  over.overwrite_a = true;
  const auto squares = sl::squares({n, n}, processes());
  const Held<double> spread = part_of(some_definite(n), squares, Lines::spread);
  expect_each_refuses(spread.array, over, expect_says("the memory of the array a is not column-major"));
  const Held<double> rows = part_of(some_definite(n), squares, Lines::rows);
  expect_says("not column-major")(thrown([&] { sl::eigh(rows.array, MPI_COMM_WORLD, true, over); }));
  expect_says("not column-major")(thrown([&] { sl::qr(rows.array, MPI_COMM_WORLD, over); }));
  DenseOptions over_b;
  over_b.overwrite_b = true;
  const Held<double> a = part_of(some_definite(n), squares, Lines::columns);
  expect_says("the memory of the array b")(thrown([&] { sl::solve(a.array, rows.array, MPI_COMM_WORLD, over_b); }));
}

TEST(ScalapackDenseRefuses, ShapesAndTypesThatDoNotFit) {
  const Index all = processes();
  const Held<double> square = part_of(some_definite(6), sl::squares({6, 6}, all), Lines::columns);
  const Held<double> tall = part_of(Whole<double>(6, 5), sl::squares({6, 5}, all), Lines::columns);
  const Held<double> long_b = part_of(Whole<double>(7, 1), sl::squares({7, 1}, all), Lines::columns);
  const Held<float> single = part_of(Whole<float>(6, 6), sl::squares({6, 6}, all), Lines::columns);
  expect_says("must be square")(thrown([&] { sl::solve(tall.array, square.array, MPI_COMM_WORLD); }));
  expect_says("must be square")(thrown([&] { sl::cholesky(tall.array, MPI_COMM_WORLD); }));
  expect_says("must be square")(thrown([&] { sl::eigh(tall.array, MPI_COMM_WORLD); }));
  expect_says("b has 7 rows")(thrown([&] { sl::solve(square.array, long_b.array, MPI_COMM_WORLD); }));
  expect_says("the elements of b are float32")(thrown([&] { sl::solve(square.array, single.array, MPI_COMM_WORLD); }));
  const Held<double> line =
      part_of(Whole<double>(6, 1), Distribution::make({6}, {tridap::block()}, {all}), Lines::columns);
  expect_says("has 1 axes")(thrown([&] { sl::qr(line.array, MPI_COMM_WORLD); }));
}

TEST(ScalapackDenseRefuses, RightHandSidesElsewhere) {
  const Index all = processes();
  if (all < 2) GTEST_SKIP() << "needs at least 2 processes";
  const auto in_rows = [&](const AxisSpec& rows, Index n) {
    return Distribution::make({12, n}, {rows, tridap::cyclic(2)}, {all, 1});
  };
  const Held<double> a = part_of(some_definite(12), in_rows(tridap::cyclic(2), 12), Lines::columns);
  const auto columns = Distribution::make({12, 1}, {tridap::whole(), tridap::cyclic()}, {1, all});
  for (const Distribution& other :
       {in_rows(tridap::cyclic(2, 1), 1), in_rows(tridap::cyclic(3), 1), in_rows(tridap::block(9), 1), columns}) {
    const Held<double> b = part_of(Whole<double>(12, 1), other, Lines::columns);
    expect_says("its rows must be distributed as those of a")(
        thrown([&] { sl::solve(a.array, b.array, MPI_COMM_WORLD); }));
  }
  const Held<double> b = part_of(Whole<double>(12, 1), in_rows(tridap::cyclic(2), 1), Lines::columns);
  EXPECT_NO_THROW(sl::solve(a.array, b.array, MPI_COMM_WORLD));
}

TEST(ScalapackDenseRefuses, ToOverwriteOneMemoryTwice) {
  DenseOptions over;
  over.overwrite_a = over.overwrite_b = true;
  const Index n = 4 * processes();
  const Held<double> a = part_of(some_definite(n), sl::squares({n, n}, processes()), Lines::columns);
  expect_says("the arrays a and b share memory")(thrown([&] { sl::solve(a.array, a.array, MPI_COMM_WORLD, over); }));
  over.overwrite_a = false;
  const sl::Solved solved = sl::solve(a.array, a.array, MPI_COMM_WORLD, over);
  Whole<double> identity(n, n);
  for (Index i = 0; i < n; ++i) identity.at(i, i) = 1;
  EXPECT_LE(largest_difference(gathered<double>(solved.x), identity), tolerance<double>(n));
}

TEST(ScalapackDenseRefuses, OptionsThatDiffer) {
  if (processes() < 2) GTEST_SKIP() << "needs at least 2 processes";
  const Held<double> a = part_of(some_definite(6), sl::squares({6, 6}, processes()), Lines::columns);
  DenseOptions options;
  options.overwrite_a = rank_here() == 0;
  expect_each_refuses(a.array, options, expect_says("the processes pass different options"));
  expect_says("different options")(thrown([&] { sl::eigh(a.array, MPI_COMM_WORLD, rank_here() == 0); }));
}

TEST(ScalapackDenseRefuses, ElementsOnSeveralProcesses) {
  const Index all = processes();
  if (all < 2) GTEST_SKIP() << "needs at least 2 processes";
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(all), std::vector<Index>{0, 1, 2});
  const auto shared = Distribution::make({3 * all, 3 * all}, {tridap::unstructured(lists), tridap::whole()}, {all, 1});
  const Held<double> held = part_of(some_definite(3 * all), shared, Lines::columns);
  expect_each_refuses(held.array, {}, expect_says("is on several processes"));
}

TEST(ScalapackDenseRefuses, EachOptionThatDiffersAndANumberOfAxesThatDiffers) {
  if (processes() < 2) GTEST_SKIP() << "one process cannot differ from another";
  const bool differs = rank_here() == processes() - 1;
  const Held<double> a = part_of(some_definite(6), sl::squares({6, 6}, processes()), Lines::columns);
  const auto solve = [&](const DistArray& b, const DenseOptions& options) {
    return thrown([&] { sl::solve(a.array, b, MPI_COMM_WORLD, options); });
  };
  DenseOptions options;
  options.overwrite_b = differs;
  expect_says("the processes pass different options")(solve(a.array, options));
  options = {};
  options.copy = differs ? tridap::Copy::if_needed : tridap::Copy::never;
  expect_says("the processes pass different options")(solve(a.array, options));
  options.copy = tridap::Copy::if_needed;
  const auto column = Distribution::make({6, 1}, {tridap::block(), tridap::whole()}, {processes(), 1});
  Held<double> b = part_of(Whole<double>(6, 1), column, Lines::columns);
  if (differs) {  // the same elements as an array of one axis
    b.array.dim_data.resize(1);
    b.array.buffer.shape.pop_back();
    b.array.buffer.strides.pop_back();
  }
  expect_says("different element types or numbers of axes")(solve(b.array, options));
}

TEST(ScalapackDenseRefuses, InterCommunicators) {
  if (processes() < 2) GTEST_SKIP() << "needs at least 2 processes";
  const Index n = 2 * processes();
  const Held<double> held = part_of(some_definite(n), sl::squares({n, n}, processes()), Lines::columns);
  expect_needs_communicator("solve", [&](MPI_Comm comm) { sl::solve(held.array, held.array, comm); });
  expect_needs_communicator("cholesky", [&](MPI_Comm comm) { sl::cholesky(held.array, comm); });
  expect_needs_communicator("eigh", [&](MPI_Comm comm) { sl::eigh(held.array, comm); });
  expect_needs_communicator("svd", [&](MPI_Comm comm) { sl::svd(held.array, comm); });
  expect_needs_communicator("qr", [&](MPI_Comm comm) { sl::qr(held.array, comm); });
  expect_needs_communicator("ProcessGrid", [&](MPI_Comm comm) { sl::ProcessGrid(comm, 1, processes()); });
  expect_needs_communicator("of_context", [&](MPI_Comm comm) { sl::ProcessGrid::of_context(-1, comm); });
}

}  // namespace
