// Arrays as Vecs over their own memory, and the ordering between PETSc's numbers and theirs.

#include "petsc_support.hpp"
#include <tridap/memory_order.hpp>

#include <numeric>
#include <set>

using namespace petsc_test;
using tridap::Copy;
using tridap::DistArray;
using tridap::Distribution;

namespace {

// A factorisation of the number of processes into `ndim` factors.
std::vector<Index> random_grid(Random& random, Index ndim) {
  std::vector<Index> grid(static_cast<std::size_t>(ndim), 1);
  for (Index left = processes(), prime = 2; left > 1;) {
    if (left % prime != 0) {
      ++prime;
      continue;
    }
    grid[static_cast<std::size_t>(random.between(0, ndim - 1))] *= prime;
    left /= prime;
  }
  return grid;
}

std::vector<Index> starts_of(const std::vector<Index>& lengths) {
  std::vector<Index> starts{0};
  for (const Index length : lengths) starts.push_back(starts.back() + length);
  starts.pop_back();
  return starts;
}

// The numbers from 0 in any order, in `grid` lists.
std::vector<std::vector<Index>> random_lists(Random& random, Index size, Index grid) {
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(grid));
  std::vector<Index> all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), Index{0});
  while (!all.empty()) {
    const auto k = static_cast<std::ptrdiff_t>(random.between(0, static_cast<Index>(all.size()) - 1));
    lists[static_cast<std::size_t>(random.between(0, grid - 1))].push_back(all[static_cast<std::size_t>(k)]);
    all.erase(all.begin() + k);
  }
  return lists;
}

Distribution random_distribution(Random& random) {
  const Index ndim = random.between(1, 3);
  const std::vector<Index> grid = random_grid(random, ndim);
  std::vector<Index> shape;
  std::vector<tridap::AxisSpec> specs;
  for (const Index p : grid) {
    shape.push_back(random.between(0, 9));
    const Index kind = random.between(0, 3);
    if (kind == 0) specs.push_back(tridap::block_at(starts_of(split(random, shape.back(), p, 0))));
    if (kind == 1) specs.push_back(tridap::block());
    if (kind == 2) specs.push_back(tridap::cyclic(random.between(1, 3), random.between(0, p - 1)));
    if (kind == 3) specs.push_back(tridap::unstructured(random_lists(random, shape.back(), p), true));
  }
  return Distribution::make(shape, specs, grid);
}

// The buffer with one axis from its last element to its first.
void reverse(tridap::Buffer& buffer, std::size_t axis) {
  if (buffer.shape[axis] == 0) return;
  buffer.data = static_cast<char*>(buffer.data) + (buffer.shape[axis] - 1) * buffer.strides[axis];
  buffer.strides[axis] = -buffer.strides[axis];
}

// The row-major number of an element of this process.
Index flat_number(const Distribution& distribution, const Indices& local) {
  const Indices global = distribution.global_index(rank(), local);
  Index number = 0;
  for (std::size_t i = 0; i < global.size(); ++i) number = number * distribution.shape()[i] + global[i];
  return number;
}

// The distance of an element from the first one in memory, in elements.
Index place_of(const DistArray& array, const Indices& local) {
  const auto* first = reinterpret_cast<const char*>(tridap::memory_order(array.buffer).data);
  return (reinterpret_cast<const char*>(&at(array, local)) - first) / static_cast<Index>(sizeof(PetscScalar));
}

void number(const DistArray& array, const Distribution& distribution) {
  for_all(array.buffer.shape,
          [&](const Indices& local) { at(array, local) = value_of(flat_number(distribution, local)); });
}

