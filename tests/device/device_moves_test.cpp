#include "device/device_moved.hpp"
#include "support/effort.hpp"
#include <tridap/device/device.hpp>
#include <tridap/make.hpp>

#include <array>
#include <functional>
#include <memory>
#include <vector>

using namespace on_device;

namespace {

void for_random_moves(Index first, Index count, const std::function<void(const Case&, Index, Index)>& visit) {
  stand_in::Driver::loaded();
  const Index taken = effort::seeds(first, count, count / (effort::sanitized ? 10 : 4));
  for (Index seed = first; seed < first + taken; ++seed) {
    visit(moves::any_case(seed, on::processes(world)), 1 + seed * 7 % 64, seed);
    if (moves::failed_anywhere(world)) return;
  }
}

}  // namespace

TEST(DeviceMoves, AnyArrayOfAnyMemoryOrder) {
  for_random_moves(0, 400, [](const Case& given, Index bytes, Index seed) {
    Moved moved(given, bytes, seed, in_device_memory, in_device_memory);
    const auto source = moved.source(), target = moved.target(), other = moved.source();
    moved.expect_moves(*source, *target, 1, "first");
    moved.expect_moves(*source, *target, 2, "again");
    moved.expect_moves(*other, *target, 3, "another source");
    moved.expect_moves(*source, *target, 4, "the first source again");
    moved.expect_made(*source);
  });
}

TEST(DeviceMoves, LongRowsOfEachElementLength) {
  stand_in::Driver::loaded();
  for (const Index bytes : {1, 2, 3, 4, 8, 12, 16, 40}) {
    Moved moved(rows_to_columns(100), bytes, bytes, in_device_memory, in_device_memory);
    const auto source = moved.source(), target = moved.target();
    moved.expect_moves(*source, *target, 1, "rows to columns");
  }
}

TEST(DeviceMoves, OfPairsThatComeAgainAtOddPlaces) {  // so that a word has one element, and not two
  stand_in::Driver::loaded();
  if (on::processes(world) < 3) GTEST_SKIP() << "needs at least 3 processes";
  for (Index seed = 0; seed < 20; ++seed) {
    Moved moved({moves::plain_side({oracle::cyclic(60, 3, 2)}), moves::plain_side({oracle::cyclic(60, 2, 3)}), {}}, 8,
                seed, in_device_memory, in_device_memory);
    const auto source = moved.source(), target = moved.target();
    moved.expect_moves(*source, *target, seed, "blocks of 3 to blocks of 2");
  }
}

TEST(DeviceMoves, AreOneKernelForAllPeers) {
  if (!on_one_node()) GTEST_SKIP() << "between nodes, elements take slots";
  stand_in::Driver::loaded();
  Moved moved(rows_to_columns(40), 8, 1, in_device_memory, in_device_memory);
  const auto source = moved.source(), target = moved.target();
  for (const Index salt : {1, 2}) {
    const std::uint64_t before = counted(stand_in::kernels);
    moved.expect_moves(*source, *target, salt, "rows to columns");
    EXPECT_EQ(counted(stand_in::kernels) - before, stand_in::Driver::loaded().is_real ? 0U : 1U);
  }
  EXPECT_EQ(counted(stand_in::contexts), 0U);
}

TEST(DeviceMoves, OfProcessesWithoutAPartAreKernelsToo) {
  if (!on_one_node()) GTEST_SKIP() << "between nodes, elements take slots";
  stand_in::Driver::loaded();
  const Index p = on::processes(world);
  if (p < 2) GTEST_SKIP() << "needs at least 2 processes";
  const auto axis = [](Index grid) { return moves::small_axis(moves::Kind::even, 30, grid); };
  Moved moved({moves::plain_side({axis(p - 1)}), {oracle::Array({axis(1)}), {p - 1}}, {}}, 8, 1, in_device_memory,
              in_device_memory);
  const auto source = moved.source(), target = moved.target();
  const std::uint64_t before = counted(stand_in::kernels);
  moved.expect_moves(*source, *target, 1, "to the last process");
  if (!stand_in::Driver::loaded().is_real) {
    EXPECT_EQ(counted(stand_in::kernels) - before, on::rank(world) == p - 1 ? 1U : 0U);
  }
}

TEST(DeviceMoves, MoreSourcesThanABoardHasRoomFor) {
  stand_in::Driver::loaded();
  Moved moved(rows_to_columns(12), 8, 3, in_device_memory, in_device_memory);
  std::vector<std::unique_ptr<Part>> sources;
  for (Index k = 0; k < 17; ++k) {
    sources.push_back(moved.source());
    const auto target = moved.target();
    moved.expect_moves(*sources.back(), *target, k, "one after the other");
  }
  for (std::size_t k = 1; k < 16; ++k) {  // one that is known, and one that is not
    const auto fresh = moved.source(), a = moved.target(), b = moved.target();
    moved.fill(*sources[k], *a, 1);
    moved.fill(*fresh, *b, 2);
    moved.plan()(std::vector<Move>{{sources[k]->stamped(), a->stamped()}, {fresh->stamped(), b->stamped()}});
    moved.expect_moved(*sources[k], *a, 1, "known");
    moved.expect_moved(*fresh, *b, 2, "new");
  }
}

