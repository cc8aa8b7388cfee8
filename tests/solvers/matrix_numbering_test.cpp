#include "solvers/solver_support.hpp"
#include <tridap/solvers/vectors.hpp>

// Matrices on maps that number process after process: the columns that a user gives are row-major numbers there, too.
namespace {

using namespace solver_test;
using tridap::solvers::have_same_rows;
using tridap::solvers::update_values;

ArrayMap numbered_by_process(const tridap::DistArray& part, Index base = 0) {
  tridap::tpetra::ArrayMapOptions options;
  options.numbering = tridap::tpetra::Numbering::by_process;
  options.index_base = base;
  return {part, MPI_COMM_WORLD, options};
}

/// The flat numbers of this process's elements, in memory order.
List flat_numbers(const tridap::DistArray& part) { return ids_of(*ArrayMap(part, MPI_COMM_WORLD).map()); }

/// A x of wave(), computed by the rows themselves.
void expect_multiplies(const CrsMatrix& matrix, const List& flat, const Rows& rows) {
  Vector x(matrix.getDomainMap()), y(matrix.getRangeMap());
  for (std::size_t i = 0; i < flat.size(); ++i) data_of(x)[i] = wave(flat[i]);
  matrix.apply(x, y);
  for (std::size_t i = 0; i < flat.size(); ++i) {
    double expected = 0;
    for (const auto& [column, value] : rows(flat[i])) expected += value * wave(column);
    ASSERT_NEAR(data_of(y)[i], expected, 1e-12);
  }
}

Rows doubled(const Rows& rows) {
  return [rows](Index id) {
    Row row = rows(id);
    for (auto& [column, value] : row) value *= 2;
    return row;
  };
}

}  // namespace

TEST(MatrixByProcess, MultipliesAndSolvesAsWithFlatNumbers) {
  constexpr Index n = 9;
  const Rows rows = laplace(n, 0.5);
  for (const Case& of : cases(n)) {
    SCOPED_TRACE(of.name);
    const List flat = flat_numbers(of.part);
    const ArrayMap layout = numbered_by_process(of.part);
    const auto matrix = make_matrix(layout, Arrays(flat, rows).csr());
    ASSERT_NO_FATAL_FAILURE(expect_multiplies(*matrix, flat, rows));
    update_values(layout, *matrix, Arrays(flat, doubled(rows)).csr());
    ASSERT_NO_FATAL_FAILURE(expect_multiplies(*matrix, flat, doubled(rows)));
    Vector b(layout.map()), x(layout.map());
    for (std::size_t i = 0; i < flat.size(); ++i) {
      data_of(b)[i] = 0;
      for (const auto& [column, value] : doubled(rows)(flat[i])) data_of(b)[i] += value * wave(column);
    }
    expect_good(solve(matrix, make_preconditioner("ilut", Method::gmres, matrix), b, x, options_of(Method::gmres)),
                1e-10);
    for (std::size_t i = 0; i < flat.size(); ++i) EXPECT_NEAR(data_of(x)[i], wave(flat[i]), 1e-7);
  }
}

TEST(MatrixByProcess, AnIndexBaseShiftsColumns) {
  const Case of = cases(6)[3];
  const List flat = flat_numbers(of.part);
  Arrays arrays(flat, laplace(6));
  for (Index& column : arrays.columns) column += 5;
  const ArrayMap layout = numbered_by_process(of.part, 5);
  ASSERT_NO_FATAL_FAILURE(expect_multiplies(*make_matrix(layout, arrays.csr()), flat, laplace(6)));
}

TEST(MatrixByProcess, ColumnsOfNoElementAreRefused) {
  const Index p = processes();
  std::vector<List> lists;
  for (Index c = 0; c < p; ++c) lists.push_back({3 * (p - c), 3 * (p - c) + 1});  // 3 to 3 p + 1, each third is a gap
  const std::vector<std::pair<oracle::Array, Index>> arrays_with_holes = {
      {oracle::Array({oracle::unstructured(lists), oracle::block({2})}), 4},
      {oracle::Array(
           {oracle::block(oracle::List(static_cast<std::size_t>(p), 3), {}, {1, 1}, true), oracle::block({2})}),
       1}};
  for (const auto& [array, hole] : arrays_with_holes) {
    const tridap::DistArray part = stamped(array);
    const List flat = flat_numbers(part);
    const auto neighbour = [&](Index id) {
      return flat.empty() ? id : flat[(static_cast<std::size_t>(id) * 7) % flat.size()];
    };
    const Rows rows = [&](Index id) { return Row{{id, 2.0}, {neighbour(id) == id ? id : neighbour(id), 1.0}}; };
    const ArrayMap layout = numbered_by_process(part);
    const auto matrix = make_matrix(layout, Arrays(flat, rows).csr());
    ASSERT_NO_FATAL_FAILURE(expect_multiplies(*matrix, flat, rows));
    if (p == 1 && array.axes[0].dims[0].dist_type() == 'u') continue;  // without gaps
    for (const Index wrong : {hole, Index{-1}, layout.flat_numbers().count()}) {
      Arrays spoilt(flat, rows);
      if (rank() == p - 1) spoilt.columns.front() = wrong;
      const std::string text = "has column " + std::to_string(wrong) + ", must be the number of an element";
      expect_refused([&] { make_matrix(layout, spoilt.csr()); }, text);
      expect_refused([&] { update_values(layout, *matrix, spoilt.csr()); }, text);
    }
  }
}

TEST(MatrixByProcess, MessagesHaveFlatNumbers) {
  constexpr Index n = 5;
  const Case of = cases(n)[3];  // cyclic x cyclic
  const List flat = flat_numbers(of.part);
  const ArrayMap layout = numbered_by_process(of.part);
  const auto matrix = make_matrix(layout, Arrays(flat, laplace(n)).csr());
  const auto changed = [&](Index from, Index to) {
    return Arrays(flat, [=](Index id) {
      Row row = laplace(n)(id);
      for (auto& [column, value] : row)
        if (id == 12 && column == from) column = to;
      return row;
    });
  };
  const Arrays more = changed(17, 24), fewer = changed(17, 12);
  expect_refused([&] { update_values(layout, *matrix, more.csr()); }, "has a new entry in column 24");
  expect_refused([&] { update_values(layout, *matrix, fewer.csr()); }, "has no entry in column 17");
}

TEST(MatrixByProcess, SameRowsAreTheSameElementsInTheSameOrder) {
  const Index p = processes();
  const oracle::Array array({oracle::block(List(static_cast<std::size_t>(p), 2)), oracle::block({3})});
  const tridap::DistArray part = stamped(array);
  tridap::DistArray turned = part;
  turn(turned.buffer, {1, 0}, {false, false});
  const tridap::DistArray dealt = stamped(oracle::Array({oracle::cyclic(2 * p, 1, p), oracle::block({3})}));
  const ArrayMap a = numbered_by_process(part), b = numbered_by_process(turned), c = numbered_by_process(dealt);
  EXPECT_TRUE(have_same_rows(a, a));
  EXPECT_TRUE(have_same_rows(b, numbered_by_process(turned)));
  EXPECT_FALSE(have_same_rows(a, b));
  EXPECT_EQ(have_same_rows(a, c), p == 1);
  EXPECT_TRUE(have_same_rows(a, ArrayMap(part, MPI_COMM_WORLD))) << "whole rows in blocks have flat numbers";
}
