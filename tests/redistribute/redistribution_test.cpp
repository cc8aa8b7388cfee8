#include "redistribute/move_checks.hpp"
#include "support/memory_meter.hpp"
#include "support/parts.hpp"
#include "support/thrown.hpp"
#include <tridap/internal/shared_allocation.hpp>
#include <tridap/make.hpp>

#include <sched.h>

namespace {

using moves::at;
using moves::Case;
using moves::Local;
using moves::Move;
using moves::Named;
using moves::Options;
using moves::Path;
using moves::Redistribution;
using moves::Scaling;
using moves::Truth;
using oracle::List;
using tridap::DistArray;
using tridap::ElementType;
using tridap::Index;

Index rank() { return on::rank(MPI_COMM_WORLD); }
Index processes() { return on::processes(MPI_COMM_WORLD); }

/// Rows to columns of doubles, with what each process has of them.
struct Field {
  Case given;
  Truth truth;
  Local source, target;

  explicit Field(const ElementType& type = moves::opaque(8))
      : given{moves::plain_side({thirds(processes()), oracle::block({11})}),
              moves::plain_side({oracle::block({3 * processes()}), oracle::cyclic(11, 2, processes())}),
              {}},
        truth(given),
        source(given.source, rank(), type, moves::row_major(2)),
        target(given.target, rank(), type, {{1, 0}, {false, true}, 3}) {}
  Field(const Field&) = delete;

  static oracle::Axis thirds(Index grid) { return oracle::block(List(at(grid), 3)); }
  Redistribution plan(MPI_Comm comm = MPI_COMM_WORLD, Path path = Path::automatic) const {
    Options options;
    options.path = path;
    return Redistribution(given.source.placed(), given.target.placed(), 8, comm, options);
  }
  Move move() const { return {source.stamped(), target.stamped()}; }
  void fill(Index salt) {
    source.set(source.picture(truth.given(rank()), moves::bytes_of(salt)));
    target.set(target.picture(poisoned(), moves::bytes_of(salt)));
  }
  std::vector<Named> poisoned() const {
    std::vector<Named> all = truth.moved(rank());
    for (Named& element : all) element.name.reset();
    return all;
  }
  void expect_moved(Index salt) const {
    const auto wanted = target.picture(truth.moved(rank()), moves::bytes_of(salt));
    EXPECT_TRUE(target.is(wanted)) << target.differs(wanted);
  }
  void expect_untouched() const {
    const auto wanted = target.picture(poisoned(), moves::bytes_of(0));
    EXPECT_TRUE(target.is(wanted)) << target.differs(wanted);
  }
};

/// `target = alpha * source + beta * target` between two types, on a random case.
void expect_scaled(Index seed, Path path, const ElementType& from, const ElementType& to, const Scaling& scaling) {
  const Case given = moves::any_case(seed, processes(), 200);
  const Truth truth(given);
  moves::Dice dice(seed * 16 + rank());
  Options options;
  options.mapping = given.mapping;
  options.path = path;
  options.convert = from != to;
  Redistribution plan(given.source.placed(), given.target.placed(), from.bytes, MPI_COMM_WORLD, options);
  const auto alpha = static_cast<Index>(scaling.alpha.real()), beta = static_cast<Index>(scaling.beta.real());
  const auto value = moves::numbers_of([](const List& name) { return moves::number(name, 1); });
  const auto before = moves::numbers_of([](const List& name) { return moves::number(name, 2); });
  const auto after = moves::numbers_of(
      [&](const List& name) { return alpha * moves::number(name, 1) + beta * moves::number(name, 2); });
  std::vector<Named> start = truth.moved(rank());
  if (beta == 0)  // NaN, which must not survive
    for (Named& element : start) element.name.reset();
  const auto check = [&](Local& source, Local& target) {
    source.set(source.picture(truth.given(rank()), value));
    target.set(target.picture(start, before));
    plan(source.stamped(), target.stamped(), scaling);
    const auto wanted = target.picture(truth.moved(rank()), after);
    EXPECT_TRUE(target.is(wanted)) << target.differs(wanted) << ": " << from.name() << " to " << to.name() << ", alpha "
                                   << alpha << ", beta " << beta << ", seed " << seed << ":" << moves::text(given);
  };
  Local source(given.source, rank(), from, moves::any_stand(given.source.array.axes.size(), dice));
  Local target(given.target, rank(), to, moves::any_stand(given.target.array.axes.size(), dice));
  check(source, target);
  const tridap::Order order = seed % 2 == 0 ? tridap::Order::row_major : tridap::Order::column_major;
  Local shared(given.target, rank(), to, MPI_COMM_WORLD, order);
  check(source, shared);
  Local from_shared(given.source, rank(), from, MPI_COMM_WORLD, order);
  check(from_shared, target);
}

}  // namespace

