#include "mpi/support.hpp"
#include "support/expect_refused.hpp"
#include "support/memory_meter.hpp"
#include "support/padded_axes.hpp"
#include <tridap/redistribute/padding.hpp>

#include <cstring>
#include <map>
#include <random>

namespace {

using oracle::all_padded;
using oracle::List;
using oracle::of;
using oracle::row_major;
using oracle::Stand;
using tridap::Index;
using tridap::redistribute::PaddingOperation;
using tridap::redistribute::PaddingUpdate;

Index rank() { return on::rank(MPI_COMM_WORLD); }
Index processes() { return on::processes(MPI_COMM_WORLD); }

constexpr std::byte poison{0xff}, hole{0xfe};  // that no value has

std::vector<Stand> all_stands(std::size_t ndim) {
  std::vector<Stand> all;
  oracle::for_each_memory_order(ndim, [&](const List& axes, const std::vector<bool>& backwards) {
    all.push_back({axes, backwards, static_cast<Index>(all.size() % 3)});
  });
  return all;
}

/// One process's part in memory of its own, every byte of which is accounted for.
class Local {
 public:
  Local(const oracle::Array& array, Index place, Index bytes, const Stand& stand) : array_(array), place_(place) {
    buffer.type = {tridap::ElementType::Kind::opaque, bytes, true};
    buffer.shape = array.local_shape(place);
    memory_ = oracle::laid_out(buffer, stand, hole);
  }
  Local(const Local&) = delete;

  /// Interior elements tell what they are, and `salt`; padding is poisoned.
  void fill(Index salt) {
    const std::vector<std::byte> now = picture(salt, false);
    std::copy(now.begin(), now.end(), memory_.begin());
  }
  void expect_filled(Index salt) const { EXPECT_TRUE(memory_ == picture(salt, true)); }
  void expect_untouched(Index salt) const { EXPECT_TRUE(memory_ == picture(salt, false)); }

  tridap::DistArray stamped() const {
    tridap::DistArray out = on::stamped(array_, place_);
    out.buffer = buffer;
    return out;
  }

  tridap::Buffer buffer;

 private:
  std::vector<std::byte> picture(Index salt, bool filled) const {
    std::vector<std::byte> all(memory_.size(), hole);
    const auto numbers = array_.flat_numbers();
    for (const auto& element : array_.elements(place_, tridap::Part::local)) {
      const bool known = filled || inside(array_, place_, element.local);
      const Index number = numbers.at(repeats(array_, element.global));
      const auto at = oracle::address(buffer, element.local) - memory_.data();
      for (Index k = 0; k < buffer.type.bytes; ++k)
        all[static_cast<std::size_t>(at + k)] =
            known ? static_cast<std::byte>((7 * number + 31 * salt + 53 * k) % 200) : poison;
    }
    return all;
  }

