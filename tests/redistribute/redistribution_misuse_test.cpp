#include "redistribute/move_checks.hpp"
#include "support/expect_refused.hpp"
#include <tridap/make.hpp>
#include <tridap/redistribute/ids.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

// What is easily given wrong, each process alike, and what a plan must not lose on its way.

namespace {

using moves::Move;
using moves::Options;
using on::expect_refused;
using tridap::Buffer;
using tridap::DistArray;
using tridap::Distribution;
using tridap::Index;
using tridap::redistribute::Redistribution;

Index rank() { return on::rank(MPI_COMM_WORLD); }
Index processes() { return on::processes(MPI_COMM_WORLD); }

Distribution rows() {
  return Distribution::make({2 * processes(), 3}, {tridap::block(), tridap::whole()}, {processes(), 1});
}
Distribution dealt() {
  return Distribution::make({2 * processes(), 3}, {tridap::cyclic(), tridap::whole()}, {processes(), 1});
}

template <class T>
DistArray array(T first) {
  DistArray made;
  made.buffer = tridap::allocate(tridap::element_type<T>(), {2, 3});
  std::iota(static_cast<T*>(made.buffer.data), static_cast<T*>(made.buffer.data) + 6, first);
  return made;
}

template <class T>
std::vector<T> values(const DistArray& array) {
  const T* const first = static_cast<const T*>(array.buffer.data);
  return {first, first + 6};
}

}  // namespace

TEST(RedistributionMisuse, ArraysOfOneRoundHaveOneType) {
  Options options;
  options.convert = true;
  Redistribution plan(rows(), dealt(), 8, MPI_COMM_WORLD, options);
  const Move doubles{array<double>(1), array<double>(-1)}, narrowed{array<double>(1), array<float>(-1)},
      integers{array<Index>(1), array<Index>(-1)};
  expect_refused([&] { plan({doubles, narrowed}); }, "element types");
  expect_refused([&] { plan({doubles, integers}, {2, 1}); }, "element types");
  EXPECT_EQ(values<float>(narrowed.target), (std::vector<float>{-1, 0, 1, 2, 3, 4}));
  EXPECT_EQ(values<Index>(integers.target), (std::vector<Index>{-1, 0, 1, 2, 3, 4}));
  plan({narrowed, narrowed});
}

TEST(RedistributionMisuse, WhatIsMadeHasNothingToAddTo) {
  Redistribution plan(rows(), dealt(), 8, MPI_COMM_WORLD);
  expect_refused([&] { plan(array<double>(1), {1, 1}); }, "beta");
  plan(array<double>(1), {2, 0});
}

TEST(RedistributionMisuse, SomePassATargetAndOthersDoNot) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  Redistribution plan(rows(), dealt(), 8, MPI_COMM_WORLD);
  const DistArray source = array<double>(1), target = array<double>(-1);
  const auto mixed = [&] { rank() == 0 ? void(plan(source)) : plan(source, target); };
  expect_refused(mixed, "others let the plan make it");
  plan(source);  // and where the plan has memory to make one again
  expect_refused(mixed, "others let the plan make it");
  EXPECT_EQ(values<double>(target)[0], -1);
  plan(source, target);
}

// The memory of a target that the plan made is used for the next one, if no process holds it still.
TEST(RedistributionMisuse, AProcessWithoutArraysMakesTheCallOfTheOthersThrow) {
  Redistribution plan(rows(), dealt(), 8, MPI_COMM_WORLD);
  const DistArray source = array<double>(1), target = array<double>(-1);
  const bool objects = rank() == processes() - 1;
  const auto object = [&](const char* why) {
    tridap::mpi::Faults faults;
    faults.attempt([&] { throw std::runtime_error(why); });
    plan.object(std::move(faults));
  };
  const std::string who = "(rank " + std::to_string(processes() - 1) + "): ";
  expect_refused([&] { objects ? object("no array") : plan(source, target); }, who + "no array");
  expect_refused(
      [&] {
        if (objects) object("nothing here");
        plan.start({{source, target}});
      },
      "nothing here");
  expect_refused(
      [&] {
        if (objects) object("nor here");
        plan(source);
      },
      "nor here");
  EXPECT_THROW(plan.object({}), tridap::Error);  // on all, without a reason
  EXPECT_EQ(values<double>(target), values<double>(array<double>(-1)));
  plan.start({{source, target}});
  expect_refused([&] { objects ? object("late") : plan(source, array<double>(0)); }, "late");
  plan.wait();  // the move had ended before
  EXPECT_NE(values<double>(target), values<double>(array<double>(-1)));
}