TEST(Redistribution, TheExampleOfTheDocumentation) {
  const Index p = processes();
  const auto rows = tridap::Distribution::make({4 * p, 4 * p}, {tridap::block(), tridap::whole()}, {p, 1});
  const auto columns = tridap::Distribution::make({4 * p, 4 * p}, {tridap::whole(), tridap::block()}, {1, p});
  Redistribution plan(rows, columns, 8, MPI_COMM_WORLD);
  DistArray array = on::part_of(rows, rank());
  auto* const values = static_cast<double*>(array.buffer.data);
  for (Index k = 0; k < 16 * p; ++k) values[k] = static_cast<double>(16 * p * rank() + k);
  const DistArray other = plan(array);
  ASSERT_EQ(other.buffer.shape, (List{4 * p, 4}));
  EXPECT_EQ(other.buffer.type, array.buffer.type);
  for (Index i = 0; i < 4 * p; ++i)
    for (Index j = 0; j < 4; ++j)
      EXPECT_EQ(static_cast<double*>(other.buffer.data)[4 * i + j], static_cast<double>(4 * p * i + 4 * rank() + j));
  EXPECT_EQ(plan.plan().bytes_kept(), 16 * 8);
}

TEST(Redistribution, MadeArraysAreInThePoolAndReleasingThemIsLocal) {
  Field field;
  Redistribution plan = field.plan();
  field.fill(1);
  DistArray made = plan(field.source.stamped());
  EXPECT_NE(tridap::mpi::find_shared(made.buffer.data, MPI_COMM_WORLD), nullptr);
  const void* const first = made.buffer.data;
  if (rank() == 0) made = DistArray{};
  MPI_Barrier(MPI_COMM_WORLD);
  made = DistArray{};
  made = plan(field.source.stamped());
  EXPECT_EQ(made.buffer.data, first) << "the pages that are there already";
  const DistArray second = plan(field.source.stamped());
  EXPECT_NE(second.buffer.data, first) << "the first one is held still";
}

TEST(Redistribution, AMoveAllocatesNothingAfterTheFirstOne) {
  for (const Path path : moves::paths) {
    Field field, other;
    Redistribution plan = field.plan(MPI_COMM_WORLD, path);
    Local shared(field.given.target, rank(), moves::opaque(8), MPI_COMM_WORLD, tridap::Order::row_major);
    const Move move = field.move(), into_shared{move.source, shared.stamped()};
    const std::vector<Move> both = {move, other.move()};
    std::vector<Move> given = both;
    plan(move.source, move.target);
    plan(into_shared.source, into_shared.target);
    plan(both);
    plan.start(both);
    plan.wait();
    field.fill(1);
    other.fill(1);
    memory_meter::allocations_left = 0;
    plan(move.source, move.target);
    plan(into_shared.source, into_shared.target);
    plan(both);
    plan.start(std::move(given));
    plan.wait();
    memory_meter::allocations_left = -1;
    field.expect_moved(1);
    other.expect_moved(1);
  }
}

TEST(Redistribution, StartAndWaitTakeTurns) {
  for (const Path path : moves::paths) {
    Field field, other;
    Redistribution plan = field.plan(MPI_COMM_WORLD, path), second = other.plan(MPI_COMM_WORLD, path);
    on::expect_says(on::error_text([&] { plan.wait(); }), "no move is in progress");
    field.fill(1);
    other.fill(2);
    plan.start({field.move()});
    second.start({other.move()});  // ends the first one
    second.wait();
    plan.wait();
    field.expect_moved(1);
    other.expect_moved(2);
    on::expect_says(on::error_text([&] { plan.wait(); }), "no move is in progress");
    field.fill(3);
    other.fill(4);
    plan.start({field.move()});
    plan(other.source.stamped(), other.target.stamped());
    field.expect_moved(3);
    other.expect_moved(4);
  }
}

