#include "axes.hpp"
#include "description.hpp"
#include "fingerprint.hpp"
#include "ga.hpp"
#include "memory.hpp"
#include "pool.hpp"
#include "refused.hpp"
#include "types.hpp"
#include <dap/globalarrays/export.hpp>
#include <dap/mpi/agree.hpp>

#include <string>
#include <utility>

namespace dap::globalarrays {

namespace {

// Throws where nobody said what a type is that was registered elsewhere, and a process cannot tell its length: on all.
void check_length(const Description& d, const Part& part) {
  if (tells_length(d, part)) return;
  throw refused("GA's type " + std::to_string(d.type) +
                    " was registered elsewhere, and some process's part of Global Array " + std::to_string(d.handle) +
                    " is too small to tell its length",
                "say what it stands for with name_type()");
}

// Throws where what is said of a type that was registered elsewhere cannot be.
ElementType registered_type(const Description& d, const Part& part, const Extents& stored) {
  const ElementType* const known = element_type_of(d.type);
  const Index bytes = element_length(d, part, stored);
  if (known != nullptr && bytes > 0 && known->bytes != bytes)
    throw refused("GA's type " + std::to_string(d.type) + " is " + std::to_string(bytes) +
                      " bytes long, and was said to stand for " + known->name() + ", of " +
                      std::to_string(known->bytes),
                  "say what it stands for with name_type(); do not deregister types of arrays made here");
  if (known != nullptr) return *known;
  check_length(d, part);
  return {ElementType::Kind::opaque, bytes, true};
}

// Where this process has no part.
ElementType type_of(const Description& d, const Part& part) {
  if (const ElementType* const known = element_type_of(d.type)) return *known;
  check_length(d, part);
  return {};
}

// The extents of a part in memory, and where what is exported of it begins there.
struct Stored {
  Extents extents, begin{};
};

// Points the buffer at what dim_data says of a part that stands row-major.
void point_at(const Part& part, const Stored& stored, Buffer& buffer) {
  const std::size_t ndim = buffer.shape.size();
  buffer.strides.resize(ndim);
  Index stride = buffer.type.bytes, offset = 0;
  for (std::size_t axis = ndim; axis-- > 0; stride *= stored.extents[axis]) {
    buffer.strides[axis] = stride;
    offset += stored.begin[axis] * stride;
  }
  if (part.data != nullptr) buffer.data = static_cast<char*>(part.data) + offset;
}

void fill_blocks(const Description& d, const Part& part, const ExportOptions& options, ExportedArray& made,
                 Stored& stored) {
  bool left_out = false;
  made.array.buffer.shape.resize(d.ndim);
  for (std::size_t axis = 0; axis < d.ndim; ++axis) {
    const Range owned{part.begin[axis], part.begin[axis] + part.extent[axis]};
    const Cut cut{d.shape[axis], d.grid[axis], part.width[axis]};
    const Block& block = cut_out(cut, part.coordinates[axis], owned, options, made.array.dim_data.emplace_back());
    const Index shift = shift_of(cut, options);
    made.shift[axis] = shift;
    made.array.buffer.shape[axis] = block.stop - block.start;
    stored.extents[axis] = part.extent[axis] + 2 * part.width[axis];
    stored.begin[axis] = block.start - shift - (owned.begin - part.width[axis]);
    left_out = left_out || (part.width[axis] > 0 && !(options.ghosts && options.outer));
  }
  if (left_out)
    made.receipt.losses.push_back(options.ghosts ? "the ghost cells at the outer edges" : "the ghost cells");
}

void fill_tiles(const Description& d, const Part& part, ExportedArray& made, Stored& stored) {
  check_strided(d);
  for (std::size_t axis = 0; axis < d.ndim; ++axis) {
    made.array.dim_data.push_back(tiled_dimension(d, axis, part.coordinates[axis], stored.extents[axis]));
    made.array.buffer.shape.push_back(stored.extents[axis]);
  }
}

// Blocks that are dealt one after the other stand in a row, whatever their axes.
void fill_linear(const Description& d, ExportedArray& made, Stored& stored) {
  Index elements = 0;
  made.array.dim_data.push_back(linear_dimension(d, d.rank, elements));
  made.array.buffer.shape = {elements};
  stored.extents[0] = elements;
  if (d.ndim > 1)
    made.receipt.losses.push_back("its " + std::to_string(d.ndim) +
                                  " axes: blocks that are dealt in a row are no product of axes, and the array's one "
                                  "axis lists the elements' row-major numbers");
}

}  // namespace

ExportedArray export_array(int handle, const ExportOptions& options) {
  const Description d = describe(handle);
  const Part part = part_of(d);
  ExportedArray made;
  Buffer& buffer = made.array.buffer;
  made.array.dim_data.reserve(d.ndim);
  if (part.placed) {
    Stored stored;
    if (d.dealing == Dealing::blocks)
      fill_blocks(d, part, options, made, stored);
    else if (d.dealing == Dealing::linear)
      fill_linear(d, made, stored);
    else
      fill_tiles(d, part, made, stored);
    if (const ElementType* const known = built_in_type(d.type))
      buffer.type = *known;
    else
      buffer.type = registered_type(d, part, stored.extents);
    point_at(part, stored, buffer);
  } else {
    buffer.type = type_of(d, part);
  }
  const bool one_block = part.placed && d.dealing == Dealing::blocks;
  Pool::all().pin(buffer.owner, handle, d.group, static_cast<int>(d.rank), part.data,
                  one_block ? fingerprint(d, part) : fingerprint(handle));
  made.receipt.same_address = buffer.data == part.data;
  return made;
}

ExportedArray export_array(const GlobalArray& array, const ExportOptions& options) {
  return export_array(array.handle(), options);
}

bool is_there(const DistArray& exported) { return Pool::is_there(exported.buffer.owner); }

redistribute::Placed placed(int handle, const ExportOptions& options) {
  const Description d = describe(handle);
  if (d.dealing == Dealing::blocks) return placed_blocks(d, part_of(d), options);
  return redistribute::Placed(tiled_distribution(d));
}

MPI_Comm communicator(int handle) { return GA_MPI_Comm_pgroup(describe(handle).group); }

MPI_Comm grid_communicator(int handle) {
  const MPI_Comm comm = communicator(handle);
  const int number = mpi::collectively(comm, [&] {
    const Description d = describe(handle);
    const Part part = part_of(d);
    if (!part.placed) return -1;
    if (d.dealing == Dealing::linear) return static_cast<int>(d.rank);
    return static_cast<int>(ravel(part.coordinates, d.grid, d.ndim));
  });
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_split(comm, number < 0 ? MPI_UNDEFINED : 0, number, &made);
  return made;
}

}  // namespace dap::globalarrays
