#include <dap/check.hpp>
#include <dap/flat_numbers.hpp>
#include <dap/mpi/gather.hpp>
#include <dap/runs.hpp>
#include <dap/tpetra.hpp>

#include <limits>

namespace dap::tpetra {

namespace {

using GlobalOrdinal = Map::global_ordinal_type;
using LocalOrdinal = Map::local_ordinal_type;

[[noreturn]] void refuse(std::string fault, std::string remedy, std::optional<Index> axis = {}) {
  throw Error(Finding{Rule::conversion, {}, axis, "", std::move(fault), "", std::move(remedy)});
}

// Elements that come before ours, on processes of lower rank.
Index elements_before(Index own, MPI_Comm comm) {
  Index before = 0;
  MPI_Exscan(&own, &before, 1, MPI_INT64_T, MPI_SUM, comm);
  return mpi::rank_of(comm) == 0 ? 0 : before;
}

// How many elements solvers see: on us, on the largest process, on those before us, on all. Found axis by axis, without
// communication: the processes before us are those that come first on some axis and stand with us on the axes before
// it.
struct Counts {
  Index local = 1, largest = 1, before = 0, total = 1;
};

Counts count(const Distribution& distribution, Index process) {
  const Indices coordinates = distribution.coordinates(process);
  Counts counts;
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const Axis& axis = distribution.axis(i);
    Index before = 0, total = 0, largest = 0;
    const Index own = coordinates[static_cast<std::size_t>(i)];
    for (Index c = 0; c < axis.proc_grid_size(); ++c) {
      const Index held = axis.part(c, Part::interior).size();
      if (c < own) before += held;
      total += held;
      largest = std::max(largest, held);
    }
    counts.before = counts.before * total + counts.local * before;
    counts.local *= axis.part(own, Part::interior).size();
    counts.largest *= largest;
    counts.total *= total;
  }
  return counts;
}

bool is_range(const std::vector<Index>& ids) {
  for (std::size_t i = 1; i < ids.size(); ++i)
    if (ids[i] != ids[i - 1] + 1) return false;
  return true;
}

Index sum_over(Index own, MPI_Comm comm) {
  Index sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_INT64_T, MPI_SUM, comm);
  return sum;
}

bool everywhere(bool here, MPI_Comm comm) { return mpi::spread({here ? 1 : 0}, comm).front().smallest == 1; }

// The first flat number of a process's interior where, in memory order, the numbers rise by one; nothing otherwise.
std::optional<Index> one_range(const Distribution& distribution, Index process, const MemoryOrder& order) {
  const std::vector<Range> box = distribution.part(process, Part::interior);
  Index last = -1;
  for (const Index axis : order.axes) {
    const auto i = static_cast<std::size_t>(axis);
    if (box[i].size() == 1) continue;
    if (order.reversed[i] || axis < last) return std::nullopt;
    last = axis;
  }
  const std::optional<Run> run = ArrayRuns(distribution, process, Part::interior).next();
  if (!run || run->length != distribution.count(process, Part::interior)) return std::nullopt;
  return run->global;
}

// Tpetra's limits, checked before Tpetra is called: it finds them on some processes only, and hangs the others.
void check_limits(const FlatNumbers& numbers, const Counts& counts, Index processes, bool ranges) {
  constexpr Index most = std::numeric_limits<LocalOrdinal>::max();
  if (counts.largest > most)
    refuse(
        "a process has " + std::to_string(counts.largest) + " elements, a map numbers at most " + std::to_string(most),
        "use more processes");
  if (!ranges && numbers.count() / processes >= Index{1} << 31)
    refuse("the ids span " + std::to_string(numbers.count()) +
               " numbers, Tpetra's directory holds 2^31 for each of the " + std::to_string(processes) + " processes",
           "use more processes, or rows in one piece");
}

}  // namespace

