#pragma once

#include "support/expect_axis.hpp"
#include <tridap/vocabularies.hpp>

#include <functional>
#include <limits>
#include <string>

namespace oracle {

using tridap::IndexBounds;
using tridap::Location;
using tridap::Order;
using tridap::Rule;
using tridap::TranslatedAxis;
using tridap::Translation;
using Words = std::vector<std::string>;

inline constexpr Index lowest = std::numeric_limits<Index>::min(), highest = std::numeric_limits<Index>::max();
inline constexpr Index huge = Index{1} << 62, million = 1000000;

/// A rule of a text: global index, counted from 0, to process and place there.
using Mapping = std::function<Location(Index)>;

/// Only the process is told: each keeps its elements in the order of their indices.
inline Mapping by_owner(const std::function<Index(Index)>& owner) {
  return [owner](Index m) {
    Location place{owner(m), 0};
    for (Index before = 0; before < m; ++before) place.local += owner(before) == place.coordinate ? 1 : 0;
    return place;
  };
}

/// Every element stands where the rule puts it, and nothing else is held; the stamped dictionaries say the same.
inline void expect_mapping(const tridap::Axis& axis, Index size, Index grid, const Mapping& rule) {
  ASSERT_EQ(axis.size(), size);
  ASSERT_EQ(axis.proc_grid_size(), grid);
  List counts(static_cast<std::size_t>(grid), 0);
  for (Index m = 0; m < size; ++m) {
    const Location place = rule(m);
    ASSERT_EQ(axis.locate(m), place) << "element " << m << " of " << size << " over " << grid;
    ASSERT_EQ(axis.global_index(place.coordinate, place.local), m);
    ++counts[static_cast<std::size_t>(place.coordinate)];
  }
  std::vector<tridap::Dimension> dims;
  for (Index c = 0; c < grid; ++c) {
    ASSERT_EQ(axis.part(c, tridap::Part::local).size(), counts[static_cast<std::size_t>(c)]);
    dims.push_back(axis.dimension(c));
  }
  tridap::Report report;
  ASSERT_TRUE(tridap::Axis::make(dims, 0, report)) << report.text();
}

inline void expect_mapping(const TranslatedAxis& made, Index base, char dist_type, Index size, Index grid,
                           const Mapping& rule) {
  ASSERT_EQ(made.index_base, base);
  ASSERT_EQ(made.axis.dist_type(), dist_type);
  ASSERT_NO_FATAL_FAILURE(expect_mapping(made.axis, size, grid, rule));
}

inline void expect_refused(const std::function<void()>& make, Rule rule, Index axis, const std::string& words,
                           Index times = 1) {
  try {
    make();
    ADD_FAILURE() << "accepted: " << words;
  } catch (const tridap::Error& error) {
    const tridap::Report& report = error.report();
    EXPECT_EQ(report.counts(), (oracle::Counts{{rule, times}})) << report.text();
    EXPECT_EQ(report.findings().front().axis, axis) << report.text();
    EXPECT_NE(report.text().find(words), std::string::npos) << report.text();
    for (const tridap::Finding& finding : report.findings())
      EXPECT_FALSE(finding.remedy.empty() && std::string(tridap::rule_text(finding.rule).remedy).empty());
  }
}

/// Calls `visit(size, grid)`.
inline void sweep(const std::function<void(Index, Index)>& visit, Index sizes = 24) {
  for (Index size = 0; size <= sizes; ++size)
    for (Index grid = 1; grid <= 5; ++grid) ASSERT_NO_FATAL_FAILURE(visit(size, grid));
}

inline Index ceiling(Index a, Index b) {
  Index times = 0;
  while (times * b < a) ++times;
  return times;
}

inline IndexBounds from(Index low, Index size) { return {low, low + size - 1}; }

}  // namespace oracle
