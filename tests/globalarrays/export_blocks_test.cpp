// Arrays of one block for each place of a grid: regular, irregular, restricted, on groups, with ghost cells.

#include "export_support.hpp"
#include <tridap/redistribute/padding.hpp>

namespace ga = tridap::globalarrays;
using namespace export_test;

namespace {

struct Case {
  Group group;
  List shape, grid, widths;
  std::vector<List> extents;  // of the blocks, by axis; empty: GA's own
  std::vector<int> restricted;
  bool range = false;  // restricted by its ends

  std::string text() const {
    std::string said = "shape" + export_test::text(shape) + ", grid" + export_test::text(grid) + ", widths" +
                       export_test::text(widths) + ", group of " + std::to_string(group.size()) + " from " +
                       std::to_string(group.members[0]) + ", blocks";
    for (const List& axis : extents) said += export_test::text(axis) + ";";
    said += " restricted to" + export_test::text(List(restricted.begin(), restricted.end()));
    return said;
  }

  int create() const {
    Spec spec{shape, C_LONG, widths, ga_test::starts_of(extents)};
    spec.owners = restricted;
    spec.by_range = range;
    spec.group = group.number;
    return spec.make();
  }
};

List some_grid(Random& random, Index processes, std::size_t ndim, bool all) {
  List grid(ndim, 1);
  for (int tries = 0; processes > 1 && tries < 20; ++tries) {
    const Index factor = random.between(1, processes);
    if (all && processes % factor != 0) continue;
    grid[static_cast<std::size_t>(random.between(0, static_cast<Index>(ndim) - 1))] *= factor;
    processes /= factor;
  }
  if (all) grid[0] *= processes;
  return grid;
}

List some_blocks(Random& random, Index grid, Index most, Index least) {
  List extents;  // in sum at least as many elements as blocks
  for (Index c = 0; c < grid; ++c) extents.push_back(random.between(least, most));
  extents.back() +=
      std::max<Index>(extents.back() == 0 ? 1 : 0, grid - std::accumulate(extents.begin(), extents.end(), Index{0}));
  return extents;
}

void restrict(Random& random, Case& made, Index places) {
  std::vector<int> list(static_cast<std::size_t>(made.group.size()));
  std::iota(list.begin(), list.end(), 0);
  const auto count =
      static_cast<std::size_t>(random.between(made.widths.empty() ? places : made.group.size(), made.group.size()));
  made.range = random.one_in(3);
  if (!made.range) random.shuffle(list);
  const auto first =
      made.range ? static_cast<std::size_t>(random.between(0, static_cast<Index>(list.size() - count))) : 0;
  made.restricted.assign(list.begin() + static_cast<long>(first), list.begin() + static_cast<long>(first + count));
}

// GA wants ghost cells on groups of the first processes alone, each with a block, as wide as a block at most.
Case some_case(Random& random, bool ghosts) {
  Case made;
  const std::vector<Group>& groups = ghosts ? first_groups() : all_groups();
  made.group = groups[static_cast<std::size_t>(random.between(0, static_cast<Index>(groups.size()) - 1))];
  const auto ndim = static_cast<std::size_t>(random.between(1, 7));
  made.grid = some_grid(random, made.group.size(), ndim, ghosts);
  const bool empty = !ghosts && random.one_in(3), irregular = ghosts || empty || !random.one_in(3);
  Index places = 1;
  for (std::size_t axis = 0; axis < ndim; ++axis) {
    const List blocks = some_blocks(random, made.grid[axis], ndim > 4 ? 2 : 5, empty ? 0 : 1);
    made.shape.push_back(std::accumulate(blocks.begin(), blocks.end(), Index{0}));
    if (irregular) made.extents.push_back(blocks);
    if (ghosts) made.widths.push_back(random.between(0, *std::min_element(blocks.begin(), blocks.end())));
    places *= made.grid[axis];
  }
  if (!ghosts && random.one_in(2)) restrict(random, made, places);
  return made;
}

// The box of ours, by our arithmetic; null where we hold nothing.
bool own_box(const tridap::redistribute::PlacedDistribution& placed, Index rank, List& lo, List& hi) {
  const std::optional<Index> process = placed.process(rank);
  if (!process || *process >= placed.distribution().processes()) return false;
  const Indices coordinates = placed.distribution().coordinates(*process);
  for (Index i = 0; i < placed.distribution().ndim(); ++i) {
    const tridap::Axis& axis = placed.distribution().axis(i);
    const tridap::Range owned = axis.part(coordinates[static_cast<std::size_t>(i)], tridap::Part::owned);
    if (owned.size() == 0) return false;
    lo.push_back(axis.global_index(coordinates[static_cast<std::size_t>(i)], owned.begin));
    hi.push_back(lo.back() + owned.size() - 1);
  }
  return true;
}

void expect_owners(int handle, const tridap::redistribute::PlacedDistribution& placed) {
  for (const Indices& index : all_indices(shape_of(handle))) {
    List subscript = index;
    ASSERT_EQ(placed.rank(placed.distribution().owner(index).value()), NGA_Locate64(handle, subscript.data()))
        << export_test::text(subscript);
  }
}

// Each byte of ours is what GA brings, and the address what GA gives.
void expect_elements(int handle, const tridap::DistArray& array,
                     const tridap::redistribute::PlacedDistribution& placed) {
  const Index rank = GA_Pgroup_nodeid(GA_Get_pgroup(handle));
  List lo, hi, ld(7);
  if (!own_box(placed, rank, lo, hi)) return;
  const std::vector<long> whole = whole_of(handle);
  const std::vector<Indices> indices = all_indices(shape_of(handle));
  Index seen = 0;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const auto local = placed.distribution().local_index(*placed.process(rank), indices[k]);
    if (!local) continue;
    ++seen;
    ASSERT_EQ(at(array, *local), whole[k]) << export_test::text(indices[k]);
  }
  EXPECT_GT(seen, 0);
  void* data = nullptr;
  NGA_Access64(handle, lo.data(), hi.data(), &data, ld.data());
  EXPECT_EQ(&at(array, *placed.distribution().local_index(*placed.process(rank), lo)), data);
  NGA_Release64(handle, lo.data(), hi.data());
}

