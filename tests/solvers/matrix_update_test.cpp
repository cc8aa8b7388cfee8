// New values of a matrix, against a matrix that is made of them.

#include "solver_support.hpp"

#include <random>

using namespace solver_test;
using tridap::solvers::update_values;

namespace {

// The rows of matrix number `seed`. All have one pattern, in different orders, and some columns twice.
Rows random_rows(Index columns, unsigned seed) {
  return [columns, seed](Index row) {
    std::mt19937 pattern(static_cast<unsigned>(row)), values(seed + 7 * static_cast<unsigned>(row));
    Row made;
    for (Index column = 0; column < columns; ++column)
      if (pattern() % 4 == 0) made.emplace_back(column, static_cast<double>(values() % 100) - 50);
    if (seed % 2 == 1 && !made.empty()) made.push_back(made.front());
    std::shuffle(made.begin(), made.end(), values);
    return made;
  };
}

void expect_like(const CrsMatrix& matrix, const CrsMatrix& expected) {
  Vector x(matrix.getDomainMap()), a(matrix.getRangeMap()), b(matrix.getRangeMap());
  x.randomize();
  matrix.apply(x, a);
  expected.apply(x, b);
  EXPECT_GT(b.normInf(), 0);
  a.update(-1, b, 1);
  EXPECT_LT(a.normInf(), 1e-9);
}

}  // namespace

TEST(MatrixUpdate, IsAMatrixOfTheNewValuesInTheSameMemory) {
  constexpr Index n = 5;
  for (const Case& of : cases(n)) {
    const ArrayMap layout(of.part, MPI_COMM_WORLD);
    const auto matrix = make_matrix(layout, Arrays(layout, random_rows(n * n, 0)).csr());
    const auto graph = matrix->getCrsGraph();
    const double* const values = matrix->getLocalMatrixHost().values.data();
    for (unsigned seed = 1; seed < 4; ++seed) {
      const Arrays arrays(layout, random_rows(n * n, seed));
      const tridap::Receipt receipt = update_values(layout, *matrix, arrays.csr());
      expect_like(*matrix, *make_matrix(layout, arrays.csr()));
      EXPECT_EQ(matrix->getCrsGraph().get(), graph.get());
      EXPECT_EQ(matrix->getLocalMatrixHost().values.data(), values);
      EXPECT_EQ(receipt.bytes_copied, static_cast<Index>(8 * matrix->getLocalMatrixHost().values.extent(0)));
    }
    if (HasFailure()) FAIL() << of.name;
  }
}

TEST(MatrixUpdate, OneBadProcessFailsEveryProcessAndChangesNothing) {
  constexpr Index n = 5;
  const ArrayMap layout(cases(n)[1].part, MPI_COMM_WORLD);
  const Arrays arrays(layout, laplace(n)), others(layout, laplace(n, 1));
  const auto matrix = make_matrix(layout, arrays.csr()), same = make_matrix(layout, arrays.csr());
  const bool has_rows = layout.map()->getLocalElement(12) >= 0;  // the middle of the grid has five entries
  const auto refused = [&](const char* text, const auto& spoil) {
    Arrays wrong = others;
    if (has_rows) spoil(wrong);
    expect_refused([&] { update_values(layout, *matrix, wrong.csr()); }, text);
    expect_like(*matrix, *same);
  };
  const auto row_of_middle = [&] { return static_cast<std::size_t>(layout.map()->getLocalElement(12)); };
  refused("has a new entry in column 24",
          [&](Arrays& wrong) { wrong.columns[static_cast<std::size_t>(wrong.row_starts[row_of_middle()]) + 1] = 24; });
  refused("has no entry in column 17", [&](Arrays& wrong) {
    for (auto k = wrong.row_starts[row_of_middle()]; k < wrong.row_starts[row_of_middle() + 1]; ++k)
      if (wrong.columns[static_cast<std::size_t>(k)] == 17) wrong.columns[static_cast<std::size_t>(k)] = 12;
  });
  refused("must be finite", [](Arrays& wrong) { wrong.data[0] = std::nan(""); });
  refused("must be the number of an element", [](Arrays& wrong) { wrong.columns[0] = n * n; });
}

namespace {

// The ids of this process's elements, by counting the local indices without padding in an order.
List ids_in(const ArrayMap& layout, tridap::Order order) {
  const std::vector<tridap::Range> box = layout.rows().part(layout.process(), tridap::Part::interior);
  Index count = 1;
  for (const tridap::Range& range : box) count *= range.size();
  List ids;
  for (Index number = 0; number < count; ++number) {
    tridap::Indices local(box.size());
    Index rest = number;
    for (std::size_t k = 0; k < box.size(); ++k) {
      const std::size_t axis = order == tridap::Order::row_major ? box.size() - 1 - k : k;
      local[axis] = box[axis].begin + rest % box[axis].size();
      rest /= box[axis].size();
    }
    ids.push_back(layout.flat_numbers().number(layout.rows().global_index(layout.process(), local)));
  }
  return ids;
}

}  // namespace

TEST(MatrixOrder, IsThatOfLocalIndicesWhateverTheMemory) {
  constexpr Index n = 5;
  for (const Case& of : cases(n))
    for (const bool column_major : {false, true})
      for (const bool reversed : {false, true}) {
        tridap::DistArray part = of.part;
        turn(part.buffer, column_major ? std::vector<Index>{1, 0} : std::vector<Index>{0, 1}, {reversed, false});
        const ArrayMap layout(part, MPI_COMM_WORLD);
        const Rows rows = random_rows(n * n, 0), others = random_rows(n * n, 1);
        const auto expected = make_matrix(layout, Arrays(layout, rows).csr());
        for (const tridap::Order order : {tridap::Order::row_major, tridap::Order::column_major}) {
          const List ids = ids_in(layout, order);
          const Arrays arrays(ids, rows), new_values(ids, others);
          Csr csr = arrays.csr();
          csr.order = order;
          const auto matrix = make_matrix(layout, csr);
          expect_like(*matrix, *expected);
          csr = new_values.csr();
          csr.order = order;
          update_values(layout, *matrix, csr);
          expect_like(*matrix, *make_matrix(layout, Arrays(layout, others).csr()));
        }
        if (HasFailure()) FAIL() << of.name << column_major << reversed;
      }
}

TEST(MatrixOrder, PlacesInTheOrderOfTheMemoryAreNotListed) {
  const tridap::DistArray part = stamped(oracle::Array({oracle::block(blocks(8, processes())), oracle::block({3})}));
  tridap::DistArray turned = part;
  turn(turned.buffer, {1, 0}, {false, false});
  const ArrayMap rows(part, MPI_COMM_WORLD), columns(turned, MPI_COMM_WORLD);
  using tridap::Order;
  using tridap::solvers::places_in;
  EXPECT_TRUE(places_in(rows, Order::row_major).empty());
  EXPECT_TRUE(places_in(columns, Order::column_major).empty());
  List expected;  // of 8 / p x 3 elements
  const Index own = part.buffer.shape[0];
  for (Index j = 0; j < 3 && own > 1; ++j)
    for (Index i = 0; i < own; ++i) expected.push_back(3 * i + j);
  EXPECT_EQ(places_in(columns, Order::row_major), expected);
}
