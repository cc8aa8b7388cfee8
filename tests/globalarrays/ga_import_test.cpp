#include "random_arrays.hpp"
#include <dap/globalarrays/array.hpp>
#include <dap/globalarrays/import.hpp>
#include <dap/report.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

extern "C" {
#include <ga.h>
}

#include <cstring>
#include <map>
#include <string>

namespace {

using arrays::Index;
using arrays::List;
using arrays::Random;
using dap::Copy;
using dap::DistArray;
using dap::globalarrays::allocate;
using dap::globalarrays::Fit;
using dap::globalarrays::GlobalArray;
using dap::globalarrays::import_array;
using dap::globalarrays::ImportedArray;
using dap::redistribute::Placed;

[[maybe_unused]] const auto* const session = testing::AddGlobalTestEnvironment(new arrays::WithSession);

const dap::ElementType real = dap::element_type<double>();

int rank() { return arrays::rank_in(MPI_COMM_WORLD); }
int processes() { return arrays::processes_of(MPI_COMM_WORLD); }


double value_at(const List& global) {
  double value = 1;
  for (const Index index : global) value = value * 64 + static_cast<double>(index);
  return value;
}

// The part of process `process`, in memory of its own with strides of `random`'s choice: any order of axes, backwards,
// with holes.
DistArray part_of(const oracle::Array& whole, Index process, Random& random) {
  DistArray array;
  for (std::size_t i = 0; i < whole.axes.size(); ++i)
    array.dim_data.push_back(whole.axes[i].dims[static_cast<std::size_t>(whole.coordinates(process)[i])]);
  const List shape = whole.local_shape(process);
  const std::vector<Index> order = random.permutation(static_cast<Index>(shape.size()));
  const Index hole = random.from_to(1, 2);
  std::vector<bool> backwards;
  Index length = 8 * hole;
  for (const Index extent : shape) {
    backwards.push_back(random.below(2) == 1);
    length *= std::max<Index>(extent, 1);
  }
  const auto memory = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(length));
  dap::ElementType step = real;
  step.bytes *= hole;
  array.buffer = oracle::dense_buffer(memory->data(), step, shape, order, backwards);
  array.buffer.type = real;
  array.buffer.owner = memory;
  for (const auto& element : whole.elements(process, dap::Part::local)) {
    const double value = value_at(element.global);
    std::memcpy(oracle::address(array.buffer, element.local), &value, sizeof value);
  }
  return array;
}

// What every process reads of the whole array through GA.
std::vector<double> read(int handle, const List& shape) {
  Index count = 1;
  std::vector<int64_t> lo(shape.size(), 0), hi, ld;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    count *= shape[i];
    hi.push_back(shape[i] - 1);
    if (i > 0) ld.push_back(shape[i]);
  }
  ld.push_back(1);
  std::vector<double> all(static_cast<std::size_t>(count), -1);
  NGA_Get64(handle, lo.data(), hi.data(), all.data(), ld.data());
  GA_Sync();
  return all;
}

void expect_read(const GlobalArray& array, const List& shape) {
  const std::vector<double> all = read(array.handle(), shape);
  std::size_t next = 0;
  oracle::for_each_index(shape, [&](const List& at) { EXPECT_EQ(all[next++], value_at(at)); });
}

List shape_of(const oracle::Array& whole) {
  List shape;
  for (const oracle::Axis& axis : whole.axes) shape.push_back(axis.size());
  return shape;
}

// GA's group is the world: the array needs a process for each rank.
void expect_imported(const oracle::Array& whole, Random& random) {
  std::vector<DistArray> parts;  // all, so that the random numbers are the same everywhere
  for (Index process = 0; process < whole.processes(); ++process) parts.push_back(part_of(whole, process, random));
  const DistArray& mine = parts[static_cast<std::size_t>(rank())];
  const ImportedArray imported = import_array(mine, MPI_COMM_WORLD);
  EXPECT_FALSE(imported.receipt.shared);
  Index bytes = 8;
  for (const Index extent : mine.buffer.shape) bytes *= extent;
  EXPECT_EQ(imported.receipt.bytes_copied, bytes);
  expect_read(imported.array, shape_of(whole));
}

TEST(Import, EveryByteOfRandomBlocksIsReadBack) {
  Random random(11);
  for (int turn = 0; turn < arrays::cases && !HasFailure(); ++turn) {
    std::vector<oracle::Axis> axes;
    for (const Index places : random.grid(random.from_to(1, 4), processes(), true))
      axes.push_back(oracle::block(random.counts(places, 0, 4)));
    expect_imported(oracle::Array(axes), random);
  }
}

TEST(Import, EveryByteOfRandomDealingsIsReadBack) {
  Random random(12);
  for (int turn = 0; turn < arrays::cases && !HasFailure(); ++turn) {
    std::vector<oracle::Axis> axes;
    for (const Index places : random.grid(random.from_to(1, 4), processes(), true)) {
      const Index length = random.from_to(1, 3);
      axes.push_back(oracle::cyclic(length * (places - 1) + random.from_to(1, 2 * length * places), length, places));
    }
    expect_imported(oracle::Array(axes), random);
  }
}

TEST(Import, EveryByteOfRandomDealingsOfUnevenBlocksIsReadBack) {
  Random random(13);
  for (int turn = 0; turn < arrays::cases && !HasFailure(); ++turn) {
    std::vector<oracle::Axis> axes;
    for (const Index places : random.grid(random.from_to(1, 4), processes(), true)) {
      const Index length = random.from_to(1, 3);
      axes.push_back(axes.empty()
                         ? oracle::cyclic(length * places + random.from_to(1, 2 * length * places), length, places)
                         : oracle::block(random.counts(places, 1, 4)));
    }
    expect_imported(oracle::Array(axes), random);
  }
}

}  // namespace
