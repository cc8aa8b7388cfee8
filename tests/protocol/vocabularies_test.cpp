#include "support/expect_mapping.hpp"

#include <gtest/gtest.h>

namespace {

using namespace oracle;

TEST(Hpf, BlockCyclicAndStarGoWhereTheTableSays) {
  sweep([](Index size, Index grid) {
    const Index fair = std::max<Index>(ceiling(size, grid), 1);
    const auto block = [](Index length) { return [=](Index m) { return Location{m / length, m % length}; }; };
    expect_mapping(tridap::hpf::block(from(1, size), grid), 1, 'b', size, grid, block(fair));
    for (Index length = fair; length <= fair + 3; ++length)
      expect_mapping(tridap::hpf::block_of(from(-3, size), grid, length), -3, 'b', size, grid, block(length));
    for (Index k = 1; k <= 5; ++k)
      expect_mapping(tridap::hpf::cyclic(from(0, size), grid, k), 0, 'c', size, grid, [&](Index m) {
        return Location{m % (k * grid) / k, m / (k * grid) * k + m % k};
      });
    expect_mapping(tridap::hpf::cyclic(from(0, size), grid), 0, 'c', size, grid, [&](Index m) {
      return Location{m % grid, m / grid};
    });
    expect_mapping(tridap::hpf::collapsed(from(7, size)), 7, 'b', size, 1, [](Index m) { return Location{0, m}; });
  });
}

TEST(Hpf, AlignedArraysGoWhereTheirTemplateIs) {
  sweep([](Index size, Index grid) {
    for (Index offset = 0; offset <= 7; ++offset)
      for (Index after : {0, 3}) {
        const Index whole = offset + size + after, fair = std::max<Index>(ceiling(whole, grid), 1);
        for (Index length : {Index{0}, fair, fair + 2}) {
          const Index l = length == 0 ? fair : length;
          const auto made = tridap::hpf::align_block(
              from(1, size), offset, {whole, grid, length == 0 ? std::nullopt : std::optional<Index>(length)});
          EXPECT_EQ(made.losses, Words{});
          ASSERT_NO_FATAL_FAILURE(
              expect_mapping(made, 1, 'b', size, grid, by_owner([=](Index m) { return (offset + m) / l; })));
        }
        for (Index k = 1; k <= 5; ++k) {
          const auto made = tridap::hpf::align_cyclic(from(1, size), offset, {whole, grid, k});
          // Lists only where no cyclic axis of whole blocks is the same.
          const bool one_block = size == 0 || offset / k == (offset + size - 1) / k;
          const bool listed = offset % k != 0 && grid > 1 && !one_block;
          const std::string loss = "axis 0 begins " + std::to_string(offset % k) + " elements into a block of " +
                                   std::to_string(k) + ", so its indices are written out as lists";
          EXPECT_EQ(made.losses, listed ? Words{loss} : Words{});
          ASSERT_NO_FATAL_FAILURE(expect_mapping(made, 1, listed ? 'u' : 'c', size, grid,
                                                 by_owner([=](Index m) { return (offset + m) / k % grid; })));
        }
      }
  });
  EXPECT_EQ(tridap::hpf::align_cyclic(from(0, 5), 3, {8, 2, {}}).axis.owner(0), 1);  // CYCLIC is CYCLIC(1)
  const auto listed = tridap::hpf::align_cyclic(from(0, 7), 3, {10, 2, 2});
  EXPECT_TRUE(std::get<tridap::Unstructured>(listed.axis.dimension(0).dist).one_to_one);
}

TEST(Hpf, AlignExampleOfTheScalapackTextIsItsRotation) {
  sweep([](Index n, Index p) {
    for (Index nb = 1; nb <= 5; ++nb)
      for (Index src = 0; src < p; ++src) {
        const auto made = tridap::hpf::align_cyclic(from(1, n), src * nb, {n + p * nb, p, nb});
        EXPECT_EQ(made.losses, Words{});
        ASSERT_NO_FATAL_FAILURE(
            expect_mapping(made, 1, 'c', n, p, by_owner([=](Index m) { return (src + m / nb) % p; })));
      }
  });
}

TEST(Hpf, RefusesWhatDoesNotFit) {
  const IndexBounds ten = from(1, 10);
  expect_refused([&] { tridap::hpf::block_of(ten, 3, 3, 4); }, Rule::block_tiling, 4, "'n' is 3, must be at least 4");
  expect_refused([&] { tridap::hpf::block_of(ten, 3, 0, 4); }, Rule::block_tiling, 4, "'n' is 0, must be at least 1");
  expect_refused([&] { tridap::hpf::block(ten, 0, 2); }, Rule::grid_size, 2, "'proc_grid_size' is 0");
  expect_refused([&] { tridap::hpf::cyclic(ten, -1, 1, 2); }, Rule::grid_size, 2, "'proc_grid_size' is -1");
  expect_refused([&] { tridap::hpf::cyclic(ten, 2, 0, 2); }, Rule::cyclic_block_size, 2, "'block_size' is 0");
  expect_refused([&] { tridap::hpf::collapsed({lowest, 0}, 1); }, Rule::conversion, 1, "'high' is 0");
  for (const auto& align : {tridap::hpf::align_block, tridap::hpf::align_cyclic}) {
    expect_refused(
        [&] {
          align(ten, 3, {12, 2, 8}, 1);
        },
        Rule::conversion, 1, "'offset' is 3, but the array's size 10");
    expect_refused([&] { align(ten, -1, {12, 2, 8}, 1); }, Rule::conversion, 1, "'offset' is -1");
    expect_refused([&] { align(ten, highest, {highest, 2, huge}, 1); }, Rule::conversion, 1, "'offset'");
    expect_refused([&] { align(from(0, 0), 0, {-1, 2, {}}, 1); }, Rule::size, 1, "'template size' is -1");
    expect_refused([&] { align(ten, 0, {10, 0, {}}, 1); }, Rule::grid_size, 1, "'proc_grid_size' is 0");
  }
  expect_refused([&] { tridap::hpf::align_block(ten, 1, {12, 2, 5}, 1); }, Rule::block_tiling, 1, "'length' is 5");
  expect_refused(
      [&] {
        tridap::hpf::align_cyclic(ten, 1, {12, 2, 0}, 1);
      },
      Rule::cyclic_block_size, 1, "'length' is 0");
}

TEST(Scalapack, LocCountsWhatDealingGives) {
  sweep([](Index n, Index nprocs) {
    for (Index nb = 1; nb <= 5; ++nb)
      for (Index src = 0; src < nprocs; ++src) {
        List counts(static_cast<std::size_t>(nprocs), 0);
        for (Index m = 0; m < n; ++m) ++counts[static_cast<std::size_t>((src + m / nb) % nprocs)];
        for (Index p = 0; p < nprocs; ++p)
          ASSERT_EQ(tridap::scalapack::loc(n, nb, p, src, nprocs), counts[static_cast<std::size_t>(p)]);
        ASSERT_NO_FATAL_FAILURE(expect_mapping(tridap::scalapack::block_cyclic(n, nb, nprocs, src), 1, 'c', n, nprocs,
                                               by_owner([=](Index m) { return (src + m / nb) % nprocs; })));
        if (nb * nprocs < n) {
          expect_refused([&] { tridap::scalapack::block(n, nb, nprocs, src, 3); }, Rule::block_tiling, 3, "'nb' is ");
          continue;
        }
        ASSERT_NO_FATAL_FAILURE(expect_mapping(
            tridap::scalapack::block(n, nb, nprocs, src), 1, src == 0 ? 'b' : 'c', n, nprocs,
            by_owner([=](Index m) { return src + m / nb < nprocs ? src + m / nb : src + m / nb - nprocs; })));
      }
  });
  EXPECT_EQ(tridap::scalapack::loc(highest, 1, 0, 1, 2), highest / 2);
  EXPECT_EQ(tridap::scalapack::loc(highest, huge, 1, 2, 3), 0);
}

TEST(Scalapack, MatricesNameTheirProcessesInTheOrderOfTheirGrid) {
  for (Index rows = 1; rows <= 4; ++rows)
    for (Index columns = 1; columns <= 4; ++columns)
      for (const Order order : {Order::row_major, Order::column_major})
        for (const auto& [m, n] : {std::pair<Index, Index>{9, 11}, {4, 1}, {0, 3}}) {
          const Translation made =
              tridap::scalapack::matrix({m, n, 2, 3, rows - 1, columns / 2, {}}, {rows, columns, order});
          std::vector<List> at;  // by the number that BLACS gives
          if (order == Order::row_major)
            for (Index r = 0; r < rows; ++r)
              for (Index c = 0; c < columns; ++c) at.push_back({r, c});
          else
            for (Index c = 0; c < columns; ++c)
              for (Index r = 0; r < rows; ++r) at.push_back({r, c});
          bool same = true;
          for (Index foreign = 0; foreign < rows * columns; ++foreign) {
            const List& place = at[static_cast<std::size_t>(foreign)];
            const Index ours = made.process(foreign);
            ASSERT_EQ(made.distribution.coordinates(ours), place);
            ASSERT_EQ(made.foreign_process(ours), foreign);
            same &= ours == foreign;
          }
          Words losses = {"axis 0 begins at index 1 there, and at 0 here",
                          "axis 1 begins at index 1 there, and at 0 here"};
          if (!same) losses.emplace_back("processes are numbered column-major there, and row-major here");
          EXPECT_EQ(made.same_processes(), same);
          EXPECT_EQ(made.losses, losses);
          EXPECT_EQ(made.index_base, (List{1, 1}));
          EXPECT_EQ(made.storage_order, Order::column_major);
          EXPECT_FALSE(made.leading_dimension);
          for (Index i = 0; i < m; ++i)
            for (Index j = 0; j < n; ++j)
              ASSERT_EQ(made.distribution.coordinates(*made.distribution.owner({i, j})),
                        (List{(rows - 1 + i / 2) % rows, (columns / 2 + j / 3) % columns}));
        }
}

TEST(Scalapack, WorkedExampleOfTheHeaderHolds) {
  const Translation made = tridap::scalapack::matrix({5, 5, 2, 2, 0, 0, {}}, {2, 3, Order::column_major});
  EXPECT_EQ(made.distribution.coordinates(1), (List{0, 1}));
  EXPECT_EQ(made.foreign_process(1), 2);
  EXPECT_EQ(made.losses.size(), std::size_t{3});
}

TEST(Scalapack, LeadingDimensionIsAtLeastTheLocalRowsOfEveryProcess) {
  for (Index m = 0; m <= 12; ++m)
    for (Index rows = 1; rows <= 3; ++rows)
      for (Index rsrc = 0; rsrc < rows; ++rsrc) {
        Index most = 1;
        for (Index r = 0; r < rows; ++r) {
          Index held = 0;
          for (Index i = 0; i < m; ++i) held += (rsrc + i / 2) % rows == r ? 1 : 0;
          EXPECT_EQ(tridap::scalapack::least_lld({m, 5, 2, 2, rsrc, 0, {}}, rows, r), std::max<Index>(held, 1));
          most = std::max(most, held);
        }
        const auto with = [&](Index lld) { return tridap::scalapack::matrix({m, 5, 2, 2, rsrc, 0, lld}, {rows, 1}); };
        EXPECT_EQ(with(most).leading_dimension, most);
        EXPECT_EQ(with(most + 5).strides(0), (List{1, most + 5}));
        EXPECT_EQ(with(most + 5).leading_dimension, most + 5);
        expect_refused([&] { with(most - 1); }, Rule::shape_extent, 0,
                       "'LLD' is " + std::to_string(most - 1) + ", must be at least " + std::to_string(most));
      }
}

TEST(Scalapack, RefusesWhatADescriptorCannotSay) {
  const auto refused = [](const tridap::scalapack::Descriptor& d, tridap::scalapack::Grid grid, Rule rule, Index axis,
                          const std::string& words) {
    expect_refused([&] { tridap::scalapack::matrix(d, grid); }, rule, axis, words);
  };
  refused({-1, 5, 2, 2, 0, 0, {}}, {2, 3}, Rule::size, 0, "'M' is -1");
  refused({5, -1, 2, 2, 0, 0, {}}, {2, 3}, Rule::size, 1, "'N' is -1");
  refused({5, 5, 0, 2, 0, 0, {}}, {2, 3}, Rule::cyclic_block_size, 0, "'MB' is 0");
  refused({5, 5, 2, 0, 0, 0, {}}, {2, 3}, Rule::cyclic_block_size, 1, "'NB' is 0");
  refused({5, 5, 2, 2, 2, 0, {}}, {2, 3}, Rule::cyclic_start, 0, "'RSRC' is 2");
  refused({5, 5, 2, 2, 0, -1, {}}, {2, 3}, Rule::cyclic_start, 1, "'CSRC' is -1");
  refused({5, 5, 2, 2, 0, 0, {}}, {0, 3}, Rule::grid_size, 0, "'NPROW' is 0");
  refused({5, 5, 2, 2, 0, 0, {}}, {2, 0}, Rule::grid_size, 1, "'NPCOL' is 0");
  expect_refused(
      [] {
        tridap::scalapack::matrix({5, 5, 0, 0, 0, 0, {}}, {2, 3});
      },
      Rule::cyclic_block_size, 0, "'NB'", 2);
  expect_refused([] { tridap::scalapack::loc(5, 2, 3, 0, 3); }, Rule::cyclic_start, 0, "'iproc' is 3");
  expect_refused([] { tridap::scalapack::loc(5, 0, 0, 0, 3); }, Rule::cyclic_block_size, 0, "'nb' is 0");
  expect_refused([] { tridap::scalapack::block_cyclic(5, 2, 3, 3, 1); }, Rule::cyclic_start, 1, "'src' is 3");
  expect_refused([] { tridap::scalapack::block(5, 2, 3, 3, 1); }, Rule::cyclic_start, 1, "'src' is 3");
}

// Tables 1 to 4 of the Parallel ESSL text: 23 elements over 3 processes.
TEST(Essl, VectorTablesHold) {
  const auto expect = [](const TranslatedAxis& made, const List& p, const List& i) {
    EXPECT_EQ(made.losses, Words{});
    EXPECT_EQ(tridap::translation({made}).losses, Words{});
    expect_mapping(made.axis, 23, 3, [&](Index m) {
      return Location{p[static_cast<std::size_t>(m)], i[static_cast<std::size_t>(m)]};
    });
  };
  expect(tridap::essl::block(23, 3), {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2},
         {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6});
  expect(tridap::essl::cyclic(23, 3), {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1},
         {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7});
  const List b = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3},
             i = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0};
  List place;  // table 3 numbers the place within a block
  for (std::size_t m = 0; m < 23; ++m) place.push_back(b[m] * 2 + i[m]);
  const auto dealt = tridap::essl::block_cyclic(23, 2, 3);
  expect(dealt, {0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2}, place);
  const std::vector<List> inverse = {
      {0, 1, 6, 7, 12, 13, 18, 19}, {2, 3, 8, 9, 14, 15, 20, 21}, {4, 5, 10, 11, 16, 17, 22}};
  for (Index c = 0; c < 3; ++c) {
    List held;
    dealt.axis.for_each(c, tridap::Part::local, [&](Index, Index global) { held.push_back(global); });
    EXPECT_EQ(held, inverse[static_cast<std::size_t>(c)]);
  }
}

