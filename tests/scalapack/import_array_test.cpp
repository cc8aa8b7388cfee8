#include "support.hpp"

namespace {

using namespace scalapack_test;
using tridap::scalapack::Fit;
using tridap::scalapack::import_array;
using tridap::scalapack::ImportedMatrix;

struct Held {
  DistArray array;
  std::vector<double> memory;
};

// This process's part, whose values say where they stand. `more`: unused elements after each line.
Held part_of(const Distribution& whole, const ProcessGrid& grid, Order order, Index more) {
  Held held;
  if (!grid.place()) return held;
  const Index process = whole.process({(*grid.place())[0], (*grid.place())[1]});
  const auto shape = whole.local_shape(process);
  const Index line = (order == Order::column_major ? shape[0] : shape[1]) + more;
  held.memory.assign(static_cast<std::size_t>(line * (shape[0] + shape[1]) + 1), -1);
  held.array.version = "0.10.0";
  held.array.dim_data = whole.dim_data(process);
  auto& buffer = held.array.buffer;
  buffer = tridap::row_major(held.memory.data(), {shape[0], shape[1]});
  if (order == Order::column_major)
    buffer.strides = {8, 8 * line};
  else
    buffer.strides = {8 * line, 8};
  for (Index i = 0; i < shape[0]; ++i)
    for (Index j = 0; j < shape[1]; ++j) {
      const auto global = whole.global_index(process, {i, j});
      held.memory[static_cast<std::size_t>((i * buffer.strides[0] + j * buffer.strides[1]) / 8)] =
          value(global[0], global[1]);
    }
  return held;
}

tridap::AxisSpec some_axis(Random& random) {
  const int kind = pick(random, 3);
  if (kind == 0) return tridap::block();
  return tridap::cyclic(1 + pick(random, 5));
}

// ScaLAPACK reads the elements through the descriptor.
void expect_elements(const ImportedMatrix& made, const Distribution& whole) {
  if (made.desc[1] < 0) return;
  const Index m = whole.axis(0).size(), n = whole.axis(1).size();
  ASSERT_EQ(made.desc[2], made.transposed ? n : m);
  ASSERT_EQ(made.desc[3], made.transposed ? m : n);
  for (int trial = 0; trial < 12 && m * n > 0; ++trial) {
    const int i = static_cast<int>(1 + (7 * trial) % m), j = static_cast<int>(1 + (5 * trial) % n);
    double read = 0;
    pdelget_("A", " ", &read, static_cast<const double*>(made.data), made.transposed ? &j : &i,
             made.transposed ? &i : &j, made.desc.data());
    EXPECT_EQ(read, value(i - 1, j - 1));
  }
}

TEST(ScalapackImport, OfRandomArraysIsTheirMemory) {
  Random random(5);
  for (int round = 0; round < effort::of(200, 40); ++round) {
    const ProcessGrid grid = some_grid(random);
    const auto whole = Distribution::make({pick(random, 20), pick(random, 20)}, {some_axis(random), some_axis(random)},
                                          {grid.nprow(), grid.npcol()});
    const Order order = pick(random, 2) == 0 ? Order::row_major : Order::column_major;
    const Held held = part_of(whole, grid, order, pick(random, 3));
    const ImportedMatrix made = import_array(held.array, grid);
    EXPECT_EQ(made.receipt.bytes_copied, 0);
    EXPECT_EQ(made.data, held.array.buffer.data);
    expect_elements(made, whole);
  }
}

TEST(ScalapackImport, MovesOtherArraysToTheNearestDistribution) {
  Random random(6);
  for (int round = 0; round < effort::of(60, 12); ++round) {
    const ProcessGrid grid = some_grid(random);
    std::vector<Index> starts{0};
    for (Index c = 1; c < grid.nprow(); ++c) starts.push_back(starts.back() + pick(random, 4));
    std::vector<std::vector<Index>> lists(static_cast<std::size_t>(grid.npcol()));
    for (Index j = 0; j < 11; ++j)
      lists[static_cast<std::size_t>(pick(random, static_cast<int>(grid.npcol())))].push_back(10 - j);
    const bool listed = pick(random, 2) == 0;
    const auto whole =
        Distribution::make({starts.back() + 3, 11},
                           {tridap::block_at(starts), listed ? tridap::AxisSpec(tridap::unstructured(lists))
                                                             : tridap::AxisSpec(tridap::padded_block(0))},
                           {grid.nprow(), grid.npcol()});
    const Held held = part_of(whole, grid, Order::row_major, 0);
    const ImportedMatrix made = import_array(held.array, grid, Fit::nearest);
    EXPECT_EQ(made.transposed && !made.receipt.shared, false);
    expect_elements(made, whole);
  }
}

TEST(ScalapackImport, NamesTheNearestDistribution) {
  const Index all = processes();
  const ProcessGrid grid(MPI_COMM_WORLD, all, 1);
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(all));
  for (Index i = 0; i < 3 * all; ++i) lists[static_cast<std::size_t>((i * 2) % all)].push_back(i);
  const auto whole = Distribution::make({3 * all, 2}, {tridap::unstructured(lists), tridap::whole()}, {all, 1});
  const Held held = part_of(whole, grid, Order::column_major, 0);
  const std::string said = thrown([&] { import_array(held.array, grid); });
  EXPECT_TRUE(same_everywhere(said));
  on::expect_says(said, "unstructured axis is not in blocks");
  on::expect_says(said, "Fit::nearest");
  EXPECT_TRUE(tridap::scalapack::refusal(whole));
  EXPECT_FALSE(tridap::scalapack::refusal(tridap::scalapack::nearest(whole)));
  const auto padded = Distribution::make({8 * all, 2}, {tridap::padded_block(1), tridap::whole()}, {all, 1});
  EXPECT_TRUE(tridap::scalapack::refusal(padded));
}

