// Arrays whose blocks are dealt round-robin: ScaLAPACK's, tiled, and without a grid.

#include "export_support.hpp"

namespace ga = tridap::globalarrays;
using namespace export_test;

namespace {

enum class How { grid, tiles, uneven_tiles, linear };

struct Case {
  Group group;
  How how = How::grid;
  List shape, grid, block;
  std::vector<List> extents;  // of uneven tiles, by axis

  std::string text() const {
    std::string said = "how " + std::to_string(static_cast<int>(how)) + ", shape" + export_test::text(shape) +
                       ", grid" + export_test::text(grid) + ", block" + export_test::text(block) + ", tiles";
    for (const List& axis : extents) said += export_test::text(axis) + ";";
    return said + " on " + std::to_string(group.size());
  }

  int create() const {
    Spec spec{shape, C_LONG, {}, ga_test::starts_of(extents)};
    if (how != How::uneven_tiles) spec.block = block;
    if (how != How::linear) spec.grid = grid;
    spec.tiled = how == How::tiles;
    spec.group = group.number;
    return spec.make();
  }

  // The block of an axis in which an index stands: walked.
  Index block_with(std::size_t axis, Index index) const {
    if (extents.empty()) return index / block[axis];
    Index k = 0;
    for (Index end = extents[axis][0]; end <= index; end += extents[axis][static_cast<std::size_t>(k)]) ++k;
    return k;
  }
  Index blocks(std::size_t axis) const { return block_with(axis, shape[axis] - 1) + 1; }

  // Deals the blocks like cards.
  Index owner(const Indices& index) const {
    Index number = 0, process = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const Index b = block_with(axis, index[axis]);
      number = number * blocks(axis) + b;
      if (how != How::linear) process = process * grid[axis] + b % grid[axis];
    }
    return how == How::linear ? number % group.size() : process;
  }
};

// GA itself is right on groups of the first processes alone, without a grid on all of them, and where each process has
// a block on each axis.
Case any_case(Random& random, How how) {
  Case made;
  made.how = how;
  const std::vector<Group>& groups = first_groups();
  const auto count = static_cast<Index>(groups.size());
  made.group =
      groups[static_cast<std::size_t>(how == How::linear ? random.between(0, 1) : random.between(0, count - 1))];
  const auto ndim = static_cast<std::size_t>(random.one_in(3) ? 1 : random.between(1, how == How::linear ? 5 : 7));
  made.grid.assign(ndim, 1);
  Index left = made.group.size();
  for (Index factor = 2; left > 1; left % factor == 0 ? left /= factor : ++factor)
    if (left % factor == 0)
      made.grid[static_cast<std::size_t>(random.between(0, static_cast<Index>(ndim) - 1))] *= factor;
  for (std::size_t axis = 0; axis < ndim; ++axis) {
    made.block.push_back(random.between(1, 3));
    const Index least = made.grid[axis] * made.block[axis] - made.block[axis] + 1;
    made.shape.push_back(how == How::linear ? random.between(1, ndim > 3 ? 4 : 9)
                                            : random.between(least, least + (ndim > 3 ? 2 : 9)));
  }
  if (how != How::uneven_tiles) return made;
  for (std::size_t axis = 0; axis < ndim; ++axis) {
    List tiles;
    const Index more = random.one_in(2) ? 0 : random.between(0, 4);
    for (Index k = 0; k < made.grid[axis] + more; ++k)
      tiles.push_back(random.one_in(2) ? made.block[axis] : random.between(1, 3));
    made.shape[axis] = std::accumulate(tiles.begin(), tiles.end(), Index{0});
    made.extents.push_back(tiles);
  }
  return made;
}

Case some_case(Random& random, How how) {
  for (;;) {
    const Case made = any_case(random, how);
    Index elements = 1;
    for (const Index extent : made.shape) elements *= extent;
    Index blocks = 1;
    for (std::size_t axis = 0; axis < made.shape.size(); ++axis) blocks *= made.blocks(axis);
    if (elements <= 2000 && blocks >= made.group.size()) return made;
  }
}

