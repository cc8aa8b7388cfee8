#include "c/calls.hpp"

#include <petscdmda.h>
#include <petscvec.h>

using namespace c;

namespace {

/// PETSc for the whole program.
class Environment : public testing::Environment {
 public:
  void SetUp() override {
    PetscOptionsSetValue(nullptr, "-no_signal_handler", "true");
    ASSERT_EQ(PetscInitializeNoArguments(), 0);
  }
  void TearDown() override { ASSERT_EQ(PetscFinalize(), 0); }
};
testing::Environment* const environment = testing::AddGlobalTestEnvironment(new Environment);

DM make_dm(DMBoundaryType boundary) {
  DM dm = nullptr;
  EXPECT_EQ(DMDACreate2d(world, boundary, boundary, DMDA_STENCIL_BOX, 9, 12, PETSC_DECIDE, PETSC_DECIDE, 1, 1, nullptr,
                         nullptr, &dm),
            0);
  EXPECT_EQ(DMSetUp(dm), 0);
  return dm;
}

bool is_last() { return rank() == processes() - 1; }

}  // namespace

TEST(CPetsc, AVecIsAnArrayInItsOwnMemory) {
  Vec vec = nullptr;
  ASSERT_EQ(VecCreateMPI(world, 3 + rank(), PETSC_DETERMINE, &vec), 0);
  tridap_array array{};
  std::int64_t shift[4] = {-1, -1, -1, -1};
  OK(tridap_array_of_vec(vec, nullptr, world, 0, &array, shift));
  EXPECT_EQ(shift[0], 0);
  tridap_memory memory{};
  OK(tridap_array_memory(array, &memory));
  ASSERT_EQ(memory.extents[0], 3 + rank());
  for (std::int64_t i = 0; i < memory.extents[0]; ++i) static_cast<double*>(memory.data)[i] = rank() + 1;
  double sum = 0;
  OK(tridap_sum(array, &sum));
  OK(tridap_release(array.number));
  PetscScalar of_petsc = 0;
  ASSERT_EQ(VecSum(vec, &of_petsc), 0);
  EXPECT_EQ(sum, of_petsc);
  EXPECT_GT(sum, 0);
  ASSERT_EQ(VecDestroy(&vec), 0);
}

TEST(CPetsc, AnArrayBecomesAVecOfItsMemory) {
  Field u({12, 9}, "b,b");
  void* made = nullptr;
  tridap_receipt receipt{};
  OK(tridap_vec_of_array(u.array, nullptr, TRIDAP_COPY_NEVER, &made, &receipt));
  EXPECT_EQ(receipt.bytes_copied, 0);
  auto* vec = static_cast<Vec>(made);
  const PetscScalar* elements = nullptr;
  ASSERT_EQ(VecGetArrayRead(vec, &elements), 0);
  EXPECT_EQ(elements, u.memory.data());
  ASSERT_EQ(VecRestoreArrayRead(vec, &elements), 0);
  ASSERT_EQ(VecDestroy(&vec), 0);
  Field padded({12, 9}, "b,b", 1);
  if (processes() == 4) {
    EXPECT_REFUSED(tridap_vec_of_array(padded.array, nullptr, TRIDAP_COPY_NEVER, &made, nullptr),
                   "copy = TRIDAP_COPY_IF_NEEDED");
  }
  OK(tridap_vec_of_array(padded.array, nullptr, TRIDAP_COPY_IF_NEEDED, &made, &receipt));
  vec = static_cast<Vec>(made);
  PetscScalar sum = 0;
  double expected = 0;
  ASSERT_EQ(VecSum(vec, &sum), 0);
  OK(tridap_sum(padded.array, &expected));
  EXPECT_EQ(sum, expected);
  ASSERT_EQ(VecDestroy(&vec), 0);
}

