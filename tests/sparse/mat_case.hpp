#pragma once

#include "petsc/petsc_support.hpp"
#include "sparse_case.hpp"

#include <petscmat.h>

namespace sparse_test {

namespace petsc = tridap::petsc;

/// A Mat of a case, as a program of PETSc makes it: entry by entry.
inline Mat make_mat(const Case& of, MatType type = MATAIJ) {
  Mat mat = nullptr;
  const auto local = [](Index begin, Index end) { return static_cast<PetscInt>(end - begin); };
  MatCreate(MPI_COMM_WORLD, &mat);
  MatSetSizes(mat, local(of.row_begin(), of.row_end()), local(of.column_begin(), of.column_end()), PETSC_DETERMINE,
              PETSC_DETERMINE);
  MatSetType(mat, type);
  MatSetUp(mat);
  MatSetOption(mat, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE);
  for (const auto& [at, value] : own_entries(of))
    MatSetValue(mat, static_cast<PetscInt>(at.first), static_cast<PetscInt>(at.second), value, INSERT_VALUES);
  MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY);
  return mat;
}

/// This process's entries, as MatGetRow gives them.
inline std::map<std::pair<Index, Index>, double> entries_of(Mat mat) {
  std::map<std::pair<Index, Index>, double> entries;
  PetscInt begin = 0, end = 0;
  MatGetOwnershipRange(mat, &begin, &end);
  for (PetscInt row = begin; row < end; ++row) {
    PetscInt count = 0;
    const PetscInt* columns = nullptr;
    const PetscScalar* values = nullptr;
    EXPECT_EQ(MatGetRow(mat, row, &count, &columns, &values), 0);
    for (PetscInt k = 0; k < count; ++k) entries[{row, columns[k]}] = PetscRealPart(values[k]);
    MatRestoreRow(mat, row, &count, &columns, &values);
  }
  return entries;
}

/// MatMult gives the products of the case.
inline void expect_product(Mat mat, const Case& of) {
  Vec x = nullptr, y = nullptr;
  MatCreateVecs(mat, &x, &y);
  for (Index j = of.column_begin(); j < of.column_end(); ++j)
    VecSetValue(x, static_cast<PetscInt>(j), Case::x(j), INSERT_VALUES);
  VecAssemblyBegin(x);
  VecAssemblyEnd(x);
  VecSet(y, 77);
  EXPECT_EQ(MatMult(mat, x, y), 0);
  for (Index i = of.row_begin(); i < of.row_end(); ++i)
    EXPECT_NEAR(PetscRealPart(petsc_test::value_in(y, i)), of.product(i), 1e-9) << "row " << i;
  VecDestroy(&x);
  VecDestroy(&y);
}

}  // namespace sparse_test
