#pragma once

#include <tridap/flat_numbers.hpp>
#include <tridap/receipt.hpp>
#include <tridap/sparse/integers.hpp>
#include <tridap/tpetra/array_map.hpp>

#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Tpetra_Operator.hpp>
#include <Tpetra_Vector.hpp>

#include <array>
#include <optional>
#include <vector>

/// Linear systems in the memory of distributed arrays: matrices of local rows, preconditioners and solvers.
namespace tridap::solvers {

using CrsMatrix = Tpetra::CrsMatrix<double>;
using Operator = Tpetra::Operator<double>;
using MultiVector = Tpetra::MultiVector<double>;
using Vector = Tpetra::Vector<double>;

using Integers = tridap::Integers;  ///< in memory of the caller

/// This process's rows of a matrix in CSR form, as SciPy has it, in memory of the caller. The memory is needed only
/// during a call.
///
/// Row `i` belongs to the `i`-th element of this process's part of an ArrayMap, without padding, in `order`. `columns`
/// are the row-major flat numbers of elements of the whole array, plus `options().index_base`, as
/// ArrayMap::flat_numbers() gives them. On an unstructured axis they count from the smallest index on any process. They
/// are the ids of the ArrayMap (Tpetra's global column indices), unless Numbering::by_process gives it other ids:
/// columns are flat numbers then, too.
///
/// Example: the second difference of 5 elements, in blocks of 3 and 2. The rows of process 1 are `data`
/// {-1, 2, -1, -1, 2}, `columns` {2, 3, 4, 3, 4} and `row_starts` {0, 3, 5}.
struct Csr {
  const double* data = nullptr;
  Index count = 0;   ///< of `data`
  Integers columns;  ///< as many, in any order; values with the same column in a row are added
  /// The row pointers (SciPy's `indptr`), one more than there are rows: from 0, never descending, to at most `count`.
  Integers row_starts;
  /// How many rows this process has, and how many columns the whole matrix has, to be checked; nothing: not checked.
  std::optional<std::array<Index, 2>> shape = {};
  /// The order of the rows by local index. Nothing: the order in which the array's memory has the elements, which is
  /// that of the map's local indices.
  std::optional<Order> order = {};
};

/// For each local index of the map of `rows`, the number of its element if the local indices of the array, without
/// padding, are counted in `order`. Empty if all are the same, as they are for memory in this order. Local.
///
/// For 2 x 3 elements in Fortran order, `places_in(rows, Order::row_major)` is {0, 3, 1, 4, 2, 5}.
std::vector<Index> places_in(const tridap::tpetra::ArrayMap& rows, Order order);

/// Makes the square matrix of all processes' rows. `rows.map()` is its row, domain and range map. **Collective**:
/// throws the same Error on every process if a process has a wrong number of rows or columns, row starts that descend
/// or exceed `count`, a column that no process has, or a value that is not finite, or if an element of `rows` is on two
/// processes. It copies `csr`.
Teuchos::RCP<CrsMatrix> make_matrix(const tridap::tpetra::ArrayMap& rows, const Csr& csr);

/// Copies new values to a matrix of make_matrix(), or of tpetra::import_matrix() on the map of `rows`. Its graph and
/// its memory stay the same. The columns of a row may have another order, and values with the same column are added.
/// **Collective**: throws the same Error on every process, and changes nothing, if the rows of a process are wrong (as
/// make_matrix()) or have other columns than those of the matrix.
Receipt update_values(const tridap::tpetra::ArrayMap& rows, CrsMatrix& matrix, const Csr& csr);

}  // namespace tridap::solvers
