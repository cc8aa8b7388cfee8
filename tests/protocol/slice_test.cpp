#include "support/oracle.hpp"
#include <tridap/gather_distribution.hpp>
#include <tridap/make.hpp>
#include <tridap/slice.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace {

using oracle::List;
using tridap::DistArray;
using tridap::Index;
using tridap::Part;
using tridap::Slice;

struct Bounds {
  Index start, stop, step;
};

std::ostream& operator<<(std::ostream& out, const Bounds& b) {
  return out << b.start << ":" << b.stop << ":" << b.step << " ";
}

/// What one coordinate holds of an axis: global indices, and where each stands among what it held of the whole.
struct Share {
  List global, local;
};

/// Element by element: what each coordinate keeps, and which number it gets. Lists keep their order; elsewhere the new
/// numbers rise.
std::vector<Share> taken(const std::vector<Share>& whole, const Bounds& b, bool listed) {
  std::map<Index, Index> numbers;
  for (Index g = b.start, k = 0; b.step > 0 ? g < b.stop : g > b.stop; g += b.step) numbers[g] = k++;
  std::vector<Share> all;
  for (const Share& share : whole) {
    Share kept;
    for (std::size_t i = 0; i < share.global.size(); ++i) {
      if (numbers.count(share.global[i]) == 0) continue;
      kept.global.push_back(numbers[share.global[i]]);
      kept.local.push_back(share.local[i]);
    }
    if (!listed && b.step < 0) {
      std::reverse(kept.global.begin(), kept.global.end());
      std::reverse(kept.local.begin(), kept.local.end());
    }
    all.push_back(kept);
  }
  return all;
}

bool even(const Share& share) {
  for (std::size_t i = 2; i < share.local.size(); ++i)
    if (share.local[i] - share.local[i - 1] != share.local[1] - share.local[0]) return false;
  return true;
}

/// Whether dealing in blocks round the grid gives the coordinates what they hold.
bool is_dealt(const std::vector<Share>& shares, Index size, Index length, Index first) {
  std::vector<std::size_t> dealt(shares.size(), 0);
  auto served = static_cast<std::size_t>(first);
  for (Index g = 0, of_this_block = 0; g < size; ++g) {
    const List& held = shares[served].global;
    if (dealt[served] == held.size() || held[dealt[served]++] != g) return false;
    if (++of_this_block < length) continue;
    of_this_block = 0;
    if (++served == shares.size()) served = 0;
  }
  return true;
}

/// Whether any block or cyclic axis gives the coordinates what they hold.
bool is_block_or_cyclic(const std::vector<Share>& shares) {
  List all;
  for (const Share& share : shares) all.insert(all.end(), share.global.begin(), share.global.end());
  const auto size = static_cast<Index>(all.size());
  bool block = true;
  for (Index i = 0; i < size; ++i) block = block && all[static_cast<std::size_t>(i)] == i;
  for (Index length = 1; !block && length <= size; ++length)
    for (std::size_t first = 0; first < shares.size(); ++first)
      if (is_dealt(shares, size, length, static_cast<Index>(first))) return true;
  return block;
}

std::vector<Share> shares_of(const oracle::Axis& axis, Part part) {
  std::vector<Share> shares;
  for (Index c = 0; c < axis.grid(); ++c) {
    Share share;
    const tridap::Range range = axis.part(c, part);
    for (Index l = range.begin; l < range.end; ++l) {
      share.global.push_back(axis.held_by(c)[static_cast<std::size_t>(l)]);
      share.local.push_back(l);
    }
    shares.push_back(share);
  }
  return shares;
}

double memory[4096];

/// The array on every process, in memory of one order.
std::vector<DistArray> stamped(const oracle::Array& array, const std::vector<Index>& axes,
                               const std::vector<bool>& backwards) {
  std::vector<DistArray> all;
  double* next = memory;
  for (Index p = 0; p < array.processes(); ++p) {
    DistArray part;
    part.buffer = oracle::dense_buffer(next, tridap::element_type<double>(), array.local_shape(p), axes, backwards);
    part.dim_data = array.dim_data(p);
    all.push_back(part);
    next += std::max<Index>(tridap::element_count(part.buffer), 1);
  }
  return all;
}

