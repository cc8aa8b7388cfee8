// A Vec as an array over its own memory, against PETSc's own answers.

#include "petsc_support.hpp"

#include <numeric>

using namespace petsc_test;

namespace {

// The ranges of all processes, by VecGetOwnershipRanges.
std::vector<Index> ranges_of(Vec vec) {
  const PetscInt* ranges = nullptr;
  EXPECT_EQ(VecGetOwnershipRanges(vec, &ranges), 0);
  return {ranges, ranges + processes() + 1};
}

void expect_owners(Vec vec, const tridap::Distribution& distribution) {
  const std::vector<Index> ranges = ranges_of(vec);
  ASSERT_EQ(distribution.shape(), Indices{ranges.back()});
  ASSERT_EQ(distribution.processes(), processes());
  for (Index process = 0; process < processes(); ++process) {
    const auto p = static_cast<std::size_t>(process);
    for (Index g = ranges[p]; g < ranges[p + 1]; ++g) ASSERT_EQ(distribution.owner({g}), process);
  }
}

void expect_shares(Vec vec) {
  number_elements(vec);
  const petsc::ExportedArray exported = petsc::export_array(vec);
  EXPECT_EQ(exported.receipt.bytes_copied, 0);
  EXPECT_TRUE(exported.receipt.shared);
  EXPECT_TRUE(exported.receipt.losses.empty());
  expect_owners(vec, tridap::mpi::gather_distribution(exported.array, MPI_COMM_WORLD));
  expect_owners(vec, petsc::distribution_of(vec));
  const Index begin = ranges_of(vec)[static_cast<std::size_t>(rank())];
  for (Index k = 0; k < exported.array.buffer.shape[0]; ++k) {
    ASSERT_EQ(at(exported.array, {k}), value_of(begin + k));
    at(exported.array, {k}) = value_of(-k);
    ASSERT_EQ(value_in(vec, begin + k), value_of(-k));
  }
}

}  // namespace

TEST(VecExport, HasTheElementsThatPetscHas) {
  Random random(1);
  for (int turn = effort::of(200, 30); turn > 0; --turn) {
    const std::vector<Index> lengths = split(random, random.between(0, 40), processes(), 0);
    Vec vec = make_vec(lengths[static_cast<std::size_t>(rank())]);
    expect_shares(vec);
    EXPECT_EQ(references(vec), 1);
    VecDestroy(&vec);
  }
}

TEST(VecExport, OfASequentialVec) {
  Vec vec = nullptr;
  VecCreateSeq(PETSC_COMM_SELF, 5, &vec);
  number_elements(vec);
  const petsc::ExportedArray exported = petsc::export_array(vec);
  const tridap::Dimension& axis = exported.array.dim_data[0];
  EXPECT_EQ(axis.size, 5);
  EXPECT_EQ(axis.proc_grid_size, 1);
  EXPECT_EQ(at(exported.array, {4}), value_of(4));
  VecDestroy(&vec);
}

TEST(VecExport, IsReadOnlyIfAsked) {
  Vec vec = make_vec(3);
  const auto exported = petsc::export_array(vec, {true});
  EXPECT_TRUE(exported.array.buffer.read_only);
  EXPECT_FALSE(petsc::export_array(vec).array.buffer.read_only);
  const PetscScalar* data = nullptr;
  VecGetArrayRead(vec, &data);
  EXPECT_EQ(exported.array.buffer.data, data);
  VecRestoreArrayRead(vec, &data);
  VecDestroy(&vec);
}

// PETSc keeps a norm until the Vec changes.
TEST(VecExport, ClosingItMakesPetscForgetNorms) {
  Vec vec = make_vec(2);
  VecSet(vec, 1);
  PetscReal before = 0, after = 0;
  VecNorm(vec, NORM_1, &before);
  {
    const auto exported = petsc::export_array(vec);
    at(exported.array, {0}) = 5;
  }
  VecNorm(vec, NORM_1, &after);
  EXPECT_EQ(before, 2 * processes());
  EXPECT_EQ(after, 6 * processes());
  PetscBool kept = PETSC_FALSE;
  PetscReal norm = 0;
  { const auto exported = petsc::export_array(vec, {true}); }
  VecNormAvailable(vec, NORM_1, &kept, &norm);
  EXPECT_EQ(kept, PETSC_TRUE);
  { const auto exported = petsc::export_array(vec); }
  VecNormAvailable(vec, NORM_1, &kept, &norm);
  EXPECT_EQ(kept, PETSC_FALSE);
  VecDestroy(&vec);
}

TEST(VecExport, NamesGhostElementsThatItLeavesOut) {
  const PetscInt ghost = (2 * rank() + 2) % (2 * processes());
  Vec vec = nullptr;
  ASSERT_EQ(VecCreateGhost(MPI_COMM_WORLD, 2, PETSC_DETERMINE, 1, &ghost, &vec), 0);
  const auto exported = petsc::export_array(vec);
  EXPECT_EQ(exported.array.buffer.shape, tridap::IndexList{2});
  ASSERT_EQ(exported.receipt.losses.size(), 1U);
  expect_says(exported.receipt.losses[0], "ghost elements");
  VecDestroy(&vec);
}

TEST(VecExport, RefusesVecsWithoutOneArray) {
  Vec vec = nullptr;
  expect_says(on::error_text([&] { petsc::export_array(vec); }), "the Vec is null");
  VecCreate(MPI_COMM_WORLD, &vec);
  expect_says(on::error_text([&] { petsc::export_array(vec); }), "has no type");
  VecDestroy(&vec);
  Vec parts[2] = {make_vec(2), make_vec(1)};
  VecCreateNest(MPI_COMM_WORLD, 2, nullptr, parts, &vec);
  const std::string text = on::error_text([&] { petsc::export_array(vec); });
  expect_says(text, "of type nest");
  expect_says(text, "VecNestGetSubVec");
  for (Vec* one : {&parts[0], &parts[1], &vec}) VecDestroy(one);
  EXPECT_EQ(petsc::held().exports, 0);
}
