#pragma once

#include <mpi.h>

namespace bench {

/// Whether the processes had the cores to themselves: what the machine was busy with, less what these processes took.
class Quiet {
 public:
  /// `comm`: all that run; one machine. Begins to watch. **Collective.**
  explicit Quiet(MPI_Comm comm);

  /// Since it began, or since the last question: whether nobody else took more than 1 % of the cores. **Collective.**
  bool ask();

 private:
  struct Times {
    double wall = 0, own = 0, busy = 0;  // seconds; busy: of all cores together, time stolen by the host included
  };
  Times now() const;

  MPI_Comm comm_;
  Times last_;
};

/// Seconds that this process was ready to run and did not, ever.
double waited();

/// Whether each process can have a core.
bool a_core_each(MPI_Comm comm);

}  // namespace bench
