#pragma once

#include <tridap/receipt.hpp>
#include <tridap/sparse/linear_operator.hpp>
#include <tridap/sparse/sparse_rows.hpp>

#include <mpi.h>
#include <petscmat.h>

namespace tridap::petsc {

/// The rows of a Mat in its own memory.
struct ExportedMatrix {
  SparseRows rows;
  Receipt receipt;  ///< its `seconds` are 0
};

/// This process's rows of a Mat of type seqaij or mpiaij, in the Mat's own memory. Local; the time is proportional to
/// the number of columns of other processes that have entries here. The processes are those of the Mat's communicator.
///
/// The rows keep the Mat alive, also after MatDestroy; the release is local, as that of a Vec's export. They are valid
/// as long as the Mat keeps its pattern. Values that are set later (MatSetValues, MatScale) are seen. After values were
/// written through the rows, call MatAssemblyBegin and MatAssemblyEnd, so that PETSc knows; update_values() tells it.
///
/// Throws Error if PETSc is not initialised, if `mat` is null, has another type or is not assembled. MatConvert(mat,
/// MATAIJ, MAT_INITIAL_MATRIX, ...) makes a Mat of this type.
ExportedMatrix export_matrix(Mat mat);

/// A Mat, and what the import did. The caller destroys it with MatDestroy.
struct ImportedMat {
  Mat mat = nullptr;
  Receipt receipt;
};

/// A Mat of type seqaij or mpiaij with the pattern and the values of any matrix. The values are copied once, from the
/// memory of the library that has them to PETSc's. Options of PETSc's database do not change the Mat. **Collective**
/// over `comm`: throws the same Error on every process if the rows of any process are wrong, if the processes give
/// different bounds, if the values are not PetscScalar, or if a PetscInt cannot count them.
ImportedMat import_matrix(const SparseRows& rows, MPI_Comm comm);

/// Copies the values of a matrix of the same pattern to a Mat of type seqaij or mpiaij, in the Mat's own memory. PETSc
/// then makes preconditioners again, as after MatAssemblyEnd. **Collective** over the Mat's communicator: throws the
/// same Error on every process, and changes nothing, if the rows do not fit the Mat (tridap::update_values()).
Receipt update_values(Mat mat, const SparseRows& rows);

/// The product with a Mat of any type, shell and nest too. The operator keeps the Mat alive as an export does.
/// **Collective** over the Mat's communicator: throws the same Error on every process if `mat` cannot multiply.
LinearOperator export_operator(Mat mat);

/// A shell Mat whose MatMult is the product of `op`. Its vectors are in PETSc's memory, and `op` gets that memory. What
/// `op` throws on one process is an error of MatMult on every process, with its text; one reduction in each product
/// finds it. **Collective** over `comm`: throws the same Error on every process if `op` is wrong on any process.
ImportedMat import_operator(const LinearOperator& op, MPI_Comm comm);

}  // namespace tridap::petsc
