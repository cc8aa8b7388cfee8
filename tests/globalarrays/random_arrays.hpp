#pragma once

#include <dap/globalarrays/session.hpp>

#include <gtest/gtest.h>
#include <mpi.h>
#include <support/oracle.hpp>

#include <memory>
#include <numeric>
#include <random>

/// Arrays that no rule chose, the same ones on every process, and Global Arrays for a whole test program.
namespace arrays {

using dap::Index;
using oracle::List;

#ifdef __SANITIZE_ADDRESS__
inline constexpr int cases = 25;
#else
inline constexpr int cases = 250;
#endif

/// Begins GA before the first test and ends it after the last one, by close(): nothing may be held then.
class WithSession : public testing::Environment {
 public:
  void SetUp() override { session_ = std::make_unique<dap::globalarrays::Session>(); }
  void TearDown() override {
    session_->close();
    session_.reset();
  }

 private:
  std::unique_ptr<dap::globalarrays::Session> session_;
};

inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

inline int processes_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

class Random {
 public:
  explicit Random(unsigned seed) : numbers_(seed) {}
  Index below(Index end) { return static_cast<Index>(numbers_() % static_cast<unsigned>(end)); }
  Index from_to(Index first, Index last) { return first + below(last - first + 1); }

  std::vector<Index> permutation(Index length) {
    std::vector<Index> all(static_cast<std::size_t>(length));
    std::iota(all.begin(), all.end(), Index{0});
    for (Index i = length - 1; i > 0; --i)
      std::swap(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(below(i + 1))]);
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
    for (Index c = 0; c < grid; ++c) counts.push_back(from_to(smallest, largest));
    if (std::accumulate(counts.begin(), counts.end(), Index{0}) == 0) counts[static_cast<std::size_t>(below(grid))] = 1;
    return counts;
  }

 private:
  std::mt19937 numbers_;
};

}  // namespace arrays
