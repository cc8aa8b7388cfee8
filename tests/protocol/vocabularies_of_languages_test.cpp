#include "support/expect_mapping.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace {

using namespace oracle;

Index true_modulus(Index a, Index b) {
  while (a < 0) a += b;
  while (a >= b) a -= b;
  return a;
}

Index share_of(double i, double low, double n, Index locales) {
  const double p = static_cast<double>(locales), part = std::floor((i - low) * p / n);
  return static_cast<Index>(part < 0 ? 0 : part > p - 1 ? p - 1 : part);
}

/// How many of n cards come to each.
List dealt_counts(Index n, Index grid) {
  List counts(static_cast<std::size_t>(grid), 0);
  for (Index m = 0; m < n; ++m) ++counts[static_cast<std::size_t>(m % grid)];
  return counts;
}

/// Shares that follow one another, so many for each.
oracle::Mapping in_a_row(const List& counts) {
  return by_owner([=](Index m) {
    Index c = 0, left = m;
    while (left >= counts[static_cast<std::size_t>(c)]) left -= counts[static_cast<std::size_t>(c++)];
    return c;
  });
}

TEST(Chapel, BlockDistGoesWhereTheFormulaSaysAndClampsWhatIsOutside) {
  for (const Index low : {-7, 0, 1})
    for (Index n = 1; n <= 9; ++n)
      for (Index locales = 1; locales <= 5; ++locales)
        for (Index domain = low - 9; domain <= low + n + 3; domain += 3)
          for (Index size = 0; size <= 24; size += 4)
            ASSERT_NO_FATAL_FAILURE(
                expect_mapping(tridap::chapel::block_dist(from(domain, size), from(low, n), locales), domain, 'b', size,
                               locales, by_owner([=](Index m) {
                                 return share_of(static_cast<double>(domain + m), static_cast<double>(low),
                                                 static_cast<double>(n), locales);
                               })));
  sweep([](Index n, Index locales) {  // the domain is the box
    if (n == 0) return;
    expect_mapping(
        tridap::chapel::block_dist(from(1, n), from(1, n), locales), 1, 'b', n, locales,
        by_owner([=](Index m) { return share_of(static_cast<double>(1 + m), 1, static_cast<double>(n), locales); }));
  });
}

/// One axis of Chapel's BlockCycDist: every locale's memory as it is allocated, each slot with the index that stands
/// there, or nothing. Only for domains that do not begin before the start index, and Chapel halts for such a domain.
struct ChapelMemory {
  std::vector<std::vector<std::optional<Index>>> of_locale;

  ChapelMemory(Index low, Index size, Index start, Index k, Index locales) {
    for (Index locale = 0; locale < locales; ++locale) {
      Index blocks = 0, first = start + locale * k;  // of the blocks that are allocated
      while (first + k * locales <= low) first += k * locales;
      for (; size > 0 && first < low + size; first += k * locales) ++blocks;
      std::vector<std::optional<Index>> memory(static_cast<std::size_t>(blocks * k));
      for (Index m = 0; m < size; ++m)
        if ((low + m - start) / k % locales == locale) {
          auto& slot = memory.at(static_cast<std::size_t>(m / (k * locales) * k + m % k));
          EXPECT_FALSE(slot) << "the oracle puts two indices into one slot";
          slot = m;
        }
      of_locale.push_back(std::move(memory));
    }
  }

  /// How many slots without an index come before the last one with an index, and before which element the first does.
  std::pair<Index, Index> gap(std::size_t locale) const {
    Index empty = 0, held = 0, before = 0, gap = 0;
    for (const auto& slot : of_locale[locale]) {
      if (!slot) {
        ++empty;
        continue;
      }
      if (empty > gap) before = held;
      gap = empty;
      ++held;
    }
    return {gap, before};
  }
};