// The Vec has each element where it is in memory, and the ordering finds it by its row-major number.
void expect_elements(const DistArray& array, const Distribution& distribution) {
  number(array, distribution);
  petsc::ImportedVec made = petsc::import_array(array, MPI_COMM_WORLD);
  EXPECT_EQ(made.receipt.bytes_copied, 0);
  EXPECT_TRUE(made.receipt.shared);
  AO ordering = petsc::make_ordering(array, MPI_COMM_WORLD);
  PetscInt begin = 0, size = 0;
  VecGetOwnershipRange(made.vec, &begin, nullptr);
  VecGetSize(made.vec, &size);
  Index total = 1;
  for (const Index extent : distribution.shape()) total *= extent;
  EXPECT_EQ(size, total);
  std::vector<PetscInt> numbers;
  bool same_numbers = true;
  for_all(array.buffer.shape, [&](const Indices& local) {
    const Index flat = flat_number(distribution, local), there = begin + place_of(array, local);
    ASSERT_EQ(value_in(made.vec, there), value_of(flat));
    same_numbers = same_numbers && flat == there;
    numbers.push_back(static_cast<PetscInt>(flat));
  });
  const std::vector<PetscInt> flat = numbers;
  ASSERT_EQ(AOApplicationToPetsc(ordering, static_cast<PetscInt>(numbers.size()), numbers.data()), 0);
  for (std::size_t k = 0; k < numbers.size(); ++k) ASSERT_EQ(value_in(made.vec, numbers[k]), value_of(flat[k]));
  MPI_Allreduce(MPI_IN_PLACE, &same_numbers, 1, MPI_CXX_BOOL, MPI_LAND, MPI_COMM_WORLD);
  bool named = false;
  for (const std::string& loss : made.receipt.losses)
    named = named || loss.find("make_ordering()") != std::string::npos;
  EXPECT_TRUE(named || same_numbers);  // what is named may still be so by chance
  if (!array.buffer.shape.empty() && element_count(array.buffer) > 0) {
    VecSet(made.vec, 5);
    EXPECT_EQ(at(array, Indices(array.buffer.shape.size(), 0)), static_cast<PetscScalar>(5));
  } else {
    VecSet(made.vec, 5);
  }
  AODestroy(&ordering);
  VecDestroy(&made.vec);
}

bool names_numbers(const Distribution& distribution) {
  petsc::ImportedVec made = petsc::import_array(part_of(distribution), MPI_COMM_WORLD);
  VecDestroy(&made.vec);
  return !made.receipt.losses.empty();
}

Distribution line(Index size) { return Distribution::make({size}, {tridap::block()}, {processes()}); }

// What import_array() throws if rank `bad` has a wrong array; on every process.
std::string error_with(const DistArray& array, Copy copy = Copy::never) {
  const std::string text = on::error_text([&] { petsc::import_array(array, MPI_COMM_WORLD, copy); });
  EXPECT_TRUE(on::same_everywhere(text));
  return text;
}

}  // namespace

TEST(VecImport, SharesTheMemoryOfAnyDenseArray) {
  Random random(2);
  for (int turn = effort::of(300, 40); turn > 0; --turn) {
    const Distribution distribution = random_distribution(random);
    DistArray array = random.one_in(2) ? part_of(distribution) : columns_of(distribution);
    if (random.one_in(3)) reverse(array.buffer, static_cast<std::size_t>(random.between(0, distribution.ndim() - 1)));
    expect_elements(array, distribution);
  }
}

TEST(VecImport, OneAxisInBlocksAndRowsKeepTheirNumbers) {
  const Index p = processes();
  EXPECT_FALSE(names_numbers(line(7)));
  EXPECT_FALSE(names_numbers(Distribution::make({7, 3}, {tridap::block(), tridap::whole()}, {p, 1})));
}

TEST(VecImport, DistributedColumnsAndCyclicRowsAreRenumbered) {
  const Index p = processes();
  if (p == 1) GTEST_SKIP() << "needs at least 2 processes";
  EXPECT_TRUE(names_numbers(Distribution::make({3, 7}, {tridap::whole(), tridap::block()}, {1, p})));
  EXPECT_TRUE(names_numbers(Distribution::make({7}, {tridap::cyclic()}, {p})));
}

TEST(VecImport, ColumnMajorMemoryIsNamed) {
  const Distribution rows =
      Distribution::make({4 * processes(), 3}, {tridap::block(), tridap::whole()}, {processes(), 1});
  petsc::ImportedVec made = petsc::import_array(columns_of(rows), MPI_COMM_WORLD);
  EXPECT_EQ(made.receipt.losses.size(), 1U);
  VecDestroy(&made.vec);
}

