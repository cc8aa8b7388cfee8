#include "random_arrays.hpp"
#include <dap/globalarrays/array.hpp>
#include <dap/globalarrays/import.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

extern "C" {
#include <ga.h>
}

#include <complex>
#include <string>

namespace {

using arrays::Index;
using arrays::List;
using arrays::Random;
using dap::globalarrays::create;
using dap::globalarrays::GlobalArray;
using dap::redistribute::Placed;

[[maybe_unused]] const auto* const session = testing::AddGlobalTestEnvironment(new arrays::WithSession);

const dap::ElementType real = dap::element_type<double>();

int processes() { return arrays::processes_of(MPI_COMM_WORLD); }

std::vector<int64_t> native(const List& numbers) { return {numbers.begin(), numbers.end()}; }

// Every element's owner, by who holds it in the oracle, is the process that GA names.
void expect_located(const GlobalArray& array, const oracle::Array& expected, const List& ranks) {
  for (Index process = 0; process < expected.processes(); ++process)
    for (const auto& element : expected.elements(process, dap::Part::owned)) {
      std::vector<int64_t> at = native(element.global);
      ASSERT_EQ(NGA_Locate64(array.handle(), at.data()), ranks[static_cast<std::size_t>(process)]);
    }
}

TEST(Create, EveryElementOfRandomBlocksIsWhereGaFindsIt) {
  Random random(7);
  for (int turn = 0; turn < arrays::cases; ++turn) {
    const Index ndim = random.from_to(1, 4);
    std::vector<oracle::Axis> axes;
    for (const Index places : random.grid(ndim, random.from_to(1, processes()), false))
      axes.push_back(oracle::block(random.counts(places, 0, 4)));
    const oracle::Array expected(axes);
    const List ranks = random.permutation(processes());
    const List used(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(expected.processes()));
    const GlobalArray array = create(Placed(expected.distribution(), used), real, MPI_COMM_WORLD);
    expect_located(array, expected, used);
    EXPECT_EQ(array.placed().ranks.empty() ? used : array.placed().ranks, used);
    EXPECT_EQ(array.type(), real);
    if (HasFailure()) return;
  }
}

}  // namespace
