#include "redistribute/move_cases.hpp"
#include "support/effort.hpp"
#include "support/thrown.hpp"
#include <tridap/make.hpp>
#include <tridap/redistribute/plan.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

namespace {

using moves::Case;
using oracle::List;
using tridap::Distribution;
using tridap::Index;
using tridap::redistribute::Mapping;
using tridap::redistribute::PlacedDistribution;
using tridap::redistribute::Plan;
using tridap::redistribute::Traffic;

/// What each process of a team has for each other, counted one element after the other.
std::vector<List> counted(const Case& given, Index processes) {
  const moves::Truth truth(given);
  std::vector<List> all(moves::at(processes), List(moves::at(processes), 0));
  for (Index from = 0; from < processes; ++from)
    for (Index to = 0; to < processes; ++to) all[moves::at(from)][moves::at(to)] = truth.elements(from, to);
  return all;
}

void expect_traffic(const std::vector<Traffic>& said, const List& bytes) {
  auto next = said.begin();
  for (std::size_t rank = 0; rank < bytes.size(); ++rank) {
    if (bytes[rank] == 0) continue;
    ASSERT_TRUE(next != said.end());
    EXPECT_EQ(next->rank, static_cast<Index>(rank));
    EXPECT_EQ(next->bytes, bytes[rank]);
    ++next;
  }
  EXPECT_TRUE(next == said.end());
}

Plan plan_of(const Case& given, Index bytes, Index rank) {
  return Plan(given.source.placed(), given.target.placed(), bytes, rank, given.mapping);
}

/// Every question of every process's plan.
void expect_counted(const Case& given, Index processes, Index bytes) {
  const std::vector<List> all = counted(given, processes);
  for (Index rank = 0; rank < processes; ++rank) {
    const Plan plan = plan_of(given, bytes, rank);
    List to, from;
    Index messages = 0;
    for (Index other = 0; other < processes; ++other) {
      to.push_back(bytes * all[moves::at(rank)][moves::at(other)]);
      from.push_back(bytes * all[moves::at(other)][moves::at(rank)]);
      EXPECT_EQ(plan.bytes_to(other), to.back()) << "from " << rank << " to " << other;
      EXPECT_EQ(plan.bytes_from(other), from.back()) << "from " << other << " to " << rank;
      messages += other != rank && to.back() > 0 ? 1 : 0;
    }
    const Index kept = to[moves::at(rank)];
    EXPECT_EQ(plan.messages(), messages);
    EXPECT_EQ(plan.bytes_kept(), kept);
    EXPECT_EQ(plan.bytes_sent(), std::accumulate(to.begin(), to.end(), -kept));
    EXPECT_EQ(plan.bytes_received(), std::accumulate(from.begin(), from.end(), -kept));
    expect_traffic(plan.sends(), to);
    expect_traffic(plan.receives(), from);
    EXPECT_EQ(plan.rank(), rank);
    EXPECT_EQ(plan.element_bytes(), bytes);
    EXPECT_GT(plan.memory(), 0);
  }
}

std::string refusal(const std::function<void()>& step) {
  try {
    step();
  } catch (const tridap::Error& error) {
    EXPECT_FALSE(error.report().findings().front().remedy.empty());
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return "";
}

Distribution blocks(Index size, Index grid) { return Distribution::make({size}, {tridap::block()}, {grid}); }
Distribution dealt(Index size, Index block, Index grid) {
  return Distribution::make({size}, {tridap::cyclic(block)}, {grid});
}

}  // namespace

TEST(Plan, TheExampleOfTheDocumentation) {
  const Distribution rows = Distribution::make({4, 4}, {tridap::block(), tridap::whole()}, {2, 1});
  const Distribution columns = Distribution::make({4, 4}, {tridap::whole(), tridap::block()}, {1, 2});
  const Plan plan(rows, columns, 8, 0);
  EXPECT_EQ(plan.bytes_kept(), 32);
  EXPECT_EQ(plan.bytes_to(1), 32);
  EXPECT_EQ(plan.messages(), 1);
}

TEST(Plan, EveryPairOfSmallAxesMovesWhatCountingGives) {
  for (Index size = 0; size <= 10; ++size)
    moves::for_each_pair_of_axes(size, 4,
                                 [](const Case& given) { ASSERT_NO_FATAL_FAILURE(expect_counted(given, 5, 8)); });
  for (const Index size : {1, 6, 9, 10})
    moves::for_each_pair_of_axes(size, 6,
                                 [](const Case& given) { ASSERT_NO_FATAL_FAILURE(expect_counted(given, 6, 3)); });
}

TEST(Plan, RandomArraysMoveWhatCountingGives) {
  const Index plans = effort::seeds<Index>(0, 8000, 2500);
  for (Index seed = 0; seed < plans; ++seed) {
    const Index processes = 1 + seed % 7;
    SCOPED_TRACE(seed);
    expect_counted(moves::any_case(seed, processes, 200), processes, 1 + seed % 64);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Plan, PlansAreValuesThatOutliveWhatTheyWereMadeOf) {
  std::optional<Plan> kept;
  {
    const Plan plan(blocks(10, 2), dealt(10, 1, 2), 4, 1);
    kept = plan;
  }
  EXPECT_EQ(kept->bytes_to(0), 8);
  EXPECT_EQ(kept->source().distribution().processes(), 2);
  EXPECT_EQ(kept->target().distribution().axis(0).dist_type(), 'c');
}

TEST(Plan, BytesBeyond32And40BitsAreCounted) {
  for (const Index size :
       {(Index{1} << 31) - 1, Index{1} << 31, (Index{1} << 31) + 1, Index{1} << 40, Index{1} << 55}) {
    const Plan all(blocks(size, 1), blocks(size, 1), 8, 0);
    EXPECT_EQ(all.bytes_kept(), 8 * size);
    const Plan rest(PlacedDistribution(blocks(size, 2), {0, 1}), PlacedDistribution(blocks(size, 1), {1}), 8, 0);
    EXPECT_EQ(rest.bytes_to(1), 8 * ((size + 1) / 2));
    EXPECT_EQ(rest.bytes_sent(), rest.bytes_to(1));
    EXPECT_EQ(rest.bytes_kept(), 0);
    const Plan odd(blocks(size, 1), dealt(size, 1, 2), 2, 0);  // every other element
    EXPECT_EQ(odd.bytes_to(0), 2 * ((size + 1) / 2));
    EXPECT_EQ(odd.bytes_to(1), 2 * (size / 2));
  }
}

TEST(Plan, DealtBlocksOfAnyLengthAreCountedByTheirPeriod) {
  const Index size = (Index{1} << 40) + 12345;
  for (const auto& [a, p, b, q] : {std::array<Index, 4>{64, 3, 100, 2}, {1, 5, 7, 3}, {32, 2, 100, 4}, {1, 1, 3, 5}}) {
    const Index period = std::lcm(a * p, b * q), rest = size % period;
    for (Index rank = 0; rank < p; ++rank) {
      const Plan plan(dealt(size, a, p), dealt(size, b, q), 8, rank);
      List whole(moves::at(q), 0), last(moves::at(q), 0);
      for (Index g = 0; g < period; ++g) {
        if (g / a % p != rank) continue;
        ++whole[moves::at(g / b % q)];
        if (g < rest) ++last[moves::at(g / b % q)];
      }
      for (Index to = 0; to < q; ++to)
        EXPECT_EQ(plan.bytes_to(to), 8 * (size / period * whole[moves::at(to)] + last[moves::at(to)]));
    }
  }
}

TEST(Plan, DealtElementsUpToTheLargestIndexAreCounted) {
  const Index size = std::numeric_limits<Index>::max();  // odd: coordinate 0 has one element more
  const Distribution dealt = Distribution::make({size}, {tridap::cyclic()}, {2});
  for (Index rank = 0; rank < 2; ++rank) {
    const Plan plan(dealt, dealt, 1, rank);
    EXPECT_EQ(plan.bytes_kept(), size / 2 + 1 - rank);
    EXPECT_EQ(plan.bytes_sent(), 0);
  }
  const Distribution thirds = Distribution::make({size}, {tridap::cyclic(1, 1)}, {3});
  Index all = 0;
  for (Index rank = 0; rank < 3; ++rank) all += Plan(thirds, dealt, 1, rank).bytes_to(1);
  EXPECT_EQ(all, size / 2);
}

TEST(Plan, TheBytesOfAMillionProcessesAreCounted) {
  const Index side = 1000, size = side * 6000;
  const Distribution from = Distribution::make({size, size}, {tridap::block(), tridap::block()}, {side, side});
  const Distribution to = Distribution::make({size, size}, {tridap::cyclic(50), tridap::cyclic(7)}, {side, side});
  const Index rank = 123 * side + 456;
  List rows(moves::at(side), 0), columns(moves::at(side), 0);
  for (Index k = 0; k < 6000; ++k) {
    ++rows[moves::at((123 * 6000 + k) / 50 % side)];
    ++columns[moves::at((456 * 6000 + k) / 7 % side)];
  }
  const effort::ComputingTime computing;
  const Plan plan(from, to, 8, rank);
  EXPECT_EQ(plan.bytes_kept(), 8 * rows[123] * columns[456]);
  EXPECT_EQ(plan.bytes_sent(), 8 * 6000 * 6000 - plan.bytes_kept());
  EXPECT_LT(computing.seconds(), 0.1);  // it takes about 10 ms
  EXPECT_LT(plan.memory(), 10000000);
  Index peers = 0, received = 0;
  for (Index i = 0; i < side; ++i)
    for (Index j = 0; j < side; ++j) {
      const Index bytes = plan.bytes_to(i * side + j);
      ASSERT_EQ(bytes, 8 * rows[moves::at(i)] * columns[moves::at(j)]);
      peers += bytes > 0 ? 1 : 0;
    }
  EXPECT_EQ(plan.messages(), peers - (plan.bytes_kept() > 0 ? 1 : 0));
  EXPECT_EQ(static_cast<Index>(plan.sends().size()), peers);
  for (const Traffic& traffic : plan.receives()) received += traffic.bytes;
  EXPECT_EQ(received, 8 * to.count(rank));
  const Plan back(to, from, 8, rank);
  EXPECT_EQ(back.bytes_sent(), plan.bytes_received());
  EXPECT_EQ(back.bytes_received(), plan.bytes_sent());
}

TEST(Plan, AProcessOutsideBothSidesMovesNothing) {
  const Plan plan(PlacedDistribution(blocks(10, 2), {3, 1}), PlacedDistribution(blocks(10, 3), {1, 5, 0}), 8, 4);
  EXPECT_EQ(plan.bytes_sent() + plan.bytes_received() + plan.bytes_kept() + plan.messages(), 0);
  EXPECT_TRUE(plan.sends().empty() && plan.receives().empty());
  EXPECT_EQ(plan.bytes_to(1), 0);
}

TEST(PlacedDistribution, HasAnotherRankForEachProcessAndFindsBoth) {
  const Distribution parts = blocks(12, 3);
  const PlacedDistribution plain(parts), listed(parts, {0, 1, 2}), moved(parts, {4, 0, 2});
  EXPECT_TRUE(plain.ranks().empty() && listed.ranks().empty());
  EXPECT_EQ(moved.ranks(), (std::vector<Index>{4, 0, 2}));
  for (Index process = 0; process < 3; ++process) {
    EXPECT_EQ(listed.rank(process), process);
    EXPECT_EQ(moved.rank(process), moved.ranks()[static_cast<std::size_t>(process)]);
    EXPECT_EQ(plain.process(process), process);
    EXPECT_EQ(moved.process(moved.rank(process)), process);
  }
  for (const Index none : {-1, 3}) EXPECT_FALSE(plain.process(none) || moved.process(none)) << none;
  EXPECT_FALSE(moved.process(1));
  EXPECT_EQ(plain.highest_rank(), 2);
  EXPECT_EQ(moved.highest_rank(), 4);
  const auto says = [&](const std::string& words, std::vector<Index> ranks) {
    const std::string text = refusal([&] { PlacedDistribution(parts, std::move(ranks)); });
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  says("has rank 1 twice", {1, 0, 1});
  says("has 2 ranks, must have one for each of the 3 processes", {0, 1});
  says("has rank -1 for process 0, must be at least 0", {-1, 1, 2});
}

TEST(Plan, WhatIsNoMoveIsRefusedWithItsReason) {
  const Distribution ten = blocks(10, 2), nine = blocks(9, 2);
  const Distribution grid = Distribution::make({10, 9}, {tridap::block(), tridap::block()}, {2, 1});
  const Distribution listed = Distribution::make({3}, {tridap::unstructured({{5, 1}, {7}})}, {2});
  const Distribution others = Distribution::make({3}, {tridap::unstructured({{5, 1}, {8}})}, {2});
  const auto says = [](const std::string& words, const PlacedDistribution& a, const PlacedDistribution& b,
                       const Mapping& mapping = {}, Index bytes = 8, Index rank = 0) {
    const std::string text = refusal([&] { Plan(a, b, bytes, rank, mapping); });
    on::expect_says(text, words);
  };
  says("size is 9, must be the source's size, 10", ten, nine);
  says("has 2 axes, must have 1", ten, grid);
  says("held by no process", listed, others, {}, 8, 1);
  says("not a permutation", grid, grid, {{0, 0}, false, {}, false});
  says("not a permutation", grid, grid, {{1}, false, {}, false});
  says("element_bytes is 0", ten, ten, {}, 0);
  says("neither side", grid, grid, {{}, false, tridap::Order::row_major, false});
  says("flat numbers is 10", grid, ten, {{}, false, tridap::Order::row_major, false});
  EXPECT_EQ(Plan(ten, nine, 8, 1, {{}, false, {}, true}).bytes_kept(), 32);
  EXPECT_EQ(Plan(listed, others, 8, 1, {{}, false, {}, true}).bytes_kept(), 0);
}

TEST(Plan, BytesThatDoNotFit64BitsAreRefused) {
  const Index side = Index{1} << 32, most = std::numeric_limits<Index>::max();
  const auto square = [&](Index rows, Index processes) {
    return Distribution::make({rows, side}, {tridap::block(), tridap::block()}, {processes, 1});
  };
  for (const Index rank : {0, 1}) {
    const std::string text = refusal([&] { Plan(square(side, 1), square(side, 2), 8, rank); });
    on::expect_says(text, rank == 0 ? "source" : "target");
    on::expect_says(text, "64 bits");
  }
  // Of many, each of whom has less, each is planned: 2^31 rows or columns of 2^32 elements, of 2^63 bytes in all.
  const Plan half(square(side / 2, 2), square(side / 2, 4), 1, 1);
  EXPECT_EQ(half.bytes_sent(), side / 4 * side);
  EXPECT_EQ(half.bytes_received(), side / 8 * side);
  EXPECT_EQ(half.bytes_kept(), 0);
  EXPECT_EQ(Plan(blocks(most, 1), blocks(most, 1), 1, 0).bytes_kept(), most);
  // Padding that is filled has elements of more than one share, whose sum is too large.
  const Index half_of_all = (Index{1} << 62) - 1;
  const auto padded = Distribution::make({2 * half_of_all}, {tridap::padded_block(half_of_all)}, {2});
  Mapping filled;
  filled.fill_padding = true;
  on::expect_says(refusal([&] { Plan({blocks(2 * half_of_all, 1), {0}}, {padded, {1, 2}}, 1, 0, filled); }), "64 bits");
  // No element, whatever the other axes have.
  const auto none = [&](Index processes) {
    return Distribution::make({0, side, side}, {tridap::block(), tridap::block(), tridap::block()}, {1, processes, 1});
  };
  EXPECT_EQ(Plan(none(1), none(2), 8, 0).bytes_sent() + Plan(none(1), none(2), 8, 0).bytes_kept(), 0);
}

TEST(Plan, ExplainsWhatMovesWhereElementsAreLeftOut) {
  tridap::redistribute::Mapping mapping;
  mapping.partial = true;
  const auto blocks = [](tridap::Index size) { return tridap::Distribution::make({size}, {tridap::block()}, {2}); };
  const tridap::redistribute::Plan plan(blocks(10), blocks(20), 8, 0, mapping);
  on::expect_says(plan.explain(), " of 80 B must be sent");
}
