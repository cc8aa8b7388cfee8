// Arrays as DMDAs, and as Vecs of DMDAs.

#include "dmda_support.hpp"
#include <tridap/compare.hpp>

using namespace petsc_test;
using tridap::DistArray;
using tridap::Distribution;

namespace {

// What PETSc says of a DMDA.
Made made_of(DM dm) {
  Made made;
  PetscInt dim = 0, dof = 0, width = 0;
  std::array<PetscInt, 3> n{}, p{};
  DMDAGetInfo(dm, &dim, &n[0], &n[1], &n[2], &p[0], &p[1], &p[2], &dof, &width, &made.boundary[0], &made.boundary[1],
              &made.boundary[2], &made.stencil);
  made.dim = dim;
  made.dof = dof;
  made.width = width;
  std::array<const PetscInt*, 3> lengths{};
  DMDAGetOwnershipRanges(dm, &lengths[0], &lengths[1], &lengths[2]);
  for (std::size_t k = 0; k < static_cast<std::size_t>(dim); ++k) made.lengths[k] = {lengths[k], lengths[k] + p[k]};
  return made;
}

void expect_same(const Made& is, const Made& must) {
  EXPECT_EQ(is.dim, must.dim);
  EXPECT_EQ(is.dof, must.dof);
  EXPECT_EQ(is.width, must.width);
  EXPECT_EQ(is.stencil, must.dim == 1 ? is.stencil : must.stencil);
  for (std::size_t k = 0; k < static_cast<std::size_t>(must.dim); ++k) {
    EXPECT_EQ(is.lengths[k], must.lengths[k]);
    EXPECT_EQ(is.boundary[k], must.boundary[k]);
  }
}

Distribution distribution_of(DM dm, Vec vec) {
  return tridap::mpi::gather_distribution(petsc::export_array(dm, vec).array, MPI_COMM_WORLD);
}

// A DMDA made from the distribution of another one's Vec, of the same arguments.
void expect_again(const Made& made, const Distribution& distribution, const petsc::DmdaOptions& options) {
  EXPECT_FALSE(petsc::refusal(distribution, options));
  DM again = petsc::create_dmda(distribution, MPI_COMM_WORLD, options);
  expect_same(made_of(again), made);
  DMDestroy(&again);
}

// A Vec of the DMDA over an array's memory: PETSc's operations with the DMDA see the array's elements.
void expect_vecs(DM dm, const Made& made, const Distribution& global, const Distribution& local) {
  const DistArray inside = part_of(global), padded = part_of(local);
  petsc::ImportedVec vec = petsc::import_array(dm, inside), ghosts = petsc::import_array(dm, padded);
  PetscInt size = 0;
  VecGetSize(ghosts.vec, &size);
  EXPECT_EQ(size, made.width == 0 ? points(made) : tridap::element_count(padded.buffer));
  number_naturally(dm, made, vec.vec);
  for_all(inside.buffer.shape, [&](const Indices& at_local) {
    ASSERT_EQ(at(inside, at_local), value_of(natural(made, global.global_index(rank(), at_local))));
  });
  Vec expected = nullptr;
  DMCreateLocalVector(dm, &expected);
  for (Vec to : {expected, ghosts.vec}) {
    DMGlobalToLocalBegin(dm, vec.vec, INSERT_VALUES, to);
    DMGlobalToLocalEnd(dm, vec.vec, INSERT_VALUES, to);
  }
  const petsc::ExportedArray there = petsc::export_array(dm, expected);
  for_all(padded.buffer.shape,
          [&](const Indices& at_local) { ASSERT_EQ(at(padded, at_local), at(there.array, at_local)); });
  DM of_vec = nullptr;
  VecGetDM(vec.vec, &of_vec);
  EXPECT_EQ(of_vec, dm);
  VecDestroy(&expected);
  VecDestroy(&vec.vec);
  VecDestroy(&ghosts.vec);
}

Distribution blocks(std::vector<Index> shape, const std::vector<Index>& grid, tridap::AxisSpec spec = tridap::block()) {
  return Distribution::make(shape, std::vector<tridap::AxisSpec>(shape.size(), spec), grid);
}

std::string refusal_of(const Distribution& distribution, const petsc::DmdaOptions& options = {}) {
  return petsc::refusal(distribution, options).value_or("");
}

// The nearest can be held, and has as many grid points.
void expect_nearest(const Distribution& distribution, const petsc::DmdaOptions& options = {}) {
  const Distribution other = petsc::nearest(distribution, options);
  EXPECT_EQ(refusal_of(other, options), "");
  EXPECT_EQ(other.proc_grid_shape(), distribution.proc_grid_shape());
}

}  // namespace

