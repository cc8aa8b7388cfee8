#pragma once

#include "mpi/support.hpp"
#include "redistribute/move_memory.hpp"
#include <tridap/mpi/gather_distribution.hpp>

/// A move made in all ways, each of which must give the same.
namespace moves {

using tridap::redistribute::Move;
using tridap::redistribute::Options;
using tridap::redistribute::Path;
using tridap::redistribute::Redistribution;

inline constexpr std::array<Path, 4> paths = {Path::automatic, Path::staged, Path::messages, Path::derived_types};

inline std::string text(Path path) {
  return path == Path::automatic  ? "automatic"
         : path == Path::staged   ? "staged"
         : path == Path::messages ? "messages"
                                  : "derived_types";
}

inline ElementType opaque(Index bytes) { return {ElementType::Kind::opaque, bytes, true}; }

/// Whether a check has failed on any process: then all stop. **Collective.**
inline bool failed_anywhere(MPI_Comm comm) {
  int failed = testing::Test::HasFailure() ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm);
  return failed != 0;
}

/// One case on one communicator, whose elements are opaque.
class Check {
 public:
  Check(const Case& given, MPI_Comm comm, Index bytes, Index seed)
      : case_(given),
        truth_(given),
        comm_(comm),
        rank_(on::rank(comm)),
        type_(opaque(bytes)),
        dice_(seed * 64 + rank_),
        given_(truth_.given(rank_)),
        moved_(truth_.moved(rank_)),
        back_(truth_.moved_back(rank_)),
        seed_(seed) {}

  Redistribution plan(Path path, tridap::Order order = tridap::Order::row_major) const {
    Options options;
    options.mapping = case_.mapping;
    options.path = path;
    options.order = order;
    return Redistribution(spread_source_ ? *spread_source_ : case_.source.placed(),
                          spread_target_ ? *spread_target_ : case_.target.placed(), type_.bytes, comm_, options);
  }

  /// Lets the lists of unstructured axes stay on their processes, on sides that all processes hold. Returns whether any
  /// did. **Collective.**
  bool spread_lists() {
    spread_source_ = spread(case_.source);
    spread_target_ = spread(case_.target);
    return spread_source_ || spread_target_;
  }

  /// Into memory of anybody's, twice; and what the plan makes itself.
  void ordinary(Path path) {
    const tridap::Order order = seed_ % 2 == 0 ? tridap::Order::row_major : tridap::Order::column_major;
    Redistribution plan = this->plan(path, order);
    const auto source = part(case_.source), target = part(case_.target);
    for (const Index salt : {1, 2}) expect_moved(plan, *source, *target, salt, "ordinary");
    expect_made(plan, *source, order);
  }
  /// Out of and into shared memory, on one side and on both.
  void shared(Path path) {
    Redistribution plan = this->plan(path);
    const tridap::Order order = seed_ % 3 == 0 ? tridap::Order::column_major : tridap::Order::row_major;
    const tridap::Order other = seed_ % 5 == 0 ? tridap::Order::column_major : tridap::Order::row_major;
    Local from(case_.source, rank_, type_, comm_, order), to(case_.target, rank_, type_, comm_, other);
    const auto source = part(case_.source), target = part(case_.target);
    expect_moved(plan, *source, to, 1, "into shared memory");
    expect_moved(plan, from, *target, 2, "out of shared memory");
    expect_moved(plan, from, to, 3, "between shared memory");
    expect_moved(plan, *source, *target, 4, "ordinary, after shared memory");
  }
  /// There, and back again.
  void both_ways(Path path) {
    Redistribution plan = this->plan(path), back = plan.reversed();
    const auto source = part(case_.source), target = part(case_.target);
    expect_moved(plan, *source, *target, 1, "there");
    const auto moved = target->picture(moved_, bytes_of(1));
    source->set(source->picture(nameless(back_), bytes_of(1)));
    back(target->stamped(), source->stamped());
    expect_is(*source, source->picture(back_, bytes_of(1)), "back");
    expect_is(*target, moved, "the target, after the way back");
  }
  /// Several arrays at once, with computation between start() and wait().
  void batch(Path path) {
    Redistribution plan = this->plan(path);
    std::vector<std::unique_ptr<Local>> sources, targets;
    std::vector<Move> all;
    for (Index k = 0; k < 3; ++k) {
      sources.push_back(part(case_.source));
      targets.push_back(part(case_.target));
      sources.back()->set(sources.back()->picture(given_, bytes_of(k)));
      targets.back()->set(targets.back()->picture(nameless(moved_), bytes_of(k)));
      all.push_back({sources.back()->stamped(), targets.back()->stamped()});
    }
    plan(all);
    for (std::size_t k = 0; k < 3; ++k)
      expect_is(*targets[k], targets[k]->picture(moved_, bytes_of(static_cast<Index>(k))), "one of three");
    for (std::size_t k = 0; k < 3; ++k) targets[k]->set(targets[k]->picture(nameless(moved_), bytes_of(0)));
    plan.start(std::move(all));
    std::uint64_t sum = 0;
    for (Index k = 0; k < 1000 * (rank_ + 1); ++k) sum += hash({k}, sources[0]->buffer.type.bytes);
    EXPECT_NE(sum, 1U);
    plan.wait();
    for (std::size_t k = 0; k < 3; ++k)
      expect_is(*targets[k], targets[k]->picture(moved_, bytes_of(static_cast<Index>(k))), "one of three, waited for");
  }

