#pragma once

#include "support/median.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <vector>

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

/// Prints one line on rank 0: name, median, the least that it may be if that is another number, bound, ok or MISSED. An
/// infinite bound means no bound. Returns whether the bound holds, for the least.
inline bool line(const std::string& name, const Median& of, double bound, const char* what = "ratio") {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool holds = of.least <= bound;
  if (rank != 0) return holds;
  std::printf("%-52s %s %6.3f", name.c_str(), what, of.value);
  if (of.least < of.value) std::printf(" (at least %.3f)", of.least);
  if (!std::isinf(bound)) std::printf("  bound %5.2f  %s", bound, holds ? "ok" : "MISSED");
  std::printf("\n");
  return holds;
}

/// The same for a value that is no median.
inline bool line(const std::string& name, double value, double bound, const char* what = "ratio") {
  return line(name, Median{value, value}, bound, what);
}

/// Calls took(seconds of ours, seconds of theirs) for each of `pairs` pairs of samples, which alternate, of `times`
/// calls each. Before them, one sample of each side does not count. **Collective.**
template <class Took>
void alternate(const std::function<void()>& ours, const std::function<void()>& theirs, int times, int pairs,
               MPI_Comm comm, Took&& took) {
  sample(ours, times, comm);
  sample(theirs, times, comm);
  for (int pair = 0; pair < pairs; ++pair) {  // the order alternates, so that neither gains from the other
    const bool ours_first = pair % 2 == 0;
    const double first = sample(ours_first ? ours : theirs, times, comm);
    const double second = sample(ours_first ? theirs : ours, times, comm);
    took(ours_first ? first : second, ours_first ? second : first);
  }
}

/// Measures `ours` against `theirs`, and prints one line: name, ratio of the shortest samples, bound, ok or MISSED.
/// Returns whether the bound holds. **Collective**, as alternate().
inline bool compare(const std::string& name, double bound, const std::function<void()>& ours,
                    const std::function<void()>& theirs, int times, int pairs = 40, MPI_Comm comm = MPI_COMM_WORLD) {
  double best_ours = std::numeric_limits<double>::infinity(), best_theirs = best_ours;
  alternate(ours, theirs, times, pairs, comm, [&](double our_seconds, double their_seconds) {
    best_ours = std::min(best_ours, our_seconds);
    best_theirs = std::min(best_theirs, their_seconds);
  });
  return line(name, best_ours / best_theirs, bound);
}

/// The same for two that do nearly the same work: the ratio is the median of those of the pairs, and the bound is
/// missed if more than chance says that it is above. **Collective.**
inline bool compare_closely(const std::string& name, double bound, const std::function<void()>& ours,
                            const std::function<void()>& theirs, int times, int pairs = 200) {
  std::vector<double> ratios;
  alternate(ours, theirs, times, pairs, MPI_COMM_WORLD,
            [&](double our_seconds, double their_seconds) { ratios.push_back(our_seconds / their_seconds); });
  return line(name, median(ratios), bound);
}

/// Returns a function that calls `work(k)`, where k counts the samples of `times` calls from 0 to `copies` - 1, and
/// then begins again. The work has so many copies in different memory, because some memory of a virtual machine is up
/// to 2.7 times as slow as other memory, and one slow copy would decide a comparison. `shifted`: after each cycle k
/// skips one copy, so that each copy of one side is compared with each copy of the other.
template <class Work>
std::function<void()> in_turns(int copies, int times, Work work, bool shifted = false) {
  return [=, calls = 0]() mutable {
    const int sample = calls++ / times;
    work(static_cast<std::size_t>((sample + (shifted ? sample / copies : 0)) % copies));
  };
}

}  // namespace bench
