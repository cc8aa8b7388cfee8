#include "redistribution/contest.hpp"

#include "redistribution/quiet.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace bench {

namespace {

class Copy : public Competitor {
 public:
  explicit Copy(Problem& problem) : problem_(problem), to_(problem.from.size()) {}
  void poison() override { fill_with_nan(to_.data(), static_cast<Index>(to_.size())); }
  void move() override { std::memcpy(to_.data(), problem_.from.data(), to_.size() * sizeof(double)); }
  bool right() override { return to_ == problem_.from; }

 private:
  Problem& problem_;
  std::vector<double> to_;
};

// Replaces the contents of the caches.
void scrub() {
  static std::vector<long> other(std::size_t{64} << 17);  // 64 MiB, twice the largest cache
  for (long& number : other) ++number;
}

// All processes are on one machine, and share its clock.
double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Sample {
  double seconds = 0;
  bool right = true, alone = true;
};

Sample sample(Competitor& competitor, MPI_Comm comm) {
  competitor.poison();
  scrub();
  Quiet quiet(comm);
  MPI_Barrier(comm);
  const double begin = clock_seconds();
  competitor.move();
  const double end = clock_seconds();
  MPI_Barrier(comm);  // a process that has finished leaves its core to the others
  const bool alone = quiet.ask();
  double most[] = {end, -begin, competitor.right() ? 0.0 : 1.0};
  MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_DOUBLE, MPI_MAX, comm);
  return {most[0] + most[1], most[2] == 0, alone};
}

std::vector<int> random_order(std::size_t count, std::mt19937& random, MPI_Comm comm) {
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  MPI_Bcast(order.data(), static_cast<int>(count), MPI_INT, 0, comm);
  return order;
}

}  // namespace

Problem::Problem(const Case& of, MPI_Comm over) : source(of.source), target(of.target), comm(over) {
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &processes);
  from.resize(static_cast<std::size_t>(source.elements(rank)));
  to.resize(static_cast<std::size_t>(target.elements(rank)));
  write_values(source, rank, from.data(), row_length(source, rank));
}

void IntoTarget::poison() { fill_with_nan(problem_.to.data(), static_cast<Index>(problem_.to.size())); }

bool IntoTarget::right() {
  const Layout& target = problem_.target;
  return has_values(target, problem_.rank, problem_.to.data(), row_length(target, problem_.rank));
}

std::unique_ptr<Competitor> make_copy(Problem& problem) { return std::make_unique<Copy>(problem); }

void fill_with_nan(double* data, Index count) { std::fill_n(data, count, std::numeric_limits<double>::quiet_NaN()); }

Outcome compete(const std::vector<Entrant>& entrants, const Effort& effort, std::mt19937& random, MPI_Comm comm) {
  Outcome outcome;
  outcome.seconds.resize(entrants.size());
  for (int round = -1; round < effort.most_rounds; ++round) {  // the first one warms up
    for (const int i : random_order(entrants.size(), random, comm)) {
      const auto k = static_cast<std::size_t>(i);
      const Sample taken = sample(*entrants[k].competitor, comm);
      if (!taken.right) {
        outcome.wrong = entrants[k].name;
        return outcome;
      }
      if (round < 0) continue;
      if (!taken.alone) ++outcome.disturbed;
      outcome.seconds[k].push_back(taken.alone || effort.disturbed ? taken.seconds : NAN);
    }
    if (outcome.least_rounds() >= effort.rounds) break;
  }
  return outcome;
}

void Outcome::add(const Outcome& more) {
  seconds.resize(more.seconds.size());
  for (std::size_t k = 0; k < seconds.size(); ++k)
    seconds[k].insert(seconds[k].end(), more.seconds[k].begin(), more.seconds[k].end());
  disturbed += more.disturbed;
  wrong = more.wrong;
}

int Outcome::least_rounds() const {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const std::vector<double>& others : seconds)
    for (std::size_t first = 0; first < 2; ++first) least = std::min(least, ratios(seconds[first], others).size());
  return static_cast<int>(least);
}

std::vector<double> ratios(const std::vector<double>& ours, const std::vector<double>& theirs) {
  std::vector<double> found;
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i)
    if (const double ratio = ours[i] / theirs[i]; !std::isnan(ratio)) found.push_back(ratio);
  return found;
}

Median median_ratio(const std::vector<double>& ours, const std::vector<double>& theirs) {
  return median(ratios(ours, theirs));
}

}  // namespace bench
