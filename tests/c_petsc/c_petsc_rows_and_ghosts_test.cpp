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

namespace {

using Element = std::pair<std::int64_t, std::int64_t>;  // its global indices

// The elements of n x m in blocks over a grid, as PETSc numbers them: process after process, each in its memory order.
struct Blocks {
  std::vector<std::int64_t> shape;
  tridap_order order;
  tridap_distribution layout{};
  std::map<Element, PetscInt> numbers;
  std::vector<Element> own;

  Blocks(std::int64_t n, std::int64_t m, tridap_order in) : shape{n, m}, order(in), layout(distributed(shape, "b,b")) {
    PetscInt next = 0;
    for (int p = 0; p < processes(); ++p) {
      std::int64_t first[2] = {0, 0}, local[2] = {0, 0};
      const std::int64_t zero[2] = {0, 0};
      EXPECT_EQ(tridap_local_shape(layout, p, local), TRIDAP_OK);
      if (local[0] * local[1] == 0) continue;
      EXPECT_EQ(tridap_global_index(layout, p, zero, first), TRIDAP_OK);
      const int slow = in == TRIDAP_ROW_MAJOR ? 0 : 1, fast = 1 - slow;
      for (std::int64_t a = 0; a < local[slow]; ++a)
        for (std::int64_t b = 0; b < local[fast]; ++b) {
          const Element at = {first[0] + (slow == 0 ? a : b), first[1] + (slow == 0 ? b : a)};
          numbers[at] = next++;
          if (p == rank()) own.push_back(at);
        }
    }
  }
  std::int64_t flat(Element at) const {
    return order == TRIDAP_ROW_MAJOR ? at.first * shape[1] + at.second : at.first + at.second * shape[0];
  }
};

// A row has 4 + its flat number on the diagonal, in two parts, and -1 at its neighbours along both axes.
std::map<Element, double> stencil(const Blocks& blocks, Element at) {
  std::map<Element, double> row;
  row[at] = 4 + static_cast<double>(blocks.flat(at));
  const auto [row_index, column_index] = at;
  for (const auto& [i, j] : {Element{row_index - 1, column_index}, Element{row_index + 1, column_index},
                             Element{row_index, column_index - 1}, Element{row_index, column_index + 1}})
    if (i >= 0 && i < blocks.shape[0] && j >= 0 && j < blocks.shape[1]) row[{i, j}] = -1;
  return row;
}

struct Entries {
  std::vector<double> values;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> starts;
  tridap_csr csr{};

  Entries(const Blocks& blocks, std::int64_t base) : starts{base} {
    for (const auto& at : blocks.own) {
      for (const auto& [column, value] : stencil(blocks, at))
        add(blocks.flat(column) + base, column == at ? value - 1 : value);
      add(blocks.flat(at) + base, 1);
      starts.push_back(static_cast<std::int64_t>(values.size()) + base);
    }
    csr.row_count = static_cast<std::int64_t>(starts.size()) - 1;
    csr.entry_count = static_cast<std::int64_t>(values.size());
    csr.values = values.data();
    csr.columns = columns.data();
    csr.column_bytes = 4;
    csr.row_starts = starts.data();
    csr.index_base = base;
    csr.order = blocks.order;
  }
  Entries(const Entries&) = delete;
  void add(std::int64_t column, double value) {
    columns.push_back(static_cast<std::int32_t>(column));
    values.push_back(value);
  }
};

}  // namespace

TEST(CPetscMat, OfRowsHasTheirEntriesWherePetscNumbersThem) {
  for (const tridap_order order : {TRIDAP_ROW_MAJOR, TRIDAP_COLUMN_MAJOR})
    for (const std::int64_t base : {0, 1}) {
      const Blocks blocks(5, 4, order);
      const Entries entries(blocks, base);
      void* made = nullptr;
      tridap_receipt receipt{};
      OK(tridap_mat_of_csr(blocks.layout, &entries.csr, &made, &receipt));
      EXPECT_GT(receipt.bytes_copied, 0);
      auto* mat = static_cast<Mat>(made);
      for (const auto& at : blocks.own) {
        const PetscInt row = blocks.numbers.at(at);
        std::map<PetscInt, double> expected, found;
        for (const auto& [column, value] : stencil(blocks, at)) expected[blocks.numbers.at(column)] = value;
        PetscInt count = 0;
        const PetscInt* columns = nullptr;
        const PetscScalar* values = nullptr;
        ASSERT_EQ(MatGetRow(mat, row, &count, &columns, &values), 0);
        for (PetscInt k = 0; k < count; ++k) found[columns[k]] = PetscRealPart(values[k]);
        EXPECT_EQ(static_cast<std::size_t>(count), expected.size());
        EXPECT_EQ(found, expected) << "row " << row << ", order " << order << ", base " << base;
        ASSERT_EQ(MatRestoreRow(mat, row, &count, &columns, &values), 0);
      }
      ASSERT_EQ(MatDestroy(&mat), 0);
      OK(tridap_release(blocks.layout.number));
    }
}

TEST(CPetscMat, OneWrongProcessFailsAll) {
  const Blocks blocks(5, 4, TRIDAP_ROW_MAJOR);
  const bool wrong = rank() == processes() - 1;
  void* made = nullptr;
  const auto refused = [&](const tridap_csr* csr, const char* part) {
    EXPECT_REFUSED(tridap_mat_of_csr(blocks.layout, csr, &made, nullptr), part);
    EXPECT_EQ(made, nullptr);
  };
  Entries entries(blocks, 0);
  refused(wrong ? nullptr : &entries.csr, "csr is NULL");
  if (wrong) entries.columns.front() = 20;
  refused(&entries.csr, "a row has column 20");
  if (wrong) entries.columns.front() = 0;
  if (wrong) entries.starts[1] = -1;
  refused(&entries.csr, "local row 0 goes from 0 to -1");
  OK(tridap_release(blocks.layout.number));
}

TEST(CPetscMat, OfDifferentDistributionsFailsOnAll) {
  if (processes() < 2) GTEST_SKIP() << "needs several processes";
  const tridap_distribution even = distributed({2 * processes()}, "b"), dealt = distributed({2 * processes()}, "c");
  const std::vector<double> values = {1, 1};
  const std::vector<std::int64_t> columns = {0, 1}, starts = {0, 1, 2};
  tridap_csr csr{};
  csr.row_count = csr.entry_count = 2;
  csr.values = values.data();
  csr.columns = columns.data();
  csr.row_starts = starts.data();
  void* made = nullptr;
  EXPECT_REFUSED(tridap_mat_of_csr(rank() == 0 ? even : dealt, &csr, &made, nullptr), "different distributions");
  OK(tridap_release(even.number));
  OK(tridap_release(dealt.number));
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
