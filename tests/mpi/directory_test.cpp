#include "mpi/support.hpp"
#include "support/thrown.hpp"
#include <tridap/compare.hpp>
#include <tridap/internal/directory.hpp>
#include <tridap/internal/exchange.hpp>
#include <tridap/internal/fingerprint.hpp>
#include <tridap/internal/own_positions.hpp>
#include <tridap/mpi/gather_distribution.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <map>
#include <random>

namespace {

using oracle::List;
using tridap::DistArray;
using tridap::Distribution;
using tridap::Index;
using tridap::Location;
using tridap::Part;
using tridap::UnstructuredKind;

int our_rank() { return on::rank(MPI_COMM_WORLD); }
int all_processes() { return on::processes(MPI_COMM_WORLD); }
Index itself(Index process) { return process; }

tridap::Reading spread() {
  tridap::Reading reading;
  reading.most_listed = 0;
  return reading;
}

/// Lists over `grid` coordinates: of distinct indices, in any order; with gaps; shared by many; and empty ones.
std::vector<oracle::Axis> listed_axes(Index grid) {
  std::mt19937_64 random(static_cast<std::uint64_t>(grid));
  std::vector<List> dealt(static_cast<std::size_t>(grid)), gaps = dealt, shared = dealt, some = dealt;
  for (Index i = 0; i < 40; ++i) dealt[random() % dealt.size()].push_back(i);
  for (List& list : dealt) std::shuffle(list.begin(), list.end(), random);
  for (Index c = 0; c < grid; ++c) {
    const auto at = static_cast<std::size_t>(c);
    for (Index i = 0; i < 9; ++i) gaps[at].push_back((i * grid + c) * 1000003 - 4000000);
    shared[at] = {100 - c, c / 2, 50};
    if (c % 2 == 0) some[at] = {1000 * c, 1000 * c + 1, 1000 * c - 7, 9 - 1000 * c};
  }
  return {oracle::unstructured(dealt, true), oracle::unstructured(gaps), oracle::unstructured(shared),
          oracle::unstructured(some)};
}

/// Where the indices of the axis are, by index.
std::map<Index, std::vector<Location>> places_of(const oracle::Axis& axis) {
  std::map<Index, std::vector<Location>> all;
  for (Index c = 0; c < axis.grid(); ++c) {
    const List& held = axis.held_by(c);
    for (std::size_t local = 0; local < held.size(); ++local)
      all[held[local]].push_back({c, static_cast<Index>(local)});
  }
  return all;
}

void expect_known(const UnstructuredKind& lists, Index global, const std::vector<Location>& places) {
  ASSERT_TRUE(lists.knows(global)) << global;
  const auto [begin, end] = lists.entries(global);
  ASSERT_EQ(end - begin, static_cast<std::ptrdiff_t>(places.size())) << "of index " << global;
  for (std::size_t i = 0; i < places.size(); ++i) EXPECT_EQ(begin[i].place, places[i]) << "of index " << global;
  EXPECT_EQ(lists.locate(global), places.empty() ? std::nullopt : std::optional<Location>(places.front()));
}

/// What each process knows without a question: all of its own list, and the numbers of the others.
void expect_own(const tridap::Axis& axis, const oracle::Axis& truth, Index c) {
  const auto places = places_of(truth);
  ASSERT_NE(axis.unstructured(), nullptr);
  const UnstructuredKind& lists = *axis.unstructured();
  ASSERT_NE(lists.own(), nullptr);
  EXPECT_EQ(axis.size(), truth.size());
  EXPECT_EQ(lists.list(c), truth.held_by(c));
  Index total = 0;
  for (Index other = 0; other < truth.grid(); ++other) {
    EXPECT_EQ(axis.count(other), static_cast<Index>(truth.held_by(other).size()));
    total += axis.count(other);
    if (other != c) {
      EXPECT_THROW(lists.list(other), tridap::Error);
    }
  }
  EXPECT_EQ(lists.distinct(), static_cast<Index>(places.size()));
  EXPECT_EQ(axis.shares_indices(), total > static_cast<Index>(places.size()));
  EXPECT_EQ(*axis.extremes(), (std::array<Index, 2>{places.begin()->first, places.rbegin()->first}));
  for (const Index global : truth.held_by(c)) {
    ASSERT_NO_FATAL_FAILURE(expect_known(lists, global, places.at(global)));
    EXPECT_EQ(axis.global_index(c, *axis.local_index(c, global)), global);
  }
  EXPECT_THROW(lists.entries(), tridap::Error);
  for (const auto& [global, at] : places) {
    const bool ours = std::any_of(at.begin(), at.end(), [&](const Location& place) { return place.coordinate == c; });
    if (!ours) {
      EXPECT_THROW(axis.locate(global), tridap::Error);
      EXPECT_EQ(axis.local_index(c, global), std::nullopt);
    }
  }
}

/// Each process asks for other indices, for some several times, and for some that nobody holds.
void expect_answers(const Distribution& d, Index i, const oracle::Axis& truth, MPI_Comm comm) {
  const auto places = places_of(truth);
  std::mt19937_64 random(static_cast<std::uint64_t>(on::rank(comm) + 1));
  for (const int part : {0, 3, 1}) {  // none, some, all
    tridap::mpi::OfAxes wanted(static_cast<std::size_t>(d.ndim()));
    std::vector<Index>& indices = wanted[static_cast<std::size_t>(i)];
    for (const auto& [global, at] : places)
      for (const Index near : {global, global + 1})
        if (part > 0 && random() % static_cast<unsigned>(part) == 0) indices.insert(indices.end(), {near, near});
    std::shuffle(indices.begin(), indices.end(), random);
    const std::vector<Index> asked = indices;
    const Distribution wiser = tridap::mpi::Inquiry(d, std::move(wanted), comm, itself).learned();
    for (const Index global : asked) {
      const auto found = places.find(global);
      ASSERT_NO_FATAL_FAILURE(expect_known(*wiser.axis(i).unstructured(), global,
                                           found == places.end() ? std::vector<Location>{} : found->second));
    }
    EXPECT_EQ(wiser.axis(i).size(), d.axis(i).size());
  }
}

void expect_spread(const oracle::Array& truth, MPI_Comm comm) {
  const Index rank = on::rank(comm);
  const Distribution d = tridap::mpi::gather_distribution(on::stamped(truth, rank), comm, spread());
  bool any = false;
  for (const oracle::Axis& axis : truth.axes) any = any || (axis.dims[0].dist_type() == 'u' && axis.grid() > 1);
  ASSERT_EQ(tridap::mpi::has_directory(d), any);
  for (Index i = 0; i < d.ndim(); ++i) {
    const oracle::Axis& axis = truth.axes[static_cast<std::size_t>(i)];
    if (axis.dims[0].dist_type() != 'u' || axis.grid() == 1) continue;
    ASSERT_NO_FATAL_FAILURE(expect_own(d.axis(i), axis, truth.coordinates(rank)[static_cast<std::size_t>(i)]));
    ASSERT_NO_FATAL_FAILURE(expect_answers(d, i, axis, comm));
  }
}

TEST(Directory, AnswersForOneAxisAsTheTable) {
  on::every_communicator([](MPI_Comm comm) {
    for (const oracle::Axis& axis : listed_axes(on::processes(comm))) expect_spread(oracle::Array({axis}), comm);
  });
}

TEST(Directory, AnswersForTwoAxesOverEveryGrid) {
  for (const List& grid : on::grids(all_processes(), 2)) {
    const auto rows = listed_axes(grid[0]), columns = listed_axes(grid[1]);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      expect_spread(oracle::Array({rows[i], oracle::cyclic(7, 2, grid[1])}), MPI_COMM_WORLD);
      expect_spread(oracle::Array({rows[i], columns[(i + 1) % columns.size()]}), MPI_COMM_WORLD);
    }
  }
}

