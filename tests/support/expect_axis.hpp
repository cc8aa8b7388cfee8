#pragma once

#include "support/oracle.hpp"
#include <tridap/axis.hpp>

#include <gtest/gtest.h>

namespace oracle {

/// The numbers of a periodic axis between its edges, in order.
inline List between_edges(const Axis& truth) {
  List all;
  for (Index c = 0; c < truth.grid(); ++c) {
    const Range range = truth.part(c, Part::interior);
    for (Index l = range.begin; l < range.end; ++l) all.push_back(truth.held_by(c)[static_cast<std::size_t>(l)]);
  }
  return all;
}

/// What an element beyond the interior of a periodic axis mirrors: the interior is laid once more before and after
/// itself.
inline std::map<Index, Index> mirrors(const Axis& truth) {
  std::map<Index, Index> all;
  if (!truth.dims[0].periodic) return all;
  const List inner = between_edges(truth);
  if (inner.empty()) return all;
  Index copied = static_cast<Index>(inner.size());
  for (Index g = inner.front() - 1; g >= 0; --g) all[g] = inner[static_cast<std::size_t>(--copied)];
  copied = 0;
  for (Index g = inner.back() + 1; g < truth.size(); ++g) all[g] = inner[static_cast<std::size_t>(copied++)];
  return all;
}

/// Every element of an axis, held against the lists of the oracle: all parts, all places, all ways to sweep.
inline void expect_axis(const tridap::Axis& axis, const Axis& truth) {
  ASSERT_EQ(axis.size(), truth.size());
  ASSERT_EQ(axis.proc_grid_size(), truth.grid());
  ASSERT_EQ(axis.dist_type(), truth.dims[0].dist_type());
  ASSERT_EQ(axis.periodic(), truth.dims[0].periodic);
  const std::map<Index, Index> mirrored = mirrors(truth);
  std::map<Index, tridap::Location> places;  // of the lowest coordinate
  for (Index c = truth.grid(); c-- > 0;) {
    for (const Part part : parts) {
      const Range range = truth.part(c, part);
      ASSERT_EQ(axis.part(c, part).size(), range.size()) << "coordinate " << c;
      if (range.size() > 0) {
        ASSERT_EQ(axis.part(c, part), range);
      }
      Index next = range.begin;
      axis.for_each(c, part, [&](Index local, Index global) {
        ASSERT_LT(next, range.end);
        ASSERT_EQ(local, next);
        ASSERT_EQ(global, truth.held_by(c)[static_cast<std::size_t>(next++)]);
        ASSERT_EQ(axis.global_index(c, local), global);
        if (part == Part::owned) places[global] = {c, local};
      });
      ASSERT_EQ(next, range.end);
    }
  }
  const Index low = places.empty() ? 0 : places.begin()->first, high = places.empty() ? 0 : places.rbegin()->first;
  for (Index g = low - 2; g <= high + 2; ++g) {
    const auto place = places.find(g);
    ASSERT_EQ(axis.locate(g), place == places.end() ? std::nullopt : std::optional<tridap::Location>(place->second))
        << g;
    const auto mirror = mirrored.find(g);
    ASSERT_EQ(axis.mirrored(g), mirror == mirrored.end() ? std::nullopt : std::optional<Index>(mirror->second)) << g;
  }
  for (Index first = low - 1; first <= high + 1; first += 1 + (high - low) / 5)
    for (Index end = first; end <= high + 2; end += 1 + (high - low) / 4) {
      auto next = places.lower_bound(first);
      axis.for_each_location(first, end, [&](Index global, tridap::Location place) {
        ASSERT_NE(next, places.end());
        ASSERT_EQ(global, next->first) << first << ' ' << end;
        ASSERT_EQ(place, next->second);
        ++next;
      });
      ASSERT_TRUE(next == places.lower_bound(end)) << first << ' ' << end;
    }
}

}  // namespace oracle
