#pragma once

#include "tpetra/support.hpp"
#include <tridap/solvers/solve.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace solver_test {

using namespace tpetra_test;
using oracle::List;
using tridap::solvers::CrsMatrix;
using tridap::solvers::Csr;
using tridap::solvers::DirectSolver;
using tridap::solvers::Integers;
using tridap::solvers::make_matrix;
using tridap::solvers::make_preconditioner;
using tridap::solvers::Method;
using tridap::solvers::Operator;
using tridap::solvers::Options;
using tridap::solvers::Solution;
using tridap::solvers::solve;
using tridap::solvers::Vector;
using tridap::tpetra::ArrayMap;

/// The entries of a matrix by its row's number: what a row is, without any process.
using Row = std::vector<std::pair<Index, double>>;
using Rows = std::function<Row(Index)>;

/// Rows as CSR arrays, of which a test may spoil any.
struct Arrays {
  std::vector<double> data;
  std::vector<Index> columns, row_starts{0};

  Arrays(const ArrayMap& layout, const Rows& rows) : Arrays(ids_of(*layout.map()), rows) {}
  Arrays(const List& ids, const Rows& rows) {
    for (const Index id : ids) {
      for (const auto& [column, value] : rows(id)) {
        columns.push_back(column);
        data.push_back(value);
      }
      row_starts.push_back(static_cast<Index>(data.size()));
    }
  }
  Csr csr() const {
    return {data.data(),
            static_cast<Index>(data.size()),
            {columns.data(), 8, static_cast<Index>(columns.size())},
            {row_starts.data(), 8, static_cast<Index>(row_starts.size())}};
  }
};

/// The five-point difference on an n x n grid; `wind` makes it unsymmetric.
inline Rows laplace(Index n, double wind = 0) {
  return [n, wind](Index id) {
    const Index i = id / n, j = id % n;
    Row row{{id, 4.0 + wind}};  // unsorted, as it comes
    if (j + 1 < n) row.push_back({id + 1, -1 + wind / 3});
    if (i > 0) row.push_back({id - n, -1 - wind});
    if (i + 1 < n) row.push_back({id + n, -1});
    if (j > 0) row.push_back({id - 1, -1});
    return row;
  };
}

struct Case {
  std::string name;
  tridap::DistArray part;
  Rows rows = {};  // on n x n
};

inline Index factor(Index of) {
  Index p = 1;
  for (Index d = 1; d * d <= of; ++d)
    if (of % d == 0) p = d;
  return p;
}

inline List blocks(Index size, Index grid) {
  List counts;
  for (Index c = 0; c < grid; ++c) counts.push_back(size * (c + 1) / grid - size * c / grid);
  return counts;
}

/// An n x n array, distributed in many ways.
inline std::vector<Case> cases(Index n) {
  const Index p = factor(processes()), q = processes() / p;
  std::vector<Case> all;
  const auto add = [&](const char* name, const std::vector<oracle::Axis>& axes, bool column_major) {
    Case made{name, stamped(oracle::Array(axes))};
    if (column_major) made.part.buffer.strides = tridap::column_major_strides(made.part.buffer.shape, 8);
    all.push_back(made);
  };
  List few(static_cast<std::size_t>(processes()), 0);  // all rows on the last process
  few.back() = n;
  List uneven = blocks(n, processes());
  if (processes() > 2) uneven[0] += uneven[1], uneven[1] = 0;
  std::vector<List> lists(static_cast<std::size_t>(processes()));
  for (Index i = 0; i < n; ++i) lists[static_cast<std::size_t>((i * i) % processes())].push_back(n - 1 - i);
  add("rows in blocks", {oracle::block(blocks(n, processes())), oracle::block({n})}, false);
  add("block x block", {oracle::block(blocks(n, p)), oracle::block(blocks(n, q))}, false);
  add("block x block, column-major", {oracle::block(blocks(n, p)), oracle::block(blocks(n, q))}, true);
  add("cyclic x cyclic", {oracle::cyclic(n, 1, p), oracle::cyclic(n, 2, q)}, false);
  add("columns dealt", {oracle::block({n}), oracle::cyclic(n, 1, processes())}, true);
  add("an empty process", {oracle::block(uneven), oracle::block({n})}, false);
  add("all on the last process", {oracle::block(few), oracle::block({n})}, false);
  add("lists", {oracle::unstructured(lists, true), oracle::block({n})}, false);
  return all;
}

inline Teuchos::RCP<const CrsMatrix> matrix_of(const ArrayMap& layout, const Rows& rows) {
  const Arrays arrays(layout, rows);
  return make_matrix(layout, arrays.csr());
}

/// The answer known beforehand, by number.
inline double wave(Index id) { return std::sin(0.37 * static_cast<double>(id)) + 0.01 * static_cast<double>(id % 7); }

/// b of the answer, by the rows themselves and not by Tpetra.
inline Vector right_hand_side(const ArrayMap& layout, const Rows& rows) {
  Vector b(layout.map());
  double* const values = data_of(b);
  const List ids = ids_of(*layout.map());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    values[i] = 0;
    for (const auto& [column, value] : rows(ids[i])) values[i] += value * wave(column);
  }
  return b;
}

inline double worst_error(const ArrayMap& layout, const double* x) {
  double worst = 0;
  const List ids = ids_of(*layout.map());
  for (std::size_t i = 0; i < ids.size(); ++i) worst = std::max(worst, std::abs(x[i] - wave(ids[i])));
  return worst;
}

inline void expect_good(const Solution& solution, double tol) {
  EXPECT_TRUE(solution.converged);
  EXPECT_FALSE(solution.stopped);
  EXPECT_LE(solution.residual, tol);
  EXPECT_EQ(solution.residuals.size(), static_cast<std::size_t>(solution.iterations) + 1);
  ASSERT_FALSE(solution.residuals.empty());
  EXPECT_LE(solution.residuals.back(), tol);
  EXPECT_GE(solution.seconds, 0);
}

inline Options options_of(Method method, double tol = 1e-10) {
  Options options;
  options.method = method;
  options.tol = tol;
  return options;
}

/// A case with work for a while.
struct Problem {
  explicit Problem(double wind = 0, std::size_t which = 3, Index n = 13)
      : layout(cases(n)[which].part, MPI_COMM_WORLD),
        rows(laplace(n, wind)),
        a(matrix_of(layout, rows)),
        b(right_hand_side(layout, rows)),
        x(layout.map()) {}

  ArrayMap layout;
  Rows rows;
  Teuchos::RCP<const CrsMatrix> a;
  Vector b, x;
};

}  // namespace solver_test
