#include "support/oracle.hpp"
#include <tridap/check.hpp>
#include <tridap/distribution.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace {

using oracle::List;
using tridap::Distribution;
using tridap::Index;
using tridap::Indices;
using tridap::Part;

/// Every question to a distribution, held against a table of who owns and who holds what.
void expect_tables(const oracle::Array& truth) {
  const Distribution distribution = truth.distribution();
  ASSERT_EQ(distribution.ndim(), static_cast<Index>(truth.axes.size()));
  ASSERT_EQ(distribution.processes(), truth.processes());
  List shape, grid;
  std::vector<List> names;  // every held index of an axis, and one that nobody holds
  for (const oracle::Axis& axis : truth.axes) {
    shape.push_back(axis.size());
    grid.push_back(axis.grid());
    std::set<Index> all = {100};
    for (const List& held : axis.held) all.insert(held.begin(), held.end());
    names.emplace_back(all.begin(), all.end());
  }
  ASSERT_EQ(distribution.shape(), shape);
  ASSERT_EQ(distribution.proc_grid_shape(), grid);

  std::map<List, List> owners;
  for (Index p = 0; p < truth.processes(); ++p) {
    ASSERT_EQ(distribution.coordinates(p), truth.coordinates(p));
    ASSERT_EQ(distribution.process(truth.coordinates(p)), p);
    ASSERT_EQ(distribution.local_shape(p), truth.local_shape(p));
    std::map<List, List> local_of[3];
    for (std::size_t k = 0; k < 3; ++k) {
      const auto elements = truth.elements(p, oracle::parts[k]);
      ASSERT_EQ(distribution.count(p, oracle::parts[k]), static_cast<Index>(elements.size()));
      for (const auto& [local, global] : elements) {
        local_of[k][global] = local;
        ASSERT_EQ(distribution.global_index(p, local), global);
        if (oracle::parts[k] == Part::owned) owners[global].push_back(p);
      }
      const std::vector<tridap::Range> box = distribution.part(p, oracle::parts[k]);
      for (std::size_t i = 0; i < box.size(); ++i) {
        const tridap::Range range = truth.axes[i].part(truth.coordinates(p)[i], oracle::parts[k]);
        ASSERT_EQ(box[i].size(), range.size());
        if (range.size() > 0) {
          ASSERT_EQ(box[i], range);
        }
      }
    }
    List extents;
    for (const List& of_axis : names) extents.push_back(static_cast<Index>(of_axis.size()));
    oracle::for_each_index(extents, [&](const List& at) {
      List global;
      for (std::size_t i = 0; i < at.size(); ++i) global.push_back(names[i][static_cast<std::size_t>(at[i])]);
      for (std::size_t k = 0; k < 3; ++k) {
        const auto found = local_of[k].find(global);
        ASSERT_EQ(distribution.local_index(p, global, oracle::parts[k]),
                  found == local_of[k].end() ? std::nullopt : std::optional<Indices>(found->second));
      }
      if (p + 1 < truth.processes()) return;  // now the table of owners is whole
      const List expected = owners.count(global) ? owners[global] : List{};
      ASSERT_EQ(distribution.owners(global), expected);
      ASSERT_EQ(distribution.owner(global), expected.empty() ? std::nullopt : std::optional(expected.front()));
    });
    tridap::Report report;
    const std::vector<tridap::Dimension> stamped = distribution.dim_data(p);
    ASSERT_EQ(stamped.size(), truth.axes.size());
    for (std::size_t i = 0; i < stamped.size(); ++i) {
      ASSERT_EQ(stamped[i].proc_grid_rank, truth.coordinates(p)[i]);
      ASSERT_EQ(tridap::check_dimension(stamped[i], 0, report), truth.local_shape(p)[i]);
    }
    ASSERT_EQ(report.text(), "");
  }
}

TEST(Distribution, ArrayWithoutAxesIsOneElementOnOneProcess) {
  const Distribution distribution(std::vector<tridap::Axis>{});
  EXPECT_EQ(distribution.processes(), 1);
  EXPECT_EQ(distribution.count(0), 1);
  EXPECT_EQ(distribution.owner({}), 0);
  EXPECT_EQ(distribution.local_index(0, {}), Indices{});
  expect_tables(oracle::Array({}));
}