  const oracle::Array& array_;
  Index place_;
  std::vector<std::byte> memory_;
};

/// For each process, how many elements of the padding of `place` repeat its interior.
List repeated_of(const oracle::Array& array, Index place) {
  List counts(static_cast<std::size_t>(array.processes()), 0);
  for (const auto& element : array.elements(place, tridap::Part::local)) {
    if (inside(array, place, element.local)) continue;
    const List source = repeats(array, element.global);
    for (Index other = 0; other < array.processes(); ++other) {
      bool holds = true;
      for (std::size_t i = 0; i < source.size(); ++i) {
        const Index c = array.coordinates(other)[i];
        holds = holds && (array.axes[i].dims[0].dist_type() == 'b'
                              ? array.axes[i].find(c, source[i], tridap::Part::interior).has_value()
                              : c == array.coordinates(place)[i]);
      }
      counts[static_cast<std::size_t>(other)] += holds ? 1 : 0;
    }
  }
  return counts;
}

void expect_bytes(const oracle::Array& array, const PaddingUpdate& plan, Index place, Index bytes) {
  Index received = 0, sent = 0;
  for (Index other = 0; other < array.processes(); ++other) {
    if (other == place) continue;
    received += bytes * repeated_of(array, place)[static_cast<std::size_t>(other)];
    sent += bytes * repeated_of(array, other)[static_cast<std::size_t>(place)];
  }
  EXPECT_EQ(plan.bytes_received(), received);
  EXPECT_EQ(plan.bytes_sent(), sent);
}

/// Everything that a plan promises, for one array as it stands in memory.
void expect_whole_picture(const oracle::Array& array, Index bytes, const Stand& stand, MPI_Comm comm = MPI_COMM_WORLD) {
  const Index place = on::rank(comm);
  Local local(array, place, bytes, stand);
  PaddingUpdate plan(local.buffer, array.distribution(), comm);
  expect_bytes(array, plan, place, bytes);
  for (const Index salt : {1, 2}) {
    local.fill(salt);
    plan.update();
    local.expect_filled(salt);
  }
  local.fill(3);
  plan.start();
  plan.wait();
  local.expect_filled(3);
}

std::vector<oracle::Axis> plain(Index grid) {
  std::vector<List> lists;
  List irregular;
  for (Index c = 0; c < grid; ++c) {
    irregular.push_back((2 * c + 3) % 4);
    lists.push_back(c % 2 == 0 ? List{10 * c - 7, 10 * c - 9} : List{10 * c});
  }
  if (grid > 1) irregular[1] = 0;
  return {oracle::block(irregular), oracle::cyclic(2 * grid + 1, 1, grid),
          oracle::cyclic(3 * grid + 1, 2, grid, grid / 2), oracle::unstructured(lists, true)};
}

oracle::Array square(Index p) {
  return oracle::Array({oracle::block(of(p, 3), of(p - 1, 1), {1, 1}, true), oracle::block({4}, {}, {1, 1}, true)});
}

/// Any axis that is right, over `grid` coordinates.
oracle::Axis any_axis(Index grid, std::mt19937& random) {
  const auto up_to = [&](Index most) { return std::uniform_int_distribution<Index>(0, most)(random); };
  if (up_to(4) == 0) return plain(grid)[static_cast<std::size_t>(up_to(3))];
  List counts, shared;
  for (Index c = 0; c < grid; ++c) counts.push_back(up_to(5) == 0 ? 0 : up_to(6));
  for (std::size_t i = 1; i < counts.size(); ++i) shared.push_back(up_to(std::min(counts[i - 1], counts[i])));
  Index size = 0;
  for (const Index count : counts) size += count;
  std::array<Index, 2> edges = {up_to(counts.front()), up_to(counts.back())};
  while (std::max(edges[0], edges[1]) > size - edges[0] - edges[1]) edges = {edges[0] / 2, edges[1] / 2};
  return oracle::block(counts, shared, edges, up_to(1) == 1);
}

}  // namespace

TEST(UpdatePadding, EveryPaddedAxisAndEveryPairOfThemIsFilled) {
  for (const oracle::Axis& axis : all_padded(processes())) expect_whole_picture(oracle::Array({axis}), 8, row_major(1));
  for (const List& grid : on::grids(processes(), 2))
    for (const oracle::Axis& a : all_padded(grid[0]))
      for (const oracle::Axis& b : all_padded(grid[1])) expect_whole_picture(oracle::Array({a, b}), 8, row_major(2));
}

TEST(UpdatePadding, PaddedAxesBesideOthersOfEveryKindAreFilled) {
  for (const List& grid : on::grids(processes(), 2))
    for (const oracle::Axis& padded : all_padded(grid[0]))
      for (const oracle::Axis& other : plain(grid[1])) {
        expect_whole_picture(oracle::Array({padded, other}), 4, row_major(2));
        if (grid[0] == grid[1]) expect_whole_picture(oracle::Array({other, padded}), 4, row_major(2));
      }
  for (const oracle::Axis& axis : plain(processes())) expect_whole_picture(oracle::Array({axis}), 8, row_major(1));
}

