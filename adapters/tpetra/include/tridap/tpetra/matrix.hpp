#pragma once

#include <tridap/receipt.hpp>
#include <tridap/sparse/sparse_rows.hpp>
#include <tridap/tpetra/array_map.hpp>

#include <Tpetra_CrsMatrix.hpp>

namespace tridap::tpetra {

using CrsMatrix = Tpetra::CrsMatrix<double>;

/// The rows of a matrix of Tpetra in its own memory.
struct ExportedMatrix {
  SparseRows rows;
  Receipt receipt;
};

/// A matrix of Tpetra, and what the import did.
struct ImportedMatrix {
  Teuchos::RCP<CrsMatrix> matrix;
  SparseRows rows;  ///< its own rows, for tridap::update_values(new_rows, rows, comm)
  Receipt receipt;
};

/// A matrix with the pattern and the values of any matrix, on given maps: `row_map` is its row and range map, and
/// `domain_map` its domain map. Both are one-to-one, and the rows and columns of each process are its local indices on
/// them, in their order. So the maps need not number as the library does: a matrix over a DMDA of PETSc fits the map of
/// the grid's array. The values are copied once, from the memory of the library that has them to Tpetra's.
///
/// The column map has all ids of the domain map, then those of other processes by process and local index, as
/// fillComplete makes it. **Collective** over the communicator of `row_map`: throws the same Error on every process if
/// the rows of any process are wrong, are not of `double`, or do not fit the maps.
ImportedMatrix import_matrix(const SparseRows& rows, const Teuchos::RCP<const Map>& row_map,
                             const Teuchos::RCP<const Map>& domain_map);
/// The same on contiguous maps, whose ids are the global numbers of rows and columns.
ImportedMatrix import_matrix(const SparseRows& rows, const Communicator& comm);

/// This process's rows of a matrix after fillComplete, in its own memory, which they keep alive. They are numbered
/// process after process, by local indices of the row map and of the domain map. Values that are set later are seen.
/// They are valid as long as the matrix keeps its pattern. **Collective** over the matrix's communicator; `matrix` must
/// not be null. Throws the same Error on every process if fillComplete was not called, if the row map is not the range
/// map, or if the values are not in host memory.
ExportedMatrix export_matrix(const Teuchos::RCP<CrsMatrix>& matrix);
/// The same, read-only.
ExportedMatrix export_matrix(const Teuchos::RCP<const CrsMatrix>& matrix);

/// Copies the values of a matrix of the same pattern to a matrix of Tpetra. Its graph and its memory stay the same, and
/// fillComplete is not needed again. To do this many times, keep ImportedMatrix::rows or ExportedMatrix::rows, and call
/// tridap::update_values(), which does not ask Tpetra for the pattern again. **Collective**: throws the same Error on
/// every process, and changes nothing, if the rows do not fit the matrix.
Receipt update_values(const Teuchos::RCP<CrsMatrix>& matrix, const SparseRows& rows);

}  // namespace tridap::tpetra
