#pragma once

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>

namespace bench {

/// One sample: `times` calls of `work` between barriers; the seconds of the slowest process. **Collective.**
inline double sample(const std::function<void()>& work, int times, MPI_Comm comm) {
  MPI_Barrier(comm);
  const double begin = MPI_Wtime();
  for (int i = 0; i < times; ++i) work();
  double seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  return seconds;
}

/// Prints one line on rank 0: name, measured value, bound, ok or MISSED. An infinite bound means no bound. Returns
/// whether the bound holds.
inline bool line(const std::string& name, double value, double bound, const char* what = "ratio") {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool holds = value <= bound;
  if (rank != 0) return holds;
  if (std::isinf(bound))
    std::printf("%-52s %s %6.3f\n", name.c_str(), what, value);
  else
    std::printf("%-52s %s %6.3f  bound %5.2f  %s\n", name.c_str(), what, value, bound, holds ? "ok" : "MISSED");
  return holds;
}

/// Measures `ours` against `theirs` in `pairs` alternating samples of `times` calls each, both warmed up, and prints
/// one line: name, ratio of the minima, bound, ok or MISSED. Returns whether the bound holds. **Collective.**
inline bool compare(const std::string& name, double bound, const std::function<void()>& ours,
                    const std::function<void()>& theirs, int times, int pairs = 40, MPI_Comm comm = MPI_COMM_WORLD) {
  double best_ours = std::numeric_limits<double>::infinity(), best_theirs = best_ours;
  sample(ours, times, comm);
  sample(theirs, times, comm);
  for (int pair = 0; pair < pairs; ++pair) {  // the order alternates, so that neither gains from the other
    const bool ours_first = pair % 2 == 0;
    for (const bool turn : {ours_first, !ours_first}) {
      double& best = turn ? best_ours : best_theirs;
      best = std::min(best, sample(turn ? ours : theirs, times, comm));
    }
  }
  return line(name, best_ours / best_theirs, bound);
}

}  // namespace bench