TEST(UpdatePadding, EveryMemoryOrderIsFilledAndEachProcessMayHaveItsOwn) {
  for (std::size_t ndim = 1; ndim <= 3; ++ndim) {
    const std::vector<Stand> stands = all_stands(ndim);
    for (const List& grid : on::grids(processes(), static_cast<int>(ndim))) {
      std::vector<oracle::Axis> axes;
      for (std::size_t i = 0; i < ndim; ++i) axes.push_back(all_padded(grid[i])[(i + 2) % 4]);
      const oracle::Array array(axes);
      for (std::size_t i = 0; i < stands.size(); i += ndim)
        for (const bool alike : {true, false})
          expect_whole_picture(array, 8, stands[(i + (alike ? 0 : static_cast<std::size_t>(rank()))) % stands.size()]);
    }
  }
}

TEST(UpdatePadding, ElementsOfEveryLengthAreFilled) {
  const std::vector<Stand> stands = all_stands(2);
  for (const Index bytes : {1, 2, 3, 4, 8, 16, 40})
    for (const List& grid : on::grids(processes(), 2))
      for (const Stand& stand : stands)
        expect_whole_picture(oracle::Array({all_padded(grid[0])[3], all_padded(grid[1])[5]}), bytes, stand);
}

TEST(UpdatePadding, ArraysOfAnyKindAreFilled) {
  std::mt19937 random(1);  // the same arrays on every process
  for (int i = 0; i < 300; ++i) {
    const int ndim = 1 + i % 3;
    const auto grids = on::grids(processes(), ndim);
    const List grid = grids[random() % grids.size()];
    std::vector<oracle::Axis> axes;
    for (const Index extent : grid) axes.push_back(any_axis(extent, random));
    const auto stands = all_stands(axes.size());
    expect_whole_picture(oracle::Array(axes), 1 + i % 4,
                         stands[(random() + static_cast<std::size_t>(rank())) % stands.size()]);
  }
}

TEST(UpdatePadding, AnArrayWithoutAxesOrElementsHasNothingToFill) {
  if (processes() == 1) expect_whole_picture(oracle::Array(std::vector<oracle::Axis>{}), 8, row_major(0));
  expect_whole_picture(oracle::Array({oracle::block(of(processes(), 0)), oracle::block({3}, {}, {1, 1}, true)}), 8,
                       row_major(2));
}

TEST(UpdatePadding, AnyCommunicatorDoesAndTheCallersMessagesAreNotMet) {
  on::every_communicator([](MPI_Comm comm) {
    const on::PendingReceive pending(comm);
    for (int twice = 0; twice < 2; ++twice) expect_whole_picture(square(on::processes(comm)), 8, row_major(2), comm);
  });
}

TEST(UpdatePadding, ArraysOfBothVersionsAreGatheredAndFilledOnce) {
  for (const List& grid : on::grids(processes(), 2))
    for (const std::size_t kind : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
      const oracle::Array array({all_padded(grid[0])[kind], all_padded(grid[1])[2]});
      Local local(array, rank(), 8, row_major(2));
      for (const bool old : {false, true}) {
        local.fill(old);
        const tridap::DistArray part = local.stamped();
        tridap::redistribute::update_padding(old ? as_of_0_9(part, array) : part, MPI_COMM_WORLD);
        local.expect_filled(old);
      }
    }
}

TEST(UpdatePadding, OneBadArrayFailsEveryProcess) {
  const oracle::Array array = square(processes());
  Local local(array, rank(), 8, row_major(2));
  local.fill(1);
  for (Index bad = 0; bad < processes(); ++bad) {
    for (const bool lies : {false, true}) {
      tridap::DistArray part = local.stamped();
      if (rank() == bad && lies) part.dim_data[0].size += 1;
      if (rank() == bad && !lies) part.buffer.read_only = true;
      on::expect_refused([&] { tridap::redistribute::update_padding(part, MPI_COMM_WORLD); },
                         lies ? "'size'" : "the buffer is read-only");
    }
  }
  local.expect_untouched(1);
}