 private:
  std::optional<PlacedDistribution> spread(const Side& side) const {
    const auto is_listed = [](const oracle::Axis& axis) { return axis.dims[0].dist_type() == 'u'; };
    const auto& axes = side.array.axes;
    if (side.array.processes() != on::processes(comm_) || std::none_of(axes.begin(), axes.end(), is_listed)) return {};
    const Index process = *side.process(rank_);
    MPI_Comm by_process = MPI_COMM_NULL;
    MPI_Comm_split(comm_, 0, static_cast<int>(process), &by_process);
    tridap::Reading reading;
    reading.most_listed = 0;
    const PlacedDistribution placed(
        tridap::mpi::gather_distribution(on::stamped(side.array, process), by_process, reading), side.ranks);
    MPI_Comm_free(&by_process);
    return placed;
  }

  std::unique_ptr<Local> part(const Side& side) {
    return std::make_unique<Local>(side, rank_, type_, any_stand(side.array.axes.size(), dice_));
  }
  static std::vector<Named> nameless(std::vector<Named> elements) {
    for (Named& element : elements) element.name.reset();
    return elements;
  }
  void expect_is(const Local& part, const std::vector<std::byte>& picture, const char* what) const {
    EXPECT_TRUE(part.is(picture)) << what << ": " << part.differs(picture) << "; " << type_.bytes << " bytes, seed "
                                  << seed_ << ":" << text(case_);
  }
  void expect_moved(Redistribution& plan, Local& source, Local& target, Index salt, const char* what) const {
    const auto before = source.picture(given_, bytes_of(salt));
    source.set(before);
    target.set(target.picture(nameless(moved_), bytes_of(salt)));
    plan(source.stamped(), target.stamped());
    expect_is(target, target.picture(moved_, bytes_of(salt)), what);
    expect_is(source, before, "the source");
  }
  void expect_made(Redistribution& plan, Local& source, tridap::Order order) const {
    source.set(source.picture(given_, bytes_of(9)));
    const DistArray made = plan(source.stamped());
    const std::optional<Index> process = case_.target.process(rank_);
    if (!process) {
      EXPECT_TRUE(made.dim_data.empty()) << text(case_);
      return;
    }
    EXPECT_EQ(made.ndim(), static_cast<Index>(case_.target.array.axes.size()));
    ASSERT_EQ(made.buffer.shape, case_.target.array.local_shape(*process));
    const auto strides = order == tridap::Order::row_major
                             ? tridap::row_major_strides(made.buffer.shape, type_.bytes)
                             : tridap::column_major_strides(made.buffer.shape, type_.bytes);
    EXPECT_EQ(made.buffer.strides, strides);
    for (const Named& element : moved_) {  // what the move does not fill is whatever was there
      if (!element.name) continue;
      std::array<std::byte, 64> wanted;
      bytes_of(9)(wanted.data(), type_, *element.name);
      const std::byte* const found = oracle::address(made.buffer, element.local);
      ASSERT_EQ(std::memcmp(found, wanted.data(), at(type_.bytes)), 0)
          << "made by the plan, at " << text(element.local) << "; seed " << seed_ << ":" << text(case_);
    }
  }

  const Case& case_;
  std::optional<PlacedDistribution> spread_source_, spread_target_;
  Truth truth_;
  MPI_Comm comm_;
  Index rank_;
  ElementType type_;
  Dice dice_;
  std::vector<Named> given_, moved_, back_;
  Index seed_;
};

}  // namespace moves
