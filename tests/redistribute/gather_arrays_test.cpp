#include "support/expect_refused.hpp"
#include "support/oracle.hpp"
#include <tridap/gather_distribution.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/read.hpp>
#include <tridap/redistribute/gather.hpp>
#include <tridap/redistribute/ids.hpp>

#include <map>
#include <numeric>

namespace {

using oracle::Array;
using oracle::List;
using tridap::DistArray;
using tridap::Index;

Index rank() { return on::rank(MPI_COMM_WORLD); }
Index processes() { return on::processes(MPI_COMM_WORLD); }

double value(const List& global) {
  double number = 1;
  for (const Index g : global) number = number * 97 + static_cast<double>(g);
  return number;
}

List global_of(const Array& array, const List& local) {
  List global;
  for (std::size_t i = 0; i < local.size(); ++i)
    global.push_back(array.axes[i].held_by(array.coordinates(rank())[i])[static_cast<std::size_t>(local[i])]);
  return global;
}

bool held(const Array& array, const List& global) {
  for (std::size_t i = 0; i < global.size(); ++i)
    if (array.axes[i].owners(global[i]).empty()) return false;
  return true;
}

// This process's part, every element (padding too) by `of` its global indices.
DistArray part(const Array& array, const std::function<double(const List&)>& of = value) {
  DistArray mine;
  for (std::size_t i = 0; i < array.axes.size(); ++i)
    mine.dim_data.push_back(array.axes[i].dims[static_cast<std::size_t>(array.coordinates(rank())[i])]);
  mine.buffer = tridap::allocate(tridap::element_type<double>(), array.local_shape(rank()));
  oracle::for_each_index(mine.buffer.shape, [&](const List& local) {
    *reinterpret_cast<double*>(oracle::address(mine.buffer, local)) = of(global_of(array, local));
  });
  return mine;
}

std::vector<Array> arrays() {
  const Index n = processes();
  const auto counts = [n](Index base) {
    List all;
    for (Index c = 0; c < n; ++c) all.push_back(base + c % 2);
    return all;
  };
  std::vector<List> lists(static_cast<std::size_t>(n));
  for (Index g = 0; g < 3 * n + 1; ++g) lists[static_cast<std::size_t>((5 * g + 1) % n)].push_back(2 * g - 4);
  std::vector<List> dealt(static_cast<std::size_t>(n));
  for (Index g = 3 * n; g-- > 0;) dealt[static_cast<std::size_t>(g % n)].push_back(g);
  std::vector<Array> all = {Array{{oracle::block(counts(2)), oracle::block({5})}},
                            Array{{oracle::block({4}), oracle::cyclic(7, 2, n)}},
                            Array{{oracle::unstructured(lists, true), oracle::block({3})}},
                            Array{{oracle::unstructured(dealt, true)}}, Array{{oracle::block(List(counts(0)))}}};
  if (n == 1) all.push_back(Array{{}});
  if (n > 1)
    all.push_back(
        Array{{oracle::block(List(static_cast<std::size_t>(n), 3), List(static_cast<std::size_t>(n - 1), 1))}});
  return all;
}

// What each element of the whole must be, by its place: distinct indices ascending along each axis.
void expect_whole(const Array& array, const DistArray& whole, const std::string& which) {
  std::vector<List> indices;
  for (const oracle::Axis& axis : array.axes) {
    std::map<Index, bool> seen;
    for (const List& held : axis.held)
      for (const Index g : held) seen[g] = true;
    indices.emplace_back();
    for (const auto& [g, there] : seen) indices.back().push_back(g);
  }
  List shape;
  for (const List& axis : indices) shape.push_back(static_cast<Index>(axis.size()));
  ASSERT_EQ(whole.buffer.shape, shape) << which;
  oracle::for_each_index(shape, [&](const List& at) {
    List global;
    for (std::size_t i = 0; i < at.size(); ++i) global.push_back(indices[i][static_cast<std::size_t>(at[i])]);
    ASSERT_EQ(*reinterpret_cast<double*>(oracle::address(whole.buffer, at)), value(global)) << which;
  });
}

TEST(Gather, BringsEveryElementToTheRoot) {
  const std::vector<Array> all = arrays();
  for (std::size_t k = 0; k < all.size(); ++k)
    for (int root = 0; root < processes(); ++root) {
      const DistArray whole = tridap::redistribute::gather(part(all[k]), MPI_COMM_WORLD, root);
      if (rank() == root) expect_whole(all[k], whole, "array " + std::to_string(k));
      EXPECT_TRUE(rank() == root || whole.buffer.data == nullptr);
    }
}

TEST(Allgather, BringsEveryElementToEveryProcess) {
  const std::vector<Array> all = arrays();
  for (std::size_t k = 0; k < all.size(); ++k)
    expect_whole(all[k], tridap::redistribute::allgather(part(all[k]), MPI_COMM_WORLD), "array " + std::to_string(k));
}

// The distribution, its lists on their processes.
tridap::Distribution in_directories(const Array& array) {
  tridap::Reading reading;
  reading.most_listed = 0;
  return tridap::mpi::gather_distribution(part(array), MPI_COMM_WORLD, reading);
}

// Lists with gaps: on two axes; without a gap, but not from 0; none on the last process; an index of several ones.
std::vector<Array> listed_arrays() {
  const Index n = processes(), rows = n % 2 == 0 ? 2 : 1;
  const auto dealt = [](Index grid, Index count, Index step, Index first) {
    std::vector<List> lists(static_cast<std::size_t>(grid));
    for (Index k = 0; k < count; ++k)
      lists[static_cast<std::size_t>((5 * k + 1) % grid)].push_back(first + step * ((13 * k) % count));
    return lists;
  };
  std::vector<List> some = dealt(n > 1 ? n - 1 : n, 6, 5, -7);
  some.resize(static_cast<std::size_t>(n));
  std::vector<List> twice = dealt(n, 9 * n + 2, 3, -4);
  if (n > 1) twice[0].push_back(twice[1].front());
  return {Array{{oracle::unstructured(dealt(rows, 11, 4, -9), true),
                 oracle::unstructured(dealt(n / rows, 5 * n + 2, 3, 100), true)}},
          Array{{oracle::block({3}), oracle::unstructured(dealt(n, 13 * n + 1, 1, 50), true)}},
          Array{{oracle::unstructured(some, true), oracle::block({2})}}, Array{{oracle::unstructured(twice, false)}}};
}

TEST(Gather, ListsInDirectoriesWithGapsAreSorted) {
  namespace move = tridap::redistribute;
  const std::vector<Array> all = listed_arrays();
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::string which = "array " + std::to_string(k);
    const tridap::Distribution lists = in_directories(all[k]);
    const int root = static_cast<int>(processes()) - 1;
    const DistArray whole = move::gather(part(all[k]), lists, MPI_COMM_WORLD, root);
    if (rank() == root) {
      expect_whole(all[k], whole, which);
      const tridap::DimData expected = move::whole_of(all[k].distribution()).dim_data(0);
      for (std::size_t axis = 0; axis < expected.size(); ++axis)
        EXPECT_EQ(tridap::to_value(whole.dim_data[axis]).json(), tridap::to_value(expected[axis]).json()) << which;
    }
    EXPECT_TRUE(rank() == root || whole.buffer.data == nullptr);
    const DistArray everywhere = move::allgather(part(all[k]), lists, MPI_COMM_WORLD);
    expect_whole(all[k], everywhere, which);
    EXPECT_EQ(tridap::gather_distribution({everywhere}).shape(), move::whole_of(all[k].distribution()).shape());
    const DistArray back = move::scatter(whole, lists, MPI_COMM_WORLD, root), mine = part(all[k]);
    ASSERT_EQ(back.buffer.shape, mine.buffer.shape);
    for (std::size_t axis = 0; axis < back.dim_data.size(); ++axis)
      EXPECT_EQ(tridap::to_value(back.dim_data[axis]).json(), tridap::to_value(mine.dim_data[axis]).json()) << which;
    oracle::for_each_index(back.buffer.shape, [&](const List& local) {
      EXPECT_EQ(*reinterpret_cast<double*>(oracle::address(back.buffer, local)),
                *reinterpret_cast<double*>(oracle::address(mine.buffer, local)))
          << which;
    });
  }
}

