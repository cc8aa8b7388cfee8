#include "dense_support.hpp"
#include <tridap/compare.hpp>

#include <tuple>

// matmul(): the product is the product of the whole matrices, and its distribution is that of the factors.
namespace {

using namespace dense_test;
using sl::Op;

template <class T>
class ScalapackMatmul : public Dense<T> {};
TYPED_TEST_SUITE(ScalapackMatmul, Scalars);

template <class T>
Whole<T> transposed(const Whole<T>& a) {
  Whole<T> made(a.n, a.m);
  for (Index i = 0; i < a.m; ++i)
    for (Index j = 0; j < a.n; ++j) made.at(j, i) = a.at(i, j);
  return made;
}

template <class T>
Whole<T> applied(Op op, const Whole<T>& a) {
  return op == Op::none ? a : op == Op::transpose ? transposed(a) : adjoint(a);
}

Op some_op(Random& random) { return static_cast<Op>(pick(random, 3)); }

template <class T>
void expect_product(const Whole<T>& a, const Whole<T>& b, const sl::MatmulOptions& options, const DistArray& c) {
  EXPECT_LE(largest_difference(gathered<T>(c), product(applied(options.a, a), applied(options.b, b))),
            tolerance<T>(30));
}

TYPED_TEST(ScalapackMatmul, OfAnyDistributions) {
  using T = TypeParam;
  Random random(41);
  for (int round = 0; round < effort::of(60, 12); ++round) {
    const Index m = 1 + pick(random, 20), k = 1 + pick(random, 20), n = 1 + pick(random, 20);
    const sl::MatmulOptions options{pick(random, 4) == 0 ? Copy::always : Copy::if_needed, some_op(random),
                                    some_op(random)};
    const Whole<T> a = options.a == Op::none ? random_matrix<T>(random, m, k) : random_matrix<T>(random, k, m);
    const Whole<T> b = options.b == Op::none ? random_matrix<T>(random, k, n) : random_matrix<T>(random, n, k);
    const Held<T> of_a = part_of(a, some_distribution(random, a.m, a.n), some_lines(random), pick(random, 3));
    const Held<T> of_b = part_of(b, some_distribution(random, b.m, b.n), some_lines(random), pick(random, 3));
    const sl::Product made = sl::matmul(of_a.array, of_b.array, MPI_COMM_WORLD, options);
    expect_product(a, b, options, made.c);
    EXPECT_TRUE(of_a.is_unchanged());
    EXPECT_TRUE(of_b.is_unchanged());
  }
}

TYPED_TEST(ScalapackMatmul, ColumnsOverOneGridAreNotCopied) {
  using T = TypeParam;
  Random random(42);
  for (int round = 0; round < effort::of(40, 8); ++round) {
    const Index m = 1 + pick(random, 20), k = 1 + pick(random, 20), n = 1 + pick(random, 20);
    const auto grid = some_process_grid(random);
    const auto cyclics = [&](Index rows, Index columns) {
      return Distribution::make({rows, columns},
                                {tridap::cyclic(1 + pick(random, 4), pick(random, static_cast<int>(grid[0]))),
                                 tridap::cyclic(1 + pick(random, 4), pick(random, static_cast<int>(grid[1])))},
                                grid);
    };
    const Whole<T> a = random_matrix<T>(random, m, k), b = random_matrix<T>(random, k, n);
    const Distribution of_a = cyclics(m, k), of_b = cyclics(k, n);
    const sl::Product made = sl::matmul(part_of(a, of_a, Lines::columns, pick(random, 3)).array,
                                        part_of(b, of_b, Lines::columns).array, MPI_COMM_WORLD);
    expect_product(a, b, {}, made.c);
    EXPECT_EQ(made.receipt.bytes_copied, 0);
    const Distribution to = tridap::mpi::gather_distribution(made.c, MPI_COMM_WORLD);
    EXPECT_TRUE(compare(to, Distribution({of_a.axis(0), of_b.axis(1)})).same_places);
  }
}

TYPED_TEST(ScalapackMatmul, RowsOfProcessesAreReadAsTransposes) {
  using T = TypeParam;
  const Index all = processes(), m = 3 * all + 1, n = 4;
  Random random(43);
  const Whole<T> a = random_matrix<T>(random, m, n);
  const Distribution rows = Distribution::make({m, n}, {tridap::block(), tridap::whole()}, {all, 1});
  const Distribution columns = Distribution::make({n, m}, {tridap::whole(), tridap::block()}, {1, all});
  const Held<T> held = part_of(a, rows, Lines::rows), turned = part_of(transposed(a), columns, Lines::columns);
  expect_product(transposed(a), a, {}, sl::matmul(turned.array, held.array, MPI_COMM_WORLD).c);
  expect_product(a, transposed(a), {}, sl::matmul(held.array, turned.array, MPI_COMM_WORLD).c);
  expect_product(a, a, {Copy::never, Op::adjoint, Op::none},
                 sl::matmul(held.array, held.array, MPI_COMM_WORLD, {Copy::never, Op::adjoint, Op::none}).c);
}

TYPED_TEST(ScalapackMatmul, AVectorGivesAVectorDistributedAlike) {
  using T = TypeParam;
  const Index all = processes(), n = 2 * all + 1;
  Random random(44);
  for (const Index m : {n, n + 5, Index{1}}) {
    const Whole<T> a = random_matrix<T>(random, m, n), b = random_matrix<T>(random, n, 1);
    const Distribution rows = Distribution::make({m, n}, {tridap::block(), tridap::whole()}, {all, 1});
    const Distribution line = Distribution::make({n}, {tridap::cyclic(2)}, {all});
    const sl::Product made =
        sl::matmul(part_of(a, rows, Lines::rows).array, part_of(b, line, Lines::columns).array, MPI_COMM_WORLD);
    EXPECT_EQ(made.c.ndim(), 1);
    expect_product(a, b, {}, made.c);
    const Distribution to = tridap::mpi::gather_distribution(made.c, MPI_COMM_WORLD);
    EXPECT_TRUE(compare(to, Distribution::make({m}, {tridap::cyclic(2)}, {all})).same_places);
  }
}

TEST(ScalapackMatmul, NanIsMultiplied) {
  const Distribution squares = sl::squares({4, 4}, processes());
  Whole<double> a(4, 4), b(4, 4);
  a.at(1, 2) = std::numeric_limits<double>::quiet_NaN();
  b.at(3, 3) = std::numeric_limits<double>::infinity();
  const Whole<double> c = gathered<double>(
      sl::matmul(part_of(a, squares, Lines::columns).array, part_of(b, squares, Lines::columns).array, MPI_COMM_WORLD)
          .c);
  EXPECT_TRUE(std::isnan(c.at(1, 0)));
  EXPECT_TRUE(std::isnan(c.at(0, 3)));
  EXPECT_EQ(c.at(0, 0), 0);
}

TEST(ScalapackMatmul, WithoutElementsIsZero) {
  const Index all = processes();
  const auto rows = [&](Index m, Index n) {
    return part_of(Whole<double>(m, n), Distribution::make({m, n}, {tridap::block(), tridap::whole()}, {all, 1}),
                   Lines::rows);
  };
  for (const auto& [m, k, n] : {std::tuple<Index, Index, Index>{0, 3, 2}, {3, 0, 2}, {3, 2, 0}, {0, 0, 0}}) {
    const Whole<double> c = gathered<double>(sl::matmul(rows(m, k).array, rows(k, n).array, MPI_COMM_WORLD).c);
    EXPECT_EQ(c.m, m);
    EXPECT_EQ(c.n, n);
    EXPECT_TRUE(std::all_of(c.elements.begin(), c.elements.end(), [](double x) { return x == 0; }));
  }
}

TEST(ScalapackMatmul, WhatDoesNotFitIsRefusedByAll) {
  const Index all = processes();
  const auto of = [&](Index m, Index n, const Distribution& distribution) {
    return part_of(Whole<double>(m, n), distribution, Lines::columns);
  };
  const Held<double> square = of(6, 6, sl::squares({6, 6}, all)), tall = of(7, 6, sl::squares({7, 6}, all));
  const auto refused = [&](const auto& a, const auto& b, const std::string& words) {
    try {
      sl::matmul(a.array, b.array, MPI_COMM_WORLD);
    } catch (const tridap::Error& error) {
      on::expect_says(error.what(), words);
      return;
    }
    ADD_FAILURE() << "accepted: " << words;
  };
  refused(square, tall, "a has 6 columns, and b has 7 rows");
  refused(square, part_of(Whole<float>(6, 6), sl::squares({6, 6}, all), Lines::columns),
          "the elements of b are float32");
  if (all > 1) {
    const Held<double> rows = of(6, 6, Distribution::make({6, 6}, {tridap::block(), tridap::whole()}, {all, 1}));
    std::vector<std::vector<Index>> lists(static_cast<std::size_t>(all));
    for (Index i = 0; i < 6; ++i) lists[static_cast<std::size_t>((i * i) % all)].push_back(i);
    const Held<double> listed =
        of(6, 6, Distribution::make({6, 6}, {tridap::unstructured(lists, true), tridap::whole()}, {all, 1}));
    refused(listed, rows, "pass copy=if_needed");
    refused(rows, listed, "must be in blocks of one length over the same processes as a");
  }
}

}  // namespace
