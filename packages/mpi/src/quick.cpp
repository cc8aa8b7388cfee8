#include "quick.hpp"

#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_check.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/version.hpp>

#include <algorithm>
#include <array>

namespace tridap::mpi {

namespace {

constexpr Index most_axes = 4;
constexpr int most_processes = 256;  // beyond, what every process says is more than a reduction of it

// What one process says of one axis.
struct SaidOfAxis {
  Index dist_type = 0, periodic = 0, padded = 0;
  Index size = 0, proc_grid_size = 0, proc_grid_rank = 0;
  Index first = 0, second = 0;  // start and stop, or start and block_size
  std::array<Index, 2> padding{};

  friend bool operator==(const SaidOfAxis& a, const SaidOfAxis& b) {
    return a.dist_type == b.dist_type && a.periodic == b.periodic && a.padded == b.padded && a.size == b.size &&
           a.proc_grid_size == b.proc_grid_size && a.proc_grid_rank == b.proc_grid_rank && a.first == b.first &&
           a.second == b.second && a.padding == b.padding;
  }
};

// What one process says of its array; the bytes of numbers alone, between processes of one program.
struct SaidOfArray {
  Index clear = 0;  // nothing is wrong here, and all of it is told below
  Index flags = 0, ndim = 0;
  Index kind = 0, bytes = 0, native_order = 0, description = 0;  // of the elements
  std::array<SaidOfAxis, most_axes> axes;

  bool same_type(const SaidOfArray& other) const {
    return ndim == other.ndim && kind == other.kind && bytes == other.bytes && native_order == other.native_order &&
           description == other.description;
  }
};
static_assert(sizeof(SaidOfArray) == (7 + 10 * most_axes) * sizeof(Index), "no holes travel");

bool tell(const Dimension& dimension, SaidOfAxis& said) {
  said.dist_type = static_cast<Index>(dimension.dist.index());
  said.periodic = dimension.periodic;
  said.size = dimension.size;
  said.proc_grid_size = dimension.proc_grid_size;
  said.proc_grid_rank = dimension.proc_grid_rank;
  if (const auto* block = std::get_if<Block>(&dimension.dist)) {
    said.first = block->start;
    said.second = block->stop;
    said.padded = block->padding.has_value();
    said.padding = block->padding.value_or(said.padding);
    return true;
  }
  const auto* cyclic = std::get_if<Cyclic>(&dimension.dist);
  if (cyclic == nullptr) return false;
  said.first = cyclic->start;
  said.second = cyclic->block_size;
  return true;
}

SaidOfArray tell(const DistArray& array, const Reading& reading, Index flags) {
  SaidOfArray said;
  said.flags = flags;
  said.ndim = array.ndim();
  said.kind = static_cast<Index>(array.buffer.type.kind);
  said.bytes = array.buffer.type.bytes;
  said.native_order = array.buffer.type.native_order;
  said.description = array.buffer.type.description_number();
  if (said.ndim > most_axes) return said;
  const Report report = check(array, reading);
  Report ignored;
  bool clear = report.ok() && report.warnings() == 0 && read_version(array.version, ignored) == Version::v0_10;
  for (std::size_t axis = 0; clear && axis < array.dim_data.size(); ++axis)
    clear = tell(array.dim_data[axis], said.axes[axis]);
  said.clear = clear;
  return said;
}

// Which axes are put together: the even blocks that take no memory, or all.
enum class Wanted { even, all };

// One process stands for all at its coordinate on `axis`: those with it there and at 0 elsewhere are `stride` apart.
std::optional<Axis> put_together(const std::vector<SaidOfArray>& all, std::size_t axis, Index stride, Wanted wanted) {
  const auto at = [&](Index c) -> const SaidOfAxis& { return all[static_cast<std::size_t>(c * stride)].axes[axis]; };
  const SaidOfAxis& first = at(0);
  const Index grid = first.proc_grid_size;
  if (first.dist_type == 0 && !first.periodic && first.size > 0) {
    const BlockKind even(first.size, grid, std::max<Index>(first.second - first.first, 1));
    Index plain = 0, evenly = 0;
    for (; plain < grid; ++plain) {
      const SaidOfAxis& said = at(plain);
      if (said.padded || said.first != (plain > 0 ? at(plain - 1).second : 0)) break;
      evenly += said.second == even.begin(plain + 1) ? 1 : 0;
    }
    if (plain == grid && at(grid - 1).second == first.size) {
      const bool last_fits = first.size - at(grid - 1).first <= even.length();
      if (evenly == grid && last_fits) return Axis(even);
      if (wanted == Wanted::even) return std::nullopt;
      std::vector<Index> bounds{0};
      for (Index c = 0; c < grid; ++c) bounds.push_back(at(c).second);
      return Axis(BlockKind(std::move(bounds)));
    }
  }
  if (wanted == Wanted::even) return std::nullopt;
  std::vector<Dimension> dims(static_cast<std::size_t>(grid));
  for (Index c = 0; c < grid; ++c) {
    const SaidOfAxis& said = at(c);
    Dimension& dimension = dims[static_cast<std::size_t>(c)];
    dimension.size = said.size;
    dimension.proc_grid_size = grid;
    dimension.proc_grid_rank = c;
    dimension.periodic = said.periodic != 0;
    if (said.dist_type != 0) {
      dimension.dist.emplace<Cyclic>(Cyclic{said.first, said.second});
    } else {
      auto& block = dimension.dist.emplace<Block>(Block{said.first, said.second, {}});
      if (said.padded) block.padding = said.padding;
    }
  }
  Report report;
  std::optional<Axis> made = Axis::make(dims, static_cast<Index>(axis), report);
  return report.ok() && report.warnings() == 0 ? made : std::nullopt;
}

bool all_clear(const std::vector<SaidOfArray>& all) {
  return std::all_of(all.begin(), all.end(),
                     [&](const SaidOfArray& said) { return said.clear && said.same_type(all.front()); });
}

// What the processes say, put together, where no two of them disagree. `axes` is room for them.
std::optional<Distribution> put_together(const std::vector<SaidOfArray>& all, std::vector<Axis> axes, Wanted wanted) {
  const SaidOfArray& first = all.front();
  if (!all_clear(all)) return std::nullopt;
  const auto ndim = static_cast<std::size_t>(first.ndim), processes = all.size();
  auto stride = static_cast<Index>(processes);
  for (std::size_t axis = 0; axis < ndim; ++axis) {
    const Index grid = first.axes[axis].proc_grid_size;
    if (stride % grid != 0) return std::nullopt;
    stride /= grid;
    for (std::size_t process = 0; process < processes; ++process) {
      const SaidOfAxis& said = all[process].axes[axis];
      const Index c = static_cast<Index>(process) / stride % grid;
      const SaidOfAxis& representative = all[static_cast<std::size_t>(c * stride)].axes[axis];
      const SaidOfAxis& of_first = first.axes[axis];
      if (said.proc_grid_rank != c || !(said == representative) || said.size != of_first.size ||
          said.dist_type != of_first.dist_type || said.proc_grid_size != grid || said.periodic != of_first.periodic)
        return std::nullopt;
    }
    std::optional<Axis> made = put_together(all, axis, stride, wanted);
    if (!made) return std::nullopt;
    axes.push_back(std::move(*made));
  }
  if (stride != 1) return std::nullopt;
  return Distribution(std::move(axes));
}

// Brings what each process says of itself to all. A gathering in rounds that double is the fastest there is, but Open
// MPI has none for other numbers of processes, and there takes twice as long as a reduction over what the others left
// zero.
void exchange(SaidOfArray* all, std::size_t processes, MPI_Comm comm) {
  if (processes == 1) return;
  if ((processes & (processes - 1)) == 0)
    must_succeed(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, sizeof(SaidOfArray), MPI_BYTE, comm),
                 "MPI_Allgather");
  else
    must_succeed(MPI_Allreduce(MPI_IN_PLACE, all, static_cast<int>(processes * sizeof(SaidOfArray) / sizeof(Index)),
                               MPI_INT64_T, MPI_BOR, comm),
                 "MPI_Allreduce");
}

}  // namespace