TEST(RedistributionMisuse, MadeArraysReuseOnlyMemoryThatNoProcessHolds) {
  Redistribution plan(rows(), dealt(), 8, MPI_COMM_WORLD);
  const DistArray expected = array<double>(-1);
  plan(array<double>(10), expected);
  const auto as_expected = [&](const DistArray& made) { EXPECT_EQ(values<double>(made), values<double>(expected)); };
  DistArray kept = plan(array<double>(10));
  for (Index holder = 0; holder < processes(); ++holder) {
    as_expected(kept);
    const void* const before = kept.buffer.data;
    if (rank() != holder) kept = {};
    DistArray next = plan(array<double>(10));
    as_expected(next);
    if (rank() == holder) {
      EXPECT_NE(next.buffer.data, before);
      as_expected(kept);
    }
    kept = std::move(next);
  }
  const void* const before = kept.buffer.data;
  kept = {};
  kept = plan(array<double>(10));
  EXPECT_EQ(kept.buffer.data, before);
  as_expected(kept);
}

// Elements of another type, or of a process that had none: the memory is not taken for what it was.
TEST(RedistributionMisuse, WhatIsMadeHasTheTypeOfThisSource) {
  Redistribution plan(rows(), dealt(), 8, MPI_COMM_WORLD);
  for (int repeat = 0; repeat < 2; ++repeat) {
    EXPECT_EQ(plan(array<double>(1)).buffer.type, tridap::element_type<double>());
    const DistArray integers = plan(array<Index>(1));
    EXPECT_EQ(integers.buffer.type, tridap::element_type<Index>());
    const DistArray expected = array<Index>(-1);
    plan(array<Index>(1), expected);
    EXPECT_EQ(values<Index>(integers), values<Index>(expected));
  }
}

TEST(RedistributionMisuse, StridedArraysThatAreOneAreSeen) {
  Redistribution plan(rows(), dealt(), 8, MPI_COMM_WORLD);
  DistArray wide;
  wide.buffer = tridap::sub_buffer(tridap::allocate(tridap::element_type<double>(), {2, 5}), {{0, 2}, {1, 4}});
  if (processes() > 1 || rank() == 0) expect_refused([&] { plan(wide, wide); }, "share memory");
}

TEST(RedistributionMisuse, TheWayBackOfAConversionTakesWhatItMade) {
  Options options;
  options.convert = true;
  Redistribution plan(rows(), dealt(), 4, MPI_COMM_WORLD, options);
  const DistArray narrow = array<float>(1), wide = array<double>(0), back = array<float>(0);
  plan(narrow, wide);
  Redistribution reversed = plan.reversed();
  reversed(wide, back);
  EXPECT_EQ(values<float>(back), values<float>(narrow));
}

TEST(RedistributionMisuse, AMoveUnderWayEndsBeforeAnArrayIsMade) {
  const Index n = 512;
  const auto tall = Distribution::make({n * processes(), n}, {tridap::block(), tridap::whole()}, {processes(), 1});
  const auto wide = Distribution::make({n * processes(), n}, {tridap::whole(), tridap::block()}, {1, processes()});
  Redistribution plan(tall, wide, 8, MPI_COMM_WORLD), other(rows(), dealt(), 8, MPI_COMM_WORLD);
  DistArray from, to;
  from.buffer = tridap::allocate(tridap::element_type<double>(), tall.local_shape(rank()));
  to.buffer = tridap::allocate(tridap::element_type<double>(), wide.local_shape(rank()));
  std::fill_n(static_cast<double*>(from.buffer.data), n * n, static_cast<double>(rank()));
  plan.start({{from, to}});
  if (rank() % 2 == 0) plan.wait();
  const DistArray made = other(array<double>(static_cast<double>(6 * rank())));
  if (rank() % 2 != 0) plan.wait();
  std::vector<double> columns, rows_here;  // what this process must hold
  const Index width = wide.local_shape(rank())[1];
  for (Index i = 0; i < n * processes() * width; ++i) columns.push_back(static_cast<double>(i / width / n));
  const double* const moved = static_cast<const double*>(to.buffer.data);
  EXPECT_EQ(std::vector<double>(moved, moved + columns.size()), columns);
  for (const Index row : {rank(), rank() + processes()})
    for (Index column = 0; column < 3; ++column) rows_here.push_back(static_cast<double>(3 * row + column));
  EXPECT_EQ(values<double>(made), rows_here);
}

TEST(RedistributionMisuse, AxesAndPaddingHaveNoMeaningForIds) {
  for (const bool axes : {true, false}) {
    Options options;
    if (axes) options.mapping.axes = {1, 0};
    options.mapping.fill_padding = !axes;
    const tridap::GlobalIds ids{6, nullptr, 6 * rank()};
    expect_refused([&] { tridap::redistribute::to_ids(rows(), ids, 8, MPI_COMM_WORLD, options); },
                   axes ? "axes" : "padding");
  }
}

