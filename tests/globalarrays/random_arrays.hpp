#pragma once

#include <tridap/globalarrays/session.hpp>
#include <tridap/redistribute/plan.hpp>
#include <tridap/report.hpp>

#include <gtest/gtest.h>
#include <mpi.h>
#include <support/effort.hpp>
#include <support/expect_refused.hpp>
#include <support/oracle.hpp>
#include <support/random.hpp>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

/// Arrays that no rule chose, the same ones on every process, and Global Arrays for a whole test program.
namespace arrays {

using on::expect_says;
using oracle::List;
using tridap::Index;

inline const int cases = effort::of(250, 25);

/// Begins GA before the first test and ends it after the last one, by close(): nothing may be held then.
class WithSession : public testing::Environment {
 public:
  void SetUp() override { session_ = std::make_unique<tridap::globalarrays::Session>(); }
  void TearDown() override {
    session_->close();
    session_.reset();
  }

 private:
  std::unique_ptr<tridap::globalarrays::Session> session_;
};

inline int rank() { return on::rank(MPI_COMM_WORLD); }
inline int processes() { return on::processes(MPI_COMM_WORLD); }

inline const tridap::ElementType real = tridap::element_type<double>();

/// So many rows of three for each process.
inline tridap::redistribute::PlacedDistribution rows(std::vector<Index> ranks = {}, Index each = 2) {
  const List counts(static_cast<std::size_t>(processes()), each);
  return {oracle::Array({oracle::block(counts), oracle::block({3})}).distribution(), std::move(ranks)};
}

/// The words of the Error of a collective call, which must be the same on every process; "nothing": it threw none.
inline std::string thrown(const std::function<void()>& call, MPI_Comm comm = MPI_COMM_WORLD) {
  const std::string text = on::same_error_text(call, comm);
  return text.empty() ? "nothing" : text;
}

inline List in_order(Index length) {
  List all(static_cast<std::size_t>(length));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

class Random : public on::Random {
 public:
  using on::Random::Random;

  List permutation(Index length) {
    List all = in_order(length);
    shuffle(all);
    return all;
  }

  /// A grid of exactly, or of at most, so many places.
  List grid(Index ndim, Index places, bool exactly) {
    List grid(static_cast<std::size_t>(ndim), 1);
    for (Index left = places; left > 1;) {
      Index factor = 2;
      while (left % factor != 0) ++factor;
      left /= factor;
      if (exactly || below(4) != 0) grid[static_cast<std::size_t>(below(ndim))] *= factor;
    }
    return grid;
  }

  /// Shares of a block axis: `smallest` elements or more each, at least one in all.
  List counts(Index grid, Index smallest, Index largest) {
    List counts;
    for (Index c = 0; c < grid; ++c) counts.push_back(between(smallest, largest));
    if (std::accumulate(counts.begin(), counts.end(), Index{0}) == 0) counts[static_cast<std::size_t>(below(grid))] = 1;
    return counts;
  }
};

}  // namespace arrays
