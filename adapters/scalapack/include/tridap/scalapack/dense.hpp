#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>
#include <tridap/receipt.hpp>
#include <tridap/scalapack/process_grid.hpp>

#include <mpi.h>

#include <optional>
#include <vector>

namespace tridap::scalapack {

// Dense linear algebra by ScaLAPACK on distributed arrays. Common to all of its functions:
//
// - Arrays have elements of one type: float, double, or complex of these. Process r of an array is rank r of `comm`.
//   Every function is **collective** over `comm`: throws the same Error on every process or on none. All processes
//   pass the same options. For the arrays of a ProcessGrid, `comm` is its row_major_comm(), and the processes that are
//   not in the grid do not call.
// - Arguments are kept. Each function computes in a copy of this process's part, which the receipt counts. An argument
//   that may be overwritten (`overwrite_a`, `overwrite_b`) is not copied: ScaLAPACK computes in its memory.
// - A matrix that ScaLAPACK can use stays where it is. Its distribution then has square blocks (for qr() any blocks);
//   an axis over one process has blocks of any length. Any other matrix is refused with Copy::never, the default. With
//   Copy::if_needed it is moved to nearest_square(), and with Copy::always every matrix is moved to squares().
// - The answers have the distribution that the user gave. If the answer has another shape, an axis of another size has
//   the same blocks, or even blocks if the axis is irregular, padded or unstructured.
// - Infinite values and NaN are refused, except by matmul(): ScaLAPACK's routines may not end on them.

struct DenseOptions {
  Copy copy = Copy::never;   ///< whether elements may be moved to another distribution, or to another memory order
  bool overwrite_a = false;  ///< the routine may compute in the memory of `a`
  bool overwrite_b = false;  ///< the answer is written into the memory of `b`
  /// The distributions of `a` and `b`, where they are known: then the dim_data of the array are not read.
  std::optional<Distribution> of_a = {}, of_b = {};
};

/// The distribution in which ScaLAPACK computes fastest: square blocks over a process grid that is as square as
/// possible. The blocks have 64 x 64 elements, or fewer so that each process has elements of each axis. Local.
Distribution squares(const std::vector<Index>& shape, Index processes);
/// The nearest distribution in which ScaLAPACK can solve and factor: `distribution` itself if its blocks are square;
/// else square blocks over the same process grid, if the blocks of one of its axes fit the other one; else squares()
/// of it. eigh() and svd() also need the first block on process (0, 0). Throws Error unless it has two
/// axes. Local.
Distribution nearest_square(const Distribution& distribution);

struct Solved {
  DistArray x;      ///< described like `b`; column-major, or the memory of `b`
  Receipt receipt;  ///< of all arguments together; `shared`: `x` has the memory of `b`
};
/// Solves `a x = b` by LU with partial pivoting (P?GETRF, P?GETRS). `b` has one axis, or two for several right-hand
/// sides. Throws also if a pivot is exactly 0.
///
/// `b` stays where it is if its rows are distributed as those of `a` over the same process grid. Row-major `a` with
/// `overwrite_a` is used as its transpose on the transposed grid; then `b` must be distributed over that grid. If both
/// are overwritten, they must not share memory.
Solved solve(const DistArray& a, const DistArray& b, MPI_Comm comm, const DenseOptions& options = {});

struct Factor {
  DistArray factor;  ///< described like `a`; the other triangle is 0
  Receipt receipt;   ///< `shared`: `factor` has the memory of `a`
};
/// The Cholesky factor of a symmetric or Hermitian positive definite matrix (P?POTRF): `a = u^H u`, or, if `lower`,
/// `a = l l^H`. Only this triangle of `a` is used. Throws also if a leading minor is not positive. Row-major memory
/// can be overwritten as well as column-major memory.
Factor cholesky(const DistArray& a, MPI_Comm comm, bool lower = false, const DenseOptions& options = {});

struct Eigen {
  std::vector<double> values;  ///< ascending; all on every process
  DistArray vectors;           ///< column j belongs to values[j]; described like `a`, column-major
  Receipt receipt;
};
/// All eigenvalues and eigenvectors of a symmetric or Hermitian matrix (P?SYEV, P?HEEV). Only the triangle `lower` of
/// `a` is used. Throws also if an eigenvalue does not converge.
Eigen eigh(const DistArray& a, MPI_Comm comm, bool lower = true, const DenseOptions& options = {});

struct Svd {
  DistArray u;                 ///< m x k with k = min(m, n)
  std::vector<double> values;  ///< k, descending; all on every process
  DistArray vh;                ///< k x n
  Receipt receipt;
  Distribution of_u{{}}, of_vh{{}};  ///< how `u` and `vh` are distributed
};
/// The singular value decomposition `a = u diag(values) vh` of an m x n matrix (P?GESVD), without the vectors that
/// belong to no singular value. Row-major memory can be overwritten as well as column-major memory: then `u` and `vh`
/// are row-major too. Throws also if a singular value does not converge.
Svd svd(const DistArray& a, MPI_Comm comm, const DenseOptions& options = {});

struct Qr {
  DistArray q;                      ///< m x k with k = min(m, n); the memory of `a` with `overwrite_a` if m >= n
  DistArray r;                      ///< k x n
  Receipt receipt;                  ///< `shared`: `q` has the memory of `a`
  Distribution of_q{{}}, of_r{{}};  ///< how `q` and `r` are distributed
};
/// `a = q r` of an m x n matrix (P?GEQRF, P?ORGQR, P?UNGQR): the columns of `q` are orthonormal, and `r` is 0 below its
/// diagonal.
Qr qr(const DistArray& a, MPI_Comm comm, const DenseOptions& options = {});

/// What is multiplied: a matrix, its transpose, or its conjugate transpose.
enum class Op { none, transpose, adjoint };

struct MatmulOptions {
  Copy copy = Copy::never;  ///< whether elements may be moved to another distribution
  Op a = Op::none, b = Op::none;
  std::optional<Distribution> of_a = {}, of_b = {};  ///< as in DenseOptions
};

struct Product {
  DistArray c;  ///< column-major, unless it was moved
  Receipt receipt;
  Distribution of_c{{}};  ///< how `c` is distributed
};
/// The product of two matrices, or of their transposes (P?GEMM of the PBLAS); `b` may have one axis. Both are in blocks
/// of any length over the same process grid; with Copy::never others are refused. Column-major memory is used as it is,
/// and other memory is copied on each process. If one matrix is over one row of processes and the other over one
/// column, the first is read as its transpose over one column. NaN and infinite values are multiplied.
///
/// The rows of the product are distributed as those of `a`, and its columns as those of `b`. An axis of another length
/// has the same blocks, if these are long enough. If `b` has one axis, the product is distributed as `b`.
Product matmul(const DistArray& a, const DistArray& b, MPI_Comm comm, const MatmulOptions& options = {});

}  // namespace tridap::scalapack
