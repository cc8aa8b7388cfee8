#pragma once

#include "redistribution/cases.hpp"
#include "support/median.hpp"

#include <mpi.h>

#include <memory>
#include <random>

namespace bench {

/// A case, with this process's parts in ordinary memory that was written before.
struct Problem {
  Problem(const Case& of, MPI_Comm over);

  Layout source, target;
  MPI_Comm comm;
  int rank = 0, processes = 1;
  std::vector<double> from;  ///< of the source; holds its values
  std::vector<double> to;    ///< of the target
};

/// A method that moves the source of a problem. Its functions are called in the same order on every process.
class Competitor {
 public:
  virtual ~Competitor() = default;
  virtual void poison() = 0;  ///< fills the target with NaN
  virtual void move() = 0;    ///< the measured function
  virtual bool right() = 0;   ///< whether the target has the right values
};

/// A method that moves the source into the problem's own target.
class IntoTarget : public Competitor {
 public:
  explicit IntoTarget(Problem& problem) : problem_(problem) {}
  void poison() override;
  bool right() override;

 protected:
  Problem& problem_;
};

/// Copies the source to other ordinary memory: the lower bound.
std::unique_ptr<Competitor> make_copy(Problem& problem);
/// Copies each contiguous run that this process receives to its place in the target. The runs come from ordinary memory
/// with the layout of the sender's memory. A move with short runs cannot be faster.
std::unique_ptr<Competitor> make_runs(Problem& problem);

/// The distance between rows of the local part, in elements; never 0, which libraries reject.
inline Index row_length(const Layout& layout, int rank) {
  const Index length = layout.extent(1, layout.coordinates(rank)[1]);
  return length > 0 ? length : 1;
}

void fill_with_nan(double* data, Index count);

struct Entrant {
  std::string name;
  std::unique_ptr<Competitor> competitor;
};

struct Effort {
  int rounds = 12, most_rounds = 100;
  bool disturbed = false;  ///< also counts disturbed samples: to try the program, not to measure
};

struct Outcome {
  std::vector<std::vector<double>> seconds;  ///< by entrant and round; NaN: disturbed
  int disturbed = 0;                         ///< number of disturbed samples
  std::string wrong;                         ///< the first entrant whose target was wrong; empty: none

  void add(const Outcome& more);  ///< of the same entrants in other rounds
  /// The smallest number of rounds in which an entrant can be compared with the first two.
  int least_rounds() const;
};

/// Runs rounds in which each entrant moves once, in random order, with caches that hold none of its data. A sample
/// lasts from the start of the first process to the end of the last one. Stops after `most_rounds`, even if too few
/// rounds were undisturbed. **Collective.**
Outcome compete(const std::vector<Entrant>& entrants, const Effort& effort, std::mt19937& random, MPI_Comm comm);

/// The ratios of two entrants in the rounds that are undisturbed for both, and their median.
std::vector<double> ratios(const std::vector<double>& ours, const std::vector<double>& theirs);
Median median_ratio(const std::vector<double>& ours, const std::vector<double>& theirs);

}  // namespace bench