TEST(Distribution, OneAndTwoAxesAnswerAsTheTableOfOwners) {
  const std::vector<oracle::Axis> axes = oracle::mixed_axes();
  for (const oracle::Axis& a : axes) {
    ASSERT_NO_FATAL_FAILURE(expect_tables(oracle::Array({a})));
    for (const oracle::Axis& b : axes) ASSERT_NO_FATAL_FAILURE(expect_tables(oracle::Array({a, b})));
  }
}

TEST(Distribution, ThreeAndFourAxesAnswerAsTheTableOfOwners) {
  const std::vector<oracle::Axis> axes = oracle::mixed_axes();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (std::size_t j = 0; j < axes.size(); ++j)
      ASSERT_NO_FATAL_FAILURE(expect_tables(oracle::Array({axes[i], axes[j], axes[(i + 2 * j + 1) % axes.size()]})));
    ASSERT_NO_FATAL_FAILURE(
        expect_tables(oracle::Array({axes[i], axes[(i + 1) % 8], axes[(i + 3) % 8], axes[(i + 6) % 8]})));
  }
}

TEST(Distribution, EveryGridUpToFiveByFiveIsRavelledRowMajor) {
  for (Index rows = 1; rows <= 5; ++rows)
    for (Index columns = 1; columns <= 5; ++columns)
      ASSERT_NO_FATAL_FAILURE(
          expect_tables(oracle::Array({oracle::cyclic(4, 1, rows), oracle::cyclic(3, 2, columns)})));
}

TEST(Distribution, WorkedExampleOfTheHeaderHolds) {
  const Distribution d = oracle::Array({oracle::block({2, 2}), oracle::cyclic(6, 1, 3)}).distribution();
  EXPECT_EQ(d.owner({3, 4}), 4);
  EXPECT_EQ(d.coordinates(4), (Indices{1, 1}));
  EXPECT_EQ(d.local_index(4, {3, 4}), (Indices{1, 1}));
  EXPECT_EQ(d.global_index(4, {1, 1}), (Indices{3, 4}));
}

// Tables 5 to 7 of the Parallel ESSL text: 16 x 30 in blocks of 3 x 4 over a 2 x 3 grid.
TEST(Distribution, ParallelEsslMatrixTablesHold) {
  const Distribution d = oracle::Array({oracle::cyclic(16, 3, 2), oracle::cyclic(30, 4, 3)}).distribution();
  const std::vector<List> processes = {{0, 1, 2, 0, 1, 2, 0, 1}, {3, 4, 5, 3, 4, 5, 3, 4}, {0, 1, 2, 0, 1, 2, 0, 1},
                                       {3, 4, 5, 3, 4, 5, 3, 4}, {0, 1, 2, 0, 1, 2, 0, 1}, {3, 4, 5, 3, 4, 5, 3, 4}};
  for (Index m = 0; m < 16; ++m)
    for (Index n = 0; n < 30; ++n)
      EXPECT_EQ(d.owner({m, n}), processes[static_cast<std::size_t>(m / 3)][static_cast<std::size_t>(n / 4)]);
  const List rows[2] = {{0, 1, 2, 6, 7, 8, 12, 13, 14}, {3, 4, 5, 9, 10, 11, 15}};
  const List columns[3] = {{0, 1, 2, 3, 12, 13, 14, 15, 24, 25, 26, 27},
                           {4, 5, 6, 7, 16, 17, 18, 19, 28, 29},
                           {8, 9, 10, 11, 20, 21, 22, 23}};
  for (Index p = 0; p < 6; ++p) {
    const List &here = rows[p / 3], &across = columns[p % 3];
    ASSERT_EQ(d.local_shape(p), (List{static_cast<Index>(here.size()), static_cast<Index>(across.size())}));
    for (Index i = 0; i < d.local_shape(p)[0]; ++i)
      for (Index j = 0; j < d.local_shape(p)[1]; ++j)
        EXPECT_EQ(d.global_index(p, {i, j}),
                  (Indices{here[static_cast<std::size_t>(i)], across[static_cast<std::size_t>(j)]}));
  }
}

