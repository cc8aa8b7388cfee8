#pragma once

#include <tridap/buffer.hpp>
#include <tridap/receipt.hpp>
#include <tridap/sparse/integers.hpp>

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

namespace tridap {

/// Where the rows or columns of each process begin: process `p` has those from `bounds[p]` up to `bounds[p + 1]`, and
/// the last bound is the number of all. Global numbers count process after process.
using Bounds = std::vector<Index>;

/// Some of the entries of this process's rows, in CSR form, in the memory of the library that has the matrix.
struct SparsePart {
  Integers row_starts;     ///< one more than rows: row `i` has the entries from `row_starts[i]` to `row_starts[i + 1]`
  Integers columns;        ///< of each entry, the position of its column in `numbers`
  void* values = nullptr;  ///< of each entry, one element of SparseRows::type
  const Index* numbers = nullptr;  ///< the global number of the column at each position
  Index first = 0;                 ///< if `numbers` is null, the column at a position is `first` plus the position

  Index column(Index entry) const { return numbers == nullptr ? first + columns[entry] : numbers[columns[entry]]; }
};

/// This process's rows of a sparse matrix, in the memory of the library that has it. The entries of a row are those
/// that its parts have. PETSc has two parts: the entries in the columns of this process, and all others. Tpetra and
/// SciPy have one. Rows and columns are numbered process after process, whatever the library calls them.
///
/// This is plain data. It is valid as long as the library neither changes the pattern nor moves the memory.
///
/// Example: the second difference of 5 elements, in blocks of 3 and 2. Process 1 of PETSc has the rows 3 and 4. Its
/// first part has `row_starts` {0, 2, 4}, `columns` {0, 1, 0, 1}, `first` 3 and the values {2, -1, -1, 2}. Its second
/// part has `row_starts` {0, 1, 1}, `columns` {0}, `numbers` {2} and the value -1.
struct SparseRows {
  Bounds row_bounds, column_bounds;  ///< the same on every process; one more than there are processes
  Index process = 0;                 ///< this process
  ElementType type;                  ///< of the values
  std::vector<SparsePart> parts;
  bool read_only = false;       ///< the values must not be written
  std::shared_ptr<void> owner;  ///< keeps the memory alive; null: the caller keeps it alive

  Range rows() const { return range(row_bounds); }        ///< the global numbers of this process's rows
  Range columns() const { return range(column_bounds); }  ///< the global numbers of its own columns
  Index entries() const;                                  ///< of all parts

 private:
  Range range(const Bounds& bounds) const {
    const auto p = static_cast<std::size_t>(process);
    return {bounds[p], bounds[p + 1]};
  }
};

/// Throws Error if `rows` is not the part of a matrix that this process of `comm` has: its bounds, the row starts of a
/// part or a position are wrong. Reads the row starts, but not the entries. Local.
void check(const SparseRows& rows, MPI_Comm comm);

/// The bounds of the processes of `comm`, of which each gives its number of rows or columns. **Collective.**
Bounds gather_bounds(Index count, MPI_Comm comm);

/// Copies the values of one matrix to another one, which has the same pattern: no entries are inserted or removed, and
/// both may be of any libraries. Each process copies its own rows. The order of the entries in a row may differ.
///
/// **Collective** over `comm`: throws the same Error on every process, and copies nothing, if on any process the rows,
/// the columns, the types or the entries of a row differ, or if `to` is read-only.
Receipt update_values(const SparseRows& from, const SparseRows& to, MPI_Comm comm);

}  // namespace tridap
