#include "access.hpp"
#include "call.hpp"
#include "mat.hpp"
#include "vec.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/petsc/matrix.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tridap::petsc {

namespace {

// Returns whether the Mat is mpiaij, not seqaij.
bool need_aij(Mat mat) {
  const std::string type = need_mat(mat);
  if (type != MATSEQAIJ && type != MATMPIAIJ)
    refuse("the Mat is of type " + type, "must be of type seqaij or mpiaij",
           type == MATSHELL ? "use export_operator(), which needs no entries"
                            : "convert it to MATAIJ with MatConvert (in Python mat.convert(\"aij\")), or use "
                              "export_operator(), which needs no entries");
  PetscBool assembled = PETSC_FALSE;
  call("MatAssembled", [&] { return MatAssembled(mat, &assembled); });
  if (assembled != PETSC_TRUE)
    refuse("the Mat is not assembled", "", "call MatAssemblyBegin and MatAssemblyEnd first (in Python mat.assemble())");
  return type == MATMPIAIJ;
}

// A seqaij Mat, whose positions count from `first`. Its arrays stay where they are while the pattern does: the calls
// that give them back do nothing for this type.
SparsePart part_of(Mat block, Index first) {
  PetscInt rows = 0;
  const PetscInt *starts = nullptr, *columns = nullptr;
  PetscBool done = PETSC_FALSE;
  call("MatGetRowIJ", [&] { return MatGetRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &rows, &starts, &columns, &done); });
  if (done != PETSC_TRUE) refuse("MatGetRowIJ of PETSc gives no rows of the Mat", "", "convert it to MATAIJ");
  SparsePart part;
  part.row_starts = integers(starts, rows + 1);
  part.columns = integers(columns, starts[rows]);
  part.first = first;
  call("MatRestoreRowIJ",
       [&] { return MatRestoreRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &rows, &starts, &columns, &done); });
  const PetscScalar* values = nullptr;
  call("MatSeqAIJGetArrayRead", [&] { return MatSeqAIJGetArrayRead(block, &values); });
  part.values = const_cast<PetscScalar*>(values);
  call("MatSeqAIJRestoreArrayRead", [&] { return MatSeqAIJRestoreArrayRead(block, &values); });
  return part;
}

// What keeps the memory of exported rows.
struct Kept {
  std::shared_ptr<void> mat;
  std::vector<Index> others;  // the columns of the second part
};

void add_losses(Mat mat, Receipt& receipt) {
  MatNullSpace space = nullptr, near = nullptr;
  PetscInt size = 1;
  call("MatGetNullSpace", [&] { return MatGetNullSpace(mat, &space); });
  call("MatGetNearNullSpace", [&] { return MatGetNearNullSpace(mat, &near); });
  call("MatGetBlockSize", [&] { return MatGetBlockSize(mat, &size); });
  if (space != nullptr) receipt.losses.push_back("the null space");
  if (near != nullptr) receipt.losses.push_back("the near null space");
  if (size > 1) receipt.losses.push_back("the block size " + std::to_string(size));
}

Bounds bounds_of(Mat mat, const char* name, PetscErrorCode (*get)(Mat, const PetscInt**)) {
  const int processes = mpi::processes_of(PetscObjectComm(reinterpret_cast<PetscObject>(mat)));
  const PetscInt* ranges = nullptr;
  call(name, [&] { return get(mat, &ranges); });
  return {ranges, ranges + processes + 1};
}

}  // namespace

std::string need_mat(Mat mat) {
  need_petsc();
  if (mat == nullptr) refuse("the Mat is null", "", "give a Mat that was created");
  std::string type(type_of(mat));
  if (type.empty()) refuse("the Mat has no type", "", "call MatSetType or MatSetFromOptions first");
  return type;
}

Bounds row_bounds(Mat mat) { return bounds_of(mat, "MatGetOwnershipRanges", MatGetOwnershipRanges); }
Bounds column_bounds(Mat mat) { return bounds_of(mat, "MatGetOwnershipRangesColumn", MatGetOwnershipRangesColumn); }

ExportedMatrix export_matrix(Mat mat) {
  const bool is_mpiaij = need_aij(mat);
  ExportedMatrix made;
  SparseRows& rows = made.rows;
  rows.row_bounds = row_bounds(mat);
  rows.column_bounds = column_bounds(mat);
  rows.process = mpi::rank_of(PetscObjectComm(reinterpret_cast<PetscObject>(mat)));
  rows.type = scalar_type();
  const auto kept = std::make_shared<Kept>();
  if (is_mpiaij) {
    Mat own = nullptr, other = nullptr;
    const PetscInt* numbers = nullptr;
    call("MatMPIAIJGetSeqAIJ", [&] { return MatMPIAIJGetSeqAIJ(mat, &own, &other, &numbers); });
    PetscInt count = 0;
    call("MatGetLocalSize", [&] { return MatGetLocalSize(other, nullptr, &count); });
    kept->others.assign(numbers, numbers + count);
    rows.parts = {part_of(own, rows.columns().begin), part_of(other, 0)};
    rows.parts[1].numbers = kept->others.data();
  } else {
    rows.parts = {part_of(mat, 0)};
  }
  add_losses(mat, made.receipt);
  kept->mat = hold(reinterpret_cast<PetscObject>(mat));
  rows.owner = kept;
  return made;
}

}  // namespace tridap::petsc
