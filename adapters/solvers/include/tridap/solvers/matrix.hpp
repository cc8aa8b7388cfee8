#pragma once

#include <tridap/tpetra/array_map.hpp>

#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Operator.hpp>
#include <Tpetra_Vector.hpp>

#include <array>
#include <optional>

/// Linear systems over the memory of distributed arrays: matrices of local rows, preconditioners and solvers.
namespace tridap::solvers {

using CrsMatrix = Tpetra::CrsMatrix<double>;
using Operator = Tpetra::Operator<double>;
using Vector = Tpetra::Vector<double>;

/// Integers of 4 or 8 bytes, borrowed.
struct Integers {
  const void* data = nullptr;
  int bytes = 8;
  Index count = 0;
};

/// This process's rows of a matrix as SciPy's CSR arrays have them, borrowed for a call.
///
/// Row `i` belongs to the element of local index `i` in the memory order of a ArrayMap, and `columns` are the
/// ArrayMap's ids: the row-major flat numbers of global elements, counted from `options().index_base`. On an
/// unstructured axis an index counts from the smallest that anybody holds, as numbers() has it. The rows of process 1
/// of the second difference of 5 elements in blocks of 3 and 2 are `data` {-1, 2, -1, -1, 2}, `columns` {2, 3, 4, 3, 4}
/// and `row_starts` {0, 3, 5}.
struct Csr {
  const double* data = nullptr;
  Index count = 0;      ///< of `data`
  Integers columns;     ///< as many, in any order; what stands twice in a row is added
  Integers row_starts;  ///< one more than there are rows: from 0, never descending, to at most `count`
  /// How many rows this process has, and how many columns the whole matrix, as who made it says; nothing: not said.
  std::optional<std::array<Index, 2>> shape = {};
};

/// The square matrix of the rows that all processes give, on the map of `rows`. **Collective**: throws the same Error
/// on every process where any gives another number of rows or columns, row starts that are none, a column that no
/// process has, or a value that is not finite, or where `rows` holds an element twice. Takes memory in proportion to
/// `csr`.
Teuchos::RCP<const CrsMatrix> make_matrix(const tridap::tpetra::ArrayMap& rows, const Csr& csr);

}  // namespace tridap::solvers
