// Ghosted Vecs as ghosted arrays and back, against PETSc's own updates of ghosts.

#include "petsc_support.hpp"
#include <tridap/ghosts/ghost_update.hpp>

#include <algorithm>
#include <set>

using namespace petsc_test;
using tridap::Buffer;
using tridap::Distribution;
using tridap::GhostedArray;

namespace {

// A ghosted Vec of random length and random ghosts: blocks of `block` elements.
struct Ghosted {
  Vec vec = nullptr;
  std::vector<PetscInt> ghosts;
  PetscInt own = 0, begin = 0, block = 1;

  Ghosted(Random& random, PetscInt components) : block(components) {
    const std::vector<Index> owned = split(random, random.between(0, 5 * processes()), processes(), 0);
    PetscInt total = 0;
    for (int r = 0; r < processes(); ++r) {
      if (r == rank()) begin = total;
      total += static_cast<PetscInt>(owned[static_cast<std::size_t>(r)]);
    }
    own = static_cast<PetscInt>(owned[static_cast<std::size_t>(rank())]);
    const unsigned seed = static_cast<unsigned>(random.between(0, 1 << 20));
    std::mt19937 mine(seed + static_cast<unsigned>(rank()));
    for (PetscInt g = 0; g < total; ++g)
      if ((g < begin || g >= begin + own) && mine() % 3 == 0) ghosts.push_back(g);
    std::shuffle(ghosts.begin(), ghosts.end(), mine);
    make();
  }
  Ghosted(PetscInt owned, std::vector<PetscInt> ids) : ghosts(std::move(ids)), own(owned) { make(); }
  Ghosted(const Ghosted&) = delete;
  ~Ghosted() { VecDestroy(&vec); }

 private:
  void make() {
    const auto count = static_cast<PetscInt>(ghosts.size());
    if (block == 1)
      EXPECT_EQ(VecCreateGhost(MPI_COMM_WORLD, own, PETSC_DETERMINE, count, ghosts.data(), &vec), 0);
    else
      EXPECT_EQ(VecCreateGhostBlock(MPI_COMM_WORLD, block, own * block, PETSC_DETERMINE, count, ghosts.data(), &vec),
                0);
  }
};

// The elements of PETSc's local form: owned ones, and ghosts.
std::vector<PetscScalar> local_form(Vec vec) {
  Vec local = nullptr;
  VecGhostGetLocalForm(vec, &local);
  PetscInt size = 0;
  VecGetLocalSize(local, &size);
  const PetscScalar* data = nullptr;
  VecGetArrayRead(local, &data);
  std::vector<PetscScalar> all(data, data + size);
  VecRestoreArrayRead(local, &data);
  VecGhostRestoreLocalForm(vec, &local);
  return all;
}

void set_local_form(Vec vec, const std::vector<PetscScalar>& values) {
  Vec local = nullptr;
  VecGhostGetLocalForm(vec, &local);
  PetscScalar* data = nullptr;
  VecGetArray(local, &data);
  std::copy(values.begin(), values.end(), data);
  VecRestoreArray(local, &data);
  VecGhostRestoreLocalForm(vec, &local);
}

std::vector<PetscScalar> some_values(std::size_t count) {
  std::vector<PetscScalar> values;
  for (std::size_t k = 0; k < count; ++k) values.push_back(value_of(100 * rank() + 7 * static_cast<Index>(k) % 31));
  return values;
}

void petsc_update(Vec vec) {
  VecGhostUpdateBegin(vec, INSERT_VALUES, SCATTER_FORWARD);
  VecGhostUpdateEnd(vec, INSERT_VALUES, SCATTER_FORWARD);
}

void petsc_sum(Vec vec) {
  VecGhostUpdateBegin(vec, ADD_VALUES, SCATTER_REVERSE);
  VecGhostUpdateEnd(vec, ADD_VALUES, SCATTER_REVERSE);
}

// PETSc's update and ours have the same result, whatever the values were.
void expect_same_updates(Vec vec, const GhostedArray& array) {
  const std::vector<PetscScalar> values = some_values(local_form(vec).size());
  set_local_form(vec, values);
  petsc_update(vec);
  const std::vector<PetscScalar> updated = local_form(vec);
  set_local_form(vec, values);
  tridap::update_ghosts(array, MPI_COMM_WORLD);
  EXPECT_EQ(local_form(vec), updated);
  set_local_form(vec, values);
  petsc_sum(vec);
  const std::vector<PetscScalar> sums = local_form(vec);
  set_local_form(vec, values);
  tridap::sum_ghosts(array, MPI_COMM_WORLD);
  EXPECT_EQ(local_form(vec), sums);
}

// A ghosted array of a distribution of numbered axes and one of components, with random ghosts: their ids are row-major
// flat numbers.
GhostedArray random_array(Random& random, const Distribution& distribution, Index components) {
  std::set<Index> own;
  const tridap::IndexList shape = distribution.local_shape(rank());
  const tridap::Indices sizes = distribution.shape();
  const std::size_t numbered = sizes.size() - 1;
  for_all(std::vector<Index>(shape.begin(), shape.end() - 1), [&](Indices local) {
    local.push_back(0);
    const Indices global = distribution.global_index(rank(), local);
    Index id = 0;
    for (std::size_t i = 0; i < numbered; ++i) id = id * sizes[i] + global[i];
    own.insert(id);
  });
  Index total = 1;
  for (std::size_t i = 0; i < numbered; ++i) total *= sizes[i];
  std::mt19937 mine(static_cast<unsigned>(random.between(0, 1000) + rank()));
  std::vector<Index> ghosts;
  for (Index id = 0; id < total; ++id)
    if (own.count(id) == 0 && mine() % 2 == 0) ghosts.push_back(id);
  std::shuffle(ghosts.begin(), ghosts.end(), mine);
  const auto count = static_cast<Index>(own.size() + ghosts.size());
  return tridap::make_ghosted(tridap::allocate(tridap::element_type<PetscScalar>(), {count, components}),
                              distribution.dim_data(rank()), ghosts, MPI_COMM_WORLD);
}

std::string import_error(const GhostedArray& array) {
  const std::string text = on::error_text([&] { petsc::import_ghosted(array, MPI_COMM_WORLD); });
  EXPECT_TRUE(on::same_everywhere(text));
  return text;
}

// One element on each process, and the next process's as a ghost.
GhostedArray ring(Buffer local) {
  const std::vector<Index> ghosts(processes() == 1 ? 0 : 1, (rank() + 1) % processes());
  local.shape[0] = 1 + static_cast<Index>(ghosts.size());
  return tridap::make_ghosted(local, ghosts, MPI_COMM_WORLD);
}

Buffer two(tridap::ElementType type = tridap::element_type<PetscScalar>()) {
  return tridap::allocate(std::move(type), {2});
}

}  // namespace