/// All small axes: `visit(low, start, size, k, locales)`.
template <class Visit>
void every_dealing(const Visit& visit) {
  for (Index low = -6; low <= 6; low += 3)
    for (Index start = -5; start <= 5; ++start)
      for (Index locales = 1; locales <= 5; ++locales)
        for (Index size = 0; size <= 24; size += 3)
          for (Index k = 1; k <= 5; ++k) ASSERT_NO_FATAL_FAILURE(visit(low, start, size, k, locales));
}

TEST(Chapel, CyclicCountsFromItsStartIndexWithATrueModulus) {
  every_dealing([](Index low, Index start, Index size, Index k, Index locales) {
    if (k > 1) return;
    const TranslatedAxis made = tridap::chapel::cyclic_dist(from(low, size), start, locales);
    EXPECT_EQ(made.losses, Words{});
    EXPECT_FALSE(made.allocated);
    expect_mapping(made, low, 'c', size, locales,
                   by_owner([=](Index m) { return true_modulus(low + m - start, locales); }));
  });
}

TEST(Chapel, BlockCyclicIsInTheOrderOfItsMemory) {
  Index listed_axes = 0, gaps = 0;
  every_dealing([&](Index low, Index start, Index size, Index k, Index locales) {
    if (low < start) return;
    const ChapelMemory memory(low, size, start, k, locales);
    const auto made = tridap::chapel::block_cyc_dist(from(low, size), start, k, locales);
    const Index into = (low - start) % k;
    const bool listed = into != 0 && locales > 1 && size > k - into;
    Words losses;
    if (listed)
      losses.push_back("axis 0 begins " + std::to_string(into) + " elements into a block of " + std::to_string(k) +
                       ", so its indices are written out as lists");
    std::vector<Location> places(static_cast<std::size_t>(size));
    for (std::size_t locale = 0; locale < memory.of_locale.size(); ++locale) {
      Index held = 0;
      for (const auto& slot : memory.of_locale[locale])
        if (slot) places[static_cast<std::size_t>(*slot)] = {static_cast<Index>(locale), held++};
      const Index room = static_cast<Index>(memory.of_locale[locale].size());
      ASSERT_EQ(made.allocated(static_cast<Index>(locale)), room);
      const auto [gap, before] = memory.gap(locale);
      if (gap == 0) continue;
      ++gaps;
      losses.push_back("the storage of coordinate " + std::to_string(locale) + " on axis 0 has a gap of " +
                       std::to_string(gap) + (gap == 1 ? " element" : " elements") + " before local index " +
                       std::to_string(before) + ", which a buffer of the protocol cannot have");
    }
    listed_axes += listed ? 1 : 0;
    ASSERT_EQ(made.losses, losses);
    expect_mapping(made, low, listed ? 'u' : 'c', size, locales,
                   [&](Index m) { return places[static_cast<std::size_t>(m)]; });
  });
  EXPECT_GT(listed_axes, 1000);
  EXPECT_GT(gaps, 300);
}

// Chapel halts there, so that only the owners, by its formula, can be told.
TEST(Chapel, BlockCyclicGoesOnBelowItsStartIndexAndSaysSo) {
  every_dealing([](Index low, Index start, Index size, Index k, Index locales) {
    if (low >= start || size == 0) return;
    const auto made = tridap::chapel::block_cyc_dist(from(low, size), start, k, locales);
    ASSERT_FALSE(made.losses.empty());
    EXPECT_EQ(made.losses.front(), "axis 0 begins at index " + std::to_string(low) + ", before startIdx " +
                                       std::to_string(start) + ", and Chapel halts for such a domain");
    EXPECT_FALSE(made.allocated);
    for (Index m = 0; m < size; ++m) ASSERT_EQ(made.axis.owner(m), true_modulus(low + m - start, k * locales) / k);
  });
}