// Tables 5 to 7: 16 x 30 in blocks of 3 x 4 over a 2 x 3 grid; each process's blocks in the order of its memory.
TEST(Essl, MatrixTablesHold) {
  const Translation made = tridap::essl::matrix(16, 30, 3, 4, 2, 3);
  EXPECT_EQ(made.losses, Words{});
  EXPECT_TRUE(made.same_processes());
  EXPECT_EQ(made.storage_order, Order::column_major);
  const std::vector<std::string> table5 = {"P00 P01 P02 P00 P01 P02 P00 P01", "P10 P11 P12 P10 P11 P12 P10 P11",
                                           "P00 P01 P02 P00 P01 P02 P00 P01", "P10 P11 P12 P10 P11 P12 P10 P11",
                                           "P00 P01 P02 P00 P01 P02 P00 P01", "P10 P11 P12 P10 P11 P12 P10 P11"};
  for (Index i = 0; i < 16; ++i)
    for (Index j = 0; j < 30; ++j) {
      const std::string cell = table5[static_cast<std::size_t>(i / 3)].substr(static_cast<std::size_t>(j / 4) * 4, 3);
      EXPECT_EQ(made.distribution.coordinates(*made.distribution.owner({i, j})), (List{cell[1] - '0', cell[2] - '0'}));
    }
  const std::vector<List> table6_rows = {{0, 2, 4}, {1, 3, 5}}, table6_columns = {{0, 3, 6}, {1, 4, 7}, {2, 5}};
  const std::vector<List> table7_rows = {{0, 1, 2, 6, 7, 8, 12, 13, 14}, {3, 4, 5, 9, 10, 11, 15}};
  const std::vector<List> table7_columns = {{0, 1, 2, 3, 12, 13, 14, 15, 24, 25, 26, 27},
                                            {4, 5, 6, 7, 16, 17, 18, 19, 28, 29},
                                            {8, 9, 10, 11, 20, 21, 22, 23}};
  const auto expect = [](const tridap::Axis& axis, Index block, const std::vector<List>& blocks,
                         const std::vector<List>& elements) {
    for (Index c = 0; c < axis.proc_grid_size(); ++c) {
      List held, in_blocks;
      axis.for_each(c, tridap::Part::local, [&](Index, Index global) {
        held.push_back(global);
        if (in_blocks.empty() || in_blocks.back() != global / block) in_blocks.push_back(global / block);
      });
      EXPECT_EQ(held, elements[static_cast<std::size_t>(c)]);
      EXPECT_EQ(in_blocks, blocks[static_cast<std::size_t>(c)]);
    }
  };
  expect(made.distribution.axis(0), 3, table6_rows, table7_rows);
  expect(made.distribution.axis(1), 4, table6_columns, table7_columns);
}