TEST(VecImport, AnArrayWithoutAxes) {
  if (processes() > 1) GTEST_SKIP() << "needs 1 process";
  const Distribution point(std::vector<tridap::Axis>{});
  petsc::ImportedVec made = petsc::import_array(part_of(point), MPI_COMM_WORLD);
  PetscInt size = 0;
  VecGetSize(made.vec, &size);
  EXPECT_EQ(size, 1);
  EXPECT_TRUE(made.receipt.losses.empty());
  VecDestroy(&made.vec);
}

TEST(VecImport, AnotherElementTypeIsRefusedByName) {
  for (const tridap::ElementType& type : {tridap::element_type<float>(), tridap::element_type<int>()}) {
    const std::string text = error_with(part_of(line(5), type), Copy::always);
    expect_says(text, "the elements are " + type.name());
    expect_says(text, "PETSc was built for " + tridap::element_type<PetscScalar>().name());
  }
}

TEST(VecImport, OneBadProcessFailsEveryProcess) {
  DistArray array = part_of(line(2 * processes()));
  const bool last = rank() == processes() - 1;
  DistArray wrong = array;
  if (last) wrong.buffer.read_only = true;
  expect_says(error_with(wrong), "read-only");
  wrong = array;
  if (last) wrong.buffer.type = tridap::element_type<int>();
  EXPECT_NE(error_with(wrong), "");
  wrong = array;
  if (last) wrong.buffer.shape = {1};
  EXPECT_NE(error_with(wrong), "");
  wrong = array;
  if (last) wrong.buffer.memory.kind = tridap::Memory::Kind::cuda;
  expect_says(error_with(wrong, Copy::if_needed), "host memory");
  wrong = array;
  if (last) wrong.dim_data[0].size += 1;
  EXPECT_NE(error_with(wrong), "");
}

TEST(VecImport, MemoryThatIsNotDenseIsCopiedOnlyIfAllowed) {
  const Distribution distribution = line(6 * processes());
  DistArray array = part_of(distribution);
  const DistArray wide = part_of(line(12 * processes()));
  array.buffer.data = wide.buffer.data;
  array.buffer.owner = wide.buffer.owner;
  array.buffer.strides[0] *= 2;
  number(array, distribution);
  const Index bytes = sizeof(PetscScalar);
  expect_says(error_with(array), "axis 0 has stride " + std::to_string(2 * bytes) + " bytes for " +
                                     std::to_string(bytes) + "-byte elements");
  petsc::ImportedVec made = petsc::import_array(array, MPI_COMM_WORLD, Copy::if_needed);
  EXPECT_FALSE(made.receipt.shared);
  EXPECT_EQ(made.receipt.bytes_copied, 6 * bytes);
  for (Index k = 0; k < 6; ++k) EXPECT_EQ(value_in(made.vec, 6 * rank() + k), value_of(6 * rank() + k));
  VecDestroy(&made.vec);
  made = petsc::import_array(part_of(distribution), MPI_COMM_WORLD, Copy::if_needed);
  EXPECT_TRUE(made.receipt.shared);
  VecDestroy(&made.vec);
  made = petsc::import_array(part_of(distribution), MPI_COMM_WORLD, Copy::always);
  EXPECT_FALSE(made.receipt.shared);
  VecDestroy(&made.vec);
}

TEST(VecImport, SharedIndicesAreRefused) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(processes()), {0});
  const Distribution distribution = Distribution::make({processes()}, {tridap::unstructured(lists)}, {processes()});
  expect_says(error_with(part_of(distribution), Copy::if_needed), "several processes have the same indices");
}

TEST(VecImport, WhatAVecDoesNotHaveIsNamed) {
  DistArray array = part_of(Distribution::make({3 * processes()}, {tridap::padded_block(0, true)}, {processes()}));
  array.dim_data[0].extras.push_back({"unit", "\"m\""});
  petsc::ImportedVec made = petsc::import_array(array, MPI_COMM_WORLD);
  const std::string text = made.receipt.text();
  expect_says(text, "the key 'unit'");
  expect_says(text, "the period of axis 0");
  VecDestroy(&made.vec);
}

