#pragma once

#include <tridap/sparse/linear_operator.hpp>
#include <tridap/sparse/sparse_rows.hpp>

#include <gtest/gtest.h>
#include <mpi.h>
#include <support/effort.hpp>
#include <support/expect_refused.hpp>
#include <support/random.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace sparse_test {

using on::expect_says;
using tridap::Bounds;
using tridap::Index;
using tridap::Integers;
using tridap::SparsePart;
using tridap::SparseRows;

inline int rank() { return on::rank(MPI_COMM_WORLD); }
inline int processes() { return on::processes(MPI_COMM_WORLD); }

/// A whole matrix, the same on every process.
struct Case {
  Bounds rows, columns;
  std::map<std::pair<Index, Index>, double> entries;  // by row and column

  Index row_begin(int process = rank()) const { return rows[static_cast<std::size_t>(process)]; }
  Index row_end(int process = rank()) const { return rows[static_cast<std::size_t>(process) + 1]; }
  Index column_begin() const { return columns[static_cast<std::size_t>(rank())]; }
  Index column_end() const { return columns[static_cast<std::size_t>(rank()) + 1]; }

  /// The product with x(j) = 1 + j * j % 7, added up entry by entry.
  double product(Index row) const {
    double sum = 0;
    for (const auto& [at, value] : entries)
      if (at.first == row) sum += value * x(at.second);
    return sum;
  }
  static double x(Index j) { return static_cast<double>(1 + j * j % 7); }
};

/// A square matrix without entries, of which each process has so many rows.
inline Case square_case(Index rows_each) {
  Case of;
  for (Index p = 0; p <= processes(); ++p) of.rows.push_back(rows_each * p);
  of.columns = of.rows;
  return of;
}

class Random : public on::Random {
 public:
  using on::Random::Random;
  double value() { return static_cast<double>(between(-99, 99)) / 4; }
};

/// Uneven bounds; some processes have nothing, and there may be fewer rows than processes.
inline Bounds random_bounds(Random& random, Index most) {
  Bounds bounds{0};
  for (int p = 0; p < processes(); ++p)
    bounds.push_back(bounds.back() + (random.one_in(4) ? 0 : random.between(0, most)));
  return bounds;
}

/// Square ones have one distribution for rows and columns.
inline Case random_case(Random& random, bool square = false) {
  Case made;
  const Index most = random.one_in(3) ? 1 : random.between(2, 9);
  made.rows = random_bounds(random, most);
  made.columns = square || random.one_in(2) ? made.rows : random_bounds(random, random.between(1, 9));
  const Index density = random.between(1, 8);
  for (Index i = 0; i < made.rows.back(); ++i) {
    if (random.one_in(5)) continue;  // an empty row
    for (Index j = 0; j < made.columns.back(); ++j)
      if (random.one_in(density)) made.entries[{i, j}] = random.value();
  }
  return made;
}

/// The same pattern, other values.
inline Case with_new_values(Case of, Random& random) {
  for (auto& [at, value] : of.entries) value = random.value();
  return of;
}

/// This process's rows in memory of their own: in several parts, whose entries have any order.
class Memory {
 public:
  /// Takes one number of `shared`, which so stays the same on every process.
  Memory(const Case& of, Random& shared, std::size_t parts, bool shuffled) : parts_(parts) {
    Random random(static_cast<unsigned>(shared.between(0, 1 << 30)));
    rows.row_bounds = of.rows;
    rows.column_bounds = of.columns;
    rows.process = rank();
    rows.type = tridap::element_type<double>();
    for (Part& part : parts_) part.numbered = random.one_in(2);
    for (Index row = of.row_begin(); row < of.row_end(); ++row) add_row(of, row, random, shuffled);
    for (Part& part : parts_) rows.parts.push_back(part.described(of.columns.back()));
  }
  Memory(const Memory&) = delete;

