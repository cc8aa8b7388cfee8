#include "axes.hpp"
#include "blocks.hpp"
#include "description.hpp"
#include "element_length.hpp"
#include "fingerprint.hpp"
#include "ga.hpp"
#include "ga_session.hpp"
#include "named.hpp"
#include "types.hpp"
#include <tridap/globalarrays/export.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>

#include <optional>
#include <string>
#include <utility>

namespace tridap::globalarrays {

namespace {

// Of a type that was registered with GA. Throws if its known length is wrong, or if a process cannot determine its
// length: then on all processes.
ElementType registered_type(const Description& d, const LocalPart& part, const Extents& stored) {
  const ElementType* const known = element_type_of(d.type);
  const Index bytes = element_length(d, part, stored);
  if (known != nullptr && bytes > 0 && known->bytes != bytes)
    refuse("GA's type " + std::to_string(d.type) + " is " + std::to_string(bytes) +
               " bytes long, but name_type() or an array made here set it to " + known->name() + ", of " +
               std::to_string(known->bytes) + " bytes",
           "", "set its element type with name_type(); do not deregister types of arrays made here");
  if (known != nullptr) return *known;
  if (!tells_length(d, part))
    refuse("GA's type " + std::to_string(d.type) +
               " was registered by another library, and a process's part of Global Array " + std::to_string(d.handle) +
               " is too small to determine its length",
           "", "set its element type with name_type()");
  return {ElementType::Kind::opaque, bytes, true};
}

// `stored`: the extents of the part in memory.
ElementType type_of(const Description& d, const LocalPart& part, const Extents& stored) {
  const ElementType* const known = built_in_type(d.type);
  return known != nullptr ? *known : registered_type(d, part, stored);
}

// One pass, from the last axis to the first: this is what an export of one block costs. (The code that is not inlined
// here is for rarer cases, and would slow down the common one.)
void fill_block(const Description& d, const LocalPart& part, const ExportOptions& options, ExportedArray& made) {
  Buffer& buffer = made.array.buffer;
  const std::size_t ndim = d.ndim;
  Extents stored;
  for (std::size_t axis = 0; axis < ndim; ++axis) stored[axis] = part.extent[axis] + 2 * part.width[axis];
  buffer.type = type_of(d, part, stored);
  made.array.dim_data.reserve(ndim);
  for (std::size_t axis = 0; axis < ndim; ++axis) made.array.dim_data.emplace_back();
  buffer.shape.resize(ndim);
  buffer.strides.resize(ndim);
  Dimension* const dim_data = made.array.dim_data.data();
  Index *const shape = buffer.shape.data(), *const strides = buffer.strides.data();
  Index stride = buffer.type.bytes, offset = 0;
  bool left_out = false;
  for (std::size_t axis = ndim; axis-- > 0;) {
    const Index begin = part.begin[axis], width = part.width[axis];
    const Cut cut{d.shape[axis], d.grid[axis], width};
    const Index shift = shift_of(cut, options);
    const Block& block =
        cut_out(cut, part.coordinates[axis], {begin, begin + part.extent[axis]}, options, dim_data[axis]);
    made.shift[axis] = shift;
    shape[axis] = block.stop - block.start;
    strides[axis] = stride;
    offset += (block.start - shift - (begin - width)) * stride;
    stride *= stored[axis];
    left_out = left_out || (width > 0 && !(options.ghosts && options.outer));
  }
  if (part.data != nullptr) buffer.data = static_cast<char*>(part.data) + offset;
  if (left_out)
    made.receipt.losses.push_back(options.ghosts ? "the ghost cells at the outer edges" : "the ghost cells");
}

// Points the buffer at a part that is stored row-major.
void fill_rows(const Description& d, const LocalPart& part, const Extents& stored, std::size_t ndim, Buffer& buffer) {
  buffer.type = type_of(d, part, stored);
  buffer.shape.assign(stored.begin(), stored.begin() + ndim);
  buffer.strides = row_major_strides(buffer.shape, buffer.type.bytes);
  buffer.data = part.data;
}

void fill_tiles(const Description& d, const LocalPart& part, ExportedArray& made) {
  check_strided(d);
  Extents stored;
  for (std::size_t i = 0; i < d.ndim; ++i) {
    const Axis axis = tiled_axis(d, i);
    made.array.dim_data.push_back(axis.dimension(part.coordinates[i]));
    stored[i] = axis.count(part.coordinates[i]);
  }
  fill_rows(d, part, stored, d.ndim, made.array.buffer);
}

// Blocks that are distributed one after the other are stored one after the other, whatever axes they have.
void fill_linear(const Description& d, const LocalPart& part, ExportedArray& made) {
  Index elements = 0;
  made.array.dim_data.push_back(linear_dimension(d, d.rank, elements));
  fill_rows(d, part, {elements}, 1, made.array.buffer);
  if (d.ndim > 1)
    made.receipt.losses.push_back("its " + std::to_string(d.ndim) +
                                  " axes: GA distributes blocks without a process grid, so that the array has one "
                                  "unstructured axis of row-major numbers");
}

// The place of this process in the array's grid, by its row-major number; std::nullopt: it has none.
std::optional<Index> place_of(int handle) {
  const Description d = describe(handle);
  const LocalPart part = part_of(d);
  if (!part.placed) return std::nullopt;
  return d.scheme == BlockScheme::linear ? d.rank : ravel(part.coordinates, d.grid, d.ndim);
}

}  // namespace

ExportedArray export_array(int handle, const ExportOptions& options) {
  const Description d = describe(handle);
  const LocalPart part = part_of(d);
  ExportedArray made;
  Buffer& buffer = made.array.buffer;
  const bool one_block = part.placed && d.scheme == BlockScheme::blocks;
  if (one_block)
    fill_block(d, part, options, made);
  else if (!part.placed)
    buffer.type = type_of(d, part, {});
  else if (d.scheme == BlockScheme::linear)
    fill_linear(d, part, made);
  else
    fill_tiles(d, part, made);
  ga_session().pool.pin(buffer.owner, handle, d.group, static_cast<int>(d.rank), part.data,
                        one_block ? fingerprint(d, part) : fingerprint(handle));
  made.receipt.same_address = buffer.data == part.data;
  return made;
}

ExportedArray export_array(const GlobalArray& array, const ExportOptions& options) {
  return export_array(array.handle(), options);
}

bool is_there(const DistArray& exported) { return HandlePool::is_there(exported.buffer.owner); }

redistribute::PlacedDistribution placed(int handle, const ExportOptions& options) {
  const Description d = describe(handle);
  if (d.scheme == BlockScheme::blocks) return placed_blocks(d, part_of(d), options);
  return redistribute::PlacedDistribution(tiled_distribution(d));
}

MPI_Comm communicator(int handle) { return GA_MPI_Comm_pgroup(describe(handle).group); }

MPI_Comm holders(int handle) {
  if (GA_Initialized() == 0) refuse("Global Arrays is not initialised", "", "make a Session first");
  const mpi::Inside inside(mpi::Library::globalarrays);
  if (GA_Verify_handle(handle) == 0 || GA_Get_pgroup(handle) == GA_Pgroup_get_world()) return all_processes();
  return communicator(handle);
}

MPI_Comm grid_communicator(int handle) {
  MPI_Comm comm = MPI_COMM_NULL;
  std::optional<Index> place;
  const mpi::Call call(holders(handle), "globalarrays::grid_communicator", mpi::Library::globalarrays,
                       [&](mpi::Record&) {
                         comm = communicator(handle);
                         place = place_of(handle);
                       });
  MPI_Comm made = MPI_COMM_NULL;
  const int split = MPI_Comm_split(comm, place ? 0 : MPI_UNDEFINED, static_cast<int>(place.value_or(0)), &made);
  mpi::must_succeed_everywhere(split, "MPI_Comm_split", comm);
  return made;
}

}  // namespace tridap::globalarrays
