#include "solvers/solver_support.hpp"
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/solvers/vectors.hpp>

using namespace solver_test;
using tridap::Copy;
using tridap::DistArray;
using tridap::Part;
using tridap::solvers::import_vectors;
using tridap::solvers::SolverArray;
using tridap::solvers::Vectors;

namespace {

/// An array and the Distribution of its whole, which SolverArray refers to.
struct Held {
  oracle::Array oracle;
  DistArray part;
  tridap::Distribution distribution;

  explicit Held(const std::vector<oracle::Axis>& axes)
      : oracle(axes), part(stamped(oracle)), distribution(tridap::mpi::gather_distribution(part, MPI_COMM_WORLD)) {}

  SolverArray as(const std::string& name) const { return {part, distribution, name, true}; }
  Vectors vectors(const ArrayMap& rows, Copy copy = Copy::never) const { return import_vectors(as("x"), rows, copy); }
  std::vector<double> interior() const {  // row-major
    std::vector<double> values;
    for (const auto& element : oracle.elements(rank(), Part::interior))
      values.push_back(element_at(part.buffer, element.local));
    return values;
  }
  double sum_outside() const {
    double sum = 0;
    for (const auto& element : oracle.elements(rank(), Part::local)) sum += element_at(part.buffer, element.local);
    for (const double value : interior()) sum -= value;
    return sum;
  }
};

std::vector<double> values_of(const Vectors& imported, std::size_t j = 0) {
  const auto view = imported.vectors->getLocalViewHost(Tpetra::Access::ReadOnly);
  std::vector<double> values;
  for (std::size_t i = 0; i < view.extent(0); ++i) values.push_back(view(i, j));
  return values;
}

/// One axis of 3 elements on each of `grid` processes, told in four ways.
std::vector<oracle::Axis> paddings(Index grid) {
  const List owned(static_cast<std::size_t>(grid), 3);
  const auto inside = [grid](Index width) { return List(static_cast<std::size_t>(grid - 1), width); };
  List ring = owned;  // the mirrors are owned
  ring.front() += 2;
  ring.back() += 1;
  return {oracle::block(owned), oracle::block(owned, inside(1)), oracle::block(owned, inside(2)),
          oracle::block(ring, inside(1), {2, 1}, true)};
}

}  // namespace

TEST(Vectors, ShareTheElementsWhateverThePaddingOfTheRowsAndOfTheArray) {
  for (const oracle::Axis& of_rows : paddings(processes()))
    for (const oracle::Axis& of_array : paddings(processes())) {
      const ArrayMap rows(stamped(oracle::Array({of_rows})), MPI_COMM_WORLD);
      const Held x({of_array});
      const Vectors imported = x.vectors(rows);
      EXPECT_TRUE(imported.receipt.shared);
      EXPECT_EQ(values_of(imported), x.interior());
      EXPECT_EQ(imported.vectors->getGlobalLength(), static_cast<std::size_t>(3 * processes()));
      const double outside = x.sum_outside();
      imported.vectors->scale(2);
      EXPECT_EQ(values_of(imported), x.interior());
      EXPECT_EQ(x.sum_outside(), outside);
    }
}

TEST(Vectors, AreCopiedAndWrittenBackIfPaddingIsBetweenTheElements) {
  const Index p = factor(processes()), q = processes() / p;
  for (const oracle::Axis& of_rows : paddings(q))
    for (const oracle::Axis& of_array : paddings(q))
      for (const bool column_major : {false, true}) {
        DistArray made = stamped(oracle::Array({oracle::block(blocks(7, p)), of_rows}));
        if (column_major) turn(made.buffer, {1, 0}, {false, false});
        const ArrayMap rows(made, MPI_COMM_WORLD);
        Held x({oracle::block(blocks(7, p)), of_array});
        const bool dense = !x.distribution.axis(1).has_communication_padding() && !x.distribution.axis(1).periodic();
        if (!dense || column_major) {
          const std::string text = refusal([&] { x.vectors(rows); });
          expect_says(text, dense ? "memory order is not that of the map" : "copy=never, but x has padding (");
          if (!dense) {
            expect_says(text, "axis 1");
          }
        }
        const Vectors imported = x.vectors(rows, Copy::always);
        EXPECT_FALSE(imported.receipt.shared);
        EXPECT_EQ(imported.receipt.bytes_copied, static_cast<Index>(8 * x.interior().size()));
        std::vector<double> expected = x.interior();
        if (!column_major) {
          EXPECT_EQ(values_of(imported), expected);
        }
        const double outside = x.sum_outside();
        imported.vectors->scale(2);
        EXPECT_EQ(x.interior(), expected);
        imported.write_back();
        for (double& value : expected) value *= 2;
        EXPECT_EQ(x.interior(), expected);
        EXPECT_EQ(x.sum_outside(), outside);
      }
}