TEST(Scatter, RefusesAWholeArrayOfOtherIndices) {
  namespace move = tridap::redistribute;
  const auto lists = [&](Index first) {
    std::vector<List> all;
    for (Index p = 0; p < processes(); ++p) all.push_back({first + 3 * p, first + 3 * p + 1});
    return Array{{oracle::unstructured(all, true)}};
  };
  const DistArray whole = move::gather(part(lists(10)), MPI_COMM_WORLD, 0);
  for (const tridap::Distribution& to : {lists(20).distribution(), in_directories(lists(20))})
    on::expect_refused([&] { move::scatter(whole, to, MPI_COMM_WORLD); }, "10");
  DistArray elements;  // without dictionaries these are the elements in this order
  elements.buffer = whole.buffer;
  const DistArray moved = move::scatter(elements, in_directories(lists(20)), MPI_COMM_WORLD);
  EXPECT_EQ(*static_cast<double*>(moved.buffer.data), value({10 + 3 * rank()}));
}

// With a distribution that the caller keeps.
TEST(Gather, TakesADistribution) {
  namespace move = tridap::redistribute;
  const std::vector<Array> all = arrays();
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::string which = "array " + std::to_string(k);
    const int root = static_cast<int>(k) % static_cast<int>(processes());
    const DistArray mine = part(all[k]);
    const DistArray whole = move::gather(mine, all[k].distribution(), MPI_COMM_WORLD, root);
    if (rank() == root) expect_whole(all[k], whole, which);
    EXPECT_TRUE(rank() == root || whole.buffer.data == nullptr);
    expect_whole(all[k], move::allgather(mine, all[k].distribution(), MPI_COMM_WORLD), which);
  }
}