TEST(UpdatePadding, SharedIndicesAreNoPaddingAndAreRefusedEverywhere) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  std::vector<List> lists;
  for (Index c = 0; c < processes(); ++c) lists.push_back({c + 1, c});
  const oracle::Array array({oracle::block({4}, {}, {1, 1}, true), oracle::unstructured(lists)});
  Local local(array, rank(), 8, row_major(2));
  local.fill(1);
  const auto error = on::expect_refused([&] { tridap::redistribute::update_padding(local.stamped(), MPI_COMM_WORLD); },
                                        "axis 1: index 1 is on the coordinates 0 and 1");
  const std::string text = error.value().what();
  on::expect_says(text, "the ghosts of a GhostedArray");
  local.expect_untouched(1);
}

TEST(UpdatePadding, PlansUnderWayTogetherDoNotMeetWhateverTheirOrder) {
  const oracle::Array array = square(processes());
  Local a(array, rank(), 8, row_major(2)), b(array, rank(), 8, {{1, 0}, {true, false}, 8});
  PaddingUpdate first(a.buffer, array.distribution(), MPI_COMM_WORLD);
  PaddingUpdate second(b.buffer, array.distribution(), MPI_COMM_WORLD);
  for (Index salt = 0; salt < 20; ++salt) {
    a.fill(salt);
    b.fill(salt + 100);
    const bool swap = (rank() + salt) % 2 == 0;
    (swap ? second : first).start();
    (swap ? first : second).start();
    first.wait();
    second.wait();
    a.expect_filled(salt);
    b.expect_filled(salt + 100);
  }
}