TEST(Chapel, WorkedExampleOfADomainThatBeginsInsideABlock) {
  const auto made = tridap::chapel::block_cyc_dist({2, 12}, 1, 2, 2);
  List held;
  made.axis.for_each(1, tridap::Part::local, [&](Index, Index global) { held.push_back(global + made.index_base); });
  EXPECT_EQ(held, (List{4, 3, 8, 7, 12, 11}));
}

// Element (i, j) stands at the sum of its slots, each times the slots of the axes after it.
TEST(Chapel, StridesAreThoseOfWholeBlocks) {
  for (const Index high : {5, 6, 8, 9})
    for (const Index start : {-3, 1}) {
      const Translation made = tridap::translation({tridap::chapel::block_cyc_dist({1, high}, start, 2, 2, 0),
                                                    tridap::chapel::block_cyc_dist({1, 7}, -5, 3, 3, 1)});
      const ChapelMemory rows(1, high, start, 2, 2), columns(1, 7, -5, 3, 3);
      for (Index process = 0; process < 6; ++process) {
        const auto& row = rows.of_locale[static_cast<std::size_t>(process / 3)];
        const auto& column = columns.of_locale[static_cast<std::size_t>(process % 3)];
        const List allocated = {static_cast<Index>(row.size()), static_cast<Index>(column.size())};
        EXPECT_EQ(made.allocated_shape(process), allocated);
        const List strides = made.strides(process);
        for (Index r = 0; r < allocated[0]; ++r)
          for (Index c = 0; c < allocated[1]; ++c) {
            const auto global = std::pair(row[static_cast<std::size_t>(r)], column[static_cast<std::size_t>(c)]);
            if (!global.first || !global.second) continue;
            const auto local = made.distribution.local_index(process, {*global.first, *global.second});
            ASSERT_TRUE(local);
            EXPECT_EQ((*local)[0] * strides[0] + (*local)[1] * strides[1], r * allocated[1] + c);
          }
      }
    }
}

/// Counts with the outer fluff added to the first and the last share.
List with_edges(List counts, Index edge) {
  counts.front() += edge;
  counts.back() += edge;
  return counts;
}

/// Whether every inner border has as much on both sides as stands beside it.
bool wide_enough(const List& counts, Index width) {
  for (std::size_t c = 0; c + 1 < counts.size(); ++c)
    if (counts[c] < width || counts[c + 1] < width) return false;
  return true;
}

TEST(Chapel, StencilDistHasItsFluffOnEverySide) {
  Index accepted = 0;
  for (const Index low : {-2, 0, 3})
    for (Index n = 1; n <= 14; ++n)
      for (Index locales = 1; locales <= 4; ++locales)
        for (const Index beyond : {0, 2})
          for (Index fluff = 0; fluff <= 3; ++fluff)
            for (const bool periodic : {false, true}) {
              const IndexBounds box = from(low, n), domain{low - beyond, low + n - 1 + beyond};
              List counts(static_cast<std::size_t>(locales), 0);
              for (Index i = domain.low; i <= domain.high; ++i)
                ++counts[static_cast<std::size_t>(
                    share_of(static_cast<double>(i), static_cast<double>(low), static_cast<double>(n), locales))];
              const auto make = [&] { return tridap::chapel::stencil_dist(domain, box, fluff, periodic, locales, 0); };
              const List owned = with_edges(counts, fluff);
              const Index period = domain.high - domain.low + 1;
              const bool empty = std::count(counts.begin(), counts.end(), 0) > 0;  // without fluff, in Chapel
              if (!wide_enough(owned, fluff) || (periodic && fluff > period) || (empty && fluff > 0)) {
                EXPECT_THROW(make(), tridap::Error);
                continue;
              }
              ++accepted;
              const TranslatedAxis made = make();
              const Index base = domain.low - fluff;
              EXPECT_EQ(made.index_base, base);
              const List shared(fluff == 0 ? 0 : static_cast<std::size_t>(locales) - 1, fluff);
              ASSERT_NO_FATAL_FAILURE(
                  oracle::expect_axis(made.axis, oracle::block(owned, shared, {fluff, fluff}, periodic && fluff > 0)));
              Words losses;
              if (base != 0)
                losses.push_back("axis 0 begins at index " + std::to_string(base) + " there, and at 0 here");
              if (fluff > 0 && !periodic)
                losses.push_back("the outer fluff of axis 0, " + std::to_string(fluff) +
                                 " elements at each end, is not a part of the array in Chapel, but is owned here");
              EXPECT_EQ(tridap::translation({made}).losses, losses);
            }
  EXPECT_GT(accepted, 500);
}