TEST(DmdaCreate, FromTheDistributionOfADmda) {
  Random random(4);
  for (int turn = effort::of(300, 30); turn > 0; --turn) {
    const Made made = random_dmda(random);
    DM dm = made.create();
    Vec global = nullptr, local = nullptr;
    DMCreateGlobalVector(dm, &global);
    DMCreateLocalVector(dm, &local);
    const Distribution inside = distribution_of(dm, global), padded = distribution_of(dm, local);
    petsc::DmdaOptions options;
    options.stencil = made.stencil;
    options.dof = made.dof > 1;
    options.stencil_width = made.width;
    Made plain = made;  // without ghost points nothing shows this boundary
    for (DMBoundaryType& boundary : plain.boundary)
      if (boundary == DM_BOUNDARY_GHOSTED) boundary = DM_BOUNDARY_NONE;
    expect_again(made.width > 0 ? made : plain, padded, options);
    expect_again(plain, inside, options);
    expect_vecs(dm, made, inside, padded);
    VecDestroy(&global);
    VecDestroy(&local);
    DMDestroy(&dm);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(DmdaCreate, TheWidthIsThatOfThePadding) {
  const Index p = processes();
  Distribution padded = blocks({5 * p}, {p}, tridap::padded_block(2));
  DM dm = petsc::create_dmda(padded, MPI_COMM_WORLD);
  EXPECT_EQ(made_of(dm).width, 2);
  EXPECT_EQ(made_of(dm).boundary[0], DM_BOUNDARY_GHOSTED);
  DMDestroy(&dm);
  dm = petsc::create_dmda(blocks({5 * p}, {p}), MPI_COMM_WORLD);
  EXPECT_EQ(made_of(dm).width, 1);
  DMDestroy(&dm);
  if (p > 1) expect_says(refusal_of(padded, {1, DMDA_STENCIL_BOX, false}), "padding of width 2");
}

TEST(DmdaCreate, WhatADmdaCannotHoldIsRefusedWithTheNearest) {
  const Distribution cyclic = blocks({8}, {2}, tridap::cyclic());
  expect_says(refusal_of(cyclic), "axis 0: it is cyclic, and a DMDA has blocks; the nearest that it can hold is");
  expect_nearest(cyclic);
  const Distribution narrow = Distribution::make({8, 8}, {tridap::block_at({0, 1}), tridap::block()}, {2, 2});
  const petsc::DmdaOptions two{2, DMDA_STENCIL_BOX, false};
  expect_says(refusal_of(narrow, two), "axis 0: coordinate 0 has 1 grid point, and a DMDA needs at least 2");
  expect_nearest(narrow, two);
  const Distribution empty = Distribution::make({3}, {tridap::block_at({0, 0})}, {2});
  expect_says(refusal_of(empty), "coordinate 0 has 0 grid points");
  expect_nearest(empty);
  tridap::BlockSpec one_edge = tridap::padded_block(1);
  one_edge.edges = {1, 0};
  const Distribution edges = blocks({8}, {2}, one_edge);
  expect_says(refusal_of(edges), "boundary padding of widths 1 and 0");
  expect_nearest(edges);
  const Distribution widths = Distribution::make({8, 8}, {tridap::padded_block(1), tridap::padded_block(2)}, {2, 2});
  expect_says(refusal_of(widths),
              "axis 0: it has padding of width 1 at coordinate 0, and a DMDA has one stencil width, here 2");
  expect_nearest(widths);
  const Distribution lists = blocks({4}, {2}, tridap::unstructured({{0, 2}, {1, 3}}));
  expect_says(refusal_of(lists), "it is unstructured");
  expect_nearest(lists);
}

TEST(DmdaCreate, TooManyProcessesHaveNoNearest) {
  const Distribution few = blocks({3}, {4});
  expect_says(refusal_of(few), "use fewer processes");
  EXPECT_NE(on::error_text([&] { petsc::nearest(few); }), "");
}

TEST(DmdaCreate, AxesAndDegreesOfFreedom) {
  expect_says(on::error_text([] { petsc::refusal(blocks({2, 2, 2, 2}, {1, 1, 1, 1})); }), "has 4 axes");
  expect_says(on::error_text([] { petsc::refusal(blocks({4}, {2}), {{}, DMDA_STENCIL_BOX, true}); }), "has 0 axes");
  const auto periodic = Distribution::make({4, 3}, {tridap::block(), tridap::padded_block(0, true)}, {1, 1});
  for (const Distribution& points : {blocks({4, 4}, {1, 2}), periodic})
    expect_says(on::error_text([&] {
                  petsc::refusal(points, {{}, DMDA_STENCIL_BOX, true});
                }),
                "the degrees of freedom of a grid point, which are on one process");
  expect_says(on::error_text([] {
                petsc::refusal(blocks({4}, {2}), {-1, DMDA_STENCIL_BOX, false});
              }),
              "'stencil_width' is -1");
}

TEST(DmdaCreate, EveryProcessGetsTheSameError) {
  const Index p = processes();
  std::string text =
      on::error_text([&] { petsc::create_dmda(blocks({8 * p}, {p}, tridap::cyclic()), MPI_COMM_WORLD); });
  EXPECT_NE(text, "");
  EXPECT_TRUE(on::same_everywhere(text));
  text = on::error_text([&] { petsc::create_dmda(blocks({8 * (p + 1)}, {p + 1}), MPI_COMM_WORLD); });
  expect_says(text, "the communicator has " + std::to_string(p));
}

TEST(DmdaImport, AnArrayOfAnotherDistributionIsRefusedOnEveryProcess) {
  const Index p = processes();
  DM dm = petsc::create_dmda(blocks({4 * p, 3}, {p, 1}), MPI_COMM_WORLD);
  const auto text_of = [&](const DistArray& array) {
    const std::string text = on::error_text([&] { petsc::import_array(dm, array); });
    EXPECT_NE(text, "");
    EXPECT_TRUE(on::same_everywhere(text));
    return text;
  };
  expect_says(text_of(part_of(blocks({4 * p}, {p}))), "the number of axes of the array is 1, and that of the DMDA 2");
  expect_says(text_of(part_of(blocks({4 * p, 4}, {p, 1}))), "axis 1 of the array has size 4, and the DMDA 3");
  expect_says(text_of(columns_of(blocks({4 * p, 3}, {p, 1}))), "row-major");
  expect_says(text_of(part_of(blocks({4 * p, 3}, {p, 1}), tridap::element_type<int>())), "int32");
  DistArray wrong = part_of(blocks({4 * p, 3}, {p, 1}));
  if (rank() == p - 1) wrong.buffer.read_only = true;
  expect_says(text_of(wrong), "read-only");
  if (p > 1) {
    std::vector<Index> starts{0};
    for (Index r = 1; r < p; ++r) starts.push_back(4 * r + 1);
    expect_says(text_of(part_of(Distribution::make({4 * p, 3}, {tridap::block_at(starts), tridap::block()}, {p, 1}))),
                "axis 0 of the array has the range [0, 5), and the DMDA [0, 4)");
    expect_says(text_of(part_of(Distribution::make({4 * p, 3}, {tridap::padded_block(2), tridap::block()}, {p, 1}))),
                "must be those of a local Vec of the DMDA");
  }
  DMDestroy(&dm);
}

TEST(DmdaCreate, OtherBoundsOrAnotherStencilOnOneProcessAreTheSameErrorOnAll) {
  const Index p = processes();
  if (p == 1) GTEST_SKIP() << "one process cannot differ from another";
  const auto expect_refused = [](const Distribution& distribution, const petsc::DmdaOptions& options) {
    on::expect_refused([&] { petsc::create_dmda(distribution, MPI_COMM_WORLD, options); },
                       "the processes ask for different DMDAs");
  };
  Indices starts;
  for (Index c = 0; c < p; ++c) starts.push_back(3 * c + (c == 1 && rank() == 1 ? 1 : 0));
  expect_refused(Distribution::make({3 * p}, {tridap::block_at(starts)}, {p}), {});
  expect_refused(blocks({8 * p + (rank() == 1 ? 1 : 0)}, {p}), {});
  petsc::DmdaOptions star;
  star.stencil = rank() == 1 ? DMDA_STENCIL_STAR : DMDA_STENCIL_BOX;
  expect_refused(blocks({3 * p}, {p}), star);
}

TEST(DmdaImport, OtherBoundaryPaddingWithTheSameRangesIsRefused) {
  const Index p = processes();
  tridap::BlockSpec spec = tridap::padded_block(1);  // with boundary padding of 1; each process has four points besides
  spec.starts = {0};
  for (Index c = 1; c < p; ++c) spec.starts->push_back(4 * c + 1);
  const Distribution padded = blocks({4 * p + 2}, {p}, spec);
  DM dm = petsc::create_dmda(padded, MPI_COMM_WORLD);
  DistArray array = part_of(padded);
  petsc::ImportedVec made = petsc::import_array(dm, array);
  VecDestroy(&made.vec);
  auto& padding = std::get<tridap::Block>(array.dim_data[0].dist).padding.value();
  if (rank() == 0) padding[0] = 0;
  on::expect_refused([&] { petsc::import_array(dm, array); }, "padding (0, 1), and the DMDA (1, 1)");
  DMDestroy(&dm);
}