TEST(Vectors, HaveAnAxisThatIsNotDistributed) {
  const oracle::Axis line = oracle::block(blocks(7, processes()));
  const ArrayMap rows(stamped(oracle::Array({line})), MPI_COMM_WORLD);
  for (const bool first : {false, true})
    for (const bool column_major : {false, true}) {
      const oracle::Axis three = oracle::block({3});
      Held x(first ? std::vector{three, line} : std::vector{line, three});
      if (column_major) turn(x.part.buffer, {1, 0}, {false, false});
      const bool shared = first != column_major;
      for (const auto& element : x.oracle.elements(rank(), Part::local))
        element_at(x.part.buffer, element.local) =
            static_cast<double>(10 * element.global[first ? 1 : 0] + element.global[first ? 0 : 1]);
      EXPECT_EQ(vectors_axis(x.as("x"), rows), std::optional<Index>(first ? 0 : 1));
      const Vectors imported = x.vectors(rows, Copy::if_needed);
      ASSERT_EQ(imported.vectors->getNumVectors(), 3U);
      if (processes() < 7) {
        EXPECT_EQ(imported.receipt.shared, shared || x.part.buffer.shape[first ? 1 : 0] == 1);
      }
      const List ids = ids_of(*rows.map());
      for (std::size_t j = 0; j < 3; ++j) {
        const std::vector<double> values = values_of(imported, j);
        ASSERT_EQ(values.size(), ids.size());
        for (std::size_t i = 0; i < ids.size(); ++i)
          EXPECT_EQ(values[i], static_cast<double>(10 * ids[i]) + static_cast<double>(j));
      }
      imported.vectors->scale(3);
      imported.write_back();
      for (const auto& element : x.oracle.elements(rank(), Part::local))
        EXPECT_EQ(element_at(x.part.buffer, element.local),
                  static_cast<double>(3 * (10 * element.global[first ? 1 : 0] + element.global[first ? 0 : 1])));
    }
}

/// The error of vectors over these axes for rows in blocks of three.
std::string vectors_refusal(const std::vector<oracle::Axis>& axes) {
  const List owned(static_cast<std::size_t>(processes()), 3);
  const ArrayMap rows(stamped(oracle::Array({oracle::block(owned)})), MPI_COMM_WORLD);
  const Held b(axes);
  return refusal([&] { import_vectors(b.as("b"), rows); });
}

TEST(Vectors, OfAnotherShapeThanTheRowsAreRefused) {
  const Index p = processes();
  const List owned(static_cast<std::size_t>(p), 3);
  const ArrayMap rows(stamped(oracle::Array({oracle::block(owned)})), MPI_COMM_WORLD);
  expect_says(vectors_refusal({oracle::block(List(static_cast<std::size_t>(p), 4))}),
              "b has size " + std::to_string(4 * p) + ", the rows of A have size " + std::to_string(3 * p));
  expect_says(vectors_refusal({oracle::block({2}), oracle::block(owned), oracle::block({1})}),
              "b has 3 axes, the rows of A have 1 axis");
  expect_says(vectors_refusal({oracle::block(List(static_cast<std::size_t>(p), 5)), oracle::block({2})}),
              "axis 0 (rank 0): b has size");
  const Held same({oracle::cyclic(3 * p, 3, p)});  // the same elements, told in another way
  EXPECT_TRUE(import_vectors(same.as("b"), rows).receipt.shared);
}

TEST(Vectors, OfElementsThatAreNotTheRowsAreRefusedWithBothValues) {
  const Index p = processes();
  if (p == 1) GTEST_SKIP() << "needs at least 2 processes";
  const List owned(static_cast<std::size_t>(p), 3);
  expect_says(vectors_refusal({oracle::cyclic(3 * p, 1, p)}), "b has dist_type 'c', the rows of A have dist_type 'b'");
  if (const Index q = factor(p); q > 1) {
    expect_says(vectors_refusal({oracle::block(blocks(8, q)), oracle::block(blocks(8, p / q))}), "b has 2 axes");
  }
  List uneven = owned;  // ranks 0 and 1 alone
  uneven[0] += 1, uneven[1] -= 1;
  const std::string text = vectors_refusal({oracle::block(uneven)});
  expect_says(text, "axis 0 (rank 0): b has local extent 4, the rows of A have local extent 3");
  expect_says(text, "b has start 4, the rows of A have start 3");
  expect_says(text, "b = b.redistribute(A.distribution)");
  const ArrayMap dealt(stamped(oracle::Array({oracle::cyclic(2 * p, 1, p)})), MPI_COMM_WORLD);
  const Held other({oracle::cyclic(2 * p, 1, p, 1)});
  expect_refused([&] { import_vectors(other.as("b"), dealt); }, "b has start ");
}