TEST(Chapel, EmptyLocalesHaveNoFluff) {
  // Chapel gives the second locale nothing, and the outer fluff to the first one.
  expect_refused(
      [] {
        tridap::chapel::stencil_dist({1, 2}, {1, 4}, 1, false, 2, 2);
      },
      Rule::conversion, 2, "'fluff' is 1, but locale 1 has no index, and Chapel gives it no fluff");
  expect_refused([] { tridap::chapel::stencil_dist({3, 4}, {1, 4}, 1, true, 2, 2); }, Rule::conversion, 2, "locale 0");
  expect_refused([] { tridap::chapel::stencil_dist({1, 3}, {1, 3}, 1, false, 5, 2); }, Rule::conversion, 2, "locale 2");
  for (const bool periodic : {false, true}) {  // an empty domain has no fluff at all
    const TranslatedAxis none = tridap::chapel::stencil_dist({1, 0}, {1, 4}, 1, periodic, 2);
    EXPECT_EQ(none.axis.size(), 0);
    EXPECT_EQ(none.index_base, 1);
    EXPECT_EQ(none.losses, Words{});
    EXPECT_FALSE(none.axis.periodic());
  }
}

TEST(Chapel, RefusesWhatDoesNotFit) {
  const IndexBounds ten = from(1, 10), all = {lowest, highest};
  expect_refused([&] { tridap::chapel::block_dist(ten, {5, 4}, 3, 2); }, Rule::conversion, 2, "'box high' is 4");
  expect_refused([&] { tridap::chapel::block_dist(ten, all, 3, 2); }, Rule::conversion, 2,
                 "'box high' is 9223372036854775807");
  expect_refused([&] { tridap::chapel::block_dist(all, ten, 3, 2); }, Rule::conversion, 2,
                 "'high' is 9223372036854775807");
  expect_refused([&] { tridap::chapel::block_dist(ten, ten, 0, 2); }, Rule::grid_size, 2, "is 0");
  expect_refused([&] { tridap::chapel::block_dist(ten, ten, huge, 2); }, Rule::conversion, 2,
                 "must be at most 16777216");
  expect_refused([&] { tridap::chapel::cyclic_dist(ten, 0, 0, 2); }, Rule::grid_size, 2, "is 0");
  expect_refused([&] { tridap::chapel::block_cyc_dist(ten, 0, 0, 2, 2); }, Rule::cyclic_block_size, 2, "is 0");
  expect_refused([&] { tridap::chapel::block_cyc_dist(from(1, huge), 0, 2, 2, 2); }, Rule::conversion, 2,
                 "'size' is 4611686018427387904, must be at most 16777216");
  expect_refused([&] { tridap::chapel::block_cyc_dist(ten, 0, 2, huge, 2); }, Rule::conversion, 2, "'proc_grid_size'");
  expect_refused([&] { tridap::chapel::stencil_dist(ten, ten, -1, true, 2, 2); }, Rule::block_padding, 2,
                 "'fluff' is -1");
  expect_refused([&] { tridap::chapel::stencil_dist(ten, ten, 4, false, 4, 2); }, Rule::block_padding_owned, 2,
                 "'padding' is 4 between", 3);
  expect_refused([&] { tridap::chapel::stencil_dist(ten, ten, highest, true, 1, 2); }, Rule::conversion, 2, "'fluff'");
  expect_refused([&] { tridap::chapel::stencil_dist(from(lowest, 3), from(lowest, 3), 1, true, 1, 2); },
                 Rule::conversion, 2, "'fluff' is 1");
  expect_refused(
      [&] {
        tridap::chapel::stencil_dist({highest - 3, highest}, {highest - 3, highest}, 1, true, 1, 2);
      },
      Rule::conversion, 2, "'size' is 6, but the indices from 9223372036854775803 on");
}

