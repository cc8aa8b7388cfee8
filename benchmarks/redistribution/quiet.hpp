#pragma once

#include <mpi.h>

namespace bench {

/// Whether other programs used the cores: the busy time of the machine less the CPU time of these processes.
class Quiet {
 public:
  /// `comm`: all measured processes, on one machine. Starts watching. **Collective.**
  explicit Quiet(MPI_Comm comm);

  /// Returns whether, since the start or the last call, other programs took at most 1 % of the cores' time and, if each
  /// process can have a core, no process waited for one. **Collective.**
  bool ask();

 private:
  struct Times {
    double wall = 0, own = 0, busy = 0;  // seconds; busy: of all cores together, time stolen by the host included
    double waited = 0;                   // sum over all processes: ready to run, but not running
  };
  Times now() const;

  MPI_Comm comm_;
  Times last_;
};

}  // namespace bench
