#include "support.hpp"
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/redistribute/redistribution.hpp>

namespace {

using namespace scalapack_test;

struct Case {
  Desc desc{};
  std::vector<double> memory;
};

Case some_matrix(Random& random, const ProcessGrid& grid) {
  const int m = pick(random, 20), n = pick(random, 20), mb = 1 + pick(random, 6), nb = 1 + pick(random, 6);
  const int nprow = static_cast<int>(grid.nprow()), npcol = static_cast<int>(grid.npcol());
  const int rsrc = pick(random, nprow), csrc = pick(random, npcol), more = pick(random, 3);
  Case made;
  made.desc = {1, grid.context(), m, n, mb, nb, rsrc, csrc, 1};
  if (!grid.place()) return made;
  const int myrow = static_cast<int>((*grid.place())[0]), mycol = static_cast<int>((*grid.place())[1]);
  const int lld = std::max(1, numroc_(&m, &mb, &myrow, &rsrc, &nprow)) + more;
  made.desc[8] = lld;
  made.memory.assign(static_cast<std::size_t>(lld * numroc_(&n, &nb, &mycol, &csrc, &npcol) + 1), -1);
  return made;
}

TEST(ScalapackExport, HasTheOwnersAndLocalIndicesOfScalapack) {
  Random random(3);
  for (int round = 0; round < effort::of(300, 60); ++round) {
    const ProcessGrid grid = some_grid(random);
    const Case a = some_matrix(random, grid);
    const auto placed = tridap::scalapack::placed(a.desc, grid);
    const int nprow = static_cast<int>(grid.nprow()), npcol = static_cast<int>(grid.npcol()), unused = 0;
    for (int i = 1; i <= a.desc[2]; ++i)
      for (int j = 1; j <= a.desc[3]; ++j) {
        const int row = indxg2p_(&i, &a.desc[4], &unused, &a.desc[6], &nprow);
        const int col = indxg2p_(&j, &a.desc[5], &unused, &a.desc[7], &npcol);
        const Index process = *placed.distribution().owner({i - 1, j - 1});
        ASSERT_EQ(placed.rank(process), grid.ranks()[static_cast<std::size_t>(row * npcol + col)]);
        const auto local = *placed.distribution().local_index(process, {i - 1, j - 1});
        ASSERT_EQ(local[0], indxg2l_(&i, &a.desc[4], &unused, &unused, &nprow) - 1);
        ASSERT_EQ(local[1], indxg2l_(&j, &a.desc[5], &unused, &unused, &npcol) - 1);
      }
  }
}

TEST(ScalapackExport, IsTheMemoryThatScalapackReads) {
  Random random(4);
  for (int round = 0; round < effort::of(100, 20); ++round) {
    const ProcessGrid grid = some_grid(random);
    Case a = some_matrix(random, grid);
    const auto exported = tridap::scalapack::export_array(a.desc, a.memory.data(), grid);
    EXPECT_EQ(exported.receipt.bytes_copied, 0);
    if (!grid.place()) {
      EXPECT_EQ(exported.array.ndim(), 0);
      continue;
    }
    EXPECT_EQ(exported.array.buffer.data, a.memory.data());
    const auto whole = tridap::mpi::gather_distribution(exported.array, grid.row_major_comm());
    const Index process = whole.process({(*grid.place())[0], (*grid.place())[1]});
    const auto& buffer = exported.array.buffer;
    for (Index i = 0; i < buffer.shape[0]; ++i)
      for (Index j = 0; j < buffer.shape[1]; ++j) {
        const auto global = whole.global_index(process, {i, j});
        auto* const element = static_cast<char*>(buffer.data) + i * buffer.strides[0] + j * buffer.strides[1];
        *reinterpret_cast<double*>(element) = value(global[0], global[1]);
      }
    for (int trial = 0; trial < 10 && a.desc[2] > 0 && a.desc[3] > 0; ++trial) {
      const int i = 1 + (7 * trial) % a.desc[2], j = 1 + (5 * trial) % a.desc[3];
      double read = 0;
      pdelget_("A", " ", &read, a.memory.data(), &i, &j, a.desc.data());
      EXPECT_EQ(read, value(i - 1, j - 1));
    }
  }
}

// Our engine and ScaLAPACK's PDGEMR2D move one matrix to another distribution on the same grid.
TEST(ScalapackExport, MovesAsScalapackMoves) {
  Random random(8);
  for (int round = 0; round < effort::of(60, 12); ++round) {
    const ProcessGrid grid = some_grid(random);
    const Case a = some_matrix(random, grid);
    Case b = some_matrix(random, grid);
    while (b.desc[2] != a.desc[2] || b.desc[3] != a.desc[3]) b = some_matrix(random, grid);
    Case expected = b, source = a;
    for (std::size_t k = 0; k < source.memory.size(); ++k)
      source.memory[k] = 100.0 * static_cast<double>(rank_here()) + static_cast<double>(k);
    tridap::redistribute::Redistribution plan(tridap::scalapack::placed(a.desc, grid),
                                              tridap::scalapack::placed(b.desc, grid), 8, MPI_COMM_WORLD);
    plan(tridap::scalapack::export_array(source.desc, source.memory.data(), grid).array,
         tridap::scalapack::export_array(b.desc, b.memory.data(), grid).array);
    const int one = 1;
    if (grid.place() && a.desc[2] > 0 && a.desc[3] > 0)
      pdgemr2d_(&a.desc[2], &a.desc[3], source.memory.data(), &one, &one, source.desc.data(), expected.memory.data(),
                &one, &one, expected.desc.data(), &a.desc[1]);
    EXPECT_EQ(b.memory, expected.memory);
  }
}

TEST(ScalapackExport, KeepsAnOwner) {
  const ProcessGrid grid(MPI_COMM_WORLD, 1, processes());
  auto memory = std::make_shared<std::vector<double>>(100);
  const Desc desc{1, grid.context(), 4, 4, 2, 2, 0, 0, 4};
  const auto exported = tridap::scalapack::export_array(desc, memory->data(), grid, memory);
  EXPECT_EQ(memory.use_count(), 2);
  EXPECT_EQ(exported.array.buffer.type, tridap::element_type<double>());
}

TEST(ScalapackExport, RefusesAWrongDescriptorByTheNameOfItsEntry) {
  const ProcessGrid grid(MPI_COMM_WORLD, 1, processes());
  std::vector<double> memory(100);
  const Desc right{1, grid.context(), 8, static_cast<int>(2 * processes()), 2, 2, 0, 0, 8};
  const auto said = [&](std::size_t entry, int wrong) {
    Desc desc = right;
    desc[entry] = wrong;
    return thrown([&] { tridap::scalapack::export_array(desc, memory.data(), grid); });
  };
  on::expect_says(said(0, 501), "DTYPE_");
  on::expect_says(said(1, grid.context() + 17), "CTXT_");
  on::expect_says(said(8, 7), "LLD_");
  on::expect_says(said(8, 7), "which is 8");
  for (const auto& [entry, wrong] :
       {std::pair<std::size_t, int>{2, -1}, {3, -1}, {4, 0}, {5, -2}, {6, 1}, {7, static_cast<int>(processes())}})
    EXPECT_NE(said(entry, wrong), "") << entry;
  on::expect_says(thrown([&] { tridap::scalapack::export_array<double>(right, nullptr, grid); }), "null");
}

TEST(ScalapackExport, SaysWhatElpaNeeds) {
  EXPECT_TRUE(tridap::scalapack::is_elpa_ready({1, 0, 9, 9, 3, 3, 0, 0, 9}));
  EXPECT_FALSE(tridap::scalapack::is_elpa_ready({1, 0, 9, 9, 3, 2, 0, 0, 9}));
  EXPECT_FALSE(tridap::scalapack::is_elpa_ready({1, 0, 9, 9, 3, 3, 1, 0, 9}));
  EXPECT_FALSE(tridap::scalapack::is_elpa_ready({1, 0, 9, 9, 3, 3, 0, 1, 9}));
}

TEST(ScalapackExport, RefusesAContextOnAProcessThatIsNotInTheGrid) {
  if (processes() == 1) GTEST_SKIP() << "one process is in every grid";
  const ProcessGrid grid(MPI_COMM_WORLD, 1, 1);
  const bool inside = grid.place().has_value();
  double memory[4] = {};
  Desc desc{1, grid.context(), 2, 2, 2, 2, 0, 0, 2};
  EXPECT_NO_THROW(tridap::scalapack::export_array(desc, memory, grid));
  if (!inside) {
    desc[1] = 0;  // a context that this process may have in another grid
    const std::string said = thrown([&] { tridap::scalapack::export_array(desc, memory, grid); });
    on::expect_says(said, "'CTXT_' is 0");
  }
}

}  // namespace