TEST(UpdatePadding, ThePaddingAloneIsWrittenAndByUpdatesAlone) {
  const oracle::Array array = square(processes());
  Local local(array, rank(), 8, row_major(2));
  local.fill(1);
  PaddingUpdate plan(local.buffer, array.distribution(), MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  local.expect_untouched(1);
}

TEST(UpdatePadding, AnUpdateAllocatesNothing) {
  const oracle::Array array = square(processes());
  Local local(array, rank(), 8, row_major(2));
  PaddingUpdate plan(local.buffer, array.distribution(), MPI_COMM_WORLD);
  local.fill(1);
  memory_meter::allocations_left = 0;
  plan.update();
  memory_meter::allocations_left = -1;
  local.expect_filled(1);
}

TEST(UpdatePadding, StartAndWaitTakeTurns) {
  const oracle::Array array = square(processes());
  Local local(array, rank(), 8, row_major(2));
  PaddingUpdate plan(local.buffer, array.distribution(), MPI_COMM_WORLD);
  local.fill(1);
  const auto text = [](const std::function<void()>& step) { return std::string(on::error_of(step).value().what()); };
  on::expect_says(text([&] { plan.wait(); }), "no update is in progress");
  plan.start();
  on::expect_says(text([&] { plan.start(); }), "an update is in progress");
  on::expect_says(text([&] { plan.update(); }), "call wait() first");
  plan.wait();
  local.expect_filled(1);
  on::expect_says(text([&] { plan.wait(); }), "call start() first");
}

TEST(UpdatePadding, DestroyingAPlanWaitsForTheUpdateUnderWay) {
  const oracle::Array array = square(processes());
  Local local(array, rank(), 8, row_major(2));
  local.fill(1);
  {
    PaddingUpdate plan(local.buffer, array.distribution(), MPI_COMM_WORLD);
    plan.start();
  }
  local.expect_filled(1);
  local.fill(2);
  PaddingUpdate plan(local.buffer, array.distribution(), MPI_COMM_WORLD);
  plan.start();
  PaddingUpdate moved(std::move(plan));
  moved.wait();
  local.expect_filled(2);
  local.fill(3);
  moved.start();
  moved = PaddingUpdate(local.buffer, array.distribution(), MPI_COMM_WORLD);
  local.expect_filled(3);
}

TEST(UpdatePadding, ReleasingIsLocalAndWorksAfterTheCommunicatorAndMpi) {
  const oracle::Array array = square(processes());
  Local local(array, rank(), 8, row_major(2));
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  {
    PaddingUpdate plan(local.buffer, array.distribution(), comm);
    local.fill(1);
    plan.update();
    MPI_Comm_free(&comm);
  }
  local.expect_filled(1);

  auto one = std::make_unique<PaddingUpdate>(local.buffer, array.distribution(), MPI_COMM_WORLD);
  if (rank() == 0) one.reset();  // while no other process does
  MPI_Barrier(MPI_COMM_WORLD);
  one.reset();

  static std::unique_ptr<PaddingUpdate> kept;  // until main() has returned
  kept = std::make_unique<PaddingUpdate>(local.buffer, array.distribution(), MPI_COMM_WORLD);
}

TEST(UpdatePadding, TheOwnerOfTheMemoryIsKeptAlive) {
  const oracle::Array array = square(processes());
  Local local(array, rank(), 8, row_major(2));
  auto owner = std::make_shared<int>(0);
  const std::weak_ptr<int> alive = owner;
  tridap::Buffer buffer = local.buffer;
  buffer.owner = std::move(owner);
  {
    PaddingUpdate plan(std::move(buffer), array.distribution(), MPI_COMM_WORLD);
    EXPECT_FALSE(alive.expired());
  }
  EXPECT_TRUE(alive.expired());
}

TEST(UpdatePadding, OneBadProcessFailsEveryProcessAndTheCommunicatorServesOn) {
  using Spoil = std::function<void(tridap::Buffer&)>;
  const std::vector<std::pair<std::string, Spoil>> spoils = {
      {"the buffer is read-only, must be writable", [](tridap::Buffer& b) { b.read_only = true; }},
      {"the buffer is in cuda:0 memory, must be in host memory",
       [](tridap::Buffer& b) { b.memory.kind = tridap::Memory::Kind::cuda; }},
      {"the buffer is in nowhere memory", [](tridap::Buffer& b) { b.memory.kind = tridap::Memory::Kind::nowhere; }},
      {"the buffer's elements may share memory", [](tridap::Buffer& b) { b.strides[1] = 0; }},
      {"axis 1", [](tridap::Buffer& b) { b.shape[1] -= 1; }},
      {"the buffer's extent is 3, must be 4, the elements", [](tridap::Buffer& b) { b.shape[1] -= 1; }},
      {"the buffer has 1 axes, must have 2", [](tridap::Buffer& b) { b.shape.pop_back(), b.strides.pop_back(); }},
      {"the buffer's address is null", [](tridap::Buffer& b) { b.data = nullptr; }},
      {"the buffer has 2 extents and 1 strides", [](tridap::Buffer& b) { b.strides.pop_back(); }}};
  const oracle::Array array = square(processes());
  for (Index bad = 0; bad < processes(); ++bad)
    for (const auto& [says, spoil] : spoils) {
      Local local(array, rank(), 8, row_major(2));
      tridap::Buffer buffer = local.buffer;
      if (rank() == bad) spoil(buffer);
      const auto error = on::expect_refused([&] { PaddingUpdate(buffer, array.distribution(), MPI_COMM_WORLD); }, says);
      const std::string text = error.value().what();
      on::expect_says(text, "rank " + std::to_string(bad));
      EXPECT_EQ(error->report().errors(), 1);
    }
  expect_whole_picture(array, 8, row_major(2));
}

TEST(UpdatePadding, ProcessesThatDoNotSpeakOfOneArrayAreRefusedTogether) {
  const Index p = processes();
  const oracle::Array array = square(p), other({array.axes[0], oracle::block({4}, {}, {1, 1}, false)});
  Local local(array, rank(), 8, row_major(2));
  const auto refused = [&](const tridap::Buffer& buffer, const oracle::Array& given, const std::string& says) {
    on::expect_refused([&] { PaddingUpdate(buffer, given.distribution(), MPI_COMM_WORLD); }, says);
  };
  refused(local.buffer, square(p + 1), "must be over the " + std::to_string(p) + " of the communicator");
  for (Index bad = 1; bad < p; ++bad) {
    const std::string pair = "processes 0 and " + std::to_string(bad) + " give different ";
    refused(local.buffer, rank() == bad ? other : array, pair + "distributions");
    tridap::Buffer buffer = local.buffer;
    if (rank() == bad) buffer.type.native_order = false;
    refused(buffer, array, pair + "element types");
    if (rank() == bad) buffer.type = {tridap::ElementType::Kind::opaque, 4, true};
    refused(buffer, array, pair + "element types");
  }
  expect_whole_picture(array, 8, row_major(2));
}

// Every element gets a value of its own; what is added up by hand is what the padding of all processes repeats.
TEST(UpdatePadding, SumsAddThePaddingToWhatItCopiesInAnyOrderOfTheProcesses) {
  const Index p = processes();
  const auto value = [](Index place, std::size_t i) {
    return static_cast<double>(1000 * (place + 1)) + static_cast<double>(i);
  };
  const oracle::Array array({all_padded(1)[5], all_padded(p)[3]});
  std::vector<Index> ranks;
  for (Index place = 0; place < p; ++place) ranks.push_back(p - 1 - place);
  const Index place = p - 1 - rank();
  Local local(array, place, 8, {{1, 0}, {true, false}, 8});
  local.buffer.type = {tridap::ElementType::Kind::floating, 8, true};
  const auto at = [&](const List& element) {
    return reinterpret_cast<double*>(oracle::address(local.buffer, element));
  };
  PaddingUpdate plan(local.buffer, tridap::redistribute::PlacedDistribution(array.distribution(), ranks),
                     MPI_COMM_WORLD, PaddingOperation::sum);
  std::map<List, double> sums;
  for (Index other = 0; other < p; ++other) {
    const auto elements = array.elements(other, tridap::Part::local);
    for (std::size_t i = 0; i < elements.size(); ++i)
      if (!inside(array, other, elements[i].local)) sums[repeats(array, elements[i].global)] += value(other, i);
  }
  const auto elements = array.elements(place, tridap::Part::local);
  for (int twice = 0; twice < 2; ++twice) {
    for (std::size_t i = 0; i < elements.size(); ++i) *at(elements[i].local) = value(place, i);
    plan.update();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const auto sum = sums.find(elements[i].global);
      const bool grows = inside(array, place, elements[i].local) && sum != sums.end();
      EXPECT_EQ(*at(elements[i].local), value(place, i) + (grows ? sum->second : 0));
    }
  }
}

TEST(UpdatePadding, WhatCannotBeAddedOrPlacedIsRefusedOnEveryProcess) {
  const Index p = processes();
  const oracle::Array array = square(p);
  Local local(array, rank(), 8, row_major(2));
  using tridap::redistribute::PlacedDistribution;
  const auto refused = [&](std::vector<Index> ranks, PaddingOperation operation, const std::string& says) {
    const PlacedDistribution placed(array.distribution(), std::move(ranks));
    on::expect_refused([&] { PaddingUpdate(local.buffer, placed, MPI_COMM_WORLD, operation); }, says);
  };
  refused({}, PaddingOperation::sum, "can be moved, but not converted, scaled or added");
  std::vector<Index> beyond;
  for (Index place = 0; place < p; ++place) beyond.push_back(p - place);
  refused(beyond, PaddingOperation::fill, "a part on rank " + std::to_string(p) + ", must be less than the");
  local.buffer.type = {tridap::ElementType::Kind::floating, 8, true};
  if (p > 1)
    refused({}, rank() == 1 ? PaddingOperation::sum : PaddingOperation::fill,
            "processes 0 and 1 give different distributions or operations");
}
