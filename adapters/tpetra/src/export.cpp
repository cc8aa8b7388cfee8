#include "map_parts.hpp"
#include <tridap/check.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/tpetra/padded.hpp>

namespace tridap::tpetra {

namespace detail {

namespace {

// Columns as an array with the axes `rows`, and with one more axis if the columns are several vectors.
Buffer unfold(const Buffer& columns, const IndexList& rows, const MemoryOrder& order,
              std::optional<Index> vectors_axis) {
  Buffer unfolded = from_order(columns.data, columns.type, rows, order);
  unfolded.read_only = columns.read_only;
  unfolded.memory = columns.memory;
  unfolded.owner = columns.owner;
  if (vectors_axis) {
    unfolded.shape.insert(unfolded.shape.begin() + *vectors_axis, columns.shape[1]);
    unfolded.strides.insert(unfolded.strides.begin() + *vectors_axis, columns.strides[1]);
  }
  return unfolded;
}

void add_base(Index base, Receipt& receipt) {
  if (base != 0) receipt.losses.push_back("the index base " + std::to_string(base));
}

void check_same(const Map& map, const Map& expected) {
  if (compat::local_count(map) == 0 && compat::local_count(expected) == 0) return;  // no ids to compare
  if (&map != &expected && (compat::local_count(map) != compat::local_count(expected) || !map.locallySameAs(expected)))
    refuse("the vector's map does not list the ids of the ArrayMap", "", "give a vector on the map of the ArrayMap");
}

IndexList extents(const DimData& dim_data, Index count) {
  if (dim_data.size() == 1) return {count};
  IndexList extents;
  for (const Dimension& dimension : dim_data) {
    Report report;
    const auto extent = check_dimension(dimension, static_cast<Index>(extents.size()), report);
    throw_if_wrong(report);
    extents.push_back(extent.value_or(0));
  }
  return extents;
}

// Where the range of this process begins, in a map of one range over the processes. **Collective.**
Index begin_of_range(const Map& map) {
  const auto count = static_cast<Index>(compat::local_count(map));
  if (map.isUniform())
    return count > 0 ? Index{map.getMinGlobalIndex()} - map.getIndexBase()
                     : static_cast<Index>(map.getGlobalNumElements());
  Index end = 0;  // a process without elements cannot tell from its ids
  mpi::must_succeed(MPI_Scan(&count, &end, 1, MPI_INT64_T, MPI_SUM, Communicator(map.getComm()).raw()), "MPI_Scan");
  return end - count;
}

// A contiguous map as one axis. Every process knows its kind without a list.
infer::InferredDimData one_axis(const Map& map, Index before) {
  const Index base = map.getIndexBase(), count = static_cast<Index>(compat::local_count(map));
  infer::InferredDimData made;
  made.dim_data.resize(1);
  made.dim_data[0].size = static_cast<Index>(map.getGlobalNumElements());
  made.dim_data[0].proc_grid_size = map.getComm()->getSize();
  made.dim_data[0].proc_grid_rank = map.getComm()->getRank();
  made.dim_data[0].dist = Block{before, before + count, {}};
  made.order.axes = {0};
  made.order.reversed = {false};
  if (base != 0) made.losses.push_back("the index base " + std::to_string(base));
  return made;
}

}  // namespace

infer::InferredDimData infer(const Map& map, const Reshape& how) {
  if (!map.isDistributed() && map.getComm()->getSize() > 1 && map.getGlobalNumElements() > 0)  // on all processes
    refuse("the map repeats every id on every process, and the protocol has no replication", "",
           "export a map that distributes its ids over the processes");
  const Index base = how.index_base.value_or(map.getIndexBase());
  const MPI_Comm comm = Communicator(map.getComm()).raw();
  if (map.isContiguous() && !how.shape && !how.grid && base == map.getIndexBase())
    return one_axis(map, begin_of_range(map));
  GlobalIds ids;
  std::vector<Index> copy;
  infer::InferenceHints hints;
  hints.shape = how.shape;
  hints.grid = how.grid;
  hints.base = base;
  ids.count = static_cast<Index>(compat::local_count(map));
  if (ids.count > 0) ids.first = map.getMinGlobalIndex();
  if (!map.isContiguous())  // the same on all; a contiguous map would have to make its list first
    ids.list = compat::as_indices(compat::local_ids(map).getRawPtr(), compat::local_count(map), copy);
  return infer::infer_dim_data(ids, comm, hints);
}

ExportedArray as_array_of_map(const Columns& columns, bool is_vector, const Map& map, const ArrayMap& array_map) {
  const Distribution& rows = array_map.rows();
  const Index process = array_map.process();
  if (rows.count(process, Part::interior) != rows.count(process, Part::local))
    refuse("the array of the ArrayMap has padding, and a vector on its map does not hold the padding", "",
           "give a PaddedArrayMap and a vector on its overlap_map()");
  check_same(map, *array_map.map());
  const std::optional<Index> axis = array_map.options().vectors_axis;
  const Index vectors = columns.buffer.shape[1];
  if (!axis && (!is_vector && vectors != 1))
    refuse("the ArrayMap has no axis for " + std::to_string(vectors) + " vectors", "", "export the vectors one by one");
  if (axis && array_map.distribution().axis(*axis).size() != vectors)
    refuse("the ArrayMap has " + std::to_string(array_map.distribution().axis(*axis).size()) +
               " vectors, the MultiVector " + std::to_string(vectors),
           "", "give as many as the ArrayMap has", *axis);
  ExportedArray exported;
  exported.array.buffer = unfold(columns.buffer, rows.local_shape(process), array_map.order(), axis);
  exported.array.dim_data = array_map.distribution().dim_data(process);
  add_base(array_map.options().index_base, exported.receipt);
  return exported;
}

ExportedArray as_array_of_padded_map(const Columns& columns, const Map& map, const PaddedArrayMap& array_map) {
  const Distribution& all = array_map.interior().distribution();
  const Index process = array_map.interior().process();
  check_same(map, *array_map.overlap_map());
  if (columns.buffer.shape[1] != 1)
    refuse("a PaddedArrayMap has no axis for several vectors", "", "export the vectors one by one");
  ExportedArray exported;
  exported.array.buffer = unfold(columns.buffer, all.local_shape(process), array_map.order(), {});
  exported.array.dim_data = all.dim_data(process);
  add_base(array_map.interior().options().index_base, exported.receipt);
  return exported;
}

ExportedArray on_map(const Columns& columns, bool is_vector, infer::InferredDimData&& inferred) {
  ExportedArray exported;
  exported.array.dim_data = std::move(inferred.dim_data);
  exported.receipt.losses = std::move(inferred.losses);
  const Index ndim = exported.array.ndim();
  exported.array.buffer = unfold(columns.buffer, extents(exported.array.dim_data, columns.buffer.shape[0]),
                                 inferred.order, is_vector ? std::nullopt : std::optional<Index>(ndim));
  for (std::size_t axis = 0; axis < exported.array.dim_data.size(); ++axis) {
    const auto* listed = std::get_if<Unstructured>(&exported.array.dim_data[axis].dist);
    if (listed != nullptr && !listed->one_to_one)
      exported.receipt.losses.push_back("uniqueness of the indices of axis " + std::to_string(axis));
  }
  if (!is_vector) exported.array.dim_data.push_back(undistributed(columns.buffer.shape[1]));
  return exported;
}

void settle(ExportedArray& exported, const Columns& columns, Copy copy) {
  Buffer& buffer = exported.array.buffer;
  exported.receipt.shared = columns.in_place && copy != Copy::always;
  exported.receipt.same_address = exported.receipt.shared && buffer.data == columns.buffer.data;
  exported.receipt.bytes_copied = columns.in_place ? 0 : element_count(buffer) * buffer.type.bytes;
  exported.receipt.bytes_synchronized = columns.bytes_synchronized;
  if (copy != Copy::always || !columns.in_place) return;
  Buffer copied = allocate_in(of_device(buffer.memory), buffer.type, buffer.shape);
  copy_elements(buffer, copied);
  exported.receipt.bytes_copied = element_count(buffer) * buffer.type.bytes;
  buffer = std::move(copied);
}

Columns packed_columns(const std::vector<Buffer>& columns, const ElementType& type, Index rows) {
  Columns made;
  made.in_place = false;
  const Memory memory = columns.empty() ? Memory{} : of_device(columns.front().memory);
  made.buffer = allocate_in(memory, type, {static_cast<Index>(columns.size()), rows});
  Buffer one = made.buffer;
  one.shape = {rows, 1};
  one.strides = {type.bytes, type.bytes};
  for (const Buffer& column : columns) {
    copy_elements(column, one);
    one.data = static_cast<std::byte*>(one.data) + made.buffer.strides[0];
  }
  std::swap(made.buffer.shape[0], made.buffer.shape[1]);
  std::swap(made.buffer.strides[0], made.buffer.strides[1]);
  return made;
}

}  // namespace detail

DimData dim_data(const Map& map, const Reshape& how) {
  const detail::Collective call(map.getComm(), "dim_data");
  return call.run([&] { return detail::infer(map, how).dim_data; });
}

}  // namespace tridap::tpetra