TEST(ScalapackImport, RefusesWhatOneProcessAloneHasOnAll) {
  const Index all = processes();
  const ProcessGrid grid(MPI_COMM_WORLD, 1, all);
  const auto whole = Distribution::make({5, 3 * all}, {tridap::whole(), tridap::cyclic(3)}, {1, all});
  const Held held = part_of(whole, grid, Order::column_major, 0);
  const auto said = [&](const auto& spoil) {
    DistArray array = held.array;
    if (rank_here() == all - 1) spoil(array);
    const std::string text = thrown([&] { import_array(array, grid); });
    EXPECT_TRUE(same_everywhere(text)) << text;
    return text;
  };
  EXPECT_NE(said([](DistArray& a) { a.buffer.read_only = true; }).find("read-only"), std::string::npos);
  EXPECT_NE(said([](DistArray& a) { a.buffer.type = tridap::element_type<std::int64_t>(); }).find("int64"),
            std::string::npos);
  EXPECT_NE(said([](DistArray& a) { a.buffer.memory.kind = tridap::Memory::Kind::cuda; }).find("cuda"),
            std::string::npos);
  EXPECT_NE(said([](DistArray& a) { a.dim_data[1].size = -5; }), "");
  EXPECT_NE(said([](DistArray& a) { a = {}; }), "");
  EXPECT_NE(said([](DistArray& a) {
              a.buffer.strides = {-8, 40};
            }).find("neither column-major nor row-major"),
            std::string::npos);
  if (all > 1) {
    EXPECT_NE(said([](DistArray& a) { a.dim_data[1].proc_grid_rank = 0; }).find("must be the same"), std::string::npos);
  }
}

TEST(ScalapackImport, RefusesColumnsThatOverlap) {
  const ProcessGrid grid(MPI_COMM_WORLD, 1, processes());
  const auto whole = Distribution::make({5, 3 * processes()}, {tridap::whole(), tridap::cyclic(3)}, {1, processes()});
  const Held held = part_of(whole, grid, Order::column_major, 0);
  DistArray array = held.array;
  array.buffer.strides = {8, 16};
  on::expect_says(thrown([&] { import_array(array, grid); }), "neither column-major nor row-major");
}

TEST(ScalapackImport, OfADescriptorThatScalapackMadeIsTheSame) {
  Random random(7);
  for (int round = 0; round < effort::of(50, 10); ++round) {
    const ProcessGrid grid = some_grid(random);
    const int m = 1 + pick(random, 20), n = 1 + pick(random, 20), mb = 1 + pick(random, 6), nb = 1 + pick(random, 6);
    const int rsrc = pick(random, static_cast<int>(grid.nprow())), csrc = pick(random, static_cast<int>(grid.npcol()));
    const int lld = 30, context = grid.context();
    int info = 0;
    Desc desc{1, -1, m, n, mb, nb, rsrc, csrc, lld};
    if (grid.place()) descinit_(desc.data(), &m, &n, &mb, &nb, &rsrc, &csrc, &context, &lld, &info);
    EXPECT_EQ(info, 0);
    std::vector<double> memory(30 * 30);
    const auto exported = tridap::scalapack::export_array(desc, memory.data(), grid);
    const ImportedMatrix made = import_array(exported.array, grid);
    if (!grid.place()) continue;
    if (made.transposed) continue;  // one column on every process is a row of the transpose, too
    for (std::size_t entry : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U})
      EXPECT_EQ(made.desc[entry], desc[entry]) << entry << " of " << m << " x " << n;
    const auto& shape = exported.array.buffer.shape;
    EXPECT_EQ(made.desc[8], shape[0] > 0 && shape[1] > 1 ? lld : std::max<Index>(shape[0], 1));
  }
}

TEST(ScalapackImport, TheReceiptOfAMoveCountsTheBytesOfThisProcess) {
  const Index all = processes();
  const ProcessGrid grid(MPI_COMM_WORLD, all, 1);
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(all));
  for (Index i = 0; i < 3 * all; ++i) lists[static_cast<std::size_t>(i % all)].push_back(3 * all - 1 - i);
  const auto whole = Distribution::make({3 * all, 2}, {tridap::unstructured(lists), tridap::whole()}, {all, 1});
  const Held held = part_of(whole, grid, Order::column_major, 0);
  const ImportedMatrix made = import_array(held.array, grid, Fit::nearest);
  EXPECT_FALSE(made.receipt.shared);
  EXPECT_EQ(made.receipt.bytes_copied, static_cast<Index>(3 * 2 * sizeof(double)));
}

}  // namespace