TEST(Gather, RefusesDistributionsThatDifferOrAreNotTheArrays) {
  namespace move = tridap::redistribute;
  const Index n = processes(), bad = n / 2;
  const auto line = [&](Index size, Index parts) { return Array{{oracle::cyclic(size, 2, parts)}}; };
  const auto refused = [](const DistArray& mine, const tridap::Distribution& given, const std::string& words) {
    on::expect_refused([&] { move::gather(mine, given, MPI_COMM_WORLD); }, words);
    on::expect_refused([&] { move::allgather(mine, given, MPI_COMM_WORLD); }, words);
  };
  const Array array = line(4 * n, n);
  DistArray mine = part(array);
  const Array other = line(8 * n, n);
  if (n > 1)
    refused(part(rank() == bad ? other : array), (rank() == bad ? other : array).distribution(),
            "different distributions");
  refused(mine, line(4 * n, n + 1).distribution(), "is for " + std::to_string(n + 1) + " processes");
  if (rank() == bad) mine = part(other);
  refused(mine, array.distribution(),
          "(rank " + std::to_string(bad) + "): the array has size " + std::to_string(8 * n));
}

TEST(Scatter, RefusesMorePartsThanProcesses) {
  const tridap::Distribution more =
      tridap::Distribution::make({2 * processes() + 2}, {tridap::block()}, {processes() + 1});
  DistArray whole;
  whole.buffer = tridap::allocate(tridap::element_type<double>(), {2 * processes() + 2});
  on::expect_refused([&] { tridap::redistribute::scatter(whole, more, MPI_COMM_WORLD); },
                     "the target has " + std::to_string(processes() + 1) + " parts");
}

TEST(Scatter, IsTheWayBack) {
  for (const Array& array : arrays()) {
    const DistArray whole = tridap::redistribute::gather(part(array), MPI_COMM_WORLD, 0);
    const DistArray back = tridap::redistribute::scatter(whole, array.distribution(), MPI_COMM_WORLD, 0);
    const std::vector<tridap::Range> owned = array.distribution().part(rank(), tridap::Part::owned);
    const DistArray expected = part(array);
    ASSERT_EQ(back.buffer.shape, expected.buffer.shape);
    oracle::for_each_index(back.buffer.shape, [&](const List& local) {
      bool inside = true;
      for (std::size_t i = 0; i < local.size(); ++i) inside = inside && owned[i].contains(local[i]);
      const double wanted = inside ? *reinterpret_cast<double*>(oracle::address(expected.buffer, local)) : 0.0;
      EXPECT_EQ(*reinterpret_cast<double*>(oracle::address(back.buffer, local)), wanted);
    });
  }
}