Layout::Layout(const DistArray& array, MPI_Comm comm)
    : distribution_(mpi::gather(array, comm)), comm_(comm), process_(mpi::rank_of(comm)) {
  // What the distribution alone decides is the same on every process, and so thrown by all or none.
  for (Index axis = 0; axis < distribution_.ndim(); ++axis)
    if (distribution_.axis(axis).shares_indices())
      refuse("some index stands on several processes, and a vector would hold it twice", "export each index once",
             axis);
  const FlatNumbers numbers(distribution_);

  const Counts counts = numbers.count() == 0 ? Counts{0, 0, 0, 0} : count(distribution_, process_);
  order_ = memory_order(sub_buffer(array.buffer, distribution_.part(process_, Part::interior)));
  const std::optional<Index> first = one_range(distribution_, process_, order_);
  const bool ranges = everywhere(counts.local == 0 || first == counts.before, comm);  // known without listing any id
  check_limits(numbers, counts, distribution_.processes(), ranges);

  const auto teuchos = Teuchos::rcp(new Teuchos::MpiComm<int>(comm));
  const auto total = static_cast<Tpetra::global_size_t>(counts.total);
  if (ranges) {
    map_ = Teuchos::rcp(new Map(total, static_cast<std::size_t>(counts.local), 0, teuchos));
  } else {
    const auto ids =
        mpi::collectively(comm, [&] { return numbers.list<GlobalOrdinal>(process_, Part::interior, order_); });
    map_ = Teuchos::rcp(new Map(total, Teuchos::ArrayView<const GlobalOrdinal>(ids), 0, teuchos));
  }
}

Teuchos::RCP<const Map> make_map(const DistArray& array, MPI_Comm comm) { return Layout(array, comm).map(); }

