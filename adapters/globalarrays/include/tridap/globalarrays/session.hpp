#pragma once

#include <tridap/index.hpp>

#include <cstddef>

namespace tridap::globalarrays {

/// Options with which Global Arrays is initialised.
struct SessionOptions {
  /// Size of GA's memory allocator on each process, in elements of double; GA_Update_ghosts, scatter and gather need
  /// it. 0: none.
  Index allocator_doubles = Index{1} << 20;
};

/// Initialises Global Arrays (GA) if it is not initialised, and terminates it at its end if it initialised it. Make one
/// for a program, after MPI_Init; it may be made before or after Kokkos and Tpetra.
///
///     MPI_Init(&argc, &argv);
///     {
///       tridap::globalarrays::Session session;
///       ...
///     }
///     MPI_Finalize();
///
/// If it is destroyed while an exception unwinds the stack, or while arrays are held, it does not terminate GA, because
/// other processes may be elsewhere in the program; MPI_Finalize does, if no array is held then. An array that is held
/// after MPI_Finalize may be destroyed but not read: its memory is freed with MPI.
class Session {
 public:
  /// **Collective** over the processes of MPI_COMM_WORLD, unless GA is initialised with an allocator. Throws Error on
  /// every process if MPI is not initialised or is finalised, or has no memory window that reaches all processes, or if
  /// the processes give different options.
  explicit Session(const SessionOptions& options = {});
  /// **Collective**, unless an exception unwinds the stack.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Ends the Session now. **Collective**: if a process still holds an array, it throws the same Error on every
  /// process, with the number of arrays and the process, and does not terminate GA. It waits for the end of the Session
  /// on every process, also by an exception: so other collective calls do not meet it, and wait.
  void close();

 private:
  bool ends_ = false, open_ = false;
  int exceptions_ = 0;
};

/// Frees the arrays that no process holds any more, and returns how many. **Collective** over all of GA's processes. If
/// these are those of MPI_COMM_WORLD, it begins there, and meets other calls that get MPI_COMM_WORLD; so do
/// make_group() and, for an array of all processes, grid_communicator(). create() and destroy() free them too.
Index collect();

}  // namespace tridap::globalarrays