/// `size` may count shared indices once: a warning, with which the array goes another way to its distribution.
TEST(Directory, OfASizeThatCountsSharedIndicesOnce) {
  for (const List& grid : on::grids(all_processes(), 2)) {
    oracle::Axis shared = listed_axes(grid[0])[2];
    const auto distinct = static_cast<Index>(places_of(shared).size());
    for (tridap::Dimension& dimension : shared.dims) dimension.size = distinct;
    const oracle::Array truth({shared, oracle::cyclic(7, 2, grid[1])});
    if (grid[0] == 1) continue;
    const Distribution d = tridap::mpi::gather_distribution(on::stamped(truth, our_rank()), MPI_COMM_WORLD, spread());
    ASSERT_TRUE(tridap::mpi::has_directory(d));
    EXPECT_EQ(d.axis(0).size(), distinct);
    EXPECT_EQ(d.axis(0).unstructured()->distinct(), distinct);
    ASSERT_NO_FATAL_FAILURE(expect_answers(d, 0, shared, MPI_COMM_WORLD));
  }
}

TEST(Directory, SmallestNumberOfAllProcessesCounts) {
  tridap::Reading reading;
  reading.most_listed = our_rank() == all_processes() - 1 ? 39 : 1000;
  const oracle::Array truth({listed_axes(all_processes())[0]});  // 40 indices
  const DistArray array = on::stamped(truth, our_rank());
  EXPECT_EQ(tridap::mpi::has_directory(tridap::mpi::gather_distribution(array, MPI_COMM_WORLD, reading)),
            all_processes() > 1);
  reading.most_listed = 40;
  EXPECT_FALSE(tridap::mpi::has_directory(tridap::mpi::gather_distribution(array, MPI_COMM_WORLD, reading)));
}

