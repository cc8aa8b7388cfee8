#pragma once

#include <tridap/sparse/sparse_rows.hpp>

#include <vector>

namespace tridap {

/// The pattern of this process's rows in the order that PETSc and Tpetra have: in each row first this process's own
/// columns, then all others, both ascending.
struct SparsePattern {
  std::vector<Index> row_starts;  ///< one more than rows
  std::vector<Index> columns;     ///< the global number of the column of each entry
  std::vector<Index> own_counts;  ///< by row: entries in this process's own columns
  std::vector<Index> others;      ///< the columns of other processes that have entries, ascending, each once
};

/// Throws Error if a row has a column twice, or one that the matrix does not have. `rows` must have passed check().
/// Local.
SparsePattern pattern_of(const SparseRows& rows);

}  // namespace tridap