TEST(Ghosted, ExportHasTheMemoryTheBlocksAndTheGhosts) {
  Random random(1);
  for (int turn = effort::of(200, 30); turn > 0; --turn) {
    const Ghosted made(random, static_cast<PetscInt>(random.between(1, 3)));
    const GhostedArray array = petsc::export_ghosted(made.vec);
    EXPECT_EQ(array.ghosts(), std::vector<Index>(made.ghosts.begin(), made.ghosts.end()));
    EXPECT_EQ(array.owned_count(), made.own);
    EXPECT_EQ(array.local().ndim(), made.block == 1 ? 1 : 2);
    const auto& block = std::get<tridap::Block>(array.owned().dim_data[0].dist);
    EXPECT_EQ(block.start, made.begin);
    EXPECT_EQ(block.stop, made.begin + made.own);
    const PetscScalar* data = nullptr;
    VecGetArrayRead(made.vec, &data);
    EXPECT_EQ(array.local().data, data);
    VecRestoreArrayRead(made.vec, &data);
    expect_same_updates(made.vec, array);
  }
}

TEST(Ghosted, ImportIsAVecWithTheSameMemoryAndTheSameGhosts) {
  Random random(2);
  for (int turn = effort::of(100, 20); turn > 0; --turn) {
    const Index p = processes(), q = p % 2 == 0 ? 2 : 1, components = random.between(1, 3);
    const Index kind = random.between(0, 2);
    const Distribution distribution =
        kind == 0 ? Distribution::make({random.between(0, 20), components}, {tridap::block(), tridap::whole()}, {p, 1})
        : kind == 1 ? Distribution::make({random.between(0, 20), components},
                                         {tridap::cyclic(random.between(1, 3)), tridap::whole()}, {p, 1})
                    : Distribution::make({random.between(1, 6), random.between(1, 6), components},
                                         {tridap::block(), tridap::cyclic(), tridap::whole()}, {q, p / q, 1});
    const GhostedArray array = random_array(random, distribution, components);
    petsc::ImportedVec made = petsc::import_ghosted(array, MPI_COMM_WORLD);
    EXPECT_EQ(made.receipt.bytes_copied, 0);
    EXPECT_TRUE(made.receipt.shared);
    EXPECT_EQ(made.receipt.losses.empty(), kind == 0 || p == 1 || (kind == 2 && q == p));
    expect_same_updates(made.vec, array);
    VecSet(made.vec, 5);
    if (array.owned_count() > 0) {
      EXPECT_EQ(*static_cast<PetscScalar*>(array.local().data), PetscScalar(5));
    }
    VecDestroy(&made.vec);
  }
}

