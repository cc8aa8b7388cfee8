#include "redistribution/ours.hpp"

#include "support/pairs.hpp"
#include <tridap/make.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <stdexcept>

namespace bench {

namespace {

using tridap::redistribute::Options;
using tridap::redistribute::Path;
using tridap::redistribute::PlacedDistribution;
using tridap::redistribute::Plan;
using tridap::redistribute::Redistribution;

PlacedDistribution placed(const Layout& layout) {
  std::vector<tridap::AxisSpec> specs;
  for (int axis = 0; axis < 2; ++axis) {
    if (layout.block > 0)
      specs.emplace_back(tridap::cyclic(layout.block));
    else
      specs.emplace_back(tridap::block());
  }
  std::vector<Index> ranks;
  if (layout.column_major_ranks)
    for (Index row = 0; row < layout.grid[0]; ++row)
      for (Index column = 0; column < layout.grid[1]; ++column) ranks.push_back(layout.rank(row, column));
  return {tridap::Distribution::make({layout.size, layout.size}, specs, {layout.grid[0], layout.grid[1]}),
          std::move(ranks)};
}

tridap::DistArray array_over(const Layout& layout, int rank, std::vector<double>& memory) {
  const PlacedDistribution of = placed(layout);
  const Index process = of.process(rank).value();
  tridap::DistArray array;
  array.dim_data = of.distribution().dim_data(process);
  array.buffer = tridap::row_major(memory.data(), of.distribution().local_shape(process));
  return array;
}

Redistribution plan_of(const Problem& problem, Path path = Path::automatic) {
  Options options;
  options.path = path;
  return {placed(problem.source), placed(problem.target), sizeof(double), problem.comm, options};
}

class Ordinary : public IntoTarget {
 public:
  Ordinary(Problem& problem, Path path)
      : IntoTarget(problem),
        plan_(plan_of(problem, path)),
        source_(array_over(problem.source, problem.rank, problem.from)),
        target_(array_over(problem.target, problem.rank, problem.to)) {}
  void move() override { plan_(source_, target_); }

 private:
  Redistribution plan_;
  tridap::DistArray source_, target_;
};

class Owned : public Competitor {
 public:
  explicit Owned(Problem& problem)
      : problem_(problem),
        plan_(plan_of(problem)),
        source_(array_over(problem.source, problem.rank, problem.from)),
        made_(plan_(source_)) {}
  // The next move reuses the memory of the array that the last move made.
  void poison() override {
    fill_with_nan(data(), problem_.target.elements(problem_.rank));
    made_ = {};
  }
  void move() override { made_ = plan_(source_); }
  bool right() override {
    return has_values(problem_.target, problem_.rank, data(), row_length(problem_.target, problem_.rank));
  }

 private:
  double* data() const {
    auto* const data = static_cast<double*>(made_.buffer.data);
    if (data == problem_.from.data()) throw std::logic_error("the array that was made is the source itself");
    return data;
  }

  Problem& problem_;
  Redistribution plan_;
  tridap::DistArray source_, made_;
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// The difference of the times of a plan's first and second move, in seconds; the median over some plans.
double put_off(Problem& problem) {
  const tridap::DistArray source = array_over(problem.source, problem.rank, problem.from);
  const tridap::DistArray target = array_over(problem.target, problem.rank, problem.to);
  std::vector<double> differences;
  for (int repeat = 0; repeat < 7; ++repeat) {
    Redistribution plan = plan_of(problem);
    const auto move = [&] { plan(source, target); };
    const double first = sample(move, 1, problem.comm);
    differences.push_back(first - sample(move, 1, problem.comm));
  }
  return median(differences).value;
}

// Bytes of this process's resident memory, without files.
double resident_bytes() {
  std::ifstream status("/proc/self/status");
  double kibibytes = 0, sum = 0;
  for (std::string word; status >> word;)
    if ((word == "RssAnon:" || word == "RssShmem:") && status >> kibibytes) sum += kibibytes;
  return 1024 * sum;
}

}  // namespace

std::unique_ptr<Competitor> make_ordinary(Problem& problem) {
  return std::make_unique<Ordinary>(problem, Path::automatic);
}
std::unique_ptr<Competitor> make_messages(Problem& problem) {
  return std::make_unique<Ordinary>(problem, Path::messages);
}
#ifndef BENCH_EARLIER_HEADERS  // which may lack this path
std::unique_ptr<Competitor> make_derived_types(Problem& problem) {
  return std::make_unique<Ordinary>(problem, Path::derived_types);
}
#endif
std::unique_ptr<Competitor> make_owned(Problem& problem) { return std::make_unique<Owned>(problem); }

Planning measure_planning(Problem& problem) {
  const PlacedDistribution source = placed(problem.source), target = placed(problem.target);
  const double before = resident_bytes();
  Planning planning;
  {
    Redistribution plan(source, target, sizeof(double), problem.comm);
    plan(array_over(problem.source, problem.rank, problem.from), array_over(problem.target, problem.rank, problem.to));
    planning.staging_bytes = resident_bytes() - before;
    planning.plan_bytes = static_cast<double>(plan.plan().memory());
  }
  double best = 1e9;
  for (int repeat = 0; repeat < 300; ++repeat) {
    MPI_Barrier(problem.comm);
    const double begin = now();
    const Redistribution plan(source, target, sizeof(double), problem.comm);
    double seconds = now() - begin;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, problem.comm);
    best = std::min(best, seconds);
  }
  planning.microseconds = 1e6 * best;
  planning.first_move_microseconds = 1e6 * put_off(problem);
  double most[] = {planning.plan_bytes, planning.staging_bytes};
  MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, problem.comm);
  planning.plan_bytes = most[0], planning.staging_bytes = most[1];
  return planning;
}

Paper plan_on_paper() {
  const Index size = 1'000'000, side = 1000;
  const PlacedDistribution blocks =
      tridap::Distribution::make({size, size}, {tridap::block(), tridap::block()}, {side, side});
  const PlacedDistribution cyclic =
      tridap::Distribution::make({size, size}, {tridap::cyclic(64), tridap::cyclic(64)}, {side, side});
  Paper best{1e9, 1e9, 0};
  for (int repeat = 0; repeat < 5; ++repeat) {
    const double begin = now();
    const Plan plan(blocks, cyclic, sizeof(double), side * side / 2);
    const double planned = now();
    if (plan.explain().empty()) throw std::logic_error("the plan explains nothing");
    best.plan_milliseconds = std::min(best.plan_milliseconds, 1e3 * (planned - begin));
    best.explain_milliseconds = std::min(best.explain_milliseconds, 1e3 * (now() - planned));
    best.plan_bytes = static_cast<double>(plan.memory());
  }
  return best;
}

}  // namespace bench
