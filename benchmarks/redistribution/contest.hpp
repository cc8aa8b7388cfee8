#pragma once

#include "redistribution/cases.hpp"

#include <mpi.h>

#include <memory>
#include <random>

namespace bench {

/// A case, with this process's parts in ordinary memory that was touched before.
struct Problem {
  Problem(const Case& of, MPI_Comm over);

  Layout source, target;
  MPI_Comm comm;
  int rank = 0, processes = 1;
  std::vector<double> from;  ///< of the source; holds its values
  std::vector<double> to;    ///< of the target
};

/// Somebody who moves the source of a problem somewhere. The calls come in the same order on every process.
class Competitor {
 public:
  virtual ~Competitor() = default;
  virtual void poison() = 0;  ///< fills the target with NaN
  virtual void move() = 0;    ///< what is measured
  virtual bool right() = 0;   ///< whether the target holds now what it should
};

/// Somebody who moves it into the problem's own target.
class IntoTarget : public Competitor {
 public:
  explicit IntoTarget(Problem& problem) : problem_(problem) {}
  void poison() override;
  bool right() override;

 protected:
  Problem& problem_;
};

/// Copies the source to another place in ordinary memory: the floor.
std::unique_ptr<Competitor> make_copy(Problem& problem);

/// Rows of the local part lie this far apart; never 0, which no library likes.
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
  bool disturbed = false;  ///< counts samples in which others ran too: to try the program, not to measure
};

struct Outcome {
  std::vector<std::vector<double>> seconds;  ///< by entrant and round; NaN: others ran too
  int disturbed = 0;                         ///< samples in which they did
  std::string wrong;                         ///< the first entrant whose target was wrong; empty: none

  /// In how many rounds any entrant can be compared with the first two.
  int least_rounds() const;
};

/// Rounds in which each entrant moves once, in random order, from caches that hold none of it. A sample lasts from when
/// the first process begins until the last one is through. Stops at `most_rounds`, with fewer than were wanted.
/// **Collective.**
Outcome compete(const std::vector<Entrant>& entrants, const Effort& effort, std::mt19937& random, MPI_Comm comm);

/// Of two entrants, round by round, where both had the cores to themselves; and the one in the middle.
std::vector<double> ratios(const std::vector<double>& ours, const std::vector<double>& theirs);
double median_ratio(const std::vector<double>& ours, const std::vector<double>& theirs);

}  // namespace bench
