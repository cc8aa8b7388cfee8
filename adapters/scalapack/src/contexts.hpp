#pragma once

#include <tridap/flat_numbers.hpp>
#include <tridap/internal/duplicates.hpp>

#include <mpi.h>

#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::scalapack {

/// What the BLACS have for a communicator: the handle by which they know their duplicate of it, and a context for each
/// shape of a grid of all processes. They are kept with the communicator's duplicates, and freed with them.
///
/// The BLACS give a communicator that they know the handle that it has, and if one part frees it, it is freed for all:
/// so it is asked for once.
class Contexts {
 public:
  /// Those of a communicator. **Collective** the first time: throws the same Error on every process or on none.
  static Contexts& of(mpi::Duplicates& duplicates);
  explicit Contexts(MPI_Comm comm);
  Contexts(const Contexts&) = delete;
  Contexts& operator=(const Contexts&) = delete;
  ~Contexts();

  int handle() const { return handle_; }
  /// The context of `nprow` x `npcol` processes, all of the communicator: process r of the grid, along its rows, or
  /// down its columns, is rank r. **Collective** the first time for a shape: throws the same Error on every process or
  /// on none.
  int context(Index nprow, Index npcol, Order order, MPI_Comm comm);

 private:
  struct Kept {
    Index nprow, npcol;
    Order order;
    int context;
  };
  int handle_;
  std::vector<Kept> all_;
};

/// A new context of the ranks of the handle's communicator, which are listed down the columns of the grid.
/// **Collective.** The BLACS call every process of the communicator, and end the program on wrong arguments, so these
/// are checked before.
int make_context(int handle, Index nprow, Index npcol, std::vector<int>& down);

/// Throws Error, on this process alone, if the BLACS know fewer processes: they end the program if a grid has more
/// processes than MPI_COMM_WORLD of one of them, which counts only those that were started together with it.
void need_started_together(Index processes);

}  // namespace tridap::scalapack

#pragma GCC visibility pop