TEST(Directory, ListsThatContradictOneToOneAreAnErrorOnAll) {
  oracle::Axis axis = listed_axes(all_processes())[2];
  for (tridap::Dimension& dimension : axis.dims) std::get<tridap::Unstructured>(dimension.dist).one_to_one = true;
  const DistArray array = on::stamped(oracle::Array({axis}), our_rank());
  if (all_processes() == 1) GTEST_SKIP() << "one coordinate shares nothing";
  const auto error = on::error_of([&] { tridap::mpi::gather_distribution(array, MPI_COMM_WORLD, spread()); });
  ASSERT_TRUE(error.has_value());
  EXPECT_GT(error->report().count(tridap::Rule::unstructured_one_to_one), 0);
  EXPECT_NE(error->report().text().find("listing 50 at coordinates 0 and 1"), std::string::npos)
      << error->report().text();
}

/// Equality is local, and the same on all processes.
TEST(Directory, EqualListsAreEqualAndOthersAreNot) {
  const Index n = all_processes();
  if (n == 1) GTEST_SKIP() << "one process has all lists";
  const auto gathered = [&](const oracle::Axis& axis, const tridap::Reading& reading) {
    return tridap::mpi::gather_distribution(on::stamped(oracle::Array({axis}), our_rank()), MPI_COMM_WORLD, reading);
  };
  for (const oracle::Axis& axis : listed_axes(n)) {
    const Distribution d = gathered(axis, spread());
    for (const Distribution& same : {gathered(axis, spread()), gathered(axis, {})})
      EXPECT_TRUE(tridap::compare(d, same).same_places) << tridap::compare(d, same).difference;
    EXPECT_EQ(tridap::fingerprint(d), tridap::fingerprint(gathered(axis, spread())));
    oracle::Axis turned = axis;
    std::vector<List> lists;
    for (Index c = 0; c < n; ++c) lists.push_back(axis.held_by(c));
    const std::size_t longest = static_cast<std::size_t>(
        std::max_element(lists.begin(), lists.end(), [](const List& a, const List& b) { return a.size() < b.size(); }) -
        lists.begin());
    std::reverse(lists[longest].begin(), lists[longest].end());
    const Distribution reversed = gathered(oracle::unstructured(lists), spread());
    EXPECT_TRUE(tridap::compare(d, reversed).same_owners);
    EXPECT_FALSE(tridap::compare(d, reversed).same_places);
    lists[longest].back() = 123456789;
    EXPECT_FALSE(tridap::compare(d, gathered(oracle::unstructured(lists), spread())).same_owners);
  }
}

TEST(Directory, IsNotAskedOnOtherRanksThanThoseThatStoreIt) {
  const Index n = all_processes();
  if (n == 1) GTEST_SKIP() << "one process has all lists";
  const oracle::Array truth({listed_axes(n)[0]});
  const Distribution d = tridap::mpi::gather_distribution(on::stamped(truth, our_rank()), MPI_COMM_WORLD, spread());
  const std::string text = on::thrown([&] {
    tridap::mpi::Inquiry(d, {{0, 1, 2}}, MPI_COMM_WORLD, [n](Index process) { return (process + 1) % n; });
  });
  on::expect_says(text, "must be placed where its lists are");
}