TEST(Essl, AxesGoWhereTheTableSaysAndRefuseTheRest) {
  sweep([](Index size, Index grid) {
    const Index length = std::max<Index>(ceiling(size, grid), 1);
    expect_mapping(tridap::essl::block(size, grid), 0, 'b', size, grid, [&](Index m) {
      return Location{m / length, m % length};
    });
    expect_mapping(tridap::essl::cyclic(size, grid), 0, 'c', size, grid, [&](Index m) {
      return Location{m % grid, m / grid};
    });
    for (Index r = 1; r <= 5; ++r)
      expect_mapping(tridap::essl::block_cyclic(size, r, grid), 0, 'c', size, grid, [&](Index m) {
        const Index t = r * grid;
        return Location{m % t / r, m / t * r + m % r};
      });
  });
  expect_refused([] { tridap::essl::block(-1, 3, 1); }, Rule::size, 1, "'size' is -1");
  expect_refused([] { tridap::essl::block(9, 0, 1); }, Rule::grid_size, 1, "is 0");
  expect_refused([] { tridap::essl::block_cyclic(9, 0, 3, 1); }, Rule::cyclic_block_size, 1, "'block_size' is 0");
  expect_refused([] { tridap::essl::matrix(9, 9, 3, 0, 2, 2); }, Rule::cyclic_block_size, 1, "'block_size' is 0");
}

}  // namespace
