#pragma once

#include <mpi.h>

namespace bench {

/// Whether the processes had the cores to themselves: what the machine was busy with, less what these processes took.
class Quiet {
 public:
  /// `comm`: all that run; one machine. Begins to watch. **Collective.**
  explicit Quiet(MPI_Comm comm);

  /// Since it began, or since the last question: whether nobody else took more than 1 % of the cores, and, where each
  /// process can have a core, none waited for one. **Collective.**
  bool ask();

 private:
  struct Times {
    double wall = 0, own = 0, busy = 0;  // seconds; busy: of all cores together, time stolen by the host included
    double waited = 0;                   // of all processes together: ready to run, and not running
  };
  Times now() const;

  MPI_Comm comm_;
  Times last_;
};

}  // namespace bench
