#pragma once

#include <tridap/index.hpp>
#include <tridap/redistribute/plan.hpp>

#include <mpi.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace tridap::mpi {
class Call;
class Duplicates;
}  // namespace tridap::mpi

namespace tridap::scalapack {

/// A process grid of the BLACS over the processes of a communicator: a BLACS context, and which rank is where in it.
///
///     tridap::scalapack::ProcessGrid grid(MPI_COMM_WORLD, 2, 3);
///     const auto exported = tridap::scalapack::export_array<double>(desc, a, grid);
///     ...
///     grid.close();
///
/// Ranks are those of the communicator. The BLACS get a duplicate of it, which is made once and kept with it.
class ProcessGrid {
 public:
  /// A grid of `nprow` x `npcol` processes: the first ranks, along the rows or down the columns, as BLACS_GRIDINIT
  /// orders them by 'R' and 'C'. Other ranks of `comm` are not in the grid. **Collective** over `comm`: throws the same
  /// Error on every process, also if `comm` has processes of MPI_Comm_spawn and the grid has more processes than
  /// MPI_COMM_WORLD has on one of them: the BLACS know no others.
  ProcessGrid(MPI_Comm comm, Index nprow, Index npcol, Order order = Order::row_major);
  /// The grid of a matrix: the process of `placed` with the grid coordinates (i, j) is in process row i and process
  /// column j. **Collective**, as above.
  ProcessGrid(MPI_Comm comm, const redistribute::PlacedDistribution& placed);
  /// The grid of a BLACS context of the caller, who also ends it. It is -1 on processes that are not in it.
  /// **Collective**, as above.
  static ProcessGrid of_context(int context, MPI_Comm comm);

  /// **Collective**, like close(). But if an exception unwinds the stack, it does nothing, since the other processes
  /// may be elsewhere in the program.
  ~ProcessGrid();
  ProcessGrid(ProcessGrid&& other) noexcept;
  ProcessGrid& operator=(ProcessGrid&&) = delete;

  /// Ends the contexts that were made here. Arrays may live longer. **Collective**. A second call does nothing.
  void close();

  MPI_Comm comm() const;  ///< the caller's, as long as it exists, then a duplicate of it
  Index nprow() const { return nprow_; }
  Index npcol() const { return npcol_; }
  /// Process row and column of this process; nothing: it is not in the grid.
  std::optional<std::array<Index, 2>> place() const { return place_; }
  /// The ranks by place in the grid, along its rows.
  const std::vector<Index>& ranks() const { return ranks_; }

  int context() const { return context_; }  ///< -1 on processes that are not in the grid
  /// The context of the transposed grid, in which process row and column of each process are exchanged: for row-major
  /// matrices, whose transposes are column-major.
  int transposed_context() const { return transposed_; }
  /// The processes of the grid, in the order of ranks(); MPI_COMM_NULL on the others. It is freed by close().
  MPI_Comm row_major_comm() const { return row_major_; }

 private:
  ProcessGrid(MPI_Comm comm, Index nprow, Index npcol, const std::function<std::vector<Index>(Index)>& ranks,
              std::optional<int> context);
  void refuse_order(MPI_Comm comm) const;
  void make(const mpi::Call& call, std::optional<int> context);

  std::shared_ptr<mpi::Duplicates> duplicates_;
  MPI_Comm row_major_ = MPI_COMM_NULL;
  Index nprow_ = 1, npcol_ = 1;
  std::vector<Index> ranks_;
  std::optional<std::array<Index, 2>> place_;
  int context_ = -1, transposed_ = -1;
  bool open_ = false, own_context_ = true;
  int exceptions_ = 0;
};

}  // namespace tridap::scalapack