TEST(Distribution, SharedIndicesOnTwoAxesHaveEveryPairOfOwners) {
  const oracle::Axis shared = oracle::unstructured({{4, 1}, {1, 9}, {1}});
  const Distribution d = oracle::Array({shared, shared}).distribution();
  EXPECT_EQ(d.owners({1, 1}), (List{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(d.owners({9, 1}), (List{3, 4, 5}));
  EXPECT_EQ(d.owners({1, 9}), (List{1, 4, 7}));
  EXPECT_EQ(d.owner({1, 9}), 1);
  EXPECT_EQ(d.owners({1, 2}), List{});
}

TEST(Distribution, EightAxesAreRavelledRowMajor) {
  const oracle::Array truth(std::vector<oracle::Axis>(8, oracle::block({1, 1})));
  const Distribution d = truth.distribution();
  ASSERT_EQ(d.processes(), 256);
  for (Index p = 0; p < 256; ++p) {
    EXPECT_EQ(d.coordinates(p), truth.coordinates(p));
    EXPECT_EQ(d.owner(truth.coordinates(p)), p);
    EXPECT_EQ(d.count(p), 1);
  }
}

TEST(Distribution, ProcessCountMustFit64Bits) {
  const tridap::Axis two(oracle::block({1, 1}).dims);
  EXPECT_EQ(Distribution(std::vector<tridap::Axis>(62, two)).processes(), Index{1} << 62);
  try {
    Distribution d(std::vector<tridap::Axis>(63, two));
    FAIL() << "accepted";
  } catch (const tridap::Error& error) {
    EXPECT_EQ(error.report().counts(), (oracle::Counts{{tridap::Rule::grid_product, 1}}));
  }
}

TEST(Distribution, AMillionCoordinatesWork) {
  const Index grid = 1000000;
  std::vector<tridap::Dimension> dims;
  dims.reserve(static_cast<std::size_t>(grid));
  for (Index c = 0; c < grid; ++c) {
    dims.push_back(oracle::dimension(2 * grid + 1, grid, c));
    dims.back().dist = tridap::Cyclic{c, 1};
  }
  const Distribution d({tridap::Axis(dims)});
  EXPECT_EQ(d.processes(), grid);
  EXPECT_EQ(d.count(0), 3);
  EXPECT_EQ(d.count(grid - 1), 2);
  EXPECT_EQ(d.owner({2 * grid - 1}), grid - 1);
  EXPECT_EQ(d.global_index(7, {1}), (Indices{grid + 7}));
}

TEST(Distribution, EmptyShareOfAHugeArrayCountsNothing) {
  const Index big = Index{1} << 40;
  const Distribution d =
      Distribution({tridap::Axis({tridap::undistributed(big)}), tridap::Axis({tridap::undistributed(big)}),
                    tridap::Axis(oracle::block({0, 1}).dims)});
  EXPECT_EQ(d.count(0), 0);
}

TEST(Distribution, CountThatDoesNotFit64BitsIsAnError) {
  const tridap::Axis big({tridap::undistributed(Index{1} << 40)});
  EXPECT_THROW(Distribution({big, big}).count(0), tridap::Error);
}

}  // namespace

TEST(Distribution, EightAxesOfEightKindsTogether) {
  const oracle::Array array(oracle::mixed_axes());
  const tridap::Distribution distribution = array.distribution();
  ASSERT_EQ(distribution.processes(), array.processes());
  for (oracle::Index p = 0; p < array.processes(); ++p) {
    const auto elements = array.elements(p, tridap::Part::owned);
    ASSERT_EQ(distribution.count(p), static_cast<oracle::Index>(elements.size()));
    for (const auto& element : elements) {
      ASSERT_EQ(distribution.global_index(p, element.local), element.global);
      ASSERT_EQ(distribution.local_index(p, element.global), element.local);
      const std::vector<oracle::Index> owners = distribution.owners(element.global);
      ASSERT_NE(std::find(owners.begin(), owners.end(), p), owners.end());
    }
  }
}
