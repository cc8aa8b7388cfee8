#include "redistribute/move_checks.hpp"
#include "support/effort.hpp"
#include <tridap/make.hpp>

#include <numeric>

namespace {

using moves::at;
using moves::Case;
using moves::Check;
using moves::Kind;
using moves::Path;
using oracle::List;
using tridap::Index;

Index processes() { return on::processes(MPI_COMM_WORLD); }

/// Checks moves on every path, into anybody's memory and into what the plan makes; and each in one of the other ways.
class Turns {
 public:
  /// `share`: of how many moves one is tried; of fewer in a sample, and where every access is checked.
  explicit Turns(Index share = 1) : share_(share * (effort::sanitized ? 13 : effort::of(1, 5))) {}

  void operator()(const Case& given) {
    if (turn_++ % share_ != 0 || stopped_) return;
    const Index made = turn_ / share_;
    Check check(given, MPI_COMM_WORLD, 1 + made % 17, made);
    for (const Path path : moves::paths) {
      if (path == Path::derived_types && made % 3 != 0) continue;  // a third is enough: the pieces are the same
      check.ordinary(path);
      const Index way = (made + static_cast<Index>(path)) % 4;
      if (way == 0) check.both_ways(path);
      if (way == 1) check.shared(path);
      if (way == 2) check.batch(path);
    }
    if (made % 16 == 0) stopped_ = moves::failed_anywhere(MPI_COMM_WORLD);
  }

 private:
  Index turn_ = 0, share_;
  bool stopped_ = false;
};

std::vector<List> grids_up_to(Index most, int ndim) {
  std::vector<List> all;
  for (Index p = 1; p <= most; ++p)
    for (const List& grid : on::grids(p, ndim)) all.push_back(grid);
  return all;
}

/// Every pair of grids for every pair of kinds on each axis in turn, the others having any.
void for_each_small_array(const List& shape, const std::function<void(const Case&)>& visit) {
  const std::vector<List> grids = grids_up_to(processes(), static_cast<int>(shape.size()));
  Index turn = 0;
  for (const List& p : grids)
    for (const List& q : grids)
      for (std::size_t a = 0; a < moves::kinds.size(); ++a)
        for (std::size_t b = 0; b < moves::kinds.size(); ++b) {
          std::vector<oracle::Axis> from, to;
          ++turn;
          for (std::size_t i = 0; i < shape.size(); ++i) {
            Kind x = moves::kinds[(a + i * at(turn)) % moves::kinds.size()];
            Kind y = moves::kinds[(b + i * at(turn / 5)) % moves::kinds.size()];
            if (x == Kind::whole && p[i] > 1) x = Kind::even;
            if (y == Kind::whole && q[i] > 1) y = Kind::even;
            from.push_back(moves::small_axis(x, shape[i], p[i]));
            to.push_back(moves::small_axis(y, shape[i], q[i]));
          }
          visit({moves::plain_side(from), moves::plain_side(to), {}});
        }
}

}  // namespace

TEST(RedistributionSmall, EveryPairOfKindsOnEveryPairOfGrids) {
  Turns turns(processes() > 4 ? 11 : 1);
  for (Index size = 0; size <= 10; ++size)
    moves::for_each_pair_of_axes(size, processes(), [&](const Case& given) { turns(given); });
}

TEST(RedistributionSmall, EveryPairOfTwoDimensionalGrids) {
  Turns turns(processes() > 4 ? 23 : processes() == 4 ? 2 : 1);
  for (const List& shape : {List{5, 7}, {1, 10}, {8, 3}}) for_each_small_array(shape, [&](const Case& c) { turns(c); });
}

TEST(RedistributionSmall, EveryPairOfThreeDimensionalGrids) {
  Turns turns(processes() > 4 ? 41 : processes() == 4 ? 5 : 1);
  for_each_small_array({4, 3, 5}, [&](const Case& given) { turns(given); });
}

TEST(RedistributionSmall, NoAxesAreOneElement) {
  for (Index from = 0; from < processes(); ++from)
    for (Index to = 0; to < processes(); ++to) {
      const Case given{{oracle::Array({}), {from}}, {oracle::Array({}), {to}}, {}};
      for (const Path path : moves::paths) {
        Check check(given, MPI_COMM_WORLD, 8, from);
        check.ordinary(path);
        check.both_ways(path);
        check.shared(path);
        check.batch(path);
      }
    }
}