TEST(Julia, RangesAndGridsAreThoseOfDArray) {
  sweep([](Index size, Index grid) {
    expect_mapping(tridap::julia::range(size, grid), 1, 'b', size, grid, in_a_row(dealt_counts(size, grid)));
  });
  for (Index rows = 1; rows <= 3; ++rows)
    for (Index columns = 1; columns <= 3; ++columns)
      for (Index layers = 1; layers <= 2; ++layers) {
        const Translation made = tridap::julia::darray({5, 4, 2}, {rows, columns, layers});
        Index number = 0;
        bool same = true;
        for (Index k = 0; k < layers; ++k)
          for (Index j = 0; j < columns; ++j)
            for (Index i = 0; i < rows; ++i, ++number) {
              const Index ours = made.distribution.process({i, j, k});
              ASSERT_EQ(made.foreign_process(ours), number);
              ASSERT_EQ(made.process(number), ours);
              same &= ours == number;
            }
        Words losses;
        for (const char* axis : {"0", "1", "2"})
          losses.push_back(std::string("axis ") + axis + " begins at index 1 there, and at 0 here");
        if (!same) losses.emplace_back("processes are numbered column-major there, and row-major here");
        EXPECT_EQ(made.losses, losses);
        EXPECT_EQ(made.same_processes(), same);
        EXPECT_EQ(made.storage_order, Order::column_major);
      }
  expect_refused([] { tridap::julia::range(-1, 2, 3); }, Rule::size, 3, "is -1");
  expect_refused([] { tridap::julia::darray({4, 4}, {1, 0}); }, Rule::grid_size, 1, "is 0");
  EXPECT_THROW(tridap::julia::darray({4, 4}, {1}), tridap::Error);
}

TEST(X10, FirstPlacesGetOneMore) {
  sweep([](Index size, Index places) {
    for (const Index low : {-4, 0, 2})
      expect_mapping(tridap::x10::block(from(low, size), places), low, 'b', size, places,
                     in_a_row(dealt_counts(size, places)));
  });
  const Translation made = tridap::x10::block_along({from(0, 4), from(-2, 7)}, 1, 3);
  EXPECT_EQ(made.distribution.proc_grid_shape(), (List{1, 3}));
  EXPECT_EQ(made.distribution.shape(), (List{4, 7}));
  EXPECT_EQ(made.distribution.local_shape(0), (List{4, 3}));
  EXPECT_EQ(made.index_base, (List{0, -2}));
  EXPECT_EQ(made.losses, (Words{"axis 1 begins at index -2 there, and at 0 here"}));
  EXPECT_TRUE(made.same_processes());
  expect_refused([] { tridap::x10::block(from(0, 4), 0, 1); }, Rule::grid_size, 1, "is 0");
  expect_refused([] { tridap::x10::block_along({from(0, 4)}, 1, 2); }, Rule::shape_ndim, 1,
                 "axis 1: the region has 1 axis, so");
  expect_refused([] { tridap::x10::block_along({from(0, 4)}, -1, 2); }, Rule::shape_ndim, -1,
                 "axis -1: the region has 1 axis, so");
}