TEST(DeviceMoves, HostAndDeviceInOneMove) {
  const Where anywhere = [](Dice& dice) {
    constexpr std::array<int, 3> kinds = {stand_in::device, stand_in::pool, stand_in::managed};
    return dice.one_in(2) ? std::nullopt : std::optional(kinds[static_cast<std::size_t>(dice.up_to(2))]);
  };
  for_random_moves(1000, 300, [&](const Case& given, Index bytes, Index seed) {
    Moved moved(given, bytes, seed, anywhere, anywhere);
    const auto source = moved.source(), target = moved.target();
    moved.expect_moves(*source, *target, 1, "anywhere");
    moved.expect_moves(*source, *target, 2, "anywhere, again");
    moved.expect_made(*source);
  });
}

TEST(DeviceMoves, EveryPath) {
  for (const Path path : moves::paths)
    for_random_moves(2000, 60, [&](const Case& given, Index bytes, Index seed) {
      const Where pool = [](Dice&) { return stand_in::pool; };
      Moved moved(given, bytes, seed, pool, in_device_memory, path);
      const auto source = moved.source(), target = moved.target();
      moved.expect_moves(*source, *target, 1, "memory of a pool");
    });
}

TEST(DeviceMoves, SeveralArraysWithComputationBetween) {
  for_random_moves(3000, 100, [](const Case& given, Index bytes, Index seed) {
    Moved moved(given, bytes, seed, in_device_memory, in_device_memory);
    std::vector<std::unique_ptr<Part>> sources, targets;
    std::vector<Move> all;
    for (Index k = 0; k < 3; ++k) {
      sources.push_back(moved.source());
      targets.push_back(moved.target());
      moved.fill(*sources.back(), *targets.back(), k);
      all.push_back({sources.back()->stamped(), targets.back()->stamped()});
    }
    moved.plan().start(all);
    for (int look = 0; look < 5; ++look) moved.plan().test();
    moved.plan().wait();
    for (std::size_t k = 0; k < 3; ++k)
      moved.expect_moved(*sources[k], *targets[k], static_cast<Index>(k), "one of three");
  });
}

TEST(DeviceMoves, WaitForTheStreamThatIsNamed) {
  if (stand_in::Driver::loaded().is_real) GTEST_SKIP() << "a real driver has no stream 7";
  const Index p = on::processes(world);
  Options options;
  options.stream = tridap::DeviceStream(7);
  const auto of = tridap::Distribution::make({4 * p}, {tridap::block()}, {p});
  const auto to = tridap::Distribution::make({4 * p}, {tridap::cyclic()}, {p});
  Redistribution plan(of, to, 8, world, options);
  DistArray source;
  source.buffer = stand_in::numbers({4}, on_device::cuda, stand_in::device, 7);  // written late there
  const DistArray made = plan(source);
  std::vector<double> found(4);
  stand_in::Driver::loaded().read(found.data(), reinterpret_cast<std::uintptr_t>(made.buffer.data), 32, 1);
  for (Index k = 0; k < 4; ++k)
    EXPECT_EQ(found[static_cast<std::size_t>(k)], static_cast<double>((on::rank(world) + k * p) % 4));
}

TEST(DeviceMoves, ATargetThatThePlanMakesHasTheTypeOfEachSource) {
  stand_in::Driver::loaded();
  const Index p = on::processes(world);
  const auto of = tridap::Distribution::make({4 * p}, {tridap::block()}, {p});
  const auto to = tridap::Distribution::make({4 * p}, {tridap::cyclic()}, {p});
  Redistribution plan(of, to, 8, world);
  for (const ElementType& type : {tridap::element_type<double>(), tridap::element_type<std::int64_t>()})
    for (int time = 0; time < 2; ++time) {
      DistArray source;
      source.buffer = stand_in::numbers({4});
      source.buffer.type = type;
      const DistArray made = plan(source);
      EXPECT_EQ(made.buffer.type, type);
      EXPECT_EQ(made.buffer.memory.name(), "cuda:0");
    }
}

TEST(DeviceMoves, LeaveZerosWhereAPartialMoveSendsNothing) {
  stand_in::Driver::loaded();
  const Index p = on::processes(world);
  Options options;
  options.mapping.partial = true;
  const auto of = tridap::Distribution::make({4 * p}, {tridap::block()}, {p});
  const auto wider = tridap::Distribution::make({8 * p}, {tridap::block()}, {p});
  Redistribution plan(of, wider, 8, world, options);
  DistArray source;
  source.buffer = stand_in::numbers({4});
  const DistArray made = plan(source);
  std::vector<double> found(8);
  stand_in::Driver::loaded().read(found.data(), reinterpret_cast<std::uintptr_t>(made.buffer.data), 64, 1);
  for (Index k = 0; k < 8; ++k) {
    const Index global = 8 * on::rank(world) + k;
    EXPECT_EQ(found[static_cast<std::size_t>(k)], global < 4 * p ? static_cast<double>(global % 4) : 0.0) << global;
  }
}

TEST(DeviceMoves, NoticesAnAddressThatHasOtherMemoryNow) {
  stand_in::Driver::loaded();
  for (Index round = 0; round < 40; ++round) {
    Moved moved(rows_to_columns(20), 8, 7, in_device_memory, in_device_memory);
    const auto source = moved.source(), target = moved.target();  // often where the last ones were
    moved.expect_moves(*source, *target, round, "a new array");
  }
  const std::uint64_t others = static_cast<std::uint64_t>(on::processes(world) - 1);
  EXPECT_LE(counted(stand_in::open_handles), 2 * others);  // freed memory was closed
  tridap::device::close(world);
  EXPECT_EQ(counted(stand_in::open_handles), 0U);
}