// Whether what GA keeps of a process is a row-major array, tried out: walked tile by tile.
bool strided(const Case& made, const Indices& process) {
  std::vector<Indices> tiles = {{}};
  for (std::size_t axis = 0; axis < made.shape.size(); ++axis) {
    std::vector<Indices> longer;
    for (const Indices& tile : tiles)
      for (Index b = process[axis]; b < made.blocks(axis); b += made.grid[axis]) {
        longer.push_back(tile);
        longer.back().push_back(b);
      }
    tiles = longer;
  }
  std::vector<List> own(made.shape.size());  // its global indices
  std::map<Indices, Index> place;
  for (std::size_t axis = 0; axis < made.shape.size(); ++axis)
    for (Index k = 0; k < made.shape[axis]; ++k)
      if (made.block_with(axis, k) % made.grid[axis] == process[axis]) own[axis].push_back(k);
  Index next = 0;
  List extents;
  for (const List& axis : own) extents.push_back(static_cast<Index>(axis.size()));
  for (const Indices& tile : tiles)
    for (const Indices& local : all_indices(extents)) {
      bool inside = true;
      for (std::size_t axis = 0; axis < tile.size(); ++axis)
        inside = inside && made.block_with(axis, own[axis][static_cast<std::size_t>(local[axis])]) == tile[axis];
      if (inside) place[local] = next++;
    }
  Index number = 0;
  for (const Indices& local : all_indices(extents))
    if (place[local] != number++) return false;
  return true;
}

bool strided(const Case& made) {
  for (const Indices& process : all_indices(made.grid))
    if (!strided(made, process)) return false;
  return true;
}

// Whether the protocol has words for the tiles of every axis.
bool has_words(const Case& made) {
  for (std::size_t axis = 0; axis < made.extents.size(); ++axis) {
    const List& tiles = made.extents[axis];
    bool even = tiles.back() <= tiles[0];
    for (std::size_t k = 0; k + 1 < tiles.size(); ++k) even = even && tiles[k] == tiles[0];
    if (!even && made.grid[axis] > 1 && static_cast<Index>(tiles.size()) > made.grid[axis]) return false;
  }
  return true;
}

void expect_export(const Case& made, int handle) {
  const ga::ExportedArray exported = ga::export_array(handle);
  const tridap::redistribute::PlacedDistribution placed = ga::placed(handle);
  const std::vector<Indices> indices = all_indices(made.shape);
  const std::vector<long> whole = whole_of(handle);
  const Index rank = made.group.rank();
  const bool flat = made.how == How::linear && made.shape.size() > 1;
  EXPECT_EQ(exported.receipt.losses.size(), flat ? 1u : 0u);
  EXPECT_EQ(exported.shift, by_axis({}));
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const Indices index = flat ? Indices{static_cast<Index>(k)} : indices[k];
    ASSERT_EQ(placed.distribution().owner(index).value(), made.owner(indices[k])) << export_test::text(indices[k]);
    List subscript = indices[k];  // GA answers with the number of the block
    Index block = 0;
    for (std::size_t axis = 0; axis < subscript.size(); ++axis)
      block = block * made.blocks(axis) + made.block_with(axis, subscript[axis]);
    ASSERT_EQ(NGA_Locate64(handle, subscript.data()), block);
    if (made.owner(indices[k]) != rank) continue;
    ASSERT_EQ(at(exported.array, *placed.distribution().local_index(rank, index)), whole[k])
        << export_test::text(indices[k]);
  }
  void* data = nullptr;
  std::int64_t length = 0;
  NGA_Access_block_segment64(handle, static_cast<int>(rank), &data, &length);
  ASSERT_EQ(tridap::element_count(exported.array.buffer), length);
  EXPECT_EQ(exported.array.buffer.data, length > 0 ? data : nullptr);
  expect_gathers(handle, exported.array, {});
  made.group.sync();
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const Indices index = flat ? Indices{static_cast<Index>(k)} : indices[k];
    if (made.owner(indices[k]) == rank)
      at(exported.array, *placed.distribution().local_index(rank, index)) = -9 - static_cast<long>(k);
  }
  made.group.sync();
  const std::vector<long> written = whole_of(handle);
  for (std::size_t k = 0; k < indices.size(); ++k) ASSERT_EQ(written[k], -9 - static_cast<long>(k));
  made.group.sync();
}