TEST(MpiCart, PeriodicAxesMirrorTheirOtherEnd) {
  for (Index n = 0; n <= 13; ++n)
    for (Index dim = 1; dim <= 4; ++dim)
      for (Index width = 0; width <= 3; ++width)
        for (const bool periodic : {false, true}) {
          const auto make = [&] { return tridap::mpi_cart::block({2, n}, {{1, dim}, {false, periodic}}, width); };
          const Index edge = periodic ? width : 0;
          const List owned = with_edges(dealt_counts(n, dim), edge);
          if (!wide_enough(owned, width) || edge > n) {
            EXPECT_THROW(make(), tridap::Error);
            continue;
          }
          const Translation made = make();
          EXPECT_EQ(made.index_base, (List{0, -edge}));
          EXPECT_EQ(
              made.losses,
              edge == 0 ? Words{} : Words{"axis 1 begins at index " + std::to_string(-edge) + " there, and at 0 here"});
          const List shared(width == 0 ? 0 : static_cast<std::size_t>(dim) - 1, width);
          ASSERT_NO_FATAL_FAILURE(
              oracle::expect_axis(made.distribution.axis(1), oracle::block(owned, shared, {edge, edge}, periodic)));
        }
}

TEST(MpiCart, RanksAreOursAndReorderIsALoss) {
  Translation made = tridap::mpi_cart::block({6, 7, 8}, {{2, 1, 3}, {false, true, false}});
  EXPECT_EQ(made.losses, Words{});
  EXPECT_TRUE(made.distribution.axis(1).periodic());
  for (Index i = 0, rank = 0; i < 2; ++i)
    for (Index k = 0; k < 3; ++k, ++rank) {
      EXPECT_EQ(made.distribution.coordinates(rank), (List{i, 0, k}));
      EXPECT_EQ(made.foreign_process(rank), rank);
      EXPECT_EQ(made.process(rank), rank);
    }
  made = tridap::mpi_cart::block({6}, {{2}, {false}, true});
  EXPECT_EQ(made.losses, (Words{"with 'reorder', MPI may number the processes differently from the old communicator"}));
}

TEST(MpiCart, RefusesWhatDoesNotFit) {
  expect_refused([] { tridap::mpi_cart::block({-1}, {{2}, {false}}); }, Rule::size, 0, "'size' is -1");
  expect_refused([] { tridap::mpi_cart::block({4, 4}, {{2, 0}, {false, false}}); }, Rule::grid_size, 1, "'dims' is 0");
  expect_refused([] { tridap::mpi_cart::block({4}, {{2}, {false}}, -1); }, Rule::block_padding, 0, "'width' is -1");
  expect_refused([] { tridap::mpi_cart::block({4}, {{1}, {true}}, highest); }, Rule::conversion, 0, "'width'");
  expect_refused(
      [] {
        tridap::mpi_cart::block({4}, {{4}, {false}}, 2);
      },
      Rule::block_padding_owned, 0, "is 2 between", 3);
  expect_refused([] { tridap::mpi_cart::block({1}, {{1}, {true}}, 2); }, Rule::block_periodic, 0, "(2, 2)");
  EXPECT_THROW(tridap::mpi_cart::block({4, 4}, {{2}, {false}}), tridap::Error);
  EXPECT_THROW(tridap::mpi_cart::block({4}, {{2}, {}}), tridap::Error);
  expect_refused([] { tridap::mpi_cart::block({huge}, {{huge}, {false}}, 1); }, Rule::conversion, 0, "16777216");
}

