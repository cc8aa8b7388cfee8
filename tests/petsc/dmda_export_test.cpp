// The Vecs of a DMDA as arrays, against PETSc's corners, ordering and ghost points.

#include "dmda_support.hpp"
#include <tridap/redistribute/padding.hpp>

#include <support/same_array.hpp>

using namespace petsc_test;
using tridap::DistArray;
using tridap::Distribution;
using tridap::Part;

namespace {

constexpr auto unset = static_cast<PetscScalar>(-1);

// [begin, end) by axis of the array, of each process, as DMDAGetCorners has them there.
std::vector<std::array<Index, 6>> all_corners(DM dm) {
  std::array<PetscInt, 6> c{};
  EXPECT_EQ(DMDAGetCorners(dm, &c[0], &c[1], &c[2], &c[3], &c[4], &c[5]), 0);
  const std::array<Index, 6> here{c[0], c[1], c[2], c[3], c[4], c[5]};
  std::vector<std::array<Index, 6>> all(static_cast<std::size_t>(processes()));
  MPI_Allgather(here.data(), 6, MPI_INT64_T, all.data(), 6, MPI_INT64_T, MPI_COMM_WORLD);
  return all;
}

// Each point of the grid is owned by the process whose corners contain it.
void expect_owners(DM dm, const Made& made, const Distribution& distribution, const std::array<Index, 4>& shift) {
  const auto corners = all_corners(dm);
  const auto dim = static_cast<std::size_t>(made.dim);
  for (std::size_t process = 0; process < corners.size(); ++process) {
    Indices extents;
    for (std::size_t i = 0; i < dim; ++i) extents.push_back(corners[process][3 + dim - 1 - i]);
    if (made.dof > 1) extents.push_back(made.dof);
    for_all(extents, [&](Indices index) {
      for (std::size_t i = 0; i < dim; ++i) index[i] += corners[process][dim - 1 - i] + shift[i];
      ASSERT_EQ(distribution.owner(index), static_cast<Index>(process));
    });
  }
}

// PETSc's index of a local one; the natural number if it is in the grid or in a periodic image of it.
std::optional<Index> natural_of(const Made& made, const Distribution& distribution, const std::array<Index, 4>& shift,
                                const Indices& local) {
  Indices index = distribution.global_index(rank(), local);
  const auto dim = static_cast<std::size_t>(made.dim);
  for (std::size_t i = 0; i < dim; ++i) {
    const std::size_t k = dim - 1 - i;
    const Index size = made.size(k);
    index[i] -= shift[i];
    if (made.boundary[k] == DM_BOUNDARY_PERIODIC) index[i] = (index[i] % size + size) % size;
    if (index[i] < 0 || index[i] >= size) return std::nullopt;
  }
  return natural(made, index);
}

// Whether a local index differs from the interior in several axes.
bool is_corner(const Distribution& distribution, const Indices& local) {
  const std::vector<tridap::Range> inside = distribution.part(rank(), Part::interior);
  int outside = 0;
  for (std::size_t i = 0; i < local.size(); ++i) outside += inside[i].contains(local[i]) ? 0 : 1;
  return outside > 1;
}

// Without communication, each process knows what all of them say together.
void expect_same(const Distribution& a, const Distribution& b) {
  ASSERT_EQ(a.ndim(), b.ndim());
  for (Index process = 0; process < processes(); ++process) {
    const auto one = a.dim_data(process), other = b.dim_data(process);
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(same_array::differs(one[i], other[i]), "");
  }
}

void expect_global(DM dm, const Made& made, Vec vec) {
  const petsc::ExportedArray exported = petsc::export_array(dm, vec);
  EXPECT_EQ(exported.receipt.bytes_copied, 0);
  EXPECT_TRUE(exported.receipt.losses.empty());
  const Distribution distribution = tridap::mpi::gather_distribution(exported.array, MPI_COMM_WORLD);
  EXPECT_EQ(distribution.ndim(), made.dim + (made.dof > 1 ? 1 : 0));
  expect_owners(dm, made, distribution, {});
  expect_same(petsc::distribution_of(dm, vec), distribution);
  for_all(exported.array.buffer.shape, [&](const Indices& local) {
    const Indices index = distribution.global_index(rank(), local);
    ASSERT_EQ(at(exported.array, local), value_of(natural(made, index)));
  });
  for (std::size_t i = 0; i < static_cast<std::size_t>(made.dim); ++i)
    EXPECT_EQ(distribution.axis(static_cast<Index>(i)).periodic(),
              made.boundary[static_cast<std::size_t>(made.dim) - 1 - i] == DM_BOUNDARY_PERIODIC);
}

// The padding is what DMGlobalToLocal fills, and update_padding() gives it the same values.
void expect_local(DM dm, const Made& made, Vec global) {
  Vec by_petsc = nullptr, by_us = nullptr;
  DMCreateLocalVector(dm, &by_petsc);
  VecDuplicate(by_petsc, &by_us);
  VecSet(by_petsc, unset);
  VecSet(by_us, unset);
  DMGlobalToLocalBegin(dm, global, INSERT_VALUES, by_petsc);
  DMGlobalToLocalEnd(dm, global, INSERT_VALUES, by_petsc);
  const petsc::ExportedArray theirs = petsc::export_array(dm, by_petsc), ours = petsc::export_array(dm, by_us);
  const Distribution distribution = tridap::mpi::gather_distribution(theirs.array, MPI_COMM_WORLD);
  expect_owners(dm, made, distribution, theirs.shift);
  expect_same(petsc::distribution_of(dm, by_us), distribution);
  const bool star = made.stencil == DMDA_STENCIL_STAR;
  bool left_out = false;
  for_all(theirs.array.buffer.shape, [&](const Indices& local) {
    const std::optional<Index> number = natural_of(made, distribution, theirs.shift, local);
    const bool skipped = star && is_corner(distribution, local);
    ASSERT_EQ(at(theirs.array, local), number && !skipped ? value_of(*number) : unset);
    left_out = left_out || (number && skipped);
    const std::vector<tridap::Range> inside = distribution.part(rank(), Part::interior);
    bool interior = true;
    for (std::size_t i = 0; i < local.size(); ++i) interior = interior && inside[i].contains(local[i]);
    if (interior) at(ours.array, local) = at(theirs.array, local);
  });
  MPI_Allreduce(MPI_IN_PLACE, &left_out, 1, MPI_CXX_BOOL, MPI_LOR, MPI_COMM_WORLD);
  EXPECT_TRUE(!left_out || !theirs.receipt.losses.empty());
  EXPECT_TRUE(star || theirs.receipt.losses.empty());
  tridap::redistribute::update_padding(ours.array, MPI_COMM_WORLD);
  for_all(theirs.array.buffer.shape, [&](const Indices& local) {
    if (star && is_corner(distribution, local)) return;
    ASSERT_EQ(at(ours.array, local), at(theirs.array, local));
  });
  VecDestroy(&by_petsc);
  VecDestroy(&by_us);
}

/// A global Vec of numbers whose array, and that of a local one, are as PETSc has them.
Vec checked_global(DM dm, const Made& made) {
  Vec global = nullptr;
  DMCreateGlobalVector(dm, &global);
  number_naturally(dm, made, global);
  expect_global(dm, made, global);
  expect_local(dm, made, global);
  return global;
}

}  // namespace

