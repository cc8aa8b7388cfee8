#include "c/calls.hpp"

#include <petscmat.h>
#include <petscvec.h>

#include <algorithm>
#include <map>

using namespace c;

namespace {

// The number of rows of process p, so that shares differ.
PetscInt share(int p) { return 2 + p % 3; }
PetscInt first_of(int p) { return p == 0 ? 0 : first_of(p - 1) + share(p - 1); }

// Row i has -1 at its neighbours, 2 + i on the diagonal, and 5 at the other end of the matrix.
std::map<PetscInt, double> row_of(PetscInt i, PetscInt n) {
  std::map<PetscInt, double> row;
  row[n - 1 - i] = 5;
  if (i > 0) row[i - 1] = -1;
  if (i + 1 < n) row[i + 1] = -1;
  row[i] = 2 + static_cast<double>(i);
  return row;
}

Mat make_mat(PetscInt columns) {
  Mat mat = nullptr;
  EXPECT_EQ(MatCreateAIJ(world, share(rank()), columns, PETSC_DETERMINE, PETSC_DETERMINE, 4, nullptr, 4, nullptr, &mat),
            0);
  const PetscInt n = first_of(processes());
  for (PetscInt i = first_of(rank()); i < first_of(rank() + 1); ++i)
    for (const auto& [j, value] : row_of(i, n)) EXPECT_EQ(MatSetValue(mat, i, j, value, INSERT_VALUES), 0);
  EXPECT_EQ(MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY), 0);
  EXPECT_EQ(MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY), 0);
  return mat;
}

// A Vec of 3 elements on each process and, as ghosts, the first of the next process and the last of the one before.
Vec make_ghosted(std::vector<PetscInt>& ids) {
  const PetscInt n = 3 * processes();
  if (processes() > 1) ids = {(3 * rank() + 3) % n, (3 * rank() + n - 1) % n};
  Vec vec = nullptr;
  EXPECT_EQ(VecCreateGhost(world, 3, n, static_cast<PetscInt>(ids.size()), ids.data(), &vec), 0);
  return vec;
}

}  // namespace

TEST(CPetscRows, OfAMatAreThoseOfTheMatrix) {
  Mat mat = make_mat(share(rank()));
  tridap_distribution rows{};
  tridap_csr csr{};
  OK(tridap_csr_of_mat(mat, world, &rows, &csr));
  ASSERT_EQ(csr.row_count, share(rank()));
  EXPECT_EQ(csr.index_base, 0);
  const auto* starts = static_cast<const std::int64_t*>(csr.row_starts);
  const auto* columns = static_cast<const std::int64_t*>(csr.columns);
  ASSERT_EQ(starts[0], 0);
  for (std::int64_t i = 0; i < csr.row_count; ++i) {
    std::map<PetscInt, double> found;
    for (std::int64_t k = starts[i]; k < starts[i + 1]; ++k) found[static_cast<PetscInt>(columns[k])] += csr.values[k];
    EXPECT_EQ(found, row_of(first_of(rank()) + static_cast<PetscInt>(i), first_of(processes())));
    EXPECT_EQ(static_cast<std::int64_t>(found.size()), starts[i + 1] - starts[i]);
  }
  EXPECT_EQ(csr.entry_count, starts[csr.row_count]);
  for (int p = 0; p < processes(); ++p) {
    std::int64_t begin = -1;
    const std::int64_t at = 0;
    OK(tridap_global_index(rows, p, &at, &begin));
    EXPECT_EQ(begin, first_of(p));
  }
  ASSERT_EQ(MatDestroy(&mat), 0);
  EXPECT_EQ(csr.values[0], row_of(first_of(rank()), first_of(processes())).at(static_cast<PetscInt>(columns[0])));
  OK(tridap_release(rows.number));
}

