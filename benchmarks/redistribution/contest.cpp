#include "redistribution/contest.hpp"

#include "redistribution/quiet.hpp"

#include <algorithm>
#include <chrono>
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

// Leaves nothing in the caches but itself.
void scrub() {
  static std::vector<long> other(std::size_t{64} << 17);  // 64 MiB, twice the largest cache
  for (long& number : other) ++number;
}

// Of one machine: all its processes have the same clock.
double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Sample {
  double seconds = 0;
  bool right = true, waited = false;
};

Sample sample(Competitor& competitor, MPI_Comm comm) {
  competitor.poison();
  scrub();
  MPI_Barrier(comm);
  const double waited_before = waited();
  MPI_Barrier(comm);
  const double begin = clock_seconds();
  competitor.move();
  const double end = clock_seconds();
  const double waiting = waited() - waited_before;
  MPI_Barrier(comm);  // who is through leaves its core to the others
  double most[] = {end, -begin, waiting, competitor.right() ? 0.0 : 1.0};
  MPI_Allreduce(MPI_IN_PLACE, most, 4, MPI_DOUBLE, MPI_MAX, comm);
  const double seconds = most[0] + most[1];
  return {seconds, most[3] == 0, most[2] > 20e-6 + 0.01 * seconds};
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
  const bool watch_waiting = a_core_each(comm);                // where they share cores, they wait for one another
  for (int round = -1; round < effort.most_rounds; ++round) {  // the first one warms up
    std::vector<double> seconds(entrants.size());
    bool waited = false;
    Quiet quiet(comm);
    for (const int i : random_order(entrants.size(), random, comm)) {
      const auto k = static_cast<std::size_t>(i);
      const Sample taken = sample(*entrants[k].competitor, comm);
      seconds[k] = taken.seconds;
      waited = waited || taken.waited;
      if (!taken.right && outcome.wrong.empty()) outcome.wrong = entrants[k].name;
    }
    const bool alone = quiet.ask() && !(watch_waiting && waited);
    if (!outcome.wrong.empty()) return outcome;
    if (round < 0) continue;
    if (!alone) ++outcome.thrown_away;
    if (!alone && !effort.disturbed) continue;
    for (std::size_t k = 0; k < seconds.size(); ++k) outcome.seconds[k].push_back(seconds[k]);
    if (static_cast<int>(outcome.seconds.front().size()) == effort.rounds) break;
  }
  return outcome;
}

double median_ratio(const std::vector<double>& ours, const std::vector<double>& theirs) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(ours[i] / theirs[i]);
  std::sort(ratios.begin(), ratios.end());
  const std::size_t half = ratios.size() / 2;
  return ratios.size() % 2 == 1 ? ratios[half] : (ratios[half - 1] + ratios[half]) / 2;
}

}  // namespace bench