void expect_export(const Case& made) {
  SCOPED_TRACE(made.text());
  const int handle = made.create();
  number_elements(handle, made.group, 100);
  const ga::ExportedArray exported = ga::export_array(handle);
  const tridap::redistribute::PlacedDistribution placed = ga::placed(handle);
  EXPECT_TRUE(exported.receipt.shared);
  EXPECT_EQ(exported.receipt.bytes_copied, 0);
  EXPECT_TRUE(ga::is_there(exported.array));
  expect_owners(handle, placed);
  expect_elements(handle, exported.array, placed);
  expect_gathers(handle, exported.array, {});
  number_elements(handle, made.group, 7000);  // another process's puts, after the export
  expect_elements(handle, exported.array, placed);
  made.group.sync();
  expect_written(handle, made.group, exported.array, placed);
  EXPECT_TRUE(ga::is_there(exported.array));
  GA_Destroy(handle);
  EXPECT_FALSE(ga::is_there(exported.array));
}

// With the outer ghost cells, each local element is what stands a period away.
void expect_wrap(int handle, const Case& made) {
  const ga::ExportedArray exported = ga::export_array(handle, {true, true});
  expect_gathers(handle, exported.array, {true, true});
  const std::vector<long> whole = whole_of(handle);
  const tridap::redistribute::PlacedDistribution placed = ga::placed(handle, {true, true});
  const Index process = placed.process(made.group.rank()).value();
  EXPECT_EQ(exported.shift, by_axis(made.widths));
  for (std::size_t axis = 0; axis < made.widths.size(); ++axis)
    EXPECT_EQ(exported.array.dim_data[axis].periodic, made.widths[axis] > 0);
  EXPECT_TRUE(exported.receipt.losses.empty());
  for (const Indices& local : all_indices(placed.distribution().local_shape(process))) {
    const Indices global = placed.distribution().global_index(process, local);
    Index number = 0;
    for (std::size_t axis = 0; axis < made.shape.size(); ++axis) {
      const Index n = made.shape[axis];
      number = number * n + (global[axis] - made.widths[axis] + n) % n;
    }
    ASSERT_EQ(at(exported.array, local), whole[static_cast<std::size_t>(number)]) << export_test::text(local);
  }
}

