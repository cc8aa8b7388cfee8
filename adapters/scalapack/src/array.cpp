#include "blocks.hpp"
#include "memory.hpp"
#include <tridap/check.hpp>
#include <tridap/detail/clock.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/needs.hpp>
#include <tridap/internal/region.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/redistribute/redistribution.hpp>
#include <tridap/scalapack/array.hpp>
#include <tridap/vocabularies.hpp>

#include <algorithm>
#include <utility>

namespace tridap::scalapack {

namespace {

using redistribute::PlacedDistribution;
using redistribute::Redistribution;

enum Entry : std::size_t { dtype, ctxt, m, n, mb, nb, rsrc, csrc, lld };

[[noreturn]] void refuse_entry(const char* name, Index value, std::string must, std::string remedy) {
  refuse_key(name, std::to_string(value), std::move(must), std::move(remedy));
}

Distribution distribution_of(const Desc& desc, const ProcessGrid& grid) {
  if (desc[dtype] != 1)
    refuse_entry("DTYPE_", desc[dtype], "must be 1, a dense matrix", "make the descriptor by DESCINIT");
  const int context = desc[ctxt];
  if (grid.place() ? context != grid.context() : context != -1)
    refuse_entry(
        "CTXT_", context,
        "must be the grid's context " + std::to_string(grid.context()) + ", and -1 on processes that are not in it",
        "pass the grid of this context: ProcessGrid::of_context()");
  return matrix({desc[m], desc[n], desc[mb], desc[nb], desc[rsrc], desc[csrc], {}}, {grid.nprow(), grid.npcol()})
      .distribution;
}

// What this process alone can see. A process that is not in the grid has an array without axes.
void check_part(const DistArray& array, const ProcessGrid& grid) {
  if (!grid.place()) {
    if (!array.dim_data.empty() || !array.buffer.shape.empty())
      refuse("this process is not in the process grid, but passes a part of an array", "must pass DistArray{}",
             "make the grid of the processes that hold the array");
    return;
  }
  throw_if_wrong(check(array));
  const Buffer& buffer = array.buffer;
  if (array.ndim() != 2)
    refuse("the array has " + std::to_string(array.ndim()) + " axes", "must have 2", "slice or reshape it to a matrix");
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const Dimension& dimension = array.dim_data[axis];
    const Index processes = axis == 0 ? grid.nprow() : grid.npcol(), place = (*grid.place())[axis];
    if (dimension.proc_grid_size != processes || dimension.proc_grid_rank != place)
      refuse("the part is number " + std::to_string(dimension.proc_grid_rank) + " of " +
                 std::to_string(dimension.proc_grid_size) + ", and this process is number " + std::to_string(place) +
                 " of " + std::to_string(processes) + " of the grid",
             "must be the same", "make the grid of the array's placement: ProcessGrid(comm, placed)",
             static_cast<Index>(axis));
  }
  if (!is_scalar(buffer.type))
    refuse("the array's elements are " + buffer.type.name(), "must be float32, float64, complex64 or complex128",
           "convert them (in Python array = array.astype(float))");
  need_host_memory(buffer);
  if (buffer.read_only)
    refuse("the buffer is read-only, and ScaLAPACK's routines write", "must be writable", "pass a writable copy");
}

// Runs a step that is collective over the grid's processes alone, and throws the same Error on all of them or on none.
// If there are others, they learn of it, and of a flag that the step returns. **Collective.**
template <class Step>
bool on_grid(const ProcessGrid& grid, const mpi::Call& call, Step&& step) {
  if (static_cast<Index>(grid.ranks().size()) == mpi::processes_of(call.comm())) return step();
  mpi::Faults faults;
  Index said[2] = {};  // it failed; the flag
  if (grid.place()) {
    try {
      said[1] = step() ? 1 : 0;
    } catch (const Error& error) {
      faults.failed = true;
      said[0] = 1;
      if (*grid.place() == std::array<Index, 2>{0, 0}) faults.report = error.report();
    }
  }
  mpi::reduce(said, 2, MPI_MAX, call.comm());
  if (said[0] != 0) mpi::throw_faults(std::move(faults), call.comm());
  return said[1] != 0;
}

// The descriptor of our part; `along` is the axis of the array that is ScaLAPACK's rows.
Desc describe_part(const DistArray& array, const Distribution& whole, const ProcessGrid& grid, std::size_t along) {
  Desc desc{1, -1};
  if (!grid.place()) return desc;
  const auto rows = static_cast<Index>(along), columns = 1 - rows;
  const Blocks of_rows = *blocks_of(whole.axis(rows)), of_columns = *blocks_of(whole.axis(columns));
  const Index least = *leading_dimension(array.buffer, along);
  const std::array<std::pair<const char*, Index>, 7> numbers{{{"M_", whole.axis(rows).size()},
                                                              {"N_", whole.axis(columns).size()},
                                                              {"MB_", of_rows.length},
                                                              {"NB_", of_columns.length},
                                                              {"RSRC_", of_rows.first},
                                                              {"CSRC_", of_columns.first},
                                                              {"LLD_", least}}};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto& [name, value] = numbers[i];
    if (value > most) refuse_entry(name, value, "must fit ScaLAPACK's int", "use a smaller matrix, or more processes");
    desc[i + m] = static_cast<int>(value);
  }
  const Index local_columns = array.buffer.shape[1 - along];
  if (const auto held = checked_multiply(least, local_columns); !held || *held > most)
    refuse("this process's part spans more than 2^31 - 1 elements", "must fit ScaLAPACK's int", "use more processes");
  desc[ctxt] = along == 0 ? grid.context() : grid.transposed_context();
  return desc;
}