TEST(Redistribution, AMoveThatIsTestedEndsByItself) {
  for (const Path path : moves::paths) {
    Field field;
    Redistribution plan = field.plan(MPI_COMM_WORLD, path);
    on::expect_says(on::error_text([&] { plan.test(); }), "no move is in progress");
    field.fill(1);
    plan.start({field.move()});
    while (!plan.test()) sched_yield();
    field.expect_moved(1);  // wait() has nothing left to do
    plan.wait();
    on::expect_says(on::error_text([&] { plan.test(); }), "no move is in progress");
  }
}

TEST(Redistribution, AStartedMoveKeepsItsArrays) {
  Field field;
  Redistribution plan = field.plan();
  field.fill(1);
  plan.start({field.move()});
  auto owner = std::make_shared<int>(0);
  const std::weak_ptr<int> alive = owner;
  plan.wait();
  Move move = field.move();
  move.source.buffer.owner = move.target.buffer.owner = std::move(owner);
  plan.start({move});
  move = {};
  EXPECT_FALSE(alive.expired());
  plan.wait();
  EXPECT_TRUE(alive.expired());
  field.expect_moved(1);
}

TEST(Redistribution, DestroyingAPlanWaitsForTheMoveUnderWayAndIsElseLocal) {
  Field field;
  field.fill(1);
  {
    Redistribution plan = field.plan();
    plan.start({field.move()});
  }
  field.expect_moved(1);
  field.fill(2);
  Redistribution plan = field.plan();
  plan.start({field.move()});
  Redistribution moved(std::move(plan));
  moved.wait();
  field.expect_moved(2);
  field.fill(3);
  moved.start({field.move()});
  moved = field.plan();
  field.expect_moved(3);
  auto one = std::make_unique<Redistribution>(field.plan());
  if (rank() == 0) one.reset();  // while no other process does
  MPI_Barrier(MPI_COMM_WORLD);
  one.reset();

  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  {
    Redistribution last = field.plan(comm);
    field.fill(4);
    last(field.source.stamped(), field.target.stamped());
    const DistArray made = last(field.source.stamped());
    MPI_Comm_free(&comm);
    field.expect_moved(4);
  }
  static std::unique_ptr<Redistribution> kept;  // until main() has returned
  kept = std::make_unique<Redistribution>(field.plan());
}

TEST(Redistribution, ManyPlansOnOneCommunicatorDoNotMeet) {
  Field field;
  std::vector<Redistribution> plans;
  for (const Path path : moves::paths)
    for (int k = 0; k < 20; ++k) plans.push_back(field.plan(MPI_COMM_WORLD, path));
  for (Index salt = 0; salt < 100; ++salt) {
    field.fill(salt);
    plans[at(salt * 7) % plans.size()](field.source.stamped(), field.target.stamped());
    field.expect_moved(salt);
  }
}

TEST(Redistribution, ScaledAndAccumulatedElementsOfEveryPath) {
  const std::vector<Scaling> scalings = {{1, 0}, {2, 0}, {1, 1}, {3, 2}, {0, 1}, {0, 0}};
  const std::vector<ElementType> types = {tridap::element_type<double>(), tridap::element_type<float>(),
                                          tridap::element_type<std::int32_t>(),
                                          tridap::element_type<std::complex<double>>()};
  for (Index seed = 6000; seed < 6072; ++seed)
    for (const Path path : moves::paths)
      expect_scaled(seed, path, types[at(seed) % types.size()], types[at(seed) % types.size()],
                    scalings[at(seed / 4) % scalings.size()]);
}

TEST(Redistribution, ConvertedElementsOfEveryPath) {
  const ElementType single = tridap::element_type<float>(), twice = tridap::element_type<double>();
  const std::vector<std::pair<ElementType, ElementType>> pairs = {
      {single, twice},
      {twice, single},
      {tridap::element_type<std::int32_t>(), twice},
      {tridap::element_type<std::int8_t>(), tridap::element_type<std::int64_t>()},
      {single, tridap::element_type<std::complex<double>>()},
      {twice, tridap::element_type<std::complex<float>>()},
      {tridap::element_type<std::complex<double>>(), tridap::element_type<std::complex<float>>()}};
  const std::vector<Scaling> scalings = {{1, 0}, {1, 0}, {1, 1}, {2, 3}};
  for (Index seed = 7000; seed < 7084; ++seed)
    for (const Path path : moves::paths) {
      const auto& [from, to] = pairs[at(seed) % pairs.size()];
      expect_scaled(seed, path, from, to, scalings[at(seed / 7) % scalings.size()]);
    }
}