TEST(RedistributionMisuse, IdsThatCannotBeCountedAreRefusedOnAll) {
  const Index last = std::numeric_limits<Index>::max();
  const auto refused = [](const tridap::GlobalIds& wrong, const std::string& words) {
    const tridap::GlobalIds ids = rank() == processes() - 1 ? wrong : tridap::GlobalIds{};
    const std::string said = "(rank " + std::to_string(processes() - 1) + "): " + words;
    for (const bool partial : {false, true}) {
      Options options;
      options.mapping.partial = partial;
      expect_refused([&] { tridap::redistribute::to_ids(rows(), ids, 8, MPI_COMM_WORLD, options); }, said);
      expect_refused([&] { tridap::redistribute::from_ids(ids, rows(), 8, MPI_COMM_WORLD, options); }, said);
    }
  };
  refused({-5}, "there are -5 ids, must be 0 or more");
  refused({2, nullptr, last}, "the 2 ids from 9223372036854775807 on, must fit 64 bits");
  refused({last, nullptr, 2}, "the 9223372036854775807 ids from 2 on, must fit 64 bits");
  refused({last / 8}, "id " + std::to_string(6 * processes()) + " at local index " + std::to_string(6 * processes()) +
                          " is not an element of the array");
}

TEST(RedistributionMisuse, ArraysOfAnotherDistributionAreRefusedByTheirDimData) {
  Redistribution plan(rows(), dealt(), 8, MPI_COMM_WORLD);
  DistArray source = array<double>(1), target = array<double>(-1), wrong = source;
  source.dim_data = rows().dim_data(rank());
  target.dim_data = dealt().dim_data(rank());
  plan({{source, target}});
  wrong.dim_data = source.dim_data;
  wrong.dim_data[0].size += 100;
  const std::string size = std::to_string(2 * processes()), other = std::to_string(2 * processes() + 100);
  expect_refused(
      [&] {
        plan({{wrong, target}});
      },
      "'size' is " + other + " in the source's dim_data, must be the plan's, " + size);
}

TEST(RedistributionMisuse, ListsOfThePlansIndicesAreTakenAndOthersRefused) {
  Redistribution plan(rows(), dealt(), 8, MPI_COMM_WORLD);
  DistArray source = array<double>(1), target = array<double>(-1);
  target.dim_data = dealt().dim_data(rank());
  std::vector<std::vector<Index>> lists;
  for (Index process = 0; process < processes(); ++process) lists.push_back({2 * process, 2 * process + 1});
  const auto listed = [&] {
    const auto of_rows = tridap::unstructured(lists, true);
    return Distribution::make({2 * processes(), 3}, {of_rows, tridap::whole()}, {processes(), 1}).dim_data(rank());
  };
  source.dim_data = listed();
  plan({{source, target}});  // the blocks of rows(), as lists
  const auto move = [&] { plan({{source, target}}); };
  if (processes() > 1) {
    source.dim_data = dealt().dim_data(rank());
    expect_refused(move, "'dist_type' is 'c' in the source's dim_data, must be the plan's, 'b'");
  }
  std::swap(lists[0][0], lists[0][1]);
  source.dim_data = listed();
  expect_refused(move, "'dist_type' is 'u' in the source's dim_data, must be the plan's, 'b'");
  source.dim_data.pop_back();
  expect_refused(move, "the source's dim_data has 1 axes, must have 2, as in the plan");
}

TEST(RedistributionMisuse, DimDataOfVersion09FitAPlanOfPaddedBlocks) {
  const auto padded = Distribution::make({4 * processes()}, {tridap::padded_block(1)}, {processes()});
  Redistribution plan(padded, padded, 8, MPI_COMM_WORLD);
  for (const char* version : {"0.9.0", "0.9", "00.09.1"}) {
    DistArray array;
    array.version = version;
    array.buffer = tridap::allocate(tridap::element_type<double>(), padded.local_shape(rank()));
    array.dim_data = padded.dim_data(rank(), tridap::Version::v0_9);
    DistArray target = array;
    target.buffer = tridap::allocate(tridap::element_type<double>(), padded.local_shape(rank()));
    EXPECT_NO_THROW(plan({{array, target}})) << version;
  }
}

TEST(RedistributionMisuse, ArrayThatIsRightInOneVersionIsCheckedInAnother) {
  const auto padded = Distribution::make({4 * processes() + 4}, {tridap::padded_block(1)}, {processes()});
  Redistribution plan(padded, padded, 8, MPI_COMM_WORLD);
  const auto part = [&] {
    DistArray array;
    array.version = "0.9.0";
    array.buffer = tridap::allocate(tridap::element_type<double>(), padded.local_shape(rank()));
    array.dim_data = padded.dim_data(rank());
    array.dim_data[0].size += 100;  // is compared with the plan's in 0.10 only
    return array;
  };
  DistArray source = part(), target = part();
  plan({{source, target}});
  source.version = "0.10.0";
  const std::string size = std::to_string(4 * processes() + 4), other = std::to_string(4 * processes() + 104);
  expect_refused(
      [&] {
        plan({{source, target}});
      },
      "'size' is " + other + " in the source's dim_data, must be the plan's, " + size);
}