// The array in the nearest distribution, column-major. **Collective.**
DistArray moved(const DistArray& array, const Distribution& target, const Distribution& whole, const ProcessGrid& grid,
                const mpi::Call& call) {
  DistArray made;
  on_grid(grid, call, [&] {
    redistribute::Options options;
    options.order = Order::column_major;
    made = Redistribution(whole, target, array.buffer.type.bytes, grid.row_major_comm(), options)(array);
    return true;
  });
  return made;
}

}  // namespace

ExportedArray export_array(const Desc& desc, void* local, const ElementType& type, const ProcessGrid& grid,
                           std::shared_ptr<void> owner) {
  const Distribution whole = distribution_of(desc, grid);
  ExportedArray made;
  if (!grid.place()) return made;
  const Index process = whole.process({(*grid.place())[0], (*grid.place())[1]});
  const std::vector<Index> held = whole.local_shape(process);
  if (desc[lld] < std::max<Index>(held[0], 1))
    refuse_entry("LLD_", desc[lld],
                 "must be at least max(1, LOC(M_)), which is " + std::to_string(std::max<Index>(held[0], 1)),
                 "pass the leading dimension of the local matrix");
  if (local == nullptr && held[0] > 0 && held[1] > 0)
    refuse("the local matrix is a null pointer, and this process has " + std::to_string(held[0]) + " x " +
               std::to_string(held[1]) + " elements",
           "", "pass the address of its first element");
  made.array.version = "0.10.0";
  made.array.dim_data = whole.dim_data(process);
  Buffer& buffer = made.array.buffer;
  buffer.data = local;
  buffer.type = type;
  buffer.shape = {held[0], held[1]};
  buffer.strides = {type.bytes, desc[lld] * type.bytes};
  buffer.owner = std::move(owner);
  return made;
}

PlacedDistribution placed(const Desc& desc, const ProcessGrid& grid) {
  return {distribution_of(desc, grid), grid.ranks()};
}

ImportedMatrix import_array(const DistArray& array, const ProcessGrid& grid, Fit fit) {
  const mpi::Region region("tridap::scalapack::import_array");
  const double begin = tridap::detail::now();
  const mpi::Call call(grid.comm(), "scalapack::import_array", mpi::Library::blacs, [&](mpi::Record& record) {
    check_part(array, grid);
    for (const std::size_t along : {std::size_t{0}, std::size_t{1}})
      record.add(!grid.place() || leading_dimension(array.buffer, along) ? 1 : 0);
  });
  return call.run([&] {
    const bool columns = call.smallest(0) != 0, rows = call.smallest(1) != 0;  // it is, on all processes
    Distribution whole({});
    const bool moves = on_grid(grid, call, [&] {
      whole = mpi::gather_distribution(array, grid.row_major_comm());
      if (fit == Fit::nearest) return refusal(whole) || !(columns || rows);
      check_usable(whole);
      if (!columns && !rows)
        refuse("the memory of the array is neither column-major nor row-major on every process", "must be one of both",
               "pass Fit::nearest (Python: copy='if_needed'), or a contiguous copy");
      return false;
    });
    ImportedMatrix made;
    made.array = array;
    made.transposed = !columns && !moves;
    if (made.transposed)
      made.receipt.losses.push_back("the order of the axes: the matrix is the transpose of the array");
    if (moves) {
      made.receipt.shared = made.receipt.same_address = false;
      made.receipt.bytes_copied = element_count(array.buffer) * array.buffer.type.bytes;
      made.receipt.losses.push_back("the distribution or the memory order");
      const Distribution target = grid.place() ? nearest(whole) : whole;
      made.array = moved(array, target, whole, grid, call);
      whole = target;
    }
    mpi::collectively(call.comm(),
                      [&] { made.desc = describe_part(made.array, whole, grid, made.transposed ? 1 : 0); });
    made.data = made.array.buffer.data;
    made.receipt.seconds = tridap::detail::now() - begin;
    return made;
  });
}

bool is_elpa_ready(const Desc& desc) { return desc[mb] == desc[nb] && desc[rsrc] == 0 && desc[csrc] == 0; }

}  // namespace tridap::scalapack