TEST(VecImport, PlacingSharesAndResettingGivesBack) {
  Vec vec = make_vec(3);
  VecSet(vec, 9);
  for (int turn = 1; turn < 4; ++turn) {
    const DistArray array = part_of(line(3 * processes()));
    number(array, line(3 * processes()));
    const tridap::Receipt receipt = petsc::place_array(vec, array);
    EXPECT_EQ(receipt.bytes_copied, 0);
    EXPECT_EQ(value_in(vec, 3 * rank() + 1), value_of(3 * rank() + 1));
    VecSet(vec, static_cast<PetscScalar>(turn));
    EXPECT_EQ(at(array, {2}), static_cast<PetscScalar>(turn));
    petsc::reset_array(vec);
    EXPECT_EQ(value_in(vec, 3 * rank()), static_cast<PetscScalar>(9));
  }
  VecDestroy(&vec);
}

// On the first process the array is longer, on the last it is shorter.
TEST(VecImport, PlacingAnArrayOfOtherLengthsChangesNoProcess) {
  Vec vec = make_vec(rank() == 0 ? 3 : 2);
  VecSet(vec, 9);
  const std::string text = on::error_text([&] { petsc::place_array(vec, part_of(line(2 * processes()))); });
  expect_says(text, "the Vec has 3 elements on this process, and the array has 2");
  EXPECT_EQ(value_in(vec, rank() == 0 ? 0 : 2 * rank() + 1), static_cast<PetscScalar>(9));
  petsc::place_array(vec, part_of(Distribution::make({2 * processes() + 1}, {tridap::block_at([] {
                                                       std::vector<Index> starts{0};
                                                       for (Index r = 1; r < processes(); ++r)
                                                         starts.push_back(2 * r + 1);
                                                       return starts;
                                                     }())},
                                                     {processes()})));
  petsc::reset_array(vec);
  VecDestroy(&vec);
}

TEST(VecImport, ACopyHasTheElementsWithoutPaddingOnEachProcess) {
  tridap::BlockSpec rows =
      tridap::padded_block(1, true);  // each process has four rows and one of padding on both sides
  rows.starts = {0};
  for (Index c = 1; c < processes(); ++c) rows.starts->push_back(4 * c + 1);
  const Distribution padded = Distribution::make({4 * processes() + 2, 3}, {rows, tridap::whole()}, {processes(), 1});
  const DistArray array = part_of(padded);
  PetscScalar number = 0;
  for_all(array.buffer.shape, [&](const Indices& local) { at(array, local) = number += 1; });
  expect_says(error_with(array), "padding");
  petsc::ImportedVec made = petsc::import_array(array, MPI_COMM_WORLD, Copy::if_needed);
  PetscInt size = 0;
  VecGetLocalSize(made.vec, &size);
  EXPECT_EQ(size, 12);
  const PetscScalar* elements = nullptr;
  VecGetArrayRead(made.vec, &elements);
  for (PetscInt i = 0; i < size; ++i) EXPECT_EQ(elements[i], static_cast<PetscScalar>(4 + i)) << i;
  VecRestoreArrayRead(made.vec, &elements);
  VecDestroy(&made.vec);
}

TEST(VecImport, ElementsThatAreNotAlignedAreRefusedOrCopied) {
  DistArray array = part_of(Distribution::make({3 * processes()}, {tridap::block()}, {processes()}));
  std::vector<char> memory(4 * sizeof(PetscScalar) + 1);
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  array.buffer.data = memory.data() + (address % alignof(PetscScalar) == 0 ? 1 : 0);
  array.buffer.owner = nullptr;
  expect_says(error_with(array), "the elements are not aligned to");
  petsc::ImportedVec made = petsc::import_array(array, MPI_COMM_WORLD, Copy::if_needed);
  EXPECT_FALSE(made.receipt.shared);
  VecDestroy(&made.vec);
}
