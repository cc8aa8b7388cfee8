#pragma once

#include <tridap/index.hpp>

#include <cstddef>

namespace tridap::globalarrays {

/// What Global Arrays gets when it begins.
struct SessionOptions {
  /// Elements of double that GA's memory allocator keeps on each process, which GA_Update_ghosts, scatter and gather
  /// need; 0: none.
  Index allocator_doubles = Index{1} << 20;
};

/// Global Arrays for as long as this lives: begun where nobody has begun it, and ended where this began it. One for a
/// program, made after MPI_Init; any order with Kokkos and Tpetra is right.
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
  /// **Collective** over the processes of MPI_COMM_WORLD. Throws Error on every process where MPI has not begun or has
  /// ended, or has no window of memory that reaches all processes.
  explicit Session(const SessionOptions& options = {});
  /// **Collective**, unless an exception is under way.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Ends it now. **Collective**: throws the same Error on every process where an array is still held on any, naming
  /// how many and where; then GA goes on.
  void close();

 private:
  bool ends_ = false, open_ = false;
  int exceptions_ = 0;
};

/// Frees the arrays that nobody holds any more on any process. **Collective** over GA's processes, all of them;
/// create() and destroy() do the same on their way. Returns how many were freed.
Index collect();

}  // namespace tridap::globalarrays