TEST(RedistributionSmall, PartsMayBeOnAnyRanksAndOnDisjointOnes) {
  const Index p = processes();
  moves::Dice dice(77);
  for (Index solvers = 1; solvers <= p; ++solvers) {  // the first ranks solve and the last ones write
    const Index writers = std::max<Index>(1, p - solvers);
    for (Index turn = 0; turn < 6; ++turn) {
      moves::Side from = moves::any_side({9, 4}, solvers, dice), to = moves::any_side({9, 4}, writers, dice);
      from.ranks = moves::ranks_from(0, from.array.processes());
      to.ranks = moves::ranks_from(p - to.array.processes(), to.array.processes());
      if (turn % 2 == 1) {
        std::reverse(from.ranks.begin(), from.ranks.end());
        std::reverse(to.ranks.begin(), to.ranks.end());
      }
      for (const Path path : moves::paths) {
        const Case given{from, to, {}};
        Check check(given, MPI_COMM_WORLD, 8, turn);
        check.ordinary(path);
        check.both_ways(path);
        check.shared(path);
      }
      if (moves::failed_anywhere(MPI_COMM_WORLD)) return;
    }
  }
}

TEST(RedistributionSmall, EveryCommunicatorServes) {
  on::every_communicator([](MPI_Comm comm) {
    const on::PendingReceive pending(comm);
    for (Index seed = 0; seed < 12; ++seed) {
      const Case given = moves::any_case(5000 + seed, on::processes(comm), 200);
      for (const Path path : moves::paths) {
        Check check(given, comm, 8, seed);
        check.ordinary(path);
        check.shared(path);
        check.batch(path);
      }
    }
  });
}

TEST(RedistributionSmall, LongRunsPassThroughSlotsOfAnyLength) {
  for (const Index bytes : {1, 3, 8, 24, 61}) {  // more than a ring holds, and more than a message
    const Index size = 4000000 / bytes + 13;
    const Index p = processes(), length = (size + p - 1) / p;
    List even(at(p), length), odd(at(p), 0);
    even.back() = size - (p - 1) * length;
    odd.front() = size;
    for (Index k = 1; k < p; ++k) odd[at(k)] = size / (3 * p), odd[0] -= odd[at(k)];
    for (const Path path : moves::paths) {
      const auto plan_of = [&](const List& from, const List& to) {
        const auto made = [](const List& counts) {
          List starts(1, 0);
          for (std::size_t k = 0; k + 1 < counts.size(); ++k) starts.push_back(starts.back() + counts[k]);
          return tridap::redistribute::PlacedDistribution(
              tridap::Distribution::make({std::accumulate(counts.begin(), counts.end(), Index{0})},
                                         {tridap::block_at(starts)}, {static_cast<Index>(counts.size())}));
        };
        moves::Options options;
        options.path = path;
        return moves::Redistribution(made(from), made(to), bytes, MPI_COMM_WORLD, options);
      };
      moves::Redistribution plan = plan_of(even, odd);
      const Index rank = on::rank(MPI_COMM_WORLD);
      const auto first = [&](const List& counts) {
        return std::accumulate(counts.begin(), counts.begin() + rank, Index{0});
      };
      const auto fill = [&](Index element, std::byte* to) {
        for (Index k = 0; k < bytes; ++k) to[k] = static_cast<std::byte>((element * 7 + k * 31 + element / 251) % 253);
      };
      std::vector<std::byte> source(at(even[at(rank)] * bytes)), target(at(odd[at(rank)] * bytes), moves::poison),
          wanted = target;
      for (Index e = 0; e < even[at(rank)]; ++e) fill(first(even) + e, source.data() + e * bytes);
      for (Index e = 0; e < odd[at(rank)]; ++e) fill(first(odd) + e, wanted.data() + e * bytes);
      const auto array = [&](std::vector<std::byte>& memory) {
        moves::DistArray out;
        out.buffer.data = memory.data();
        out.buffer.type = moves::opaque(bytes);
        out.buffer.shape = {static_cast<Index>(memory.size()) / bytes};
        out.buffer.strides = {bytes};
        return out;
      };
      plan(array(source), array(target));
      EXPECT_TRUE(target == wanted) << bytes << " " << moves::text(path);
      const moves::DistArray made = plan(array(source));
      EXPECT_EQ(std::memcmp(made.buffer.data, wanted.data(), wanted.size()), 0) << bytes << " " << moves::text(path);
    }
  }
}