TEST(CPetsc, ADmdaIsADistributionAndBack) {
  DM dm = make_dm(DM_BOUNDARY_NONE);
  for (const int ghosts : {0, 1}) {
    tridap_distribution layout{};
    OK(tridap_distribution_of_dmda(dm, ghosts, world, &layout));
    std::int64_t shape[2];
    OK(tridap_shape(layout, shape));
    EXPECT_EQ(shape[0], 12);
    EXPECT_EQ(shape[1], 9);
    PetscInt x = 0, y = 0, m = 0, n = 0;
    ASSERT_EQ(ghosts ? DMDAGetGhostCorners(dm, &x, &y, nullptr, &m, &n, nullptr)
                     : DMDAGetCorners(dm, &x, &y, nullptr, &m, &n, nullptr),
              0);
    const auto local = extents(layout, 2);
    EXPECT_EQ(local[0], n);
    EXPECT_EQ(local[1], m);
    void* made = nullptr;
    OK(tridap_dmda_of(layout, nullptr, &made));
    auto* again = static_cast<DM>(made);
    tridap_distribution back{};
    OK(tridap_distribution_of_dmda(again, ghosts, world, &back));
    int equal = 0;
    OK(tridap_equal(layout, back, &equal));
    EXPECT_EQ(equal, 1);
    tridap_array array{};
    OK(tridap_allocate(layout, TRIDAP_FLOAT64, TRIDAP_ROW_MAJOR, &array));
    OK(tridap_vec_of_array(array, again, TRIDAP_COPY_NEVER, &made, nullptr));
    auto* vec = static_cast<Vec>(made);
    tridap_array of_vec{};
    OK(tridap_array_of_vec(vec, again, world, 1, &of_vec, nullptr));
    tridap_memory memory{}, expected{};
    OK(tridap_array_memory(of_vec, &memory));
    OK(tridap_array_memory(array, &expected));
    EXPECT_EQ(memory.data, expected.data);
    EXPECT_EQ(memory.read_only, 1);
    for (const std::uint64_t number : {of_vec.number, array.number, layout.number, back.number})
      OK(tridap_release(number));
    ASSERT_EQ(VecDestroy(&vec), 0);
    ASSERT_EQ(DMDestroy(&again), 0);
  }
  ASSERT_EQ(DMDestroy(&dm), 0);
}

TEST(CPetsc, WrongObjectsAndOneWrongProcessAreRefused) {
  DM dm = make_dm(DM_BOUNDARY_NONE);
  Field u({12, 9}, "b,b");
  void* made = nullptr;
  tridap_array array{};
  EXPECT_REFUSED(tridap_array_of_vec(nullptr, nullptr, world, 0, &array, nullptr), "vec is NULL");
  OK(tridap_release(array.number));
  Vec vec = nullptr;
  ASSERT_EQ(VecCreateSeq(PETSC_COMM_SELF, 3, &vec), 0);
  if (processes() > 1) {
    EXPECT_REFUSED(tridap_array_of_vec(vec, nullptr, world, 0, &array, nullptr), "has other processes than the Vec");
    OK(tridap_release(array.number));
    EXPECT_REFUSED(
        tridap_vec_of_array(u.array, nullptr, is_last() ? TRIDAP_COPY_ALWAYS : TRIDAP_COPY_NEVER, &made, nullptr),
        "different arrays, values of copy");
  }
  ASSERT_EQ(VecDestroy(&vec), 0);
  const tridap_array none{};
  EXPECT_REFUSED(tridap_vec_of_array(is_last() ? none : u.array, nullptr, TRIDAP_COPY_NEVER, &made, nullptr),
                 "has the number 0");
  tridap_distribution layout{};
  EXPECT_REFUSED(tridap_distribution_of_dmda(is_last() ? nullptr : dm, 0, world, &layout), "dm is NULL");
  EXPECT_REFUSED(tridap_dmda_of(layout, nullptr, &made), "dm is NULL");
  OK(tridap_release(layout.number));
  const tridap_distribution cyclic = distributed({12, 9}, "c,b");
  if (processes() > 1) {
    EXPECT_REFUSED(tridap_dmda_of(cyclic, nullptr, &made), "block");
  }
  OK(tridap_release(cyclic.number));
  ASSERT_EQ(DMDestroy(&dm), 0);
}
