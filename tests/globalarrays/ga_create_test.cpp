#include "random_arrays.hpp"
#include <dap/globalarrays/array.hpp>
#include <dap/globalarrays/import.hpp>
#include <dap/globalarrays/session.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

extern "C" {
#include <ga.h>
}

#include <algorithm>
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

// The error of a collective call, which all processes must throw with one text.
template <class Call>
std::string thrown(Call&& call) {
  std::string text = "nothing";
  try {
    call();
  } catch (const dap::Error& error) {
    text = error.what();
  }
  std::vector<char> first(4096, '\0');
  std::copy_n(text.begin(), std::min<std::size_t>(text.size(), 4095), first.begin());
  MPI_Bcast(first.data(), 4096, MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_EQ(text.substr(0, 4095), first.data());
  return text;
}

void expect_said(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << words << " in: " << text;
}

Placed dealt(const std::vector<oracle::Axis>& axes, std::vector<Index> ranks = {}) {
  return {oracle::Array(axes).distribution(), std::move(ranks)};
}

Placed rows(Index each = 2) {
  return dealt({oracle::block(List(static_cast<std::size_t>(processes()), each)), oracle::block({3})});
}

// Of a dealing GA names the number of a block, counted with the last axis moving fastest. (Of uneven ones it names
// wrong ones; where their elements are, the import's tests read.)
TEST(Create, GaNamesTheBlocksOfRandomDealings) {
  Random random(8);
  for (int turn = 0; turn < arrays::cases && !HasFailure(); ++turn) {
    std::vector<oracle::Axis> axes;
    std::vector<List> blocks;  // by axis and index, the block that it stands in
    for (const Index places : random.grid(random.from_to(1, 3), processes(), true)) {
      const Index length = random.from_to(1, 3);
      axes.push_back(oracle::cyclic(length * places + random.from_to(1, 7), length, places));
      blocks.emplace_back();
      for (Index i = 0; i < axes.back().size(); ++i) blocks.back().push_back(places > 1 ? i / length : 0);
    }
    const oracle::Array expected(axes);
    const GlobalArray array = create(Placed(expected.distribution()), real, MPI_COMM_WORLD);
    for (Index process = 0; process < expected.processes(); ++process)
      for (const auto& element : expected.elements(process, dap::Part::owned)) {
        Index number = 0;
        for (std::size_t i = 0; i < axes.size(); ++i)
          number = number * (blocks[i].back() + 1) + blocks[i][static_cast<std::size_t>(element.global[i])];
        std::vector<int64_t> at = native(element.global);
        ASSERT_EQ(NGA_Locate64(array.handle(), at.data()), number);
      }
  }
}

TEST(Create, EmptyBlocksAtTheEndAndInsideAreLeftOut) {
  if (processes() < 3) return;
  const Index n = processes();
  for (Index empty = 0; empty < n; ++empty) {
    List counts(static_cast<std::size_t>(n), 2);
    counts[static_cast<std::size_t>(empty)] = 0;
    const oracle::Array expected({oracle::block(counts)});
    const GlobalArray array = create(Placed(expected.distribution()), real, MPI_COMM_WORLD);
    expect_located(array, expected, arrays::in_order(n));
    int64_t lo = 0, hi = 0;
    NGA_Distribution64(array.handle(), static_cast<int>(empty), &lo, &hi);
    EXPECT_LT(hi, lo);
  }
}

TEST(Create, ProcessesThatDisagreeAllHearOfIt) {
  const bool odd = processes() > 1 && arrays::rank_in(MPI_COMM_WORLD) == processes() - 1;
  const std::string different = processes() > 1 ? "different distributions" : "nothing";
  expect_said(thrown([&] { create(rows(odd ? 3 : 2), real, MPI_COMM_WORLD); }), different);
  expect_said(thrown([&] { create(rows(), odd ? dap::element_type<float>() : real, MPI_COMM_WORLD); }), different);
  List ranks = arrays::in_order(processes());
  if (odd) std::swap(ranks.front(), ranks.back());
  expect_said(thrown([&] { create({rows().distribution, ranks}, real, MPI_COMM_WORLD); }), different);
}

TEST(Create, ProcessesThatDifferInOneThingAloneAllHearOfIt) {
  if (processes() < 2) return;
  const bool odd = arrays::rank_in(MPI_COMM_WORLD) == processes() - 1;
  const auto hears = [&](const Placed& one, const Placed& other) {
    expect_said(thrown([&] { create(odd ? other : one, real, MPI_COMM_WORLD); }), "different distributions");
  };
  for (const dap::ElementType& other : {dap::element_type<Index>(), dap::ElementType{real.kind, 8, false}})
    expect_said(thrown([&] { create(rows(), odd ? other : real, MPI_COMM_WORLD); }), "different distributions");
  const List counts(static_cast<std::size_t>(processes()), 3);
  List cut = counts;
  ++cut.front();
  --cut.back();
  hears(dealt({oracle::block(counts)}), dealt({oracle::block(cut)}));
  hears(dealt({oracle::block(counts)}), dealt({oracle::block(counts, {}, {0, 0}, true)}));
  hears(dealt({oracle::block(counts, {}, {0, 1})}), dealt({oracle::block(counts, {}, {0, 0})}));
  hears(dealt({oracle::block(counts, {}, {0, 1})}), dealt({oracle::block(counts, {}, {1, 1})}));
  hears(dealt({oracle::cyclic(12, 1, processes())}), dealt({oracle::cyclic(12, 2, processes())}));
}

TEST(Create, RefusesTogetherWhereOneProcessAsksForTheImpossible) {
  const bool odd = arrays::rank_in(MPI_COMM_WORLD) == processes() - 1;
  expect_said(thrown([&] { create(odd ? Placed(dap::Distribution({})) : rows(), real, MPI_COMM_WORLD); }), "0 axes");
  expect_said(thrown([&] { create(rows(), odd ? dap::ElementType{} : real, MPI_COMM_WORLD); }), "0 bytes");
}

TEST(Create, TheImpossibleIsRefusedBeforeGaHearsOfIt) {
  const Index n = processes();
  const auto said = [](const Placed& placed) { return thrown([&] { create(placed, real, MPI_COMM_WORLD); }); };
  expect_said(said(dealt({oracle::block(List(static_cast<std::size_t>(n + 1), 1))})), "fewer processes");
  expect_said(said(dealt({oracle::block({0})})), "'size' is 0");
  List ranks = arrays::in_order(n);
  ranks.back() = n;
  expect_said(said({rows().distribution, ranks}), "rank " + std::to_string(n) + " of " + std::to_string(n));
  expect_said(said(dealt(std::vector<oracle::Axis>(8, oracle::block({1})))), "8 axes");
  if (n == 1) return;
  expect_said(said(dealt({oracle::cyclic(4 * n, 1, n - 1)})), n == 2 ? "nothing" : "processes, and GA deals to all");
  expect_said(said(dealt({oracle::cyclic(4 * n, 1, n, 1)})), "'start' is");
  List backwards = arrays::in_order(n);
  std::reverse(backwards.begin(), backwards.end());
  expect_said(said(dealt({oracle::cyclic(4 * n, 1, n)}, backwards)), "another order");
  const oracle::Axis padded =
      oracle::block(List(static_cast<std::size_t>(n), 2), List(static_cast<std::size_t>(n - 1), 1));
  expect_said(said(dealt({padded}, backwards)), "filled from the wrong ones");
}

TEST(Create, TooLittleMemoryIsAnErrorAndNoEnd) {
  const Index n = processes();
  const auto bytes = [&](Index each) {
    return Placed(dap::Distribution({dap::Axis(dap::BlockKind(each / 8 * n, n, each / 8))}));
  };
  expect_said(thrown([&] { create(bytes(Index{1} << 46), real, MPI_COMM_WORLD); }), "no room");
  expect_said(thrown([&] { create(bytes(Index{1} << 56), real, MPI_COMM_WORLD); }), "no room");
  EXPECT_EQ(thrown([&] { create(rows(), real, MPI_COMM_WORLD); }), "nothing");
}

TEST(Create, GasOwnLimitOfMemoryIsAnErrorToo) {
  dap::globalarrays::collect();  // what GA frees within the limit raises it
  GA_Set_memory_limit(40);
  const std::string text = thrown([] { create(rows(), real, MPI_COMM_WORLD); });
  GA_Set_memory_limit(static_cast<std::size_t>(-1));  // none
  expect_said(text, "may use 40 bytes more, and the array needs 48");
  EXPECT_EQ(thrown([] { create(rows(), real, MPI_COMM_WORLD); }), "nothing");
}

TEST(Create, FreesWhatNobodyHoldsAnyMore) {
  create(rows(), real, MPI_COMM_WORLD);
  const GlobalArray other = create(rows(), real, MPI_COMM_WORLD);
  EXPECT_EQ(dap::globalarrays::collect(), 0);
}

TEST(Create, CommunicatorsThatAreNoGroupAreRefused) {
  EXPECT_NE(thrown([] { create(rows(), real, MPI_COMM_NULL); }), "nothing");
  if (processes() < 4) return;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, arrays::rank_in(MPI_COMM_WORLD) % 2, 0, &half);
  const int there = arrays::processes_of(half);
  const Placed placed = dealt({oracle::block(List(static_cast<std::size_t>(there), 2))});
  expect_said(thrown([&] { create(placed, real, half); }), "make_group()");
  dap::globalarrays::make_group(half);
  for (int turn = 0; turn < 2; ++turn)  // Open MPI's windows of two groups get in one another's way at the same time
    EXPECT_EQ(thrown([&] {
                if (arrays::rank_in(MPI_COMM_WORLD) % 2 == turn) create(placed, real, half);
                MPI_Barrier(MPI_COMM_WORLD);
              }),
              "nothing");
  const Placed cyclic = dealt({oracle::cyclic(8, 1, there)});
  const oracle::Axis padded =
      oracle::block(List(static_cast<std::size_t>(there), 2), List(static_cast<std::size_t>(there - 1), 1));
  const std::string refusal = thrown([&] { create(cyclic, real, half); });
  expect_said(refusal, "leaves out one of GA's first processes");
  expect_said(refusal, "nearest that it holds: block over");  // and not a dealing, which it cannot either
  expect_said(thrown([&] { create(dealt({padded}), real, half); }), "leaves out one of GA's first processes");
  MPI_Comm_free(&half);
}

}  // namespace
