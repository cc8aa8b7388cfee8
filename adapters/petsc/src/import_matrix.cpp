#include "call.hpp"
#include "comms.hpp"
#include "lasting_memory.hpp"
#include "mat.hpp"
#include "source.hpp"
#include "vec.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/petsc/compat.hpp>
#include <tridap/petsc/matrix.hpp>
#include <tridap/sparse/sparse_pattern.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tridap::petsc {

namespace {

// The pattern as PETSc's functions take it.
struct Pattern {
  std::vector<PetscInt> columns, own_counts, other_counts;
  std::vector<PetscScalar> zeros;  // as many as the longest row has entries
};

Pattern petsc_pattern(const SparseRows& rows) {
  const SparsePattern all = pattern_of(rows);
  Pattern pattern;
  pattern.columns.assign(all.columns.begin(), all.columns.end());
  PetscInt longest = 0;
  for (std::size_t row = 0; row < all.own_counts.size(); ++row) {
    const auto count = static_cast<PetscInt>(all.row_starts[row + 1] - all.row_starts[row]);
    longest = std::max(longest, count);
    pattern.own_counts.push_back(static_cast<PetscInt>(all.own_counts[row]));
    pattern.other_counts.push_back(count - pattern.own_counts.back());
  }
  pattern.zeros.resize(static_cast<std::size_t>(longest));
  return pattern;
}

void finish_assembly(Mat mat) {
  call("MatAssemblyBegin", [&] { return MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY); });
  call("MatAssemblyEnd", [&] { return MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY); });
}

// Inserts zeros; all are this process's, so that the assembly has nothing to send.
void assemble(Mat mat, const Pattern& pattern, Index first_row) {
  call("MatSetOption", [&] { return MatSetOption(mat, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE); });
  const PetscInt* columns = pattern.columns.data();
  auto row = static_cast<PetscInt>(first_row);
  call("MatSetValues", [&]() -> PetscErrorCode {
    for (std::size_t i = 0; i < pattern.own_counts.size(); ++i, ++row) {
      const PetscInt count = pattern.own_counts[i] + pattern.other_counts[i];
      if (count == 0) continue;
      const PetscErrorCode code = MatSetValues(mat, 1, &row, count, columns, pattern.zeros.data(), INSERT_VALUES);
      if (code != 0) return code;
      columns += count;
    }
    return 0;
  });
  finish_assembly(mat);
  call("MatSetOption", [&] { return MatSetOption(mat, MAT_NO_OFF_PROC_ENTRIES, PETSC_FALSE); });
}

void make_mat(const SparseRows& rows, const Pattern& pattern, MPI_Comm comm, Mat& mat) {
  call("MatCreate", [&] { return MatCreate(comm, &mat); });
  call("MatSetSizes", [&] {
    return MatSetSizes(mat, static_cast<PetscInt>(rows.rows().size()), static_cast<PetscInt>(rows.columns().size()),
                       static_cast<PetscInt>(rows.row_bounds.back()), static_cast<PetscInt>(rows.column_bounds.back()));
  });
  call("MatSetType", [&] { return MatSetType(mat, MATAIJ); });
  const PetscInt *own = pattern.own_counts.data(), *others = pattern.other_counts.data();
  // Of the two, PETSc takes the one for the Mat's type.
  call("MatSeqAIJSetPreallocation", [&] { return MatSeqAIJSetPreallocation(mat, 0, own); });
  call("MatMPIAIJSetPreallocation", [&] { return MatMPIAIJSetPreallocation(mat, 0, own, 0, others); });
  assemble(mat, pattern, rows.rows().begin);
}

// Lets PETSc forget what it computed from the values of a seqaij or an mpiaij Mat. PETSc communicates.
void forget_computed(Mat mat, bool is_mpiaij) {
  Mat blocks[2] = {mat, nullptr};
  if (is_mpiaij) call("MatMPIAIJGetSeqAIJ", [&] { return MatMPIAIJGetSeqAIJ(mat, &blocks[0], &blocks[1], nullptr); });
  PetscScalar* values = nullptr;
  for (Mat block : blocks) {
    if (block == nullptr) continue;
    call("MatSeqAIJGetArray", [&] { return MatSeqAIJGetArray(block, &values); });
    call("MatSeqAIJRestoreArray", [&] { return MatSeqAIJRestoreArray(block, &values); });
  }
  finish_assembly(mat);
}

}  // namespace

void need_petsc_int(const Bounds& rows, const Bounds& columns) {
  petsc_int(rows.back(), "the matrix has", "rows");
  petsc_int(columns.back(), "the matrix has", "columns");
}

ImportedMat import_matrix(const SparseRows& rows, MPI_Comm comm) {
  need_communicator(comm);
  const double begin = MPI_Wtime();
  Pattern pattern;
  const mpi::Call beginning(comm, "petsc::import_matrix", mpi::Library::petsc, [&](mpi::Record& record) {
    need_petsc();
    check(rows, comm);
    need_petsc_int(rows.row_bounds, rows.column_bounds);
    need_scalars(rows.type, "the values are ", "convert them first, or use a PETSc that was built for their type");
    petsc_int(rows.entries(), "this process has", "entries",
              "use more processes, or a PETSc that was built with 64-bit indices");
    pattern = petsc_pattern(rows);
    Digest bounds;
    for (const Bounds* const each : {&rows.row_bounds, &rows.column_bounds}) bounds.add_all(*each);
    record.add(bounds.value());
  });
  return beginning.run([&] {
    if (!beginning.is_same(0))
      refuse("the processes give different bounds of the rows or columns", "must be the same on every process",
             "pass the same on every process");
    ImportedMat made;
    make_together(comm, made.mat, [&] { make_mat(rows, pattern, comm, made.mat); });
    keep_users_comm(reinterpret_cast<PetscObject>(made.mat), comm);
    made.receipt = update_values(made.mat, rows);
    made.receipt.seconds = MPI_Wtime() - begin;
    return made;
  });
}

Receipt update_values(Mat mat, const SparseRows& rows) {
  inside_petsc([&] { need_mat(mat); });
  const MPI_Comm comm = users_comm(reinterpret_cast<PetscObject>(mat));
  SparseRows own;
  const mpi::Call beginning(comm, "petsc::update_values", mpi::Library::petsc,
                            [&](mpi::Record&) { own = export_matrix(mat).rows; });
  return beginning.run([&] {
    const Receipt receipt = tridap::update_values(rows, own, comm);
    mpi::Faults faults;
    faults.attempt([&] { forget_computed(mat, own.parts.size() == 2); });
    mpi::throw_faults(std::move(faults), comm);
    return receipt;
  });
}

}  // namespace tridap::petsc