TEST(Ghosted, TheVecKeepsTheMemoryOfTheArrayAndTheArrayThatOfTheVec) {
  petsc::ImportedVec made = petsc::import_ghosted(ring(two()), MPI_COMM_WORLD);
  VecSet(made.vec, 4);
  const GhostedArray again = petsc::export_ghosted(made.vec);
  VecDestroy(&made.vec);
  EXPECT_EQ(*static_cast<const PetscScalar*>(again.local().data), PetscScalar(4));
  tridap::update_ghosts(again, MPI_COMM_WORLD);
  if (processes() > 1) {
    EXPECT_EQ(static_cast<const PetscScalar*>(again.local().data)[1], PetscScalar(4));
  }
}

TEST(Ghosted, AVecWithoutGhostsIsRefused) {
  Vec plain = make_vec(3);
  expect_says(on::error_text([&] { petsc::export_ghosted(plain); }), "the Vec has no ghosts");
  VecDestroy(&plain);
  Vec alone = nullptr;
  VecCreateSeq(PETSC_COMM_SELF, 3, &alone);
  expect_says(on::error_text([&] { petsc::export_ghosted(alone); }), "the Vec has no ghosts");
  VecDestroy(&alone);
}

TEST(Ghosted, AMappingOfTheUserIsRefused) {
  const Ghosted made(2, {});
  std::vector<PetscInt> reversed{2 * rank() + 1, 2 * rank()};
  ISLocalToGlobalMapping mapping = nullptr;
  ISLocalToGlobalMappingCreate(MPI_COMM_WORLD, 1, 2, reversed.data(), PETSC_COPY_VALUES, &mapping);
  VecSetLocalToGlobalMapping(made.vec, mapping);
  ISLocalToGlobalMappingDestroy(&mapping);
  expect_says(on::error_text([&] { petsc::export_ghosted(made.vec); }), "is not that of its ghosts");
}

TEST(Ghosted, OneBadProcessFailsEveryProcess) {
  const bool last = rank() == processes() - 1;
  Buffer buffer = two();
  if (last) buffer.read_only = true;
  expect_says(import_error(ring(buffer)), "read-only");
  expect_says(import_error(ring(two(tridap::element_type<int>()))), "PETSc was built for");
  buffer = tridap::allocate(tridap::element_type<PetscScalar>(), {4});
  buffer.shape[0] = 2;
  if (last) buffer.strides[0] *= 2;
  const std::string text = import_error(ring(buffer));
  if (processes() > 1) expect_says(text, "not contiguous");
}

TEST(Ghosted, DistributedComponentsAreRefused) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  const Distribution distribution =
      Distribution::make({3, 2 * processes()}, {tridap::whole(), tridap::block()}, {1, processes()});
  const GhostedArray array = tridap::make_ghosted(tridap::allocate(tridap::element_type<PetscScalar>(), {3, 2}),
                                                  distribution.dim_data(rank()), {}, MPI_COMM_WORLD);
  expect_says(import_error(array), "the components are distributed");
}

TEST(Ghosted, NoComponentsAreRefused) {
  const Distribution distribution =
      Distribution::make({3 * processes(), 0}, {tridap::block(), tridap::whole()}, {processes(), 1});
  const GhostedArray array = tridap::make_ghosted(tridap::allocate(tridap::element_type<PetscScalar>(), {3, 0}),
                                                  distribution.dim_data(rank()), {}, MPI_COMM_WORLD);
  expect_says(import_error(array), "there are no components");
}
