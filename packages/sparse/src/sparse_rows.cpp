#include "bounds.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/sparse/sparse_rows.hpp>

#include <string>

namespace tridap {

namespace {

void need_integers(const Integers& integers, const std::string& name) {
  if (integers.bytes != 4 && integers.bytes != 8)
    refuse(name + " are integers of " + std::to_string(integers.bytes) + " bytes", "must be of 4 or 8",
           "convert them to int64");
  if (integers.count < 0 || (integers.count > 0 && integers.data == nullptr))
    refuse(name + " are " + std::to_string(integers.count) + " integers at a null address", "must be in memory",
           "give their address");
}

void need_part(const SparsePart& part, Index rows, Index number) {
  const std::string name = "part " + std::to_string(number) + ": ";
  need_integers(part.row_starts, name + "the row starts");
  need_integers(part.columns, name + "the columns");
  if (part.row_starts.count != rows + 1)
    refuse(name + "there are " + std::to_string(part.row_starts.count) + " row starts",
           "must be " + std::to_string(rows + 1) + ", one more than this process has rows", "give all row starts");
  Index before = 0;
  for (Index row = 0; row <= rows; ++row) {
    const Index start = part.row_starts[row];
    if (start < before || (row == 0 && start != 0) || start > part.columns.count)
      refuse(name + "row start " + std::to_string(row) + " is " + std::to_string(start),
             row == 0 ? "must be 0"
                      : "must be at least " + std::to_string(before) + ", and at most the number of columns, " +
                            std::to_string(part.columns.count),
             "give the row starts in CSR form");
    before = start;
  }
  if (before > 0 && part.values == nullptr)
    refuse(name + "the values are at a null address", "must be in memory", "give their address");
}

}  // namespace

Index SparseRows::entries() const {
  Index count = 0;
  for (const SparsePart& part : parts)
    if (part.row_starts.count > 0) count += part.row_starts[part.row_starts.count - 1];
  return count;
}

void need_bounds(const Bounds& bounds, const char* what, Index process, MPI_Comm comm) {
  mpi::duplicates_of(comm);  // throws if it is null or an inter-communicator
  const int processes = mpi::processes_of(comm);
  if (static_cast<Index>(bounds.size()) != processes + 1)
    refuse(std::string("there are ") + std::to_string(bounds.size()) + " bounds of the " + what,
           "must be " + std::to_string(processes + 1) + ", one more than the communicator has processes",
           "give the communicator of the matrix's processes");
  if (process != mpi::rank_of(comm))
    refuse("these are the " + std::string(what) + " of process " + std::to_string(process),
           "must be those of this process, " + std::to_string(mpi::rank_of(comm)), "give each process its own rows");
  for (std::size_t p = 0; p < bounds.size(); ++p)
    if (bounds[p] < (p == 0 ? 0 : bounds[p - 1]) || (p == 0 && bounds[p] != 0))
      refuse("bound " + std::to_string(p) + " of the " + what + " is " + std::to_string(bounds[p]),
             p == 0 ? "must be 0" : "must be at least " + std::to_string(bounds[p - 1]), "use gather_bounds()");
}

void check(const SparseRows& rows, MPI_Comm comm) {
  need_bounds(rows.row_bounds, "rows", rows.process, comm);
  need_bounds(rows.column_bounds, "columns", rows.process, comm);
  Index number = 0;
  for (const SparsePart& part : rows.parts) need_part(part, rows.rows().size(), number++);
}

Bounds gather_bounds(Index count, MPI_Comm comm) {
  Bounds bounds;
  const mpi::Call call(comm, "gather_bounds", {}, [&](mpi::Record&) {
    const int processes = mpi::processes_of(comm);
    bounds.resize(static_cast<std::size_t>(processes) + 1);
  });
  comm = call.comm();
  mpi::must_succeed_everywhere(MPI_Allgather(&count, 1, MPI_INT64_T, bounds.data() + 1, 1, MPI_INT64_T, comm),
                               "MPI_Allgather", comm);
  for (std::size_t p = 1; p < bounds.size(); ++p) bounds[p] += bounds[p - 1];
  return bounds;
}

}  // namespace tridap