TEST(CPetscRows, OfOtherMatsAreRefused) {
  tridap_distribution rows{};
  tridap_csr csr{};
  const auto refused = [&](Mat mat, const char* part) {
    EXPECT_REFUSED(tridap_csr_of_mat(mat, world, &rows, &csr), part);
    OK(tridap_release(rows.number));
  };
  refused(nullptr, "mat is NULL");
  Mat mat = nullptr;
  ASSERT_EQ(MatCreateDense(world, 2, 2, PETSC_DETERMINE, PETSC_DETERMINE, nullptr, &mat), 0);
  refused(mat, "MatConvert");
  ASSERT_EQ(MatDestroy(&mat), 0);
  const PetscInt more = share(rank()) + (rank() == 0 ? 1 : 0);
  mat = make_mat(more);
  refused(mat, "rows are not distributed as its columns");
  EXPECT_REFUSED(tridap_csr_of_mat(mat, world, &rows, nullptr), "csr is NULL");
  OK(tridap_release(rows.number));
  if (processes() > 1) {
    EXPECT_REFUSED(tridap_csr_of_mat(mat, MPI_COMM_SELF, &rows, &csr), "has other processes than the Mat");
    OK(tridap_release(rows.number));
  }
  ASSERT_EQ(MatDestroy(&mat), 0);
}

TEST(CPetscGhosts, OfAVecAreUpdatedAndSummed) {
  std::vector<PetscInt> ids;
  Vec vec = make_ghosted(ids), local = nullptr;
  ASSERT_EQ(VecGhostGetLocalForm(vec, &local), 0);
  PetscScalar* elements = nullptr;
  ASSERT_EQ(VecGetArray(local, &elements), 0);
  tridap_ghosts ghosts{};
  OK(tridap_ghosts_of_vec(vec, world, &ghosts));
  for (PetscInt i = 0; i < 3; ++i) elements[i] = 10.0 * (3 * rank() + i);
  OK(tridap_update_ghosts(ghosts));
  for (std::size_t g = 0; g < ids.size(); ++g) EXPECT_EQ(elements[3 + g], 10.0 * ids[g]);
  for (std::size_t g = 0; g < ids.size(); ++g) elements[3 + g] = 1;
  OK(tridap_sum_ghosts(ghosts));
  const double added = processes() > 1 ? 1 : 0;
  EXPECT_EQ(elements[0], 10.0 * (3 * rank()) + added);
  EXPECT_EQ(elements[1], 10.0 * (3 * rank() + 1));
  EXPECT_EQ(elements[2], 10.0 * (3 * rank() + 2) + added);

  void* made = nullptr;
  tridap_receipt receipt{};
  OK(tridap_vec_of_ghosts(ghosts, &made, &receipt));
  EXPECT_EQ(receipt.bytes_copied, 0);
  auto* again = static_cast<Vec>(made);
  Vec again_local = nullptr;
  const PetscScalar* same = nullptr;
  ASSERT_EQ(VecGhostGetLocalForm(again, &again_local), 0);
  ASSERT_EQ(VecGetArrayRead(again_local, &same), 0);
  EXPECT_EQ(same, elements);
  ASSERT_EQ(VecRestoreArrayRead(again_local, &same), 0);
  ASSERT_EQ(VecGhostRestoreLocalForm(again, &again_local), 0);
  ASSERT_EQ(VecDestroy(&again), 0);
  OK(tridap_release(ghosts.number));
  ASSERT_EQ(VecRestoreArray(local, &elements), 0);
  ASSERT_EQ(VecGhostRestoreLocalForm(vec, &local), 0);
  ASSERT_EQ(VecDestroy(&vec), 0);
}

TEST(CPetscGhosts, OneWrongProcessFailsAll) {
  std::vector<PetscInt> ids;
  Vec vec = make_ghosted(ids);
  tridap_ghosts ghosts{};
  const bool wrong = rank() == processes() - 1;
  EXPECT_REFUSED(tridap_ghosts_of_vec(wrong ? nullptr : vec, world, &ghosts), "vec is NULL");
  void* made = nullptr;
  EXPECT_REFUSED(tridap_vec_of_ghosts(ghosts, &made, nullptr), "vec is NULL");  // the handle stands for the failure
  EXPECT_EQ(made, nullptr);
  OK(tridap_release(ghosts.number));
  ASSERT_EQ(VecDestroy(&vec), 0);
}