/// One axis sliced again and again, held against the elements taken one by one.
class Sliced {
 public:
  Sliced(const oracle::Array& array, std::size_t axis, std::vector<DistArray> parts)
      : array_(array),
        axis_(axis),
        parts_(std::move(parts)),
        distribution_(array.distribution()),
        owned_(shares_of(array.axes[axis], Part::owned)),
        held_(shares_of(array.axes[axis], Part::local)) {
    for (const DistArray& part : parts_) before_.push_back(part.buffer);
  }

  /// True where the slice was possible, and is the array from now on.
  bool take(const Bounds& b, bool whole_check) {
    bool possible = false;
    step(b, whole_check, possible);
    return possible;
  }

  char dist_type() const { return distribution_.axis(static_cast<Index>(axis_)).dist_type(); }
  Index size() const { return distribution_.axis(static_cast<Index>(axis_)).size(); }

 private:
  void step(const Bounds& b, bool whole_check, bool& possible) {
    const auto number = static_cast<Index>(axis_);
    const bool listed = dist_type() == 'u';
    const bool everything = !listed && b.start == 0 && b.step == 1 && b.stop == size();
    const std::vector<Share> kept = everything ? held_ : taken(owned_, b, listed);
    const bool all_even = std::all_of(kept.begin(), kept.end(), even);
    std::optional<Slice> slice;
    try {
      slice = tridap::slice(distribution_, number, b.start, b.stop, b.step);
    } catch (const tridap::Error& error) {
      ASSERT_EQ(error.report().counts(), (oracle::Counts{{tridap::Rule::conversion, 1}}));
      ASSERT_NE(std::string(error.what()).find("which have no constant stride"), std::string::npos) << error.what();
    }
    ASSERT_EQ(slice.has_value(), all_even) << b;
    if (!slice) return;
    const tridap::Axis& part = slice->distribution.axis(number);
    const bool structured = everything || is_block_or_cyclic(kept);
    if (!listed) {
      ASSERT_EQ(part.dist_type() != 'u', structured) << b;
    }
    const std::string said = "axis " + std::to_string(number) + " became unstructured";
    ASSERT_EQ(std::count(slice->changes.begin(), slice->changes.end(), said), listed || structured ? 0 : 1);
    if (everything) {
      ASSERT_EQ(slice->changes, std::vector<std::string>{});
    }
    std::vector<DistArray> parts;
    for (Index p = 0; p < distribution_.processes(); ++p) {
      parts.push_back(slice->of(parts_[static_cast<std::size_t>(p)], p));
      ASSERT_NO_FATAL_FAILURE(expect_part(*slice, kept, p, parts.back())) << b << "at process " << p;
    }
    if (whole_check) {
      const tridap::Report report = tridap::check(parts);
      ASSERT_EQ(report.text(), "") << b;
    }
    parts_ = parts;
    distribution_ = slice->distribution;
    if (!everything) owned_ = kept;
    held_ = kept;
    possible = true;
  }

  /// The elements at their old addresses, under their new numbers.
  void expect_part(const Slice& slice, const std::vector<Share>& kept, Index p, const DistArray& part) {
    const tridap::Buffer& whole = before_[static_cast<std::size_t>(p)];
    const auto c = static_cast<std::size_t>(array_.coordinates(p)[axis_]);
    List shape = array_.local_shape(p);
    shape[axis_] = static_cast<Index>(kept[c].local.size());
    ASSERT_EQ(part.buffer.shape, shape);
    ASSERT_EQ(slice.distribution.local_shape(p), shape);
    std::vector<std::byte*> expected;
    oracle::for_each_index(shape, [&](const List& at) {
      List old = at, global = at;
      for (std::size_t i = 0; i < at.size(); ++i)
        global[i] = array_.axes[i].held_by(array_.coordinates(p)[i])[static_cast<std::size_t>(at[i])];
      old[axis_] = kept[c].local[static_cast<std::size_t>(at[axis_])];
      global[axis_] = kept[c].global[static_cast<std::size_t>(at[axis_])];
      expected.push_back(oracle::address(whole, old));
      ASSERT_EQ(slice.distribution.global_index(p, at), global);
    });
    ASSERT_EQ(oracle::addresses(part.buffer), expected);
  }