namespace detail {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

namespace {

// What keeps `interior` from being the vector's memory; empty: nothing.
std::string obstacle(const Buffer& interior, const Buffer& seen, ElementType scalar) {
  if (element_count(interior) == 0) return "";
  if (interior.read_only) return "a Vector can be written and the buffer is read-only";
  if (reinterpret_cast<std::uintptr_t>(interior.data) % static_cast<std::uintptr_t>(scalar.bytes) != 0)
    return "a Vector needs aligned elements and the buffer's address is no multiple of " + std::to_string(scalar.bytes);
  if (is_row_major(seen)) return "";
  const MemoryOrder order = memory_order(interior);
  return order.dense ? "the buffer's memory order is not that of the layout"
                     : "a Vector needs its elements in a row and " + order.obstacle;
}

void check_belongs(const DistArray& array, const Layout& layout, ElementType scalar) {
  throw_if_wrong(check(array));
  if (array.buffer.type != scalar)
    refuse("the array holds " + array.buffer.type.name() + ", the vector " + scalar.name(),
           "import it as a vector of the array's own element type");
  if (array.buffer.memory.kind != Memory::Kind::host)
    refuse("the buffer is in " + array.buffer.memory.name() + " memory, the vector in host memory",
           "export host memory");
  const auto same = [](const Dimension& a, const Dimension& b) {
    Report ignored;
    const auto extent = check_dimension(a, 0, ignored);
    if (a.dist_type() != b.dist_type() || a.size != b.size || a.proc_grid_size != b.proc_grid_size ||
        a.proc_grid_rank != b.proc_grid_rank || extent != check_dimension(b, 0, ignored))
      return false;
    if (const auto* block = std::get_if<Block>(&a.dist)) {
      const auto& other = std::get<Block>(b.dist);
      const std::array<Index, 2> none{0, 0}, mine = block->padding.value_or(none),
                                             theirs = other.padding.value_or(none);
      const bool left = a.periodic || a.proc_grid_rank > 0;  // elsewhere it is boundary padding, which is owned
      const bool right = a.periodic || a.proc_grid_rank < a.proc_grid_size - 1;
      return a.periodic == b.periodic && (*extent == 0 || block->start == other.start) &&
             (!left || mine[0] == theirs[0]) && (!right || mine[1] == theirs[1]);
    }
    if (const auto* cyclic = std::get_if<Cyclic>(&a.dist)) {
      const auto& other = std::get<Cyclic>(b.dist);
      return cyclic->block_size == other.block_size && (*extent == 0 || cyclic->start == other.start);
    }
    return read_indices(std::get<Unstructured>(a.dist).indices) == read_indices(std::get<Unstructured>(b.dist).indices);
  };
  const std::vector<Dimension> expected = layout.distribution().dim_data(layout.process());
  for (std::size_t axis = 0; axis < std::max(expected.size(), array.dim_data.size()); ++axis)
    if (expected.size() != array.dim_data.size() || !same(array.dim_data[axis], expected[axis]))
      refuse("the array is not distributed as the layout is", "make a Layout of this array", static_cast<Index>(axis));
}

}  // namespace

Dense dense_interior(const DistArray& array, const Layout& layout, ElementType scalar, Copy copy) {
  check_belongs(array, layout, scalar);
  const Buffer interior = sub_buffer(array.buffer, layout.distribution().part(layout.process(), Part::interior));
  const Buffer seen = in_order(interior, layout.order());
  const std::string why = obstacle(interior, seen, scalar);
  if (copy == Copy::never && !why.empty())
    refuse("copy=never, but " + why, "pass copy=if_needed, or a contiguous writable buffer");

  Dense dense;
  dense.buffer = seen;
  if (copy == Copy::always || !why.empty()) {
    dense.buffer = allocate(scalar, interior.shape);
    dense.receipt.shared = false;
    dense.receipt.bytes_copied = pack(seen, dense.buffer.data);
  }
  const Index count = element_count(interior);
  dense.buffer.read_only = false;
  dense.buffer.shape = {count, 1};
  dense.buffer.strides = column_major_strides(dense.buffer.shape, scalar.bytes);
  if (layout.distribution().ndim() != 1) dense.receipt.losses.push_back("the shape");
  if (element_count(array.buffer) != count) dense.receipt.losses.push_back("padding");
  for (const Dimension& dimension : array.dim_data)
    for (const Extra& extra : dimension.extras) dense.receipt.losses.push_back("the key '" + extra.key + "'");
  return dense;
}

ExportedArray in_layout(const Buffer& data, const Map& map, const Layout& layout) {
  const Distribution& distribution = layout.distribution();
  const Index process = layout.process();
  if (distribution.count(process, Part::interior) != distribution.count(process, Part::local))
    refuse("the layout has padding, and a vector holds none", "export the vector without a layout");
  const bool same = &map == layout.map().get() || (compat::local_count(map) == compat::local_count(*layout.map()) &&
                                                   map.locallySameAs(*layout.map()));
  if (!same) refuse("the vector's map does not list the ids of the layout", "give the layout that the map came from");
  ExportedArray exported;
  exported.array.buffer = from_order(data.data, data.type, distribution.local_shape(process), layout.order());
  exported.array.buffer.memory = data.memory;
  exported.array.buffer.owner = data.owner;
  exported.array.dim_data = distribution.dim_data(process);
  return exported;
}

ExportedArray on_map(const Buffer& data, const Map& map) {
  const auto* teuchos = dynamic_cast<const Teuchos::MpiComm<int>*>(map.getComm().get());
  if (teuchos == nullptr) refuse("the map's communicator is none of MPI", "make the map on a Teuchos::MpiComm");
  const MPI_Comm comm = *teuchos->getRawMpiComm();
  const Index base = map.getIndexBase(), local = data.shape.front();
  const Index before = elements_before(local, comm), total = sum_over(local, comm);
  std::vector<Index> ids;
  if (!map.isContiguous()) {  // known to all; a contiguous map would have to make its list first
    const auto listed = compat::local_ids(map);
    ids.assign(listed.begin(), listed.end());
  }
  const Index first = local == 0 ? before : map.getMinGlobalIndex() - base;
  const bool one_range = everywhere(first == before && is_range(ids), comm);

  ExportedArray exported;
  exported.array.buffer = row_major(static_cast<std::byte*>(data.data), {local});
  exported.array.buffer.type = data.type;
  exported.array.buffer.strides = {data.type.bytes};
  exported.array.buffer.memory = data.memory;
  exported.array.buffer.owner = data.owner;
  Dimension dimension;
  dimension.size = total;
  dimension.proc_grid_size = teuchos->getSize();
  dimension.proc_grid_rank = teuchos->getRank();
  if (one_range) {
    dimension.dist = Block{before, before + local, {}};
    if (base != 0) exported.receipt.losses.push_back("the index base " + std::to_string(base));
  } else {
    dimension.dist = Unstructured{IndexBuffer(std::move(ids)), map.isOneToOne()};
  }
  exported.array.dim_data = {std::move(dimension)};
  Report report = check(exported.array);  // an id that stands twice on one process: Tpetra lets it pass
  report.set_process(teuchos->getRank());
  mpi::throw_together(std::move(report), comm);
  return exported;
}

}  // namespace detail

}  // namespace dap::tpetra
