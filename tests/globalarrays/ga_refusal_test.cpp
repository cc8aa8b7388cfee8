#include <tridap/globalarrays/import.hpp>
#include <tridap/make.hpp>

#include <gtest/gtest.h>
#include <support/oracle.hpp>

#include <limits>

namespace {

using oracle::List;
using tridap::Distribution;
using tridap::ElementType;
using tridap::Index;
using tridap::globalarrays::nearest;
using tridap::globalarrays::refusal;
using tridap::redistribute::PlacedDistribution;

const ElementType real = tridap::element_type<double>();

PlacedDistribution placed(const List& shape, const std::vector<tridap::AxisSpec>& specs, const List& grid,
                          std::vector<Index> ranks = {}) {
  return {Distribution::make(shape, specs, grid), std::move(ranks)};
}

PlacedDistribution of(const std::vector<oracle::Axis>& axes) { return {oracle::Array(axes).distribution()}; }

// All of `words` stand in the refusal, one after the other.
void expect_refused(const PlacedDistribution& one, Index processes, const std::vector<std::string>& words,
                    const ElementType& type = real) {
  const std::string text = refusal(one, type, processes).value_or("nothing");
  std::size_t from = 0;
  for (const std::string& word : words) {
    from = text.find(word, from);
    ASSERT_NE(from, std::string::npos) << word << " in: " << text;
  }
}

void expect_held(const PlacedDistribution& one, Index processes) {
  EXPECT_EQ(refusal(one, real, processes).value_or(""), "");
  const PlacedDistribution same = nearest(one, real, processes);
  EXPECT_EQ(same.ranks(), one.ranks());
  EXPECT_EQ(same.distribution().shape(), one.distribution().shape());
}

TEST(Refusal, NamesAxesExtentsAndElements) {
  expect_refused({Distribution({})}, 1, {"0 axes", "holds 1 to 7", "[conversion]"});
  expect_refused(placed(List(8, 2), std::vector<tridap::AxisSpec>(8, tridap::block()), List(8, 1)), 1, {"8 axes"});
  expect_refused(placed({3, 0}, {tridap::block(), tridap::block()}, {2, 1}), 2,
                 {"axis 1: 'size' is 0, must be at least 1", "do not create an empty array"});
  expect_refused(placed({3}, {tridap::block()}, {1}), 1, {"0 bytes"}, ElementType{});
  for (Index ndim = 1; ndim <= 7; ++ndim)
    expect_held(placed(List(static_cast<std::size_t>(ndim), 2),
                       std::vector<tridap::AxisSpec>(static_cast<std::size_t>(ndim), tridap::block()),
                       List(static_cast<std::size_t>(ndim), 1)),
                1);
  const Index many = Index{1} << 40;
  expect_refused(placed({many, many}, {tridap::block(), tridap::block()}, {1, 1}), 1, {"64 bits"});
  const Index most = (Index{1} << 60) - 2;  // doubles, two fewer than 64 bits can say the bytes of
  expect_held(placed({4 * most}, {tridap::block()}, {4}), 4);
  expect_refused(placed({most + 2}, {tridap::block()}, {1}), 1, {"64 bits"});
  tridap::BlockSpec padded = tridap::block();
  expect_held(placed({most}, {padded}, {2}), 2);
  padded.padding = most / 2;
  expect_refused(placed({most}, {padded}, {2}), 2, {"64 bits"});
}

TEST(Refusal, NamesPlacements) {
  const auto rows = [](std::vector<Index> ranks) { return placed({6}, {tridap::block()}, {3}, std::move(ranks)); };
  expect_refused(rows({}), 2, {"3 parts", "2", "fewer processes"});
  expect_refused(rows({0, 3, 1}), 3, {"rank 3", "3 processes"});
  expect_held(rows({4, 0, 2}), 5);
}

TEST(Refusal, NamesListsAndHowTheyAreHeldInstead) {
  const PlacedDistribution lists = placed({6}, {tridap::unstructured({{5, 0}, {1, 2}, {3, 4}})}, {3});
  expect_refused(lists, 3, {"axis 0: 'dist_type' is u", "must be b or c", "nearest", "block"});
  expect_refused(placed({4}, {tridap::unstructured({{0, 1}, {1, 2}})}, {2}), 2, {"'dist_type' is u, with indices on"});
  EXPECT_THROW(nearest(placed({4}, {tridap::unstructured({{0, 1}, {1, 2}})}, {2}), real, 2), tridap::Error);
  EXPECT_THROW(nearest(placed({4}, {tridap::unstructured({{0, 1}, {1, 3}})}, {2}), real, 2), tridap::Error);
  EXPECT_THROW(nearest(placed({3}, {tridap::unstructured({{0, -1}, {1}})}, {2}), real, 2), tridap::Error);
  EXPECT_THROW(nearest(placed({3}, {tridap::unstructured({{0, 1}, {5}})}, {2}), real, 2), tridap::Error);
  expect_held(placed({4}, {tridap::unstructured({{0, 1}, {2, 3}})}, {2}), 2);  // a block, said otherwise
}

TEST(Refusal, NamesDealingsThatGaHasNot) {
  const auto dealt = [](Index first, std::vector<Index> ranks = {}) {
    return placed({12}, {tridap::cyclic(2, first)}, {3}, std::move(ranks));
  };
  expect_held(dealt(0), 3);
  expect_refused(dealt(1), 3, {"axis 0: 'start' is 4 on grid coordinate 0, must be 0"});
  expect_refused(dealt(0), 4, {"cyclic on 3 of 4 processes"});
  expect_refused(dealt(0, {1, 0, 2}), 3, {"the order of its processes differs from GA's"});
  expect_held(placed({12, 7}, {tridap::cyclic(2), tridap::cyclic(1)}, {3, 2}), 6);
  expect_held(placed({12, 7}, {tridap::cyclic(2), tridap::block_at({0, 1})}, {3, 2}), 6);
  expect_held(placed({12, 8}, {tridap::block(), tridap::cyclic(2)}, {3, 2}), 6);  // even blocks are a dealing
  expect_refused(placed({12, 8}, {tridap::block_at({0, 1, 2}), tridap::cyclic(2)}, {3, 2}), 6,
                 {"axis 1: 'dist_type' is c"});
  expect_refused(placed({12, 7}, {tridap::cyclic(2), tridap::block_at({0, 0})}, {3, 2}), 6, {"axis 1: 'stop'"});
  for (const List& counts : {List{4, 4, 0}, List{0, 4, 4}}) {  // an empty share beside a dealing
    expect_refused(of({oracle::cyclic(8, 2, 2), oracle::block(counts)}), 6, {"axis 1: 'stop'"});
    expect_refused(of({oracle::block(counts), oracle::cyclic(8, 2, 2)}), 6, {"axis 0: 'stop'"});
  }
  expect_held(placed({5}, {tridap::cyclic(2)}, {4}), 4);  // fewer blocks than processes: in ranges
  expect_held(placed({9, 4}, {tridap::whole(), tridap::cyclic(1)}, {1, 2}), 2);
}

// Which GA counts in int: one more, and it finds no element again. The refusal itself must not list them.
TEST(Refusal, NamesMoreBlocksThanGaCounts) {
  const ElementType byte = tridap::element_type<unsigned char>();
  const Index most = std::numeric_limits<int>::max();
  EXPECT_EQ(refusal(placed({most}, {tridap::cyclic(1)}, {2}), byte, 2), std::nullopt);
  EXPECT_EQ(refusal(placed({most, 1}, {tridap::cyclic(1), tridap::whole()}, {2, 1}), byte, 2), std::nullopt);
  for (const PlacedDistribution& many :
       {placed({most + 1}, {tridap::cyclic(1)}, {2}),
        placed({1 << 16, 1 << 17}, {tridap::cyclic(1), tridap::cyclic(2)}, {2, 2}),
        placed({Index{1} << 40, 3}, {tridap::cyclic(1), tridap::block_at({0, 1})}, {2, 2})}) {
    expect_refused(many, many.distribution().processes(), {"more blocks than", "2147483647", "nearest"}, byte);
    const PlacedDistribution other = nearest(many, byte, many.distribution().processes());
    EXPECT_EQ(refusal(other, byte, many.distribution().processes()).value_or(""), "");
  }
}

TEST(Refusal, NamesPaddingThatIsNoGhostCells) {
  const std::string edges = "padding' is 1 and 1 at the edges";
  expect_held(of({oracle::block({3, 3}, {2})}), 2);
  expect_held(of({oracle::block({2, 3, 2}, {1, 1})}), 3);
  expect_refused(of({oracle::block({2, 3, 2}, {1, 2})}), 3, {"axis 0: 'padding' is 2 on grid coordinate 1, must be 1"});
  expect_refused(of({oracle::block({2, 1, 2}, {1, 0})}), 3, {"'padding' is 0 on grid coordinate 1, must be 1"});
  expect_refused(of({oracle::block({2, 3}, {1})}), 3, {"1 of 3 processes own nothing"});
  expect_refused(of({oracle::block({2, 3}, {2}, {1, 1}, true)}), 2, {edges, "must be 2"});
  expect_refused(of({oracle::block({3, 3}, {0}, {1, 1}, true)}), 2, {edges, "must be 0"});
  expect_refused(of({oracle::block({4, 4}, {2}, {2, 1}, true)}), 2, {"2 and 1 at the edges", "must be 2"});
  expect_refused(of({oracle::block({4, 4}, {2}, {1, 2}, true)}), 2, {"1 and 2 at the edges", "must be 2"});
  expect_refused(of({oracle::block({5}, {}, {1, 2}, true)}), 1, {"1 and 2 at the edges", "must be 0"});
  expect_held(of({oracle::block({3, 3}, {1}, {1, 1}, true)}), 2);  // the mirrors are GA's outer ghost cells
  expect_held(of({oracle::block({5}, {}, {1, 1}, true)}), 1);
  expect_held(of({oracle::block({3, 3}, {1}, {1, 1}, false)}), 2);  // elements like all others
  expect_held(of({oracle::block({3, 3}, {1}, {0, 0}, true)}), 2);
  expect_refused(of({oracle::block({2, 3}, {1}), oracle::cyclic(4, 1, 2)}), 4, {"axis 0: 'padding' is 1, must be 0"});
  // Of the ends' owned elements, one each is a mirror: what is left is too little for neighbours to see two of.
  expect_refused(of({oracle::block({3, 3}, {2}, {2, 2}, true)}), 2, {"'padding' is 2, must be at most the 1"});
}

// Where each element of an array stands, by global index.
std::map<List, Index> owners(const PlacedDistribution& one) {
  std::map<List, Index> all;
  oracle::for_each_index(one.distribution().shape(), [&](const List& at) {
    if (const auto process = one.distribution().owner(at)) all[at] = one.rank(*process);
  });
  return all;
}

Index staying(const PlacedDistribution& here, const PlacedDistribution& there) {
  Index count = 0;
  const std::map<List, Index> before = owners(here);
  for (const auto& [at, rank] : owners(there)) {
    const auto found = before.find(at);
    count += found != before.end() && found->second == rank ? 1 : 0;
  }
  return count;
}

Index product(const List& shape) {
  Index count = 1;
  for (const Index extent : shape) count *= extent;
  return count;
}

TEST(Nearest, LeavesAllWhereItIsWhereRangesCan) {
  const auto stays = [](const PlacedDistribution& one, Index processes) {
    EXPECT_TRUE(refusal(one, real, processes));
    const PlacedDistribution other = nearest(one, real, processes);
    EXPECT_FALSE(refusal(other, real, processes));
    return staying(one, other) == product(one.distribution().shape());
  };
  EXPECT_TRUE(stays(placed({6}, {tridap::unstructured({{4, 5}, {0, 1, 2}, {3}})}, {3}), 3));  // ranges
  EXPECT_TRUE(stays(placed({6}, {tridap::unstructured({{5, 4}, {2, 0, 1}, {3}})}, {3}), 4));  // out of order
  EXPECT_TRUE(stays(placed({5}, {tridap::cyclic(2, 2)}, {3}), 3));                            // one block for each
  EXPECT_TRUE(stays(placed({9}, {tridap::cyclic(2, 1)}, {3}, {2, 0, 1}), 3));  // turned, on ranks that are turned too
  EXPECT_TRUE(stays(placed({9, 8}, {tridap::cyclic(2, 1), tridap::cyclic(1, 1)}, {3, 2}, {5, 4, 1, 0, 3, 2}), 6));
  EXPECT_TRUE(stays(of({oracle::block({2, 3, 2}, {1, 2})}), 3));  // without its padding
  EXPECT_TRUE(stays(of({oracle::block({3, 3}, {2}, {1, 1}, true)}), 2));
}

TEST(Nearest, LeavesWhatADealingCanLeave) {
  const PlacedDistribution turned = placed({40}, {tridap::cyclic(2, 1)}, {4});
  const PlacedDistribution other = nearest(turned, real, 4);
  EXPECT_FALSE(refusal(other, real, 4));
  EXPECT_GT(staying(turned, other), 0);
  const PlacedDistribution permuted = placed({40, 2}, {tridap::cyclic(2), tridap::block()}, {4, 1}, {3, 1, 2, 0});
  const PlacedDistribution in_order = nearest(permuted, real, 4);
  EXPECT_EQ(in_order.distribution().axis(0).dist_type(), 'c');  // two of four stay
  EXPECT_EQ(staying(permuted, in_order), 40);
  const PlacedDistribution uneven =
      placed({40, 3, 4}, {tridap::cyclic(2), tridap::block_at({0, 1}), tridap::cyclic(1)}, {2, 2, 2});
  EXPECT_EQ(staying(uneven, nearest(uneven, real, 8)), 40 * 3 * 2);  // all of axis 0, half of axis 2
  const PlacedDistribution turned_and_permuted =
      placed({3, 5}, {tridap::cyclic(1, 1), tridap::cyclic(2)}, {2, 2}, {3, 1, 2, 0});
  EXPECT_EQ(staying(turned_and_permuted, nearest(turned_and_permuted, real, 4)), 6);
}

// An axis that GA cannot have as it is costs the others nothing.
TEST(Nearest, KeepsThePaddingOfTheOtherAxes) {
  const oracle::Axis good = oracle::block({3, 3}, {2}), uneven = oracle::block({2, 3, 2}, {1, 2}),
                     mirrors = oracle::block({4, 4}, {1}, {1, 1}, true);
  const auto padded = [](const PlacedDistribution& one, Index processes) {
    const PlacedDistribution other = nearest(one, real, processes);
    EXPECT_FALSE(refusal(other, real, processes));
    std::string said;
    for (Index i = 0; i < other.distribution().ndim(); ++i) {
      const tridap::Axis& axis = other.distribution().axis(i);
      const auto* block = std::get_if<tridap::BlockKind>(&axis.kind());
      said += block == nullptr ? "c" : !block->is_padded() ? "-" : axis.periodic() ? "m" : "p";
    }
    return said;
  };
  EXPECT_EQ(padded(of({uneven, good}), 6), "-p");
  EXPECT_EQ(padded(of({good, uneven}), 6), "p-");
  EXPECT_EQ(padded(of({good, uneven, mirrors}), 12), "p-m");
  EXPECT_EQ(padded(of({oracle::unstructured({{3, 1}, {0, 2}}), good}), 4), "-p");
  EXPECT_EQ(padded(of({uneven, good}), 7), "--");                   // one owns nothing
  EXPECT_EQ(padded(of({uneven, oracle::block({0, 3})}), 6), "--");  // so do some here
  EXPECT_EQ(padded(of({oracle::block({0, 3}), mirrors}), 4), "--");
  EXPECT_EQ(padded({of({good, mirrors}).distribution(), {3, 2, 1, 0}}, 4), "--");  // where it is, rather than padded
  const PlacedDistribution kept = nearest(of({uneven, good}), real, 6);
  EXPECT_EQ(std::get<tridap::BlockKind>(kept.distribution().axis(1).kind()).communication(0)[1], 2);
}

// Every way to deal up to 6 elements over up to 3 coordinates.
std::vector<oracle::Axis> small_axes(Index grid) {
  std::vector<oracle::Axis> all;
  for (Index size = 1; size <= 6; ++size) {
    for (const List& counts : oracle::splits(size, grid)) {
      all.push_back(oracle::block(counts));
      if (*std::min_element(counts.begin(), counts.end()) > 0 && grid > 1) {
        List shared(static_cast<std::size_t>(grid - 1), 1);
        all.push_back(oracle::block(counts, shared));
        shared.back() = 0;
        all.push_back(oracle::block(counts, shared));
      }
    }
    for (Index length = 1; length <= 3; ++length)
      for (Index first = 0; first < grid; ++first) all.push_back(oracle::cyclic(size, length, grid, first));
    std::vector<List> lists(static_cast<std::size_t>(grid));
    for (Index i = 0; i < size; ++i) lists[static_cast<std::size_t>((i * i + 1) % grid)].push_back(size - 1 - i);
    all.push_back(oracle::unstructured(lists));
  }
  return all;
}

// It leaves no less than even blocks on the same processes would.
void expect_nearest(const PlacedDistribution& one, Index processes) {
  const PlacedDistribution other = nearest(one, real, processes);
  ASSERT_EQ(refusal(other, real, processes).value_or(""), "");
  ASSERT_EQ(other.distribution().shape(), one.distribution().shape());
  const PlacedDistribution again = nearest(one, real, processes);
  ASSERT_EQ(owners(again), owners(other));
  if (!refusal(one, real, processes)) {
    ASSERT_EQ(staying(one, other), product(one.distribution().shape()));
    return;
  }
  const PlacedDistribution even(
      Distribution::make(one.distribution().shape(),
                         std::vector<tridap::AxisSpec>(one.distribution().shape().size(), tridap::block()),
                         one.distribution().proc_grid_shape()),
      one.ranks());
  ASSERT_GE(staying(one, other), staying(one, even)) << *refusal(one, real, processes);
}

TEST(Nearest, IsHeldForEverySmallArray) {
  for (const Index grid : {1, 2, 3})
    for (const oracle::Axis& axis : small_axes(grid)) {
      expect_nearest(of({axis}), grid);
      expect_nearest(of({axis}), grid + 2);
      std::vector<Index> backwards;
      for (Index r = grid; r > 0; --r) backwards.push_back(r - 1);
      expect_nearest({of({axis}).distribution(), backwards}, grid);
      if (HasFailure()) return;
    }
  for (const oracle::Axis& first : small_axes(2))
    for (const oracle::Axis& second : small_axes(3)) {
      expect_nearest(of({first, second}), 6);
      if (HasFailure()) return;
    }
}

TEST(Nearest, OfAHugeArrayCostsNothing) {
  const Index huge = Index{1} << 40;
  const PlacedDistribution dealt = placed({huge, 3}, {tridap::cyclic(1, 1), tridap::block()}, {4, 1});
  const PlacedDistribution other = nearest(dealt, real, 4);
  EXPECT_FALSE(refusal(other, real, 4));
  // GA would have a list of 2^28 blocks.
  const PlacedDistribution tiled = placed({Index{1} << 28, 3}, {tridap::cyclic(1), tridap::block_at({0, 1})}, {2, 2});
  expect_refused(tiled, 4, {"axis 0: 'block_size' is 1", "GA lists all of them", "block x block"});
  EXPECT_FALSE(refusal(nearest(tiled, real, 4), real, 4));
  expect_held(placed({1000, 3}, {tridap::cyclic(1), tridap::block_at({0, 1})}, {2, 2}), 4);
}

}  // namespace
