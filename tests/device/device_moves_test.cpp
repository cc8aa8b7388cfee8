#include "device/device_memory.hpp"
#include "redistribute/move_checks.hpp"
#include "support/effort.hpp"
#include <tridap/device/device.hpp>

#include <array>
#include <functional>
#include <memory>
#include <vector>

namespace {

using moves::Case;
using moves::Dice;
using moves::Named;
using moves::Path;
using on_device::Part;
using tridap::DistArray;
using tridap::ElementType;
using tridap::Index;
using tridap::redistribute::Move;
using tridap::redistribute::Options;
using tridap::redistribute::Redistribution;

const MPI_Comm world = MPI_COMM_WORLD;

std::uint64_t counted(stand_in::Counted what) { return stand_in::Driver::loaded().count(what); }

/// Where a process's part is: a kind of memory of the stand-in; nothing: on the host.
using Where = std::function<std::optional<int>(Dice&)>;
std::optional<int> in_device_memory(Dice&) { return stand_in::device; }

/// One random move, over arrays in any memory.
class Moved {
 public:
  Moved(Case given, Index bytes, Index seed, const Where& from, const Where& to, Path path = Path::automatic)
      : case_(std::move(given)),
        truth_(case_),
        rank_(on::rank(world)),
        type_(moves::opaque(bytes)),
        seed_(seed),
        dice_(seed * 64 + rank_),
        from_(from),
        to_(to),
        given_(truth_.given(rank_)),
        moved_(truth_.moved(rank_)) {
    Options options;
    options.mapping = case_.mapping;
    options.path = path;
    plan_.emplace(case_.source.placed(), case_.target.placed(), bytes, world, options);
  }

  Redistribution& plan() { return *plan_; }
  std::unique_ptr<Part> source() { return part(case_.source, from_); }
  std::unique_ptr<Part> target() { return part(case_.target, to_); }
  void fill(Part& source, Part& target, Index salt) {
    source.set(source.host.picture(given_, moves::bytes_of(salt)), dice_.one_in(2));
    std::vector<Named> nameless = moved_;
    for (Named& element : nameless) element.name.reset();
    target.set(target.host.picture(nameless, moves::bytes_of(salt)), dice_.one_in(2));
  }
  void expect_moved(const Part& source, const Part& target, Index salt, const char* what) {
    expect(target, moved_, salt, what);
    expect(source, given_, salt, "the source");
  }
  void expect_moves(Part& source, Part& target, Index salt, const char* what) {
    fill(source, target, salt);
    plan()(source.stamped(), target.stamped());
    expect_moved(source, target, salt, what);
  }
  /// What the plan makes is where the source is.
  void expect_made(Part& source) {
    source.set(source.host.picture(given_, moves::bytes_of(5)));
    const DistArray made = plan()(source.stamped());
    if (!case_.target.process(rank_) || element_count(made.buffer) == 0) return;
    if (element_count(source.host.buffer) > 0) {
      EXPECT_EQ(made.buffer.memory.name(), source.stamped().buffer.memory.is_on_host() ? "host" : "cuda:0");
    }
    const Index bytes = element_count(made.buffer) * type_.bytes;
    std::vector<std::byte> all(static_cast<std::size_t>(bytes));
    const bool on_host = made.buffer.memory.is_on_host();
    if (on_host)
      std::memcpy(all.data(), made.buffer.data, all.size());
    else
      stand_in::Driver::loaded().read(all.data(), reinterpret_cast<std::uintptr_t>(made.buffer.data), all.size(), 1);
    tridap::Buffer copied = made.buffer;
    copied.data = all.data();
    for (const Named& element : moved_) {
      if (!element.name) continue;
      std::array<std::byte, 64> wanted;
      moves::bytes_of(5)(wanted.data(), type_, *element.name);
      ASSERT_EQ(std::memcmp(oracle::address(copied, element.local), wanted.data(), moves::at(type_.bytes)), 0)
          << "made by the plan; seed " << seed_ << ":" << moves::text(case_);
    }
  }

 private:
  std::unique_ptr<Part> part(const moves::Side& side, const Where& where) {
    const std::optional<int> kind = where(dice_);
    return std::make_unique<Part>(side, rank_, type_, moves::any_stand(side.array.axes.size(), dice_), kind);
  }
  void expect(const Part& part, const std::vector<Named>& elements, Index salt, const char* what) {
    const std::vector<std::byte> wanted = part.host.picture(elements, moves::bytes_of(salt)), found = part.now();
    EXPECT_TRUE(wanted == found) << what << "; " << type_.bytes << " bytes, seed " << seed_ << ":"
                                 << moves::text(case_);
  }

  Case case_;
  moves::Truth truth_;
  Index rank_;
  ElementType type_;
  Index seed_;
  Dice dice_;
  Where from_, to_;
  std::vector<Named> given_, moved_;
  std::optional<Redistribution> plan_;
};

void for_random_moves(Index first, Index count, const std::function<void(const Case&, Index, Index)>& visit) {
  stand_in::Driver::loaded();
  const Index taken = effort::seeds(first, count, count / (effort::sanitized ? 10 : 4));
  for (Index seed = first; seed < first + taken; ++seed) {
    visit(moves::any_case(seed, on::processes(world)), 1 + seed * 7 % 64, seed);
    if (moves::failed_anywhere(world)) return;
  }
}

Case rows_to_columns(Index n) {
  const Index p = on::processes(world);
  const auto axis = [&](Index grid) { return moves::small_axis(moves::Kind::even, n, grid); };
  return {moves::plain_side({axis(p), axis(1)}), moves::plain_side({axis(1), axis(p)}), {}};
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
  for (const Index bytes : {1, 2, 3, 4, 8, 12, 16, 24, 40}) {
    Moved moved(rows_to_columns(300), bytes, bytes, in_device_memory, in_device_memory);
    const auto source = moved.source(), target = moved.target();
    moved.expect_moves(*source, *target, 1, "rows to columns");
  }
}

TEST(DeviceMoves, AreOneKernelForAllPeers) {
  stand_in::Driver::loaded();
  Moved moved(rows_to_columns(40), 8, 1, in_device_memory, in_device_memory);
  const auto source = moved.source(), target = moved.target();
  for (const Index salt : {1, 2}) {
    const std::uint64_t before = counted(stand_in::kernels);
    moved.expect_moves(*source, *target, salt, "rows to columns");
    EXPECT_EQ(counted(stand_in::kernels) - before, 1U);
  }
  EXPECT_EQ(counted(stand_in::contexts), 0U);
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