  const oracle::Array& array_;
  std::size_t axis_;
  std::vector<DistArray> parts_;
  std::vector<tridap::Buffer> before_;
  tridap::Distribution distribution_;
  std::vector<Share> owned_, held_;
};

/// Every slice of a short axis, forwards and backwards, and every third of a longer one.
std::vector<Bounds> all_bounds(const oracle::Axis& axis) {
  const Index size = axis.size();
  const bool listed = axis.dims[0].dist_type() == 'u';
  std::vector<Bounds> all;
  for (Index step = -4; step <= 4; ++step) {
    const Index low = listed ? -3 : step > 0 ? 0 : -1, high = listed ? 10 : low + size;
    for (Index start = low; step != 0 && start <= high; ++start)
      for (Index stop = low; stop <= high; ++stop)
        if (size < 4 || (start + stop + step) % 3 == 0) all.push_back({start, stop, step});
  }
  return all;
}

Index taken_so_far = 0;  // every 29th slice is also checked as an array

void expect_slices(const oracle::Array& array, std::size_t axis, const std::vector<DistArray>& parts,
                   const std::vector<Bounds>& bounds) {
  const Sliced whole(array, axis, parts);
  for (const Bounds& b : bounds) {
    Sliced sliced = whole;
    sliced.take(b, ++taken_so_far % 29 == 0);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

std::vector<DistArray> in_rows(const oracle::Array& array) {
  std::vector<Index> axes;
  for (std::size_t i = 0; i < array.axes.size(); ++i) axes.push_back(static_cast<Index>(i));
  return stamped(array, axes, std::vector<bool>(axes.size(), false));
}

TEST(Slice, OfEveryBlockAxisIsTheElementsTakenOneByOne) {
  for (Index size = 0; size <= 9; ++size)
    for (Index grid = 1; grid <= 3; ++grid) {
      const std::vector<List> splits = oracle::splits(size, grid);
      for (std::size_t i = 0; i<splits.size(); i += size> 4 ? 9 : 2) {
        const oracle::Array array({oracle::block(splits[i])});
        ASSERT_NO_FATAL_FAILURE(expect_slices(array, 0, in_rows(array), all_bounds(array.axes[0])))
            << ::testing::PrintToString(splits[i]);
      }
    }
}

TEST(Slice, OfEveryPaddedAxisIsTheElementsTakenOneByOne) {
  for (const oracle::Axis& axis :
       {oracle::block({3, 2, 4}, {1, 2}), oracle::block({2, 3}, {2}, {1, 1}), oracle::block({4}, {}, {1, 1}, true),
        oracle::block({3, 3}, {1}, {1, 1}, true), oracle::block({2, 0, 3}, {0, 0}, {1, 0})}) {
    const oracle::Array array({axis});
    ASSERT_NO_FATAL_FAILURE(expect_slices(array, 0, in_rows(array), all_bounds(axis)));
  }
}

TEST(Slice, OfEveryCyclicAxisIsTheElementsTakenOneByOne) {
  for (Index size = 0; size <= 9; ++size)
    for (Index length = 1; length <= 4; ++length)
      for (Index grid = 1; grid <= 4; ++grid)
        for (Index first = 0; first < grid; ++first) {
          if (size > 3 && (size + length + grid + first) % 17 != 0) continue;
          const oracle::Array array({oracle::cyclic(size, length, grid, first)});
          ASSERT_NO_FATAL_FAILURE(expect_slices(array, 0, in_rows(array), all_bounds(array.axes[0])))
              << size << " in " << length << " over " << grid << " from " << first;
        }
}

TEST(Slice, OfLongCyclicAxesWithLongStepsIsTheElementsTakenOneByOne) {
  for (Index length = 1; length <= 5; ++length)
    for (Index grid = 2; grid <= 4; ++grid) {
      const oracle::Array array({oracle::cyclic(70, length, grid, 1)});
      std::vector<Bounds> bounds;
      for (Index step = 1; step <= 23; ++step)
        for (Index start = 0; start < 6; start += 2 + step % 3) {
          for (Index stop = start + 1; stop <= 70; stop += 3 + stop * stop / 60) bounds.push_back({start, stop, step});
          bounds.push_back({69 - start, start, -step});
        }
      ASSERT_NO_FATAL_FAILURE(expect_slices(array, 0, in_rows(array), bounds)) << length << " over " << grid;
    }
}

TEST(Slice, OfListsIsTheElementsTakenOneByOneInTheirOrder) {
  for (const oracle::Axis& axis :
       {oracle::unstructured({{7, -2}, {0}}), oracle::unstructured({{4, 1}, {1, 9}}), oracle::unstructured({{}, {}}),
        oracle::unstructured({{0, 2, 4, 6}, {7, 5, 3, 1}}, true), oracle::unstructured({{5, 1, 4, 0, 3}, {2}, {}})}) {
    const oracle::Array array({axis});
    ASSERT_NO_FATAL_FAILURE(expect_slices(array, 0, in_rows(array), all_bounds(axis)));
  }
}

TEST(Slice, OfOneAxisOfManyLeavesTheOthersAndTheirMemory) {
  const std::vector<oracle::Axis> axes = oracle::mixed_axes();
  std::size_t turn = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::vector<oracle::Array> arrays = {oracle::Array({axes[i], axes[(i + 3) % 8]}),
                                         oracle::Array({axes[(i + 5) % 8], axes[i]}),
                                         oracle::Array({axes[(i + 1) % 8], axes[i], oracle::block({2})})};
    for (const oracle::Array& array : arrays)
      oracle::for_each_memory_order(array.axes.size(), [&](const auto& order, const auto& backwards) {
        std::vector<Bounds> bounds;
        for (std::size_t axis = 0; axis < array.axes.size(); ++axis) {
          if (++turn % 13 != 0) continue;
          bounds = all_bounds(array.axes[axis]);
          std::vector<Bounds> few;
          for (std::size_t k = turn % 11; k < bounds.size(); k += 11) few.push_back(bounds[k]);
          ASSERT_NO_FATAL_FAILURE(expect_slices(array, axis, stamped(array, order, backwards), few));
        }
      });
  }
}

TEST(Slice, OfASliceIsTheElementsTakenTwice) {
  Index times = 0;
  for (const oracle::Axis& axis :
       {oracle::block({4, 3, 5}), oracle::block({5, 6}, {2}), oracle::cyclic(12, 1, 3, 1), oracle::cyclic(13, 4, 2),
        oracle::cyclic(14, 2, 3, 2), oracle::unstructured({{8, 6, 4, 2, 0}, {7, 5, 3, 1}})}) {
    const oracle::Array array({axis});
    const Sliced whole(array, 0, in_rows(array));
    for (const Bounds& b : {Bounds{0, 9, 2}, {0, 6, 1}, {1, 9, 3}, {8, -1, -2}, {7, 0, -1}, {8, 2, -4}, {3, 3, 1}}) {
      Sliced once = whole;
      if (!once.take(b, true)) continue;
      for (Index step = -3; step <= 3; ++step) {
        if (step == 0) continue;
        Sliced twice = once;
        const bool forwards = step > 0;
        const bool possible =
            twice.take(forwards ? Bounds{0, once.size(), step} : Bounds{once.size() - 1, -1, step}, true);
        ASSERT_FALSE(HasFatalFailure()) << b << step;
        if (!possible || twice.size() < 2) continue;
        ++times;
        twice.take({1, twice.size(), 1}, true);
        ASSERT_FALSE(HasFatalFailure()) << b << step;
      }
    }
  }
  EXPECT_GT(times, 100);
}

tridap::Distribution made(const List& shape, const std::vector<tridap::AxisSpec>& specs, const List& grid) {
  return tridap::Distribution::make(shape, specs, grid);
}

void expect_refusal(const tridap::Distribution& distribution, Index axis, const Bounds& b, const std::string& why) {
  try {
    tridap::slice(distribution, axis, b.start, b.stop, b.step);
    FAIL() << "accepted " << b;
  } catch (const tridap::Error& error) {
    EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
  }
}

const Index most = std::numeric_limits<Index>::max(), least = std::numeric_limits<Index>::min();
const Index huge = Index{1} << 62;

TEST(Slice, BoundsOutsideAreRefused) {
  const tridap::Distribution d = made({4, 0}, {tridap::block(), tridap::block()}, {2, 1});
  for (const Bounds& b : {Bounds{-1, 2, 1},
                          {0, 5, 1},
                          {5, 5, 1},
                          {4, 0, -1},
                          {3, -2, -1},
                          {-2, -1, -1},
                          {0, 4, -1},
                          {least, most, 1},
                          {most, least, -1}})
    expect_refusal(d, 0, b, "is not within [0, 4)");
  expect_refusal(d, 1, {0, -1, -1}, "is not within [0, 0)");
  expect_refusal(d, 0, {0, 4, 0}, "the step is 0");
  expect_refusal(d, 2, {0, 4, 1}, "the array has 2 axes");
  expect_refusal(d, -1, {0, 4, 1}, "the array has 2 axes");
  const tridap::Distribution lists = made({2}, {tridap::unstructured({{most, least}})}, {1});
  for (const Bounds& b : {Bounds{huge, 0, 1}, {0, huge, 1}, {-huge - 1, 0, 1}, {0, least, -1}})
    expect_refusal(lists, 0, b, "do not fit 62 bits");
  EXPECT_EQ(tridap::slice(lists, 0, -huge, huge - 1, most).distribution.shape(), List{0});
  EXPECT_EQ(tridap::slice(lists, 0, huge - 1, -huge, least).distribution.shape(), List{0});
}

TEST(Slice, HugeAxesAreSlicedAtOnce) {
  const tridap::Distribution block = made({huge}, {tridap::block()}, {3});
  EXPECT_EQ(tridap::slice(block, 0, 1, huge, huge / 4).distribution.shape(), List{4});
  EXPECT_EQ(tridap::slice(block, 0, 1, huge, 2).distribution.shape(), List{huge / 2});
  EXPECT_EQ(tridap::slice(block, 0, 5, huge, huge).distribution.shape(), List{1});
  EXPECT_EQ(tridap::slice(block, 0, 5, huge, most).distribution.shape(), List{1});
  EXPECT_EQ(tridap::slice(block, 0, huge - 1, -1, least).distribution.shape(), List{1});
  EXPECT_EQ(tridap::slice(block, 0, huge / 3, -1, -7).distribution.owner({0}), 0);
  expect_refusal(block, 0, {huge - 1, -1, -1}, "are too many to list");
  for (const tridap::CyclicSpec& spec : {tridap::cyclic(), tridap::cyclic(6, 1), tridap::cyclic(huge / 2 + 1)}) {
    const tridap::Distribution cyclic = made({huge}, {spec}, {2});
    EXPECT_EQ(tridap::slice(cyclic, 0, 0, huge, 3 * spec.block_size).distribution.axis(0).dist_type(),
              spec.block_size > huge / 3 ? 'b' : 'c');
    EXPECT_EQ(tridap::slice(cyclic, 0, 0, huge, huge / 2).distribution.shape(), List{2});
    if (spec.block_size > 6) continue;
    EXPECT_EQ(tridap::slice(cyclic, 0, 1, huge, 4 * spec.block_size).distribution.axis(0).dist_type(), 'b');
  }
  expect_refusal(made({huge}, {tridap::cyclic()}, {4}), 0, {0, huge, 2}, "are too many to list");
  expect_refusal(made({huge}, {tridap::cyclic(huge / 2, 1)}, {2}), 0, {huge / 2 - 10, huge, 1}, "are too many to list");
  expect_refusal(made({huge}, {tridap::cyclic(6)}, {4}), 0, {0, huge, 4}, "which have no constant stride");
  const Slice last = tridap::slice(made({most}, {tridap::cyclic(huge)}, {2}), 0, huge - 5, most, 2);
  EXPECT_EQ(last.distribution.axis(0).count(0), 3);
  EXPECT_EQ(last.distribution.axis(0).count(1), huge / 2 - 1);
  const tridap::Distribution backwards =
      tridap::slice(made({most}, {tridap::cyclic(5)}, {1}), 0, most - 1, -1, -1).distribution;
  EXPECT_EQ(backwards.axis(0).count(0), most);
}

TEST(Slice, MoreCoordinatesThanCanBeListedAreRefused) {
  const auto distribution = tridap::Distribution::make({100}, {tridap::block()}, {Index{1} << 50});
  EXPECT_THROW(tridap::slice(distribution, 0, 1, 50), tridap::Error);
}

TEST(Slice, TwoHugeBlocksOfACyclicAxisAreAnIrregularBlock) {
  const Index length = huge / 4;
  const Slice slice = tridap::slice(made({huge}, {tridap::cyclic(length)}, {3}), 0, length / 2, 2 * length, 1);
  ASSERT_EQ(slice.distribution.axis(0).dist_type(), 'b');
  EXPECT_EQ(slice.distribution.axis(0).count(0), length / 2);
  EXPECT_EQ(slice.distribution.axis(0).count(1), length);
  EXPECT_EQ(slice.distribution.axis(0).count(2), 0);
}

TEST(Slice, AMillionCoordinatesWork) {
  const Index million = 1000000;
  const Slice block = tridap::slice(made({huge}, {tridap::block()}, {million}), 0, 7, huge, 3);
  EXPECT_EQ(block.distribution.axis(0).dist_type(), 'b');
  const Slice cyclic = tridap::slice(made({huge}, {tridap::cyclic(6)}, {million}), 0, 6, huge, 2);
  EXPECT_EQ(cyclic.distribution.axis(0).dist_type(), 'c');
  EXPECT_EQ(cyclic.distribution.owner({0}), 1);
}

TEST(Slice, KeepsWhatTheArrayCarries) {
  const oracle::Array array({oracle::block({3, 3}, {1}, {1, 1}, true), oracle::cyclic(4, 1, 1)});
  std::vector<DistArray> parts = in_rows(array);
  const auto owner = std::make_shared<int>(1);
  for (DistArray& part : parts) {
    part.buffer.owner = owner;
    part.buffer.read_only = true;
    part.dim_data[0].extras = {{"units", "\"m\""}};
    part.dim_data[1].extras = {{"name", "1"}, {"other", "2"}};
  }
  const Slice slice = tridap::slice(array.distribution(), 0, 1, 5);
  EXPECT_EQ(slice.changes,
            (std::vector<std::string>{"the padding of axis 0 is left out", "axis 0 is no longer periodic"}));
  for (Index p = 0; p < 2; ++p) {
    const DistArray part = slice.of(parts[static_cast<std::size_t>(p)], p);
    EXPECT_EQ(part.buffer.owner.get(), owner.get());
    EXPECT_TRUE(part.buffer.read_only);
    EXPECT_EQ(part.buffer.type, tridap::element_type<double>());
    ASSERT_EQ(part.dim_data[0].extras.size(), 1U);
    EXPECT_EQ(part.dim_data[0].extras[0].key, "units");
    EXPECT_EQ(part.dim_data[0].extras[0].value, "\"m\"");
    EXPECT_EQ(part.dim_data[1].extras.size(), 2U);
    EXPECT_FALSE(part.dim_data[0].periodic);
  }
  EXPECT_EQ(tridap::slice(array.distribution(), 1, 0, 4, 2).changes, std::vector<std::string>{});
}

TEST(Slice, WorkedExampleOfTheHeaderHolds) {
  const Slice slice = tridap::slice(made({10}, {tridap::block()}, {2}), 0, 3, 9, 2);
  EXPECT_EQ(slice.distribution.shape(), List{3});
  EXPECT_EQ(slice.distribution.axis(0).count(0), 1);
  EXPECT_EQ(slice.distribution.axis(0).count(1), 2);
  EXPECT_EQ(slice.distribution.axis(0).dist_type(), 'b');
}

}  // namespace