TEST(Scatter, LeavesProcessesWithoutAPartEmptyAndKeepsTheType) {
  const tridap::Distribution alone = tridap::Distribution::make({3}, {tridap::block()}, {1});
  DistArray whole;
  if (rank() == 0) whole.buffer = tridap::allocate(tridap::element_type<double>(), {3});
  whole.buffer.type.native_order = false;
  const DistArray mine = tridap::redistribute::scatter(whole, alone, MPI_COMM_WORLD, 0);
  EXPECT_EQ(mine.ndim(), rank() == 0 ? 1 : 0);
  EXPECT_EQ(mine.buffer.data != nullptr, rank() == 0);
  if (rank() == 0) {
    EXPECT_EQ(mine.buffer.type, whole.buffer.type);
  }
}

TEST(WholeOf, ListsIsOneBlockWhereNoNumberBelowTheLastIsLeftOut) {
  struct Case {
    std::vector<List> lists;
    char dist_type;
    Index count;
  };
  for (const Case& one : std::vector<Case>{{{{0, 1}, {2}}, 'b', 3},
                                           {{{0, 1}, {2, 1}}, 'b', 3},
                                           {{{}, {}}, 'b', 0},
                                           {{{1, 2}, {3}}, 'u', 3},
                                           {{{0}, {2}}, 'u', 2},
                                           {{{-1, 1}}, 'u', 2},
                                           {{{5}}, 'u', 1}}) {
    const tridap::Distribution whole = tridap::redistribute::whole_of(
        tridap::Distribution({tridap::Axis(tridap::UnstructuredKind(one.lists, false))}));
    EXPECT_EQ(whole.axis(0).dist_type(), one.dist_type) << one.count;
    EXPECT_EQ(whole.processes(), 1);
    EXPECT_EQ(whole.local_shape(0), List{one.count});
  }
}

TEST(Gather, RefusesRootsThatDifferOrAreNone) {
  const DistArray mine = part(arrays()[0]);
  const auto refused = [&](Index root, const std::string& words) {
    on::expect_refused([&] { tridap::redistribute::gather(mine, MPI_COMM_WORLD, static_cast<int>(root)); }, words);
  };
  for (const Index root : {processes(), Index{-1}}) refused(root, "the root is " + std::to_string(root));
  if (processes() > 1) refused(rank() == 1 ? 1 : 0, "give different roots");
}

// A shuffled dealing of all numbers below `count`, the same on every process: ours.
List our_ids(Index count) {
  List ids;
  Index step = 7;
  while (count > 0 && std::gcd(step, count) > 1) ++step;
  for (Index k = 0; k < count; ++k) {
    const Index id = (k * step + 3) % count;
    if ((id / 2) % processes() == rank()) ids.push_back(id);
  }
  return ids;
}

// Elements that carry a description, which no process but the root of the whole array may have.
TEST(Scatter, DescribedElementsKeepTheirDescriptionOnEveryProcess) {
  const tridap::ElementType seconds{tridap::ElementType::Kind::opaque, 8, true, "<M8[s]"};
  const tridap::Distribution blocks = tridap::Distribution::make({12}, {tridap::block()}, {processes()});
  DistArray whole;
  if (rank() == 0) {
    whole.dim_data = {tridap::undistributed(12)};
    whole.buffer = tridap::allocate(seconds, {12});
    for (Index i = 0; i < 12; ++i) static_cast<Index*>(whole.buffer.data)[i] = 1000 + i;
  }
  const DistArray part = tridap::redistribute::scatter(whole, blocks, MPI_COMM_WORLD);
  EXPECT_EQ(part.buffer.type, seconds);

  // All elements on one process, which the others' descriptions come from.
  const tridap::redistribute::PlacedDistribution last(tridap::Distribution::make({12}, {tridap::block()}, {1}),
                                                      {processes() - 1});
  tridap::redistribute::Redistribution plan(blocks, last, 8, MPI_COMM_WORLD);
  const DistArray moved = plan(part);
  tridap::redistribute::Redistribution back(last, blocks, 8, MPI_COMM_WORLD);
  const DistArray again = back(moved);
  EXPECT_EQ(again.buffer.type, seconds);
  for (Index i = 0; i < again.buffer.shape[0]; ++i)
    EXPECT_EQ(static_cast<Index*>(again.buffer.data)[i], 1000 + blocks.axis(0).global_index(rank(), i));
}

