#include "mpi/support.hpp"
#include "support/memory_meter.hpp"
#include <tridap/internal/relabel_limits.hpp>
#include <tridap/make.hpp>

#include <functional>

// The memory of relabel() for many processes. It needs no other process.
namespace {

using namespace tridap;
using redistribute::PlacedDistribution;
using redistribute::RelabelCounts;
using redistribute::RelabelLimits;

std::size_t largest_allocation_of(const std::function<void()>& work) {
  memory_meter::largest_allocation = 0;
  work();
  return memory_meter::largest_allocation;
}

PlacedDistribution line(Index size, const AxisSpec& spec, Index grid) {
  return Distribution::make({size}, {spec}, {grid});
}

TEST(RelabelMemory, RefusesBeforeItMakesAList) {
  const Index size = Index{1} << 50, many = 2'000'000'000;
  const PlacedDistribution blocks = line(size, block(), many), dealt = line(size, cyclic(), many);
  const PlacedDistribution few = line(size, block(), 100'000), few_dealt = line(size, cyclic(), 100'000);
  EXPECT_LT(largest_allocation_of([&] {
              EXPECT_TRUE(on::error_of([&] { relabel(blocks, dealt, 8, many); }));
              EXPECT_TRUE(on::error_of([&] { relabel(dealt, blocks, 8, many); }));
              EXPECT_TRUE(on::error_of([&] { relabel(few, few_dealt, 8, 100'000); }));
            }),
            2000);
}

TEST(RelabelMemory, DoesNotGrowWithTheSquareOfTheProcesses) {
  const Index processes = 2100;  // of which each pair overlaps
  RelabelLimits limits;
  limits.entries = 10 * processes;
  RelabelCounts counts;
  for (const Index size : {processes * processes, 7 * processes * processes + 12345}) {
    const auto largest = largest_allocation_of([&] {
      relabel_within(limits, line(size, block(), processes), line(size, cyclic(), processes), 8, processes, {},
                     &counts);
    });
    EXPECT_LT(largest, 1'000'000);  // bytes
    EXPECT_GE(counts.cells, processes * (processes - 1));
    EXPECT_LE(counts.entries, 11 * processes);
  }
}

}  // namespace
