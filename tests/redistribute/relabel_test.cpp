#include "mpi/support.hpp"
#include "support/effort.hpp"
#include "support/expect_refused.hpp"
#include "support/oracle.hpp"
#include <tridap/flat_numbers.hpp>
#include <tridap/internal/relabel_limits.hpp>
#include <tridap/make.hpp>
#include <tridap/redistribute/relabel_collectively.hpp>

#include <numeric>
#include <random>
#include <type_traits>

namespace {

using tridap::block;
using tridap::block_at;
using tridap::cyclic;
using tridap::Distribution;
using tridap::Index;
using tridap::Order;
using tridap::padded_block;
using tridap::Part;
using tridap::unstructured;
using tridap::whole;
using tridap::redistribute::Mapping;
using tridap::redistribute::PlacedDistribution;
using tridap::redistribute::relabel;
using tridap::redistribute::relabel_collectively;
using tridap::redistribute::relabel_within;
using tridap::redistribute::RelabelCounts;
using tridap::redistribute::Relabelled;
using tridap::redistribute::RelabelLimits;
using tridap::redistribute::Relabelling;
using List = std::vector<Index>;
using Table = std::vector<List>;  // by part of the source and part of the target

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

List shuffled(Index parts, Index processes, std::mt19937& random) {
  List ranks(at(processes));
  std::iota(ranks.begin(), ranks.end(), Index{0});
  std::shuffle(ranks.begin(), ranks.end(), random);
  ranks.resize(at(parts));
  return ranks;
}

/// Elements that parts have in common, one element of the target's buffers after the other.
Table counted(const Distribution& source, const Distribution& target, const Mapping& mapping) {
  Table table(at(source.processes()), List(at(target.processes()), 0));
  const Part part = mapping.fill_padding ? Part::local : Part::owned;
  const Order order = mapping.ravel.value_or(Order::row_major);
  for (Index q = 0; q < target.processes(); ++q) {
    const auto box = target.part(q, part);
    List extents;
    for (const auto& range : box) extents.push_back(range.size());
    oracle::for_each_index(extents, [&](List local) {
      for (std::size_t i = 0; i < local.size(); ++i) local[i] += box[i].begin;
      const List global = target.global_index(q, local);
      std::optional<List> from = List(at(source.ndim()));
      if (!mapping.ravel) {
        for (std::size_t i = 0; i < global.size(); ++i)
          (*from)[at(mapping.axes.empty() ? static_cast<Index>(i) : mapping.axes[i])] = global[i];
      } else if (target.ndim() == 1) {
        from = tridap::FlatNumbers(source, order).global_index(global[0]);
      } else {
        from = List{tridap::FlatNumbers(target, order).number(global)};
      }
      const List owners = from ? source.owners(*from) : List{};
      if (!owners.empty()) ++table[at(owners.front())][at(q)];
    });
  }
  return table;
}

Index kept(const Table& table, const PlacedDistribution& source, const List& ranks) {
  Index sum = 0;
  for (Index p = 0; p < source.distribution().processes(); ++p)
    for (std::size_t q = 0; q < ranks.size(); ++q)
      if (source.rank(p) == ranks[q]) sum += table[at(p)][q];
  return sum;
}

struct Best {
  Index kept = -1, changes = 0;
};

/// Of all assignments: most kept, and of those the fewest changes.
Best best(const Table& table, const PlacedDistribution& source, const PlacedDistribution& target, Index processes) {
  List order(at(processes));
  std::iota(order.begin(), order.end(), Index{0});
  Best found;
  do {
    const List ranks(order.begin(), order.begin() + target.distribution().processes());
    const Index now = kept(table, source, ranks);
    Index changes = 0;
    for (std::size_t q = 0; q < ranks.size(); ++q) changes += ranks[q] != target.rank(static_cast<Index>(q));
    if (now > found.kept || (now == found.kept && changes < found.changes)) found = {now, changes};
  } while (std::next_permutation(order.begin(), order.end()));
  return found;
}

List given(const PlacedDistribution& target) {
  List ranks;
  for (Index q = 0; q < target.distribution().processes(); ++q) ranks.push_back(target.rank(q));
  return ranks;
}

void expect_permutation(const List& ranks, Index processes) {
  List sorted = ranks;
  std::sort(sorted.begin(), sorted.end());
  ASSERT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
  ASSERT_TRUE(sorted.empty() || (sorted.front() >= 0 && sorted.back() < processes));
}

/// As of more than 2048 processes, and with room for so few overlaps.
void expect_bounded_with(Index entries, const Table& table, const Best& most, const PlacedDistribution& source,
                         const PlacedDistribution& target, Index processes, const Mapping& mapping) {
  RelabelLimits limits;
  limits.exact_processes = 0;
  limits.entries = entries;
  RelabelCounts counts;
  const Relabelling found = relabel_within(limits, source, target, 8, processes, mapping, &counts);
  expect_permutation(found.ranks, processes);
  EXPECT_EQ(found.bytes_kept, 8 * kept(table, source, found.ranks));
  EXPECT_EQ(found.bytes_kept_before, 8 * kept(table, source, given(target)));
  EXPECT_GE(found.bytes_kept, found.bytes_kept_before);
  EXPECT_GE(found.most_bytes_kept, 8 * most.kept);
  EXPECT_EQ(found.exact, found.bytes_kept == found.most_bytes_kept);
  const Index parts = target.distribution().processes();
  EXPECT_LE(counts.entries, std::max(entries, 8 * parts) + parts);
  limits.pairs = counts.cells - 1;
  const auto refusal = on::error_of([&] { relabel_within(limits, source, target, 8, processes, mapping); });
  EXPECT_TRUE(refusal);
}

void expect_best(const PlacedDistribution& source, const PlacedDistribution& target, Index processes,
                 const Mapping& mapping = {}) {
  const Table table = counted(source.distribution(), target.distribution(), mapping);
  const Best most = best(table, source, target, processes);
  const Relabelling found = relabel(source, target, 8, processes, mapping);
  expect_permutation(found.ranks, processes);
  EXPECT_EQ(found.bytes_kept, 8 * kept(table, source, found.ranks));
  EXPECT_EQ(found.bytes_kept_before, 8 * kept(table, source, given(target)));
  EXPECT_EQ(found.bytes_kept, 8 * most.kept);
  EXPECT_EQ(found.most_bytes_kept, 8 * most.kept);
  EXPECT_TRUE(found.exact);
  Index changes = 0;
  for (Index q = 0; q < target.distribution().processes(); ++q) changes += found.ranks[at(q)] != target.rank(q);
  EXPECT_EQ(changes, most.changes);
  for (const Index entries : {1, 6, 1000})
    expect_bounded_with(entries, table, most, source, target, processes, mapping);
}

void expect_best_of_any_ranks(const Distribution& source, const Distribution& target, const Mapping& mapping = {}) {
  static std::mt19937 random(3);
  const Index least = std::max(source.processes(), target.processes());
  expect_best({source}, {target}, least, mapping);
  for (Index processes = least; processes <= std::max<Index>(least, 5); ++processes)
    expect_best({source, shuffled(source.processes(), processes, random)},
                {target, shuffled(target.processes(), processes, random)}, processes, mapping);
}

/// Every kind of axis of `size` elements over `grid` coordinates.
std::vector<tridap::AxisSpec> specs(Index size, Index grid, std::mt19937& random) {
  std::vector<tridap::AxisSpec> all = {block(), cyclic(1, grid - 1), cyclic(2), cyclic(3, grid / 2)};
  List starts(at(grid), 0);
  for (std::size_t c = 1; c < starts.size(); ++c)
    starts[c] = static_cast<Index>(random() % static_cast<unsigned>(size + 1));
  std::sort(starts.begin(), starts.end());
  all.push_back(block_at(starts));
  std::vector<List> lists(at(grid));
  for (const Index global : shuffled(size, size, random))
    lists[at(static_cast<Index>(random() % at(grid)))].push_back(global);
  all.push_back(unstructured(lists, true));
  if (size >= 2 * grid) all.push_back(padded_block(1, true));
  if (size > 0 && grid > 1) {  // every coordinate holds index 0
    for (List& list : lists)
      if (std::find(list.begin(), list.end(), 0) == list.end()) list.push_back(0);
    all.push_back(unstructured(lists));
  }
  return all;
}

std::optional<Distribution> made(Index size, const tridap::AxisSpec& spec, Index grid) {
  tridap::Report report;
  const auto axis = tridap::make_axis(size, spec, grid, 0, report);
  if (!axis) return {};
  return Distribution({*axis});
}

TEST(Relabel, EveryPairOfKindsOnOneAxis) {
  std::mt19937 random(1);
  int pairs = 0;
  for (const Index size : {0, 1, 5, 12, 31})
    for (Index p = 1; p <= 4; ++p)
      for (Index q = 1; q <= 4; ++q)
        for (const auto& from : specs(size, p, random))
          for (const auto& to : specs(size, q, random)) {
            const auto source = made(size, from, p), target = made(size, to, q);
            if (!source || !target) continue;
            ++pairs;
            for (const bool padding : {false, true}) {
              Mapping mapping;
              mapping.fill_padding = padding;
              expect_best({*source, shuffled(p, 4, random)}, {*target, shuffled(q, 4, random)}, 4, mapping);
            }
            if (HasFailure()) FAIL() << size << " " << p << " " << from.index() << " " << q << " " << to.index();
          }
  EXPECT_GT(pairs, 2000);
}

TEST(Relabel, LongAxesRepeatTheirPattern) {
  for (const auto& [b, p, c, q, size] : std::vector<std::array<Index, 5>>{{2, 3, 3, 2, 100},
                                                                          {1, 4, 4, 1, 97},
                                                                          {3, 2, 5, 3, 301},
                                                                          {2, 2, 2, 4, 64},
                                                                          {7, 3, 2, 5, 500},
                                                                          {2, 3, 5, 3, 61}})
    for (Index first = 0; first < p; ++first)
      expect_best_of_any_ranks(Distribution::make({size}, {cyclic(b, first)}, {p}),
                               Distribution::make({size}, {cyclic(c, q - 1)}, {q}));
}

TEST(Relabel, SeveralAxesAndTheirPermutations) {
  std::mt19937 random(2);
  int made_ones = 0;
  for (int round = 0; round < 120; ++round) {
    const auto any = [&](const auto& of) { return of[random() % of.size()]; };
    const std::vector<List> grids = {{2, 3}, {3, 2}, {1, 4}, {4, 1}, {2, 2}, {5, 1}};
    const List grid = any(grids), other = any(grids), shape = {static_cast<Index>(random() % 12), 9};
    const bool turned = random() % 2 == 0;
    const List turned_shape = turned ? List{shape[1], shape[0]} : shape;
    try {
      const Distribution source = Distribution::make(
          shape, {any(specs(shape[0], grid[0], random)), any(specs(shape[1], grid[1], random))}, grid);
      const Distribution target = Distribution::make(
          turned_shape, {any(specs(turned_shape[0], other[0], random)), any(specs(turned_shape[1], other[1], random))},
          other);
      Mapping mapping;
      mapping.fill_padding = random() % 2 == 0;
      if (turned) mapping.axes = {1, 0};
      expect_best_of_any_ranks(source, target, mapping);
      ++made_ones;
    } catch (const tridap::Error&) {  // such an axis cannot be made
      if (HasFailure()) throw;
    }
  }
  EXPECT_GT(made_ones, 60);
  Mapping mapping;
  mapping.axes = {2, 0, 1};
  expect_best_of_any_ranks(Distribution::make({4, 5, 6}, {block(), cyclic(), block()}, {1, 2, 3}),
                           Distribution::make({6, 4, 5}, {cyclic(2), block(), block()}, {3, 2, 1}), mapping);
}

TEST(Relabel, RavelledToOneAxisAndBack) {
  std::mt19937 random(4);
  const std::vector<Distribution> arrays = {
      Distribution::make({4, 6}, {block(), cyclic()}, {2, 3}), Distribution::make({4, 6}, {whole(), block()}, {1, 4}),
      Distribution::make({4, 6}, {padded_block(1), block()}, {2, 2}),
      Distribution::make({4, 6}, {unstructured({{2, 0, 1}, {3, 1, 2}}), unstructured({{5, 4, 0, 1}, {1, 2, 3, 0}})},
                         {2, 2})};
  for (std::size_t i = 0; i < arrays.size(); ++i)
    for (const Order order : {Order::row_major, Order::column_major})
      for (const Index grid : {1, 3, 4})
        for (const auto& spec : specs(24, grid, random)) {
          const auto line = made(24, spec, grid);
          if (!line) continue;
          Mapping mapping;
          mapping.ravel = order;
          expect_best_of_any_ranks(arrays[i], *line, mapping);
          expect_best_of_any_ranks(*line, arrays[i], mapping);
          if (HasFailure()) FAIL() << i << " " << grid << " " << spec.index();
        }
}

TEST(Relabel, PartialOnesCountWhatBothHave) {
  Mapping mapping;
  mapping.partial = true;
  for (const auto& to : std::vector<tridap::AxisSpec>{block(), cyclic(2)})
    for (const auto& from : std::vector<tridap::AxisSpec>{block(), cyclic(3)})
      for (const Index size : {6, 10, 13})
        expect_best_of_any_ranks(Distribution::make({10}, {from}, {3}), Distribution::make({size}, {to}, {4}), mapping);
  const Distribution lists = Distribution::make({5}, {unstructured({{-4, 2, 30}, {7, 8}})}, {2});
  for (const auto& other : std::vector<tridap::AxisSpec>{block(), cyclic(3)}) {
    expect_best_of_any_ranks(lists, Distribution::make({10}, {other}, {3}), mapping);
    expect_best_of_any_ranks(Distribution::make({10}, {other}, {3}), lists, mapping);
  }
}

TEST(Relabel, SevenProcesses) {
  std::mt19937 random(5);
  for (int round = 0; round < 6; ++round) {
    const auto of = specs(40, 7, random), to = specs(40, 7, random);
    expect_best({*made(40, of[at(round)], 7), shuffled(7, 7, random)},
                {*made(40, to[at(5 - round)], 7), shuffled(7, 7, random)}, 7);
  }
}

TEST(Relabel, ArraysOfOneElementWithoutAxes) { expect_best({Distribution({}), {2}}, {Distribution({}), {0}}, 3); }

TEST(Relabel, IndicesAtTheEndOfAllNumbers) {
  constexpr Index last = std::numeric_limits<Index>::max(), first = std::numeric_limits<Index>::min();
  const Distribution a = Distribution::make({4}, {unstructured({{last, last - 1}, {first, 0}})}, {2});
  const Distribution b = Distribution::make({4}, {unstructured({{first, 0, last}, {last - 1}})}, {2});
  EXPECT_EQ(relabel({a}, {b}, 8, 2).ranks, (List{1, 0}));
  Mapping mapping;
  mapping.partial = true;
  EXPECT_EQ(relabel({a}, {Distribution::make({4}, {cyclic()}, {2})}, 8, 2, mapping).bytes_kept, 8);
}

TEST(Relabel, NothingGainedNothingChanged) {
  std::mt19937 random(6);
  const Distribution rows = Distribution::make({64, 64}, {block(), whole()}, {8, 1}),
                     columns = Distribution::make({64, 64}, {whole(), block()}, {1, 8});
  for (const Index processes : {8, 11}) {
    const List ranks = shuffled(8, processes, random), others = shuffled(8, 8, random);
    EXPECT_EQ(relabel({rows, ranks}, {rows, ranks}, 8, processes).ranks, ranks);
    if (processes == 8) {
      EXPECT_EQ(relabel({rows, ranks}, {columns, others}, 8, processes).ranks, others);  // all are alike
    }
  }
}

TEST(Relabel, APermutationOfRanksKeepsAll) {
  std::mt19937 random(7);
  const Distribution grid = Distribution::make({96, 96}, {block(), cyclic(4)}, {5, 6});
  const List ranks = shuffled(30, 40, random);
  const Relabelling found = relabel({grid, ranks}, {grid, shuffled(30, 40, random)}, 8, 40);
  EXPECT_EQ(found.ranks, ranks);
  EXPECT_EQ(found.bytes_kept, 96 * 96 * 8);
  EXPECT_LT(found.bytes_kept_before, found.bytes_kept);
}

void expect_bounded(const Relabelling& found, double at_least) {
  EXPECT_GE(found.most_bytes_kept, found.bytes_kept);
  EXPECT_GE(found.bytes_kept, found.bytes_kept_before);
  EXPECT_EQ(found.exact, found.most_bytes_kept == found.bytes_kept);
  EXPECT_GE(static_cast<double>(found.bytes_kept), at_least * static_cast<double>(found.most_bytes_kept));
  expect_permutation(found.ranks, static_cast<Index>(found.ranks.size()));
}

void expect_bounds_of_many_processes() {
  std::mt19937 random(8);
  const effort::ComputingTime computing;
  const Index n = 30000;
  const auto make = [&](const std::vector<tridap::AxisSpec>& specs, const List& grid) {
    return Distribution::make({n, n}, specs, grid);
  };
  const Distribution blocks = make({block(), block()}, {50, 60}), others = make({block(), block()}, {60, 50});
  expect_bounded(relabel({blocks}, {others}, 8, 3000), 0.97);
  expect_bounded(relabel({blocks, shuffled(3000, 3000, random)}, {others, shuffled(3000, 3000, random)}, 8, 3000),
                 0.97);
  expect_bounded(relabel({blocks}, {make({block(), whole()}, {3000, 1})}, 8, 3000), 0.9);
  expect_bounded(relabel({blocks}, {make({cyclic(64), cyclic(64)}, {50, 60})}, 8, 3000), 0.5);
  EXPECT_TRUE(relabel({blocks}, {make({block(), block()}, {20, 5})}, 8, 3000).exact);
  const auto pencils = [&](const List& grid) {
    const auto spec = [&](std::size_t i) { return grid[i] > 1 ? tridap::AxisSpec(block()) : whole(); };
    return Distribution::make({600, 600, 600}, {spec(0), spec(1), spec(2)}, grid);
  };
  RelabelLimits few;
  few.entries = 8 * 3000;  // 50 ranks have something in common with each pencil
  expect_bounded(
      relabel_within(few, {pencils({1, 50, 60})}, {pencils({50, 1, 60}), shuffled(3000, 3000, random)}, 8, 3000), 0.8);
  const Distribution large = make({block(), block()}, {250, 400});
  if (!effort::sanitized) {
    expect_bounded(
        relabel({large}, {make({block(), block()}, {400, 250}), shuffled(100000, 100000, random)}, 8, 100000), 0.95);
    expect_bounded(relabel({large}, {make({cyclic(7), cyclic(7)}, {400, 250})}, 8, 100000), 0.1);
  }
  EXPECT_LT(computing.seconds(), 60);
}

TEST(Relabel, ManyProcessesWithABound) {
  if (on::rank(MPI_COMM_WORLD) == 0) expect_bounds_of_many_processes();  // which needs no other process
}

/// The bytes that stay with such ranks, each part by a plan of its own.
Index kept_by_plans(const PlacedDistribution& source, const Distribution& target, const List& ranks) {
  Index sum = 0;
  const PlacedDistribution placed(target, ranks);
  for (const Index rank : ranks) sum += tridap::redistribute::Plan(source, placed, 8, rank).bytes_kept();
  return sum;
}

TEST(Relabel, BytesKeptAreExactWhereFewOverlapsAreKept) {
  std::mt19937 random(10);
  RelabelLimits limits;
  limits.exact_processes = 20;
  limits.entries = 100;
  const auto line = [](Index size, const tridap::AxisSpec& spec) { return Distribution::make({size}, {spec}, {40}); };
  for (const Index size : {100, 1000, 1640, 10007}) {
    for (const auto& [from, to] : std::vector<std::pair<tridap::AxisSpec, tridap::AxisSpec>>{
             {block(), cyclic()}, {cyclic(2), block()}, {cyclic(3), cyclic(7, 11)}, {block(), cyclic(5, 3)}}) {
      const PlacedDistribution source(line(size, from), shuffled(40, 40, random));
      const PlacedDistribution target(line(size, to), shuffled(40, 40, random));
      const Relabelling found = relabel_within(limits, source, target, 8, 40);
      EXPECT_EQ(found.bytes_kept, kept_by_plans(source, target.distribution(), found.ranks));
      EXPECT_EQ(found.bytes_kept_before, kept_by_plans(source, target.distribution(), given(target)));
      EXPECT_GE(found.most_bytes_kept, relabel(source, target, 8, 40).bytes_kept);
    }
  }
}

TEST(Relabel, WhatIsLevelKeepsItsRankWithoutSearch) {
  std::mt19937 random(11);
  RelabelLimits limits;
  limits.exact_processes = 2;
  const List ranks = shuffled(6, 6, random);
  RelabelCounts counts;
  const auto changes = [&](Index size, const tridap::AxisSpec& to) {
    const PlacedDistribution source(Distribution::make({size}, {block()}, {6})),
        target(Distribution::make({size}, {to}, {6}), ranks);
    return relabel_within(limits, source, target, 8, 6, {}, &counts).ranks != ranks;
  };
  EXPECT_FALSE(changes(6 * 60, cyclic()));  // 10 elements for each pair
  EXPECT_EQ(counts.entries, 0);
  EXPECT_EQ(counts.cells, 36);
  EXPECT_FALSE(changes(6 * 64, cyclic()));  // 10 or 11
  EXPECT_EQ(counts.entries, 0);
  EXPECT_FALSE(changes(6 * 27, cyclic(2)));  // from 4 to 6
  EXPECT_EQ(counts.entries, 0);
  EXPECT_TRUE(changes(6 * 64 - 20, cyclic()));  // the last block is shorter by 20 elements
  EXPECT_GT(counts.entries, 0);
  EXPECT_TRUE(changes(6 * 5, cyclic()));  // 0 or 1
  EXPECT_GT(counts.entries, 0);
  const PlacedDistribution source(Distribution::make({360}, {block()}, {6})),
      target(Distribution::make({360}, {cyclic()}, {6}), {6, 0, 1, 2, 3, 4});
  EXPECT_EQ(relabel_within(limits, source, target, 8, 7).bytes_kept, 6 * 10 * 8);  // rank 6 has nothing of the source
  limits.exact_processes = 6;
  changes(6 * 60, cyclic());
  EXPECT_EQ(counts.entries, 36);
}

TEST(Relabel, TakesNoTimeForTheSizeOfTheArray) {
  const Index n = Index{1} << 40;
  const Relabelling found =
      relabel({Distribution::make({n}, {cyclic(32)}, {64})}, {Distribution::make({n}, {cyclic(100)}, {64})}, 8, 64);
  EXPECT_TRUE(found.exact);
  EXPECT_EQ(relabel({Distribution::make({n}, {block()}, {64})}, {Distribution::make({n}, {cyclic(1)}, {64})}, 1, 64)
                .bytes_kept,
            n / 64);
}

std::string fault(const PlacedDistribution& source, const PlacedDistribution& target, Index element_bytes,
                  Index processes, const Mapping& mapping = {}) {
  const auto error = on::error_of([&] { relabel(source, target, element_bytes, processes, mapping); });
  return error ? error->what() : "";
}

TEST(Relabel, RefusesWhatIsWrong) {
  const Distribution one = Distribution::make({4, 6}, {block(), block()}, {2, 1}),
                     other = Distribution::make({4, 5}, {block(), block()}, {2, 1});
  const Distribution line = Distribution::make({24}, {block()}, {2});
  Mapping turned, twice, flat, padded;
  turned.axes = {1, 0};
  twice.axes = {1, 1};
  flat.ravel = Order::row_major;
  const auto has = [](const std::string& text, const std::string& part) { on::expect_says(text, part); };
  has(fault({one}, {other}, 8, 2), "axis 1");
  has(fault({one}, {line}, 8, 2), "1 axes");
  has(fault({one}, {one}, 8, 2, turned), "axis 0");
  has(fault({one}, {one}, 8, 2, twice), "not a permutation");
  has(fault({one}, {other}, 8, 2, flat), "one axis");
  has(fault({one}, {Distribution::make({23}, {block()}, {2})}, 8, 2, flat),
      "must be the number of elements of the other side, 24");
  flat.fill_padding = true;
  has(fault({one}, {line}, 8, 2, flat), "Mapping::fill_padding and Mapping::ravel are both set");
  has(fault({one}, {one}, 8, 1), "2 parts");
  has(fault({one}, {one}, 0, 2), "element_bytes is 0");
  has(fault({one}, {one, {0, 2}}, 8, 2), "the target has a part on rank 2");
  has(fault({one, {3, 0}}, {one}, 8, 2), "the source has a part on rank 3");
  has(fault({Distribution::make({2}, {unstructured({{0}, {3}})}, {2})}, {Distribution::make({2}, {block()}, {2})}, 8,
            2),
      "held by no process");
  const Distribution two = Distribution::make({2}, {block()}, {2}),
                     three = Distribution::make({3}, {unstructured({{0, 1}, {5}})}, {2});
  has(fault({three}, {two}, 8, 2), "index 5 of the source is held by no process of the target");
  has(fault({two}, {three}, 8, 2), "index 5 of the target is held by no process of the source");
  const Distribution huge = Distribution::make({Index{1} << 60}, {block()}, {2});
  has(fault({huge}, {huge}, 8, 2), "64 bits");
  EXPECT_EQ(relabel({huge}, {huge}, 7, 2).bytes_kept, 7 * (Index{1} << 60));
}

TEST(Relabel, RefusesMorePairsThanItMayLookAt) {
  const auto line = [](const tridap::AxisSpec& spec, Index grid) {
    return PlacedDistribution(Distribution::make({Index{1} << 40}, {spec}, {grid}));
  };
  const auto refusal = [](const PlacedDistribution& source, const PlacedDistribution& target, Index processes,
                          Index most_pairs) {
    const auto error = on::error_of([&] { relabel(source, target, 8, processes, {}, most_pairs); });
    return error ? std::string(error->what()) : "";
  };
  const PlacedDistribution blocks = line(block(), 100), dealt = line(cyclic(), 100);
  EXPECT_EQ(refusal(blocks, dealt, 100, 10100), "");  // and one for each process
  EXPECT_EQ(refusal(blocks, dealt, 100, 10099),
            "axis 0: to place the parts, about 10100 pairs must be looked at, must be at most most_pairs, 10099 "
            "[conversion]: use distributions over fewer processes or with larger blocks, or pass a larger most_pairs");
  on::expect_says(fault(line(block(), 100000), line(cyclic(), 100000), 8, 100000), "about 10000100000 pairs");
  on::expect_says(fault(line(cyclic(999), 40000), line(cyclic(1000), 39999), 8, 40000), "pairs must be looked at");
  on::expect_says(fault(blocks, blocks, 8, Index{1} << 62), "at most most_pairs, 1000000000");
  Mapping flat;
  flat.ravel = Order::row_major;
  const Index n = Index{1} << 20;
  const PlacedDistribution columns(Distribution::make({n, n}, {whole(), block()}, {1, 100}));
  on::expect_says(fault(columns, line(cyclic(), 100), 8, 100, flat), "pairs must be looked at");
}

// A number is a number of processes, also where the MPI's communicators are numbers, as MPICH's are.
TEST(Relabel, NumbersOfProcessesAreNoCommunicators) {
  const PlacedDistribution rows(Distribution::make({4}, {block()}, {2}));
  static_assert(std::is_same_v<decltype(relabel(rows, rows, 8, 2)), Relabelling>);
  static_assert(std::is_same_v<decltype(relabel_collectively(rows, rows, 8, MPI_COMM_WORLD)), Relabelled>);
  using Ways =
      Relabelling (*)(const PlacedDistribution&, const PlacedDistribution&, Index, Index, const Mapping&, Index);
  const auto only = &relabel;  // it compiles where the name has no overloads
  static_assert(std::is_same_v<decltype(only), const Ways>);
  EXPECT_EQ(only(rows, rows, 8, 2, {}, 100).bytes_kept, 32);
}

TEST(RelabelTogether, TheNewCommunicatorHoldsPartsInOrder) {
  on::every_communicator([](MPI_Comm comm) {
    const Index processes = on::processes(comm), rank = on::rank(comm);
    std::mt19937 random(9);
    for (Index parts = 1; parts <= processes; ++parts) {
      const Distribution source = Distribution::make({60, 7}, {block(), whole()}, {processes, 1}),
                         target = Distribution::make({60, 7}, {cyclic(5), whole()}, {parts, 1});
      const List from = shuffled(processes, processes, random), to = shuffled(parts, processes, random);
      const on::PendingReceive pending(comm);
      Relabelled found = relabel_collectively({source, from}, {target, to}, 8, comm);
      const Relabelling alone = relabel({source, from}, {target, to}, 8, processes);
      EXPECT_EQ(found.relabelling.ranks, alone.ranks);
      EXPECT_EQ(found.relabelling.bytes_kept, alone.bytes_kept);
      EXPECT_EQ(found.relabelling.bytes_kept_before, alone.bytes_kept_before);
      EXPECT_EQ(found.relabelling.most_bytes_kept, alone.most_bytes_kept);
      EXPECT_EQ(found.relabelling.exact, alone.exact);
      List order = alone.ranks;
      for (Index r = 0; r < processes; ++r)
        if (std::find(order.begin(), order.end(), r) == order.end()) order.push_back(r);
      ASSERT_EQ(on::processes(found.comm), processes);
      EXPECT_EQ(order[at(on::rank(found.comm))], rank);
      MPI_Comm_free(&found.comm);
    }
  });
}

TEST(RelabelTogether, OneWrongProcessFailsAll) {
  on::every_communicator([](MPI_Comm comm) {
    const Index processes = on::processes(comm);
    const Distribution rows = Distribution::make({60}, {block()}, {processes});
    for (Index wrong = 0; wrong < processes; ++wrong) {
      List ranks;
      for (Index part = 0; part < processes; ++part) ranks.push_back(part + (on::rank(comm) == wrong ? 1 : 0));
      const PlacedDistribution target(rows, ranks);
      on::expect_refused([&] { relabel_collectively({rows}, target, 8, comm); }, "target", comm);
    }
  });
}

TEST(RelabelTogether, TooManyPairsAreRefusedOnEveryProcess) {
  on::every_communicator([](MPI_Comm comm) {
    const Index processes = on::processes(comm), most = on::rank(comm) == 0 ? 1 : 1000000;
    const Distribution rows = Distribution::make({60}, {block()}, {processes}),
                       dealt = Distribution::make({60}, {cyclic()}, {processes});
    on::expect_refused([&] { relabel_collectively({rows}, {dealt}, 8, comm, {}, most); }, "most_pairs, 1", comm);
  });
}

TEST(RelabelTogether, TargetsOfOtherNumbersOfPartsAreRefused) {
  if (on::processes(MPI_COMM_WORLD) < 2) GTEST_SKIP() << "needs at least 2 processes";
  on::every_communicator([](MPI_Comm comm) {
    const Index processes = on::processes(comm);
    const auto rows = [](Index parts) { return Distribution::make({60}, {block()}, {parts}); };
    const PlacedDistribution target(rows(on::rank(comm) == 0 ? processes : processes - 1));
    const auto error = on::error_of([&] {
      Relabelled found = relabel_collectively({rows(processes)}, target, 8, comm);
      MPI_Comm_free(&found.comm);
    });
    ASSERT_EQ(error.has_value(), processes > 1);  // one process has no other target than its own
    EXPECT_TRUE(on::same_everywhere(error ? error->what() : "", comm));
  });
}

}  // namespace
