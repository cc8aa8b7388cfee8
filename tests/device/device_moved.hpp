#pragma once

#include "device/device_memory.hpp"
#include "redistribute/move_checks.hpp"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

/// Moves between parts that are in any memory.
namespace on_device {

using moves::Case;
using moves::Dice;
using moves::Named;
using moves::Path;
using tridap::ElementType;
using tridap::redistribute::Move;
using tridap::redistribute::Options;
using tridap::redistribute::Redistribution;

inline const MPI_Comm world = MPI_COMM_WORLD;

/// Whether all processes are on one node. The same on all, and **collective**.
inline bool on_one_node() {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  const bool all = on::processes(node) == on::processes(world);
  MPI_Comm_free(&node);
  return all;
}

inline std::uint64_t counted(stand_in::Counted what) { return stand_in::Driver::loaded().count(what); }

/// Where a process's part is: a kind of memory of the stand-in; nothing: on the host.
using Where = std::function<std::optional<int>(Dice&)>;
inline std::optional<int> in_device_memory(Dice&) { return stand_in::device; }

/// One random move, over arrays in any memory.
class Moved {
 public:
  Moved(Case given, Index bytes, Index seed, const Where& from, const Where& to, Path path = Path::automatic,
        MPI_Comm comm = world, std::optional<bool> mpi_reads_devices = {})
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
    options.mpi_reads_devices = mpi_reads_devices;
    plan_.emplace(case_.source.placed(), case_.target.placed(), bytes, comm, options);
  }

  Redistribution& plan() { return *plan_; }
  void end_plan() { plan_.reset(); }
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
    for (int time = 0; time < 2; ++time) expect_made_once(source);
  }

 private:
  void expect_made_once(Part& source) {
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

inline Case rows_to_columns(Index n) {
  const Index p = on::processes(world);
  const auto axis = [&](Index grid) { return moves::small_axis(moves::Kind::even, n, grid); };
  return {moves::plain_side({axis(p), axis(1)}), moves::plain_side({axis(1), axis(p)}), {}};
}

}  // namespace on_device