  /// The values by row and column.
  std::map<std::pair<Index, Index>, double> values() const {
    std::map<std::pair<Index, Index>, double> all;
    for (const Part& part : parts_)
      for (std::size_t row = 0; row + 1 < part.starts.size(); ++row)
        for (auto k = static_cast<std::size_t>(part.starts[row]); k < static_cast<std::size_t>(part.starts[row + 1]);
             ++k)
          all[{rows.rows().begin + static_cast<Index>(row), part.global[k]}] = part.values[k];
    return all;
  }

  SparseRows rows;

 private:
  struct Part {
    bool numbered = false;
    std::vector<std::int32_t> starts{0}, narrow;
    std::vector<Index> global, wide, numbers;
    std::vector<double> values;

    SparsePart described(Index columns) {
      SparsePart part;
      part.row_starts = tridap::integers(starts.data(), static_cast<Index>(starts.size()));
      if (numbered) {  // positions of 4 bytes in a table that runs backwards
        for (Index j = 0; j < columns; ++j) numbers.push_back(columns - 1 - j);
        for (const Index j : global) narrow.push_back(static_cast<std::int32_t>(columns - 1 - j));
        part.columns = tridap::integers(narrow.data(), static_cast<Index>(narrow.size()));
        part.numbers = numbers.data();
      } else {
        for (const Index j : global) wide.push_back(j - 3);
        part.columns = tridap::integers(wide.data(), static_cast<Index>(wide.size()));
        part.first = 3;
      }
      part.values = values.data();
      return part;
    }
  };

  void add_row(const Case& of, Index row, Random& random, bool shuffled) {
    std::vector<std::pair<Index, double>> entries;
    for (auto at = of.entries.lower_bound({row, 0}); at != of.entries.end() && at->first.first == row; ++at)
      entries.emplace_back(at->first.second, at->second);
    const auto is_own = [&](const auto& entry) { return rows.columns().contains(entry.first); };
    std::stable_partition(entries.begin(), entries.end(), is_own);
    if (shuffled) std::shuffle(entries.begin(), entries.end(), random.engine());
    std::size_t part = 0;
    for (const auto& [column, value] : entries) {
      while (part + 1 < parts_.size() && random.one_in(3)) ++part;
      parts_[part].global.push_back(column);
      parts_[part].values.push_back(value);
    }
    for (Part& each : parts_) each.starts.push_back(static_cast<std::int32_t>(each.values.size()));
  }

  std::vector<Part> parts_;
};

/// The entries of a case on this process.
inline std::map<std::pair<Index, Index>, double> own_entries(const Case& of) {
  std::map<std::pair<Index, Index>, double> own;
  for (const auto& [at, value] : of.entries)
    if (of.row_begin() <= at.first && at.first < of.row_end()) own[at] = value;
  return own;
}

/// What exported rows say, entry by entry.
inline std::map<std::pair<Index, Index>, double> entries_of(const SparseRows& rows) {
  std::map<std::pair<Index, Index>, double> entries;
  for (const SparsePart& part : rows.parts)
    for (Index row = 0; row < rows.rows().size(); ++row)
      for (Index k = part.row_starts[row]; k < part.row_starts[row + 1]; ++k)
        entries[{rows.rows().begin + row, part.column(k)}] = static_cast<const double*>(part.values)[k];
  return entries;
}

/// An operator gives the products of the case.
inline void expect_product(const tridap::LinearOperator& op, const Case& of) {
  std::vector<double> x, y(static_cast<std::size_t>(of.row_end() - of.row_begin()), 77);
  for (Index j = of.column_begin(); j < of.column_end(); ++j) x.push_back(Case::x(j));
  op.apply(tridap::block_vector(op.column_bounds, op.process, op.type, x.data(), true),
           tridap::block_vector(op.row_bounds, op.process, op.type, y.data(), false));
  for (std::size_t i = 0; i < y.size(); ++i)
    EXPECT_NEAR(y[i], of.product(of.row_begin() + static_cast<Index>(i)), 1e-9);
}

}  // namespace sparse_test
