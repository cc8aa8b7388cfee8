#include "line/adapter.hpp"

#include <tridap/compare.hpp>  // describe()
#include <tridap/detail/refuse.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/gather_distribution.hpp>

#include <variant>

namespace tridap::lines {

ExportedArray export_array(std::shared_ptr<line::Line> line, MPI_Comm comm) {
  // 1. What one process alone can find. If it throws on any process, all processes throw the same Error.
  const Index count = mpi::collectively(comm, [&]() -> Index {
    if (line == nullptr) refuse("the line is null", "must be a line on every process", "pass a line");
    if (line->count < 0) refuse_key("count", std::to_string(line->count), "must be at least 0", "correct the line");
    return line->count;
  });

  // 2. What needs other processes. Nothing throws here, because all processes have agreed to go on.
  int rank = 0, processes = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &processes);
  Index stop = 0, size = 0;
  MPI_Scan(&count, &stop, 1, MPI_INT64_T, MPI_SUM, comm);
  MPI_Allreduce(&count, &size, 1, MPI_INT64_T, MPI_SUM, comm);

  // 3. The description. A step that allocates memory may fail on one process, so it is a local step, too.
  return mpi::collectively(comm, [&] {
    Dimension axis = undistributed(size);
    axis.proc_grid_size = processes;
    axis.proc_grid_rank = rank;
    axis.dist = Block{stop - count, stop, {}};
    ExportedArray exported;
    exported.array.buffer = row_major(line->values, {count}, line);
    exported.array.dim_data = {axis};
    return exported;
  });
}

ImportedLine import_array(const DistArray& array, MPI_Comm comm, Copy copy) {
  const Distribution whole = mpi::gather_distribution(array, comm);  // checks the arrays of all processes
  return mpi::collectively(comm, [&] {
    const Buffer& buffer = array.buffer;
    if (array.ndim() != 1)
      refuse("the array has " + std::to_string(array.ndim()) + " axes", "must have 1", "ravel it by redistribute()");
    if (whole.axis(0).dist_type() != 'b' || whole.axis(0).has_communication_padding())
      refuse("the axis is " + describe(whole.axis(0)), "must be in blocks without padding", "redistribute it", 0);
    if (buffer.type != element_type<double>())
      refuse("the elements are " + buffer.type.name(), "must be float64", "convert them");
    if (buffer.memory.kind != Memory::Kind::host)
      refuse("the buffer is in " + buffer.memory.name() + " memory", "must be in host memory", "copy it to the host");
    if (buffer.read_only) refuse("the buffer is read-only, and a line is written", "", "pass a writable copy");

    ImportedLine imported;
    Buffer used = buffer;
    if (copy == Copy::always || !is_row_major(buffer)) {
      if (copy == Copy::never)
        refuse("copy=never, but a line needs contiguous elements", "", "pass copy=if_needed, or a contiguous buffer");
      used = allocate(buffer.type, buffer.shape);
      imported.receipt.bytes_copied = pack(buffer, used.data);
      imported.receipt.shared = imported.receipt.same_address = false;
    }
    imported.line = {static_cast<double*>(used.data), static_cast<long>(used.shape[0])};
    imported.owner = used.owner;
    if (whole.axis(0).periodic()) imported.receipt.losses.push_back("the period of axis 0");
    return imported;
  });
}

}  // namespace tridap::lines