TEST(DmdaExport, HasThePointsAndGhostPointsThatPetscHas) {
  Random random(3);
  for (int turn = effort::of(300, 30); turn > 0; --turn) {
    const Made made = random_dmda(random);
    DM dm = made.create();
    Vec global = checked_global(dm, made);
    VecDestroy(&global);
    DMDestroy(&dm);
    if (testing::Test::HasFatalFailure()) return;
  }
}

void expect_example(MPI_Comm two) {
  for (const DMBoundaryType boundary : {DM_BOUNDARY_NONE, DM_BOUNDARY_PERIODIC}) {
    DM dm = nullptr;
    DMDACreate1d(two, boundary, 5, 1, 1, nullptr, &dm);
    DMSetUp(dm);
    Vec vec = nullptr;
    DMCreateLocalVector(dm, &vec);
    const petsc::ExportedArray exported = petsc::export_array(dm, vec);
    const auto& block = std::get<tridap::Block>(exported.array.dim_data[0].dist);
    const bool periodic = boundary == DM_BOUNDARY_PERIODIC;
    EXPECT_EQ(exported.array.dim_data[0].size, periodic ? 7 : 5);
    EXPECT_EQ(block.start, rank() == 0 ? 0 : periodic ? 3 : 2);
    EXPECT_EQ(block.stop, rank() == 0 ? (periodic ? 5 : 4) : (periodic ? 7 : 5));
    EXPECT_EQ(exported.shift[0], periodic ? 1 : 0);
    VecDestroy(&vec);
    DMDestroy(&dm);
  }
}