void expect_all(How how, unsigned seed, int least_refused, int least_exported) {
  Random random(seed);
  int refused = 0, exported = 0;
  for (int k = 0; k < random_cases; ++k) {
    const Case made = some_case(random, how);
    const bool tiled = how == How::tiles || how == How::uneven_tiles;
    const bool possible = !tiled || (strided(made) && has_words(made));
    ++(possible ? exported : refused);
    if (made.group.has_us()) {
      SCOPED_TRACE(made.text());
      const int handle = made.create();
      number_elements(handle, made.group, 100);
      if (possible)
        expect_export(made, handle);
      else
        EXPECT_THROW(ga::export_array(handle), tridap::Error);
      made.group.sync();
      GA_Destroy(handle);
    }
    GA_Sync();
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GE(refused, least_refused);
  EXPECT_GE(exported, least_exported);
}

}  // namespace

TEST(ExportCyclic, OnAProcessGridIsCyclic) { expect_all(How::grid, 30261, 0, random_cases); }
TEST(ExportCyclic, WithoutAGridIsCyclicOrRowMajorNumbers) { expect_all(How::linear, 30262, 0, random_cases); }
TEST(ExportCyclic, TilesAreExportedWhereTheyAreOneArray) { expect_all(How::tiles, 30263, 5, 5); }
TEST(ExportCyclic, UnevenTilesAreExportedWhereTheProtocolHasWords) { expect_all(How::uneven_tiles, 30264, 5, 5); }

// All tiles but the last one are of one row, and there is none for the last process.
TEST(ExportCyclic, FewerTilesThanPlacesLeaveTheLastOneEmpty) {
  if (processes() < 3) GTEST_SKIP() << "needs at least 3 processes";  // one tile is as even as can be
  const Index places = processes(), tiles = places - 1, last = 8;
  List starts(static_cast<std::size_t>(tiles));
  std::iota(starts.begin(), starts.end(), 0);
  const int handle = Spec{{places + 6, 4}, C_DBL, {}, {starts, {0}}, {}, {places, 1}}.make();
  const ga::ExportedArray exported = ga::export_array(handle);
  const auto& block = std::get<tridap::Block>(exported.array.dim_data[0].dist);
  const Index rank = GA_Nodeid(), extent = rank < tiles - 1 ? 1 : rank < tiles ? last : 0;
  EXPECT_EQ(block.start, rank < tiles ? rank : places + 6);
  EXPECT_EQ(block.stop - block.start, extent);
  EXPECT_EQ(exported.array.buffer.shape, (List{extent, 4}));
  GA_Sync();
  GA_Destroy(handle);
}

// GA_Total_blocks tells an array without blocks by -1, and wraps round to other negative numbers. Its pages are not
// touched.
TEST(ExportCyclic, MoreBlocksThanAnIntCounts) {
  if (processes() > 1) GTEST_SKIP() << "needs 1 process";
  static const int byte = NGA_Register_type(1);
  ga::name_type(byte, tridap::element_type<char>());
  const List dims{46342, 46342};
  const int handle = Spec{dims, byte, {}, {}, {1, 1}, {1, 1}}.make();
  ASSERT_LT(GA_Total_blocks(handle), -1);
  const ga::ExportedArray exported = ga::export_array(handle);
  EXPECT_EQ(exported.array.buffer.shape, dims);
  EXPECT_EQ(exported.array.buffer.strides, (List{46342, 1}));
  EXPECT_TRUE(std::holds_alternative<tridap::Cyclic>(exported.array.dim_data[1].dist));
  EXPECT_EQ(ga::placed(handle).distribution().shape(), dims);
  GA_Destroy(handle);
}

// GA_Nblock wraps round, too.
TEST(ExportCyclic, MoreBlocksAlongAnAxisThanAnIntCountsAreRefused) {
  if (processes() > 1) GTEST_SKIP() << "needs 1 process";
  static const int byte = NGA_Register_type(1);
  ga::name_type(byte, tridap::element_type<char>());
  for (const List& grid : {List{1}, List{}}) {
    const int handle = Spec{{(Index{1} << 31) + 4}, byte, {}, {}, {1}, grid}.make();
    EXPECT_THROW(ga::export_array(handle), tridap::Error);
    EXPECT_THROW(ga::placed(handle), tridap::Error);
    GA_Destroy(handle);
  }
}