// Without them, all that is in the array is what it says it is; without any, the owned elements alone.
void expect_inside(int handle, const Case& made, bool ghosts) {
  const ga::ExportOptions options{ghosts, false};
  const ga::ExportedArray exported = ga::export_array(handle, options);
  expect_gathers(handle, exported.array, options);
  const std::vector<long> whole = whole_of(handle);
  const tridap::redistribute::PlacedDistribution placed = ga::placed(handle, options);
  const Index process = placed.process(made.group.rank()).value();
  EXPECT_EQ(exported.shift, by_axis({}));
  for (std::size_t axis = 0; axis < made.widths.size(); ++axis) {
    const tridap::Dimension& dimension = exported.array.dim_data[axis];
    EXPECT_FALSE(dimension.periodic);
    EXPECT_EQ(std::get<tridap::Block>(dimension.dist).padding.has_value(), ghosts && made.widths[axis] > 0);
  }
  for (const Indices& local : all_indices(placed.distribution().local_shape(process))) {
    const Indices global = placed.distribution().global_index(process, local);
    Index number = 0;
    for (std::size_t axis = 0; axis < made.shape.size(); ++axis) number = number * made.shape[axis] + global[axis];
    ASSERT_EQ(at(exported.array, local), whole[static_cast<std::size_t>(number)]) << export_test::text(local);
  }
  expect_elements(handle, exported.array, placed);
  if (ghosts) return;
  for (Index i = 0; i < placed.distribution().ndim(); ++i)
    EXPECT_FALSE(placed.distribution().axis(i).has_communication_padding());
}

// Of an array of which all processes of the group own something; `update` fills the ghost cells.
template <class Update>
void expect_ghosts(const Case& made, Update&& update) {
  if (made.group.has_us()) {
    SCOPED_TRACE(made.text());
    const int handle = made.create();
    number_elements(handle, made.group, 100);
    update(handle);
    made.group.sync();
    expect_owners(handle, ga::placed(handle));
    expect_inside(handle, made, true);
    expect_inside(handle, made, false);
    expect_wrap(handle, made);
    made.group.sync();
    GA_Destroy(handle);
  }
  GA_Sync();
}

}  // namespace

TEST(ExportBlocks, OwnersAndBytesAreGlobalArrays) {
  Random random(20261);
  for (int k = 0; k < random_cases; ++k) {
    const Case made = some_case(random, false);
    if (made.group.has_us()) expect_export(made);
    GA_Sync();
    if (testing::Test::HasFatalFailure()) return;
  }
}

// GA_Update_ghosts takes ranks for places of the grid, and fills a permuted array's ghost cells with anything, or
// hangs; our own update does not.
TEST(ExportBlocks, GhostCellsOfARestrictedArrayAreFilledByUpdatePadding) {
  Random random(20263);
  for (int k = 0; k < random_cases / 3 && !HasFatalFailure(); ++k) {
    Case made = some_case(random, true);
    restrict(random, made, made.group.size());
    expect_ghosts(made, [](int handle) {
      MPI_Comm grid = ga::grid_communicator(handle);
      tridap::redistribute::update_padding(ga::export_array(handle, {true, true}).array, grid);
      MPI_Comm_free(&grid);
    });
  }
}

TEST(ExportBlocks, GhostCellsAreTheWrap) {
  Random random(20262);
  for (int k = 0; k < random_cases && !HasFatalFailure(); ++k) expect_ghosts(some_case(random, true), GA_Update_ghosts);
}