TEST(DmdaExport, TheExampleOfTheDocumentation) {
  if (processes() < 2) GTEST_SKIP() << "needs at least 2 processes";
  MPI_Comm two = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank() < 2 ? 0 : MPI_UNDEFINED, 0, &two);
  if (two != MPI_COMM_NULL) expect_example(two);
  if (two != MPI_COMM_NULL) MPI_Comm_free(&two);
}

TEST(DmdaExport, AProcessMayHaveNoPoints) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  for (const Index dim : {1, 2, 3})
    for (const Index empty : {0, processes() / 2, processes() - 1}) {
      Made made;
      made.dim = dim;
      made.dof = 2;
      made.width = 0;
      made.lengths[static_cast<std::size_t>(dim) - 1].assign(static_cast<std::size_t>(processes()), 3);
      made.lengths[static_cast<std::size_t>(dim) - 1][static_cast<std::size_t>(empty)] = 0;
      DM dm = made.create();
      Vec global = checked_global(dm, made);
      {
        const petsc::ExportedArray exported = petsc::export_array(dm, global);
        petsc::ImportedVec again = petsc::import_array(dm, exported.array);
        PetscReal norm = 0, norm_again = -1;
        VecNorm(global, NORM_INFINITY, &norm);
        VecNorm(again.vec, NORM_INFINITY, &norm_again);
        EXPECT_EQ(norm_again, norm);
        VecDestroy(&again.vec);
      }
      VecDestroy(&global);
      DMDestroy(&dm);
      if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(DmdaExport, BoundariesThatTheProtocolDoesNotHaveAreRefusedByName) {
  for (const DMBoundaryType boundary : {DM_BOUNDARY_MIRROR, DM_BOUNDARY_TWIST}) {
    DM dm = nullptr;
    const bool twist = boundary == DM_BOUNDARY_TWIST;
    if (twist && processes() > 1) continue;
    DMDACreate1d(MPI_COMM_WORLD, boundary, 4 * processes(), 1, 1, nullptr, &dm);
    PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);
    const PetscErrorCode code = DMSetUp(dm);
    PetscPopErrorHandler();
    if (code != 0) {  // PETSc has no such grids of this dimension
      DMDestroy(&dm);
      continue;
    }
    Vec vec = nullptr;
    DMCreateGlobalVector(dm, &vec);
    expect_says(on::error_text([&] { petsc::export_array(dm, vec); }),
                twist ? "in x is DM_BOUNDARY_TWIST" : "in x is DM_BOUNDARY_MIRROR");
    VecDestroy(&vec);
    DMDestroy(&dm);
  }
}

TEST(DmdaExport, AVecOfAnotherLengthIsRefused) {
  DM dm = nullptr;
  DMDACreate1d(MPI_COMM_WORLD, DM_BOUNDARY_GHOSTED, 3 * processes(), 1, 1, nullptr, &dm);
  DMSetUp(dm);
  Vec vec = make_vec(9);
  expect_says(on::error_text([&] { petsc::export_array(dm, vec); }),
              "the Vec has 9 elements on this process, must have 3 as a global Vec of the DMDA, or 5 as a local one");
  VecDestroy(&vec);
  DMDestroy(&dm);
}
