#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Pairs of single-process benchmarks, ours against a named peer. run() interleaves their repetitions at random and
/// prints a line for each pair: name, ratio of the minima, bound, ok or MISSED.
class Ratios {
 public:
  /// `ours` and `peer` do the same work once.
  void add(const std::string& name, double bound, std::function<void()> ours, std::function<void()> peer) {
    bounds_.push_back({name, bound});
    measure(name + ours_suffix, std::move(ours));
    measure(name + peer_suffix, std::move(peer));
  }

  /// Returns whether every bound holds.
  bool run(const char* program) {
    std::string name = program, interleave = "--benchmark_enable_random_interleaving=true";
    char* arguments[] = {name.data(), interleave.data(), nullptr};
    int count = 2;
    benchmark::Initialize(&count, arguments);
    Minima minima;
    benchmark::RunSpecifiedBenchmarks(&minima);
    bool all = true;
    for (const auto& [pair, bound] : bounds_) {
      const double ratio = minima.of[pair + ours_suffix] / minima.of[pair + peer_suffix];
      std::printf("%-60s ratio %6.3f  bound %5.2f  %s\n", pair.c_str(), ratio, bound, ratio <= bound ? "ok" : "MISSED");
      all = all && ratio <= bound;
    }
    return all;
  }

 private:
  static constexpr const char *ours_suffix = " [ours]", *peer_suffix = " [peer]";

  struct Minima : benchmark::BenchmarkReporter {
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
      for (const Run& run : runs) {
        if (run.run_type != Run::RT_Iteration) continue;
        double& best =
            of.try_emplace(run.run_name.function_name, std::numeric_limits<double>::infinity()).first->second;
        best = std::min(best, run.GetAdjustedRealTime());
      }
    }
    std::map<std::string, double> of;
  };

  static void measure(const std::string& name, std::function<void()> work) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [work = std::move(work)](benchmark::State& state) {
                                   for (auto _ : state) work();
                                 })
        ->UseRealTime()
        ->Repetitions(12)
        ->MinTime(0.02);
  }

  std::vector<std::pair<std::string, double>> bounds_;
};

}  // namespace bench