std::optional<Distribution> quick_gather(const DistArray& array, MPI_Comm comm, const Reading& reading, Index& flags) {
  int processes = 1;
  must_succeed(MPI_Comm_size(comm, &processes), "MPI_Comm_size");
  if (processes > most_processes) return std::nullopt;
  SaidOfArray ours;
  std::vector<SaidOfArray> all;
  std::vector<Axis> axes;
  const bool ready = succeeds([&] {
    axes.reserve(static_cast<std::size_t>(array.ndim()));
    all.resize(static_cast<std::size_t>(processes));
    ours = tell(array, reading, flags);
  });
  if (!ready) ours = {};                      // check_collectively() says what
  static SaidOfArray unread[most_processes];  // for who has no memory to hear the others
  SaidOfArray* const room = all.empty() ? unread : all.data();
  room[rank_of(comm)] = ours;
  exchange(room, static_cast<std::size_t>(processes), comm);
  if (!ready) return std::nullopt;  // nor is it clear to the others
  std::optional<Distribution> made = put_together(all, std::move(axes), Wanted::even);
  if (!made && all_clear(all)) {  // there is memory to run out of
    const bool well = succeeds([&] { made = put_together(all, {}, Wanted::all); });
    if (!MpiCollectives(comm).all(well)) throw std::bad_alloc();
  }
  if (made)
    for (const SaidOfArray& said : all) flags &= said.flags;
  return made;
}

}  // namespace tridap::mpi
