// The adapter that docs/inside/adapter.md shows.

#include "line/adapter.hpp"
#include "support/expect_refused.hpp"
#include <tridap/make.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/report.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace {

using tridap::Copy;
using tridap::DistArray;
using tridap::Index;

struct Processes {
  int rank = 0, size = 1;
  Processes() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
};

// Rank r has r % 3 numbers, so that some processes have none. The numbers count up over all processes.
struct Numbers {
  std::vector<double> values;
  Index before = 0, all = 0;
  Numbers() {
    const Processes processes;
    for (int rank = 0; rank < processes.size; ++rank) {
      if (rank == processes.rank) before = all;
      all += rank % 3;
    }
    values.resize(static_cast<std::size_t>(processes.rank % 3));
    std::iota(values.begin(), values.end(), static_cast<double>(before));
  }
  std::shared_ptr<line::Line> line() {
    return std::make_shared<line::Line>(line::Line{values.data(), static_cast<long>(values.size())});
  }
};

// The messages of all processes must be the same, and contain `part`.
void expect_everywhere(const std::string& said, const std::string& part) {
  on::expect_says(said, part);
  EXPECT_TRUE(on::same_everywhere(said)) << said;
}

TEST(Line, BecomesAnArrayOfItsOwnMemory) {
  Numbers numbers;
  const auto line = numbers.line();
  const std::weak_ptr<line::Line> alive = line;
  auto exported = tridap::lines::export_array(line, MPI_COMM_WORLD);
  EXPECT_EQ(exported.array.buffer.data, numbers.values.data());
  EXPECT_EQ(exported.receipt.bytes_copied, 0);
  EXPECT_TRUE(exported.receipt.shared);
  const tridap::Distribution whole = tridap::mpi::gather_distribution(exported.array, MPI_COMM_WORLD);
  EXPECT_EQ(whole.shape(), std::vector<Index>{numbers.all});
  const Processes processes;
  for (std::size_t i = 0; i < numbers.values.size(); ++i)  // the numbers are the global indices
    EXPECT_EQ(whole.global_index(processes.rank, {static_cast<Index>(i)})[0], static_cast<Index>(numbers.values[i]));
  EXPECT_EQ(alive.use_count(), 2);
  exported.array = DistArray();
  EXPECT_EQ(alive.use_count(), 1);
}

TEST(Line, ReturnsWithTheSameMemoryAndValues) {
  Numbers numbers;
  const auto imported =
      tridap::lines::import_array(tridap::lines::export_array(numbers.line(), MPI_COMM_WORLD).array, MPI_COMM_WORLD);
  EXPECT_EQ(imported.line.values, numbers.values.data());
  EXPECT_EQ(imported.line.count, static_cast<long>(numbers.values.size()));
  for (long i = 0; i < imported.line.count; ++i) imported.line.values[i] = -1;
  EXPECT_EQ(numbers.values, std::vector<double>(numbers.values.size(), -1));
}

TEST(Line, CopiesStridedElementsOnlyIfAllowed) {
  const Processes processes;
  std::vector<double> every_second = {1, 0, 2, 0, 3, 0};
  DistArray array;
  array.buffer = tridap::row_major(every_second.data(), {3});
  array.buffer.strides[0] = 16;
  array.dim_data = {tridap::undistributed(3 * processes.size)};
  array.dim_data[0].proc_grid_size = processes.size;
  array.dim_data[0].proc_grid_rank = processes.rank;
  array.dim_data[0].dist = tridap::Block{3 * processes.rank, 3 * processes.rank + 3, {}};
  expect_everywhere(on::error_text([&] { tridap::lines::import_array(array, MPI_COMM_WORLD); }), "copy=never");
  const auto copied = tridap::lines::import_array(array, MPI_COMM_WORLD, Copy::if_needed);
  EXPECT_EQ(copied.receipt.bytes_copied, 24);
  EXPECT_FALSE(copied.receipt.shared);
  EXPECT_EQ(std::vector<double>(copied.line.values, copied.line.values + 3), (std::vector<double>{1, 2, 3}));
}

TEST(Line, LosesThePeriod) {
  const Processes processes;
  tridap::BlockSpec ring = tridap::block();
  ring.edges = {1, 1};
  ring.periodic = true;
  const auto losses = [&](const tridap::BlockSpec& spec) {
    const auto whole = tridap::Distribution::make({4 * processes.size + 2}, {spec}, {processes.size});
    DistArray array;
    array.buffer = tridap::allocate(tridap::element_type<double>(), whole.local_shape(processes.rank));
    array.dim_data = whole.dim_data(processes.rank);
    return tridap::lines::import_array(array, MPI_COMM_WORLD).receipt.losses;
  };
  EXPECT_EQ(losses(ring), std::vector<std::string>{"the period of axis 0"});
  EXPECT_TRUE(losses(tridap::block()).empty());
}

TEST(Line, OneBadProcessFailsEveryProcess) {
  Numbers numbers;
  const Processes processes;
  const bool last = processes.rank == processes.size - 1;
  auto line = numbers.line();
  expect_everywhere(on::error_text([&] { tridap::lines::export_array(last ? nullptr : line, MPI_COMM_WORLD); }),
                    "(rank " + std::to_string(processes.size - 1) + "): the line is null");
  DistArray array = tridap::lines::export_array(line, MPI_COMM_WORLD).array;
  if (last) array.buffer.read_only = true;
  expect_everywhere(on::error_text([&] { tridap::lines::import_array(array, MPI_COMM_WORLD); }),
                    "the buffer is read-only");
  if (last) line->count = -2;
  expect_everywhere(on::error_text([&] { tridap::lines::export_array(line, MPI_COMM_WORLD); }), "'count' is -2");
}

TEST(Line, RefusesWhatItCannotHold) {
  const Processes processes;
  const auto refuses = [&](const tridap::Distribution& distribution, const tridap::ElementType& type,
                           const std::string& why) {
    DistArray array;
    array.buffer = tridap::allocate(type, distribution.local_shape(processes.rank));
    array.dim_data = distribution.dim_data(processes.rank);
    expect_everywhere(on::error_text([&] { tridap::lines::import_array(array, MPI_COMM_WORLD, Copy::always); }), why);
  };
  const auto type = tridap::element_type<double>();
  refuses(tridap::Distribution::make({12}, {tridap::cyclic()}, {processes.size}), type, "must be in blocks");
  refuses(tridap::Distribution::make({24}, {tridap::block()}, {processes.size}), tridap::element_type<float>(),
          "float32");
  refuses(tridap::Distribution::make({12, 2}, {tridap::block(), tridap::whole()}, {processes.size, 1}), type, "2 axes");
  if (processes.size > 1)
    refuses(tridap::Distribution::make({24}, {tridap::padded_block(1)}, {processes.size}), type, "without padding");
}

}  // namespace