TEST(Ids, EveryElementGoesToTheProcessThatListsIt) {
  for (const tridap::Order order : {tridap::Order::row_major, tridap::Order::column_major})
    for (const Array& array : arrays()) {
      const tridap::Distribution distribution = array.distribution();
      std::map<Index, double> by_number;
      for (const auto& [global, number] : array.flat_numbers(order == tridap::Order::column_major))
        if (held(array, global)) by_number[number] = value(global);
      List ids;
      const auto count = static_cast<Index>(by_number.size());
      for (const Index place : our_ids(count)) ids.push_back(std::next(by_number.begin(), place)->first);
      tridap::redistribute::Options options;
      options.mapping.ravel = order;
      auto plan = tridap::redistribute::to_ids(distribution, {static_cast<Index>(ids.size()), ids.data(), 0}, 8,
                                               MPI_COMM_WORLD, options);
      const DistArray mine = part(array);
      DistArray line;
      std::vector<double> values(ids.size(), -1);
      line.buffer = tridap::row_major(values.data(), {static_cast<Index>(values.size())});
      plan(mine, line);
      for (std::size_t k = 0; k < ids.size(); ++k) EXPECT_EQ(values[k], by_number[ids[k]]);

      const DistArray back = part(array, [](const List&) { return -1.0; });
      plan.reversed()(line, back);
      const DistArray again = part(array, [](const List&) { return -1.0; });
      tridap::redistribute::from_ids({static_cast<Index>(ids.size()), ids.data(), 0}, distribution, 8, MPI_COMM_WORLD,
                                     options)(line, again);
      const std::vector<tridap::Range> owned = distribution.part(rank(), tridap::Part::owned);
      oracle::for_each_index(mine.buffer.shape, [&](const List& local) {
        for (std::size_t i = 0; i < local.size(); ++i)
          if (!owned[i].contains(local[i])) return;
        const double wanted = value(global_of(array, local));
        EXPECT_EQ(*reinterpret_cast<double*>(oracle::address(back.buffer, local)), wanted);
        EXPECT_EQ(*reinterpret_cast<double*>(oracle::address(again.buffer, local)), wanted);
      });
    }
}

TEST(Ids, RefusesWhatIsNoListingOnEveryProcess) {
  const Index n = processes();
  const tridap::Distribution rows = tridap::Distribution::make({4 * n}, {tridap::block()}, {n});
  const auto with = [&](const List& ids, bool to) {
    const tridap::GlobalIds given{static_cast<Index>(ids.size()), ids.data(), 0};
    to ? tridap::redistribute::to_ids(rows, given, 8, MPI_COMM_WORLD)
       : tridap::redistribute::from_ids(given, rows, 8, MPI_COMM_WORLD);
  };
  const auto refused = [&](const List& ids, bool to, const std::string& words) {
    on::expect_refused([&] { with(ids, to); }, words);
  };
  List mine;
  for (Index k = 0; k < 4; ++k) mine.push_back(4 * rank() + k);
  const bool last = rank() == n - 1;
  List outside = mine, twice = mine, missing = mine;
  if (last) {
    outside[1] = 4 * n;
    twice[0] = 0;
    missing.pop_back();
  }
  for (const bool to : {true, false}) {
    EXPECT_NO_THROW(with(mine, to));
    refused(outside, to, "id " + std::to_string(4 * n));
    refused(missing, to, "id " + std::to_string(4 * n - 1));
  }
  if (n > 1) refused(twice, false, "twice");
}

}  // namespace
