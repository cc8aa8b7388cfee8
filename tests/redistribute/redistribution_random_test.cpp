#include "redistribute/move_checks.hpp"
#include "support/effort.hpp"

namespace {

using moves::Check;
using tridap::Index;

Index processes() { return on::processes(MPI_COMM_WORLD); }

/// Calls `visit` with checks of random moves, until one fails.
void for_random_moves(Index first, Index count, const std::function<void(Check&)>& visit) {
  const Index taken = effort::seeds(first, count, count / (effort::sanitized ? 10 : 4));
  for (Index seed = first; seed < first + taken; ++seed) {
    const moves::Case given = moves::any_case(seed, processes());
    Check check(given, MPI_COMM_WORLD, 1 + seed * 7 % 64, seed);
    visit(check);
    if (moves::failed_anywhere(MPI_COMM_WORLD)) return;
  }
}

class RedistributionRandom : public testing::TestWithParam<moves::Path> {};

}  // namespace

TEST_P(RedistributionRandom, AnyArrayOfAnyMemoryOrder) {
  for_random_moves(0, 400, [](Check& check) { check.ordinary(GetParam()); });
}

TEST_P(RedistributionRandom, BothDirectionsRestoreTheArray) {
  for_random_moves(1000, 200, [](Check& check) { check.both_ways(GetParam()); });
}

TEST_P(RedistributionRandom, SharedMemoryOnEitherSide) {
  for_random_moves(2000, 200, [](Check& check) { check.shared(GetParam()); });
}

TEST_P(RedistributionRandom, SeveralArraysAtOnceWithComputationBetween) {
  for_random_moves(3000, 150, [](Check& check) { check.batch(GetParam()); });
}

TEST_P(RedistributionRandom, ListsThatStayOnTheirProcesses) {
  Index spread = 0;
  for_random_moves(5000, 400, [&](Check& check) {
    if (!check.spread_lists()) return;
    ++spread;
    check.ordinary(GetParam());
    check.both_ways(GetParam());
  });
  EXPECT_TRUE(spread > 10 || processes() == 1) << spread;
}

TEST_P(RedistributionRandom, LongRowsSideBySide) {
  const Index count = effort::seeds<Index>(4000, 30, 8);
  for (Index seed = 4000; seed < 4000 + count; ++seed) {
    const Index bytes = std::array<Index, 4>{64, 32, 24, 40}[static_cast<std::size_t>(seed % 4)];
    const moves::Case given = moves::long_rows(seed, processes(), bytes);
    Check check(given, MPI_COMM_WORLD, bytes, seed);
    check.ordinary(GetParam());
    check.shared(GetParam());
    if (moves::failed_anywhere(MPI_COMM_WORLD)) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Path, RedistributionRandom, testing::ValuesIn(moves::paths),
                         [](const auto& path) { return moves::text(path.param); });
