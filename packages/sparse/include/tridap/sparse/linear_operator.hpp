#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/sparse/sparse_rows.hpp>

#include <mpi.h>

#include <functional>

namespace tridap {

/// A linear operator of which only the product is known, such as a shell Mat of PETSc or a Tpetra::Operator. Its
/// vectors have one axis in blocks: the columns for x, and the rows for y, numbered process after process.
struct LinearOperator {
  Bounds row_bounds, column_bounds;  ///< the same on every process
  Index process = 0;                 ///< this process
  ElementType type;                  ///< of the elements of both vectors
  /// Writes the product to `y`: all elements, whatever they were. Both are contiguous, and valid during the call only.
  /// `x` is read-only. **Collective.** What it throws on one process, adapters throw on all.
  std::function<void(const DistArray& x, const DistArray& y)> apply;

  Index row_count() const { return count(row_bounds); }        ///< elements of `y` on this process
  Index column_count() const { return count(column_bounds); }  ///< elements of `x` on this process

 private:
  Index count(const Bounds& bounds) const {
    const auto p = static_cast<std::size_t>(process);
    return bounds[p + 1] - bounds[p];
  }
};

/// Throws Error if `op` is not an operator over the processes of `comm`, or has no `apply`. Local.
void check(const LinearOperator& op, MPI_Comm comm);

/// This process's part of a vector in blocks, over contiguous memory of the caller.
DistArray block_vector(const Bounds& bounds, Index process, ElementType type, const void* data, bool read_only);

}  // namespace tridap