// Nothing is written out but where shares differ, and nothing wraps.
TEST(Vocabularies, HugeSizesAndGridsCostNothing) {
  EXPECT_EQ(tridap::hpf::block({1, highest}, huge).axis.count(huge / 2), 2);
  EXPECT_EQ(tridap::hpf::block_of(from(1, huge), huge, huge).axis.count(0), huge);
  EXPECT_EQ(tridap::hpf::cyclic(from(1, huge), huge, huge).axis.locate(huge - 1), (Location{0, huge - 1}));
  EXPECT_EQ(tridap::hpf::collapsed({1, highest}).axis.size(), highest);
  EXPECT_EQ(tridap::hpf::align_block(from(1, huge), huge - 1, {highest, 3, huge}).axis.count(0), 1);
  EXPECT_EQ(tridap::hpf::align_block(from(1, huge), huge - 1, {highest, 3, huge}).axis.count(2), 0);
  EXPECT_EQ(tridap::hpf::align_cyclic(from(1, huge), huge - 1, {highest, huge, 1}).axis.owner(1), 0);
  EXPECT_EQ(tridap::essl::block_cyclic(huge, 3, huge).axis.owner(huge - 1), (huge - 1) / 3);
  EXPECT_EQ(tridap::julia::range(huge, huge / 2).axis.count(huge / 2 - 1), 2);
  EXPECT_EQ(tridap::julia::range(huge - 1, huge).axis.count(huge - 1), 0);
  EXPECT_EQ(tridap::x10::block(from(lowest, huge), 3).axis.count(0), huge / 3 + 1);
  EXPECT_EQ(tridap::mpi_cart::block({huge}, {{huge}, {true}}).distribution.processes(), huge);
  EXPECT_EQ(tridap::chapel::block_dist(from(lowest, huge), from(lowest, huge), huge).axis.count(7), 1);
  const TranslatedAxis thirds = tridap::chapel::block_dist(from(-huge, huge), from(-huge, huge), 3);
  EXPECT_EQ(thirds.axis.count(0), huge / 3 + 1);  // 2^62 is 1 more than a multiple of 3
  EXPECT_EQ(thirds.axis.count(2), huge / 3);
  EXPECT_EQ(tridap::chapel::block_dist({0, highest - 1}, {lowest, lowest}, 2).axis.count(1), highest);
  EXPECT_EQ(tridap::chapel::cyclic_dist(from(lowest, 5), highest, 7).axis.owner(0), 6);  // 1 - 2^64 is 6 modulo 7
  EXPECT_EQ(tridap::chapel::stencil_dist(from(-huge, huge), from(-huge, huge), huge / 4, true, 2).axis.size(),
            huge + huge / 2);
  const Translation grid =
      tridap::scalapack::matrix({huge, huge, 1, 1, 0, 0, {}}, {Index{1} << 31, Index{1} << 31, Order::column_major});
  EXPECT_EQ(grid.foreign_process(1), Index{1} << 31);
  EXPECT_EQ(grid.process(Index{1} << 31), 1);
  EXPECT_THROW(tridap::scalapack::matrix({4, 4, 1, 1, 0, 0, {}}, {huge, 2}), tridap::Error);
}

TEST(Vocabularies, AMillionProcessesAreNoMatter) {
  const Index n = 3 * million + 1;
  EXPECT_EQ(tridap::hpf::block(from(1, n), million).axis.count(0), 4);
  EXPECT_EQ(tridap::hpf::align_block(from(1, n), 2, {n + 2, million, 4}).axis.count(0), 2);
  EXPECT_EQ(tridap::hpf::align_cyclic(from(1, 200000), 1, {n, million, 2}).axis.owner(1), 1);
  EXPECT_EQ(tridap::chapel::block_dist(from(1, n), from(1, n), million).axis.count(0), 4);
  EXPECT_EQ(tridap::chapel::stencil_dist(from(1, n), from(1, n), 1, true, million).axis.count(million - 1), 4);
  EXPECT_EQ(tridap::julia::range(n, million).axis.count(0), 4);
  EXPECT_EQ(tridap::x10::block(from(1, n), million).axis.count(1), 3);
  EXPECT_EQ(tridap::mpi_cart::block({n}, {{million}, {true}}, 2).distribution.count(0), 6);
  const Translation grid = tridap::julia::darray({n, n}, {1000, 1000});
  EXPECT_EQ(grid.foreign_process(1), 1000);
  EXPECT_EQ(grid.process(1), 1000);
}

}  // namespace
