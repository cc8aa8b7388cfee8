#include "description.hpp"

#include "ga.hpp"
#include "named.hpp"

#include <limits>
#include <string>

namespace tridap::globalarrays {

static_assert(most_axes == GA_MAX_DIM);

namespace {

Index product(const Extents& extents, std::size_t begin, std::size_t end) {
  Index product = 1;
  for (std::size_t d = begin; d < end; ++d) product *= extents[d];
  return product;
}

[[noreturn]] void refuse_handle(int handle) {
  refuse("there is no " + named(handle), "", "pass the handle of an array that is allocated and not destroyed");
}

[[noreturn]] void refuse_mirrored(int handle) {
  refuse(named(handle) + " is mirrored: each node has all of it", "",
         "copy it to another array with GA_Merge_mirrored");
}

struct Box {
  Extents lo, hi;  // both ends are included, as in GA
};

Box box_of(int handle, Index number) {
  Box box;
  NGA_Distribution64(handle, static_cast<int>(number), box.lo.data(), box.hi.data());
  return box;
}

// GA distributes block-cyclic arrays by ranks among all its processes, but looks for their blocks by ranks in the
// group.
void check_group(const Description& d) {
  const int world = GA_Pgroup_nnodes(GA_Pgroup_get_world());
  const bool all = d.processes() == world;
  const bool first = all || GA_Pgroup_absolute_id(d.group, static_cast<int>(d.processes() - 1)) == d.processes() - 1;
  if (d.scheme == BlockScheme::linear ? all : first) return;
  refuse(named(d.handle) + " is block-cyclic on a group of processes, which Global Arrays itself cannot locate", "",
         d.scheme == BlockScheme::linear ? "make it on all processes, or on a process grid"
                                         : "make it on all processes, or on the first ones");
}

// Whether the blocks of each process are stored in one array. Then all blocks have one length. If the first process has
// several along an axis other than the first, the rows of that array are longer than a block. Asks GA for an address,
// but does not read the memory there.
bool in_one_array(const Description& d) {
  for (std::size_t axis = 0; axis < d.ndim; ++axis)
    if (d.tile[axis] == 0 || d.blocks[axis] != (d.shape[axis] - 1) / d.tile[axis] + 1) return false;
  Extents ld{};
  void* data = nullptr;
  NGA_Access_block64(d.handle, 0, &data, ld.data());
  for (std::size_t axis = 1; axis < d.ndim; ++axis)
    if (d.blocks[axis] > d.grid[axis]) return ld[axis - 1] > d.tile[axis];
  return false;  // no process has several there: both layouts are the same
}

void describe_cyclic(Description& d) {
  d.scheme = GA_Uses_proc_grid(d.handle) != 0 ? BlockScheme::grid : BlockScheme::linear;
  check_group(d);
  const Box first = box_of(d.handle, 0);
  for (std::size_t axis = 0; axis < d.ndim; ++axis) d.tile[axis] = first.hi[axis] + 1;
  if (d.scheme == BlockScheme::linear) return;
  int reversed[most_axes];
  GA_Get_proc_grid(d.handle, reversed);
  for (std::size_t axis = 0; axis < d.ndim; ++axis) d.grid[axis] = reversed[d.ndim - 1 - axis];
  if (!in_one_array(d)) d.scheme = BlockScheme::tiles;
}

// Whether GA_Nblock returns a wrong number of blocks: it counts them with an int.
bool is_wrapped(Index size, Index tile, Index said) {
  const Index blocks = tile > 0 ? (size - 1) / tile + 1 : said;
  return said < 1 || (blocks != said && static_cast<int>(blocks) == said);
}

// GA's functions number blocks with an int.
void check_numbers(const Description& d) {
  bool too_many = d.scheme != BlockScheme::grid && product(d.blocks, 0, d.ndim) > std::numeric_limits<int>::max();
  for (std::size_t axis = 0; axis < d.ndim; ++axis)
    too_many = too_many || is_wrapped(d.shape[axis], d.tile[axis], d.blocks[axis]);
  if (!too_many) return;
  refuse(named(d.handle) + " has more blocks than GA's calls can number, " +
             std::to_string(std::numeric_limits<int>::max()),
         "", "use longer blocks");
}

}  // namespace

Index Description::places() const { return product(grid, 0, ndim); }

Index Description::processes() const { return GA_Pgroup_nnodes(group); }

Extents unravel(Index number, const Extents& grid, std::size_t ndim) {
  Extents coordinates;
  for (std::size_t axis = ndim; axis-- > 0; number /= grid[axis]) coordinates[axis] = number % grid[axis];
  return coordinates;
}

Index ravel(const Extents& coordinates, const Extents& grid, std::size_t ndim) {
  Index number = 0;
  for (std::size_t axis = 0; axis < ndim; ++axis) number = number * grid[axis] + coordinates[axis];
  return number;
}

Description describe(int handle) {
  if (GA_Initialized() == 0 || GA_Verify_handle(handle) == 0) refuse_handle(handle);
  Description d;
  d.handle = handle;
  d.group = GA_Get_pgroup(handle);
  d.rank = GA_Pgroup_nodeid(d.group);
  if (d.group >= 0 && GA_Is_mirrored(handle) != 0) refuse_mirrored(handle);
  int ndim = 0;
  NGA_Inquire64(handle, &d.type, &ndim, d.shape.data());
  d.ndim = static_cast<std::size_t>(ndim);
  int blocks[most_axes];
  GA_Nblock(handle, blocks);
  for (std::size_t axis = 0; axis < d.ndim; ++axis) d.grid[axis] = d.blocks[axis] = blocks[axis];
  if (GA_Total_blocks(handle) != -1) describe_cyclic(d);  // a total that does not fit its int is any other number
  if (d.scheme != BlockScheme::blocks) check_numbers(d);
  return d;
}

Range tile_of(const Description& d, std::size_t axis, Index block) {
  const Box box = box_of(d.handle, block * product(d.blocks, axis + 1, d.ndim));
  return {box.lo[axis], box.hi[axis] + 1};
}

Tiles tiles_of(const Description& d, std::size_t axis) {
  if (d.scheme == BlockScheme::grid) return Tiles::cyclic;
  bool even = true;
  for (Index block = 1; even && block < d.blocks[axis]; ++block) {
    const Range tile = tile_of(d, axis, block);
    even = tile.begin == block * d.tile[axis] && tile.size() > 0 &&
           (block + 1 < d.blocks[axis] || tile.size() <= d.tile[axis]);
  }
  if (even && d.tile[axis] > 0) return Tiles::cyclic;
  return d.blocks[axis] <= d.grid[axis] || d.grid[axis] == 1 ? Tiles::block : Tiles::neither;
}

}  // namespace tridap::globalarrays