/// Every process has the list of an axis that is not distributed, and then there is nothing to ask for.
TEST(Directory, HasNoAxisOverOneProcess) {
  const Index n = all_processes();
  const oracle::Array truth({oracle::unstructured({{7, -2, 0, 5}}), oracle::cyclic(2 * n, 1, n)});
  const Distribution d = tridap::mpi::gather_distribution(on::stamped(truth, our_rank()), MPI_COMM_WORLD, spread());
  EXPECT_FALSE(tridap::mpi::has_directory(d));
  EXPECT_EQ(d.axis(0).locate(3), std::nullopt);
}

TEST(Directory, NamesItselfWhereAnAnswerIsNotKnown) {
  if (all_processes() == 1) GTEST_SKIP() << "one process has all lists";
  const oracle::Axis axis = listed_axes(all_processes())[0];
  const Distribution d =
      tridap::mpi::gather_distribution(on::stamped(oracle::Array({axis}), our_rank()), MPI_COMM_WORLD, spread());
  const Index other = (our_rank() + 1) % all_processes();
  const std::string said = on::thrown([&] { d.dim_data(other); });
  EXPECT_NE(said.find("directory"), std::string::npos) << said;
  EXPECT_NE(said.find("most_listed"), std::string::npos) << said;
  EXPECT_EQ(d.dim_data(our_rank()).size(), 1U);
}

/// Positions among all indices, of which each process has its own.
void expect_positions(const oracle::Array& truth, MPI_Comm comm) {
  const Index rank = on::rank(comm);
  const Distribution d = tridap::mpi::gather_distribution(on::stamped(truth, rank), comm, spread());
  const tridap::FlatNumbers numbers = tridap::mpi::compact_numbers(d, tridap::mpi::own_positions(d, comm));
  std::vector<std::vector<Index>> sorted;  // by axis
  Index count = 1;
  for (const oracle::Axis& axis : truth.axes) {
    std::vector<Index>& all = sorted.emplace_back();
    for (const auto& [global, places] : places_of(axis)) all.push_back(global);
    count *= static_cast<Index>(all.size());
  }
  EXPECT_EQ(numbers.count(), count);
  for (Index i = 0; i < d.ndim(); ++i) {
    const std::vector<Index>& all = sorted[static_cast<std::size_t>(i)];
    const Index c = truth.coordinates(rank)[static_cast<std::size_t>(i)];
    for (const Index global : truth.axes[static_cast<std::size_t>(i)].held_by(c)) {
      const Index position = std::lower_bound(all.begin(), all.end(), global) - all.begin();
      EXPECT_EQ(numbers.number(i, global), position * numbers.weight(i)) << global << " on axis " << i;
      if (d.ndim() == 1) {
        EXPECT_EQ(numbers.indices(position), std::vector<Index>{global});
      }
    }
  }
}

TEST(OwnPositions, AreThoseOfTheSortedIndices) {
  on::every_communicator([](MPI_Comm comm) {
    for (const oracle::Axis& axis : listed_axes(on::processes(comm))) expect_positions(oracle::Array({axis}), comm);
  });
  for (const List& grid : on::grids(all_processes(), 2)) {
    const auto rows = listed_axes(grid[0]), columns = listed_axes(grid[1]);
    for (std::size_t i = 0; i < rows.size(); ++i)
      expect_positions(oracle::Array({rows[i], columns[(i + 1) % columns.size()]}), MPI_COMM_WORLD);
  }
}

TEST(OwnPositions, OfOthersAreNotKnown) {
  if (all_processes() == 1) GTEST_SKIP() << "one process has all lists";
  const oracle::Axis axis = listed_axes(all_processes())[1];
  const Distribution d =
      tridap::mpi::gather_distribution(on::stamped(oracle::Array({axis}), our_rank()), MPI_COMM_WORLD, spread());
  const tridap::FlatNumbers numbers = tridap::mpi::compact_numbers(d, tridap::mpi::own_positions(d, MPI_COMM_WORLD));
  const Index other = axis.held_by((our_rank() + 1) % all_processes()).front();
  on::expect_says(on::thrown([&] { numbers.number(0, other); }), "positions of its own indices alone");
}

}  // namespace
