#include "ghosts/ghost_case.hpp"
#include "support/effort.hpp"
#include "support/memory_meter.hpp"
#include <tridap/ghosts/ghost_update.hpp>
#include <tridap/make.hpp>

namespace {

using ghost::Case;
using ghost::List;
using ghost::Local;
using tridap::ElementType;
using tridap::GhostUpdate;
using tridap::Index;
using Kind = ElementType::Kind;

Index rank() { return on::rank(MPI_COMM_WORLD); }
Index processes() { return on::processes(MPI_COMM_WORLD); }

const std::vector<ElementType> types = {
    {Kind::floating, 8},       {Kind::floating, 4},         {Kind::complex, 8},        {Kind::complex, 16},
    {Kind::signed_integer, 1}, {Kind::unsigned_integer, 2}, {Kind::signed_integer, 4}, {Kind::unsigned_integer, 8},
    {Kind::boolean, 1},        {Kind::opaque, 3},           {Kind::opaque, 40}};

/// Everything that a plan promises, for one case as it stands in memory.
void expect_whole_picture(const Case& of, Local& local, MPI_Comm comm = MPI_COMM_WORLD) {
  GhostUpdate plan(local.array(), comm);
  for (const Index salt : {1, 2}) {
    local.fill(salt);
    plan.update_ghosts();
    local.expect_updated(salt);
    if (!ghost::can_be_added(local.buffer().type)) continue;
    local.fill(salt);
    plan.sum_ghosts();
    local.expect_summed(salt);
  }
  Index components = 1;
  for (std::size_t i = 1; i < local.buffer().shape.size(); ++i) components *= local.buffer().shape[i];
  const Index of_each = components * local.buffer().type.bytes, me = on::rank(comm);
  EXPECT_EQ(plan.bytes_received(), of_each * static_cast<Index>(of.ghosts_of(me).size()));
  Index wanted = 0;
  const List own = of.ids_of(me);
  for (Index p = 0; p < of.array.processes(); ++p)
    for (const Index id : of.ghosts_of(p))
      if (of.same_components(me, p)) wanted += std::count(own.begin(), own.end(), id);
  EXPECT_EQ(plan.bytes_sent(), of_each * wanted);
}

/// Blocks of two elements, of each of which the process before and the process after have ghosts.
Case ring(Index p) {
  Case of{oracle::Array({oracle::block(List(static_cast<std::size_t>(p), 2)), oracle::block({3})})};
  for (Index r = 0; r < p; ++r) {
    of.ghosts.emplace_back();
    const Index before = (r + p - 1) % p, after = (r + 1) % p;
    if (after != r) of.ghosts.back() = {2 * after + 1, 2 * after};
    if (before != r && before != after) of.ghosts.back().push_back(2 * before);
  }
  return of;
}

const std::vector<bool> forwards(4, false);
const ElementType float64 = {Kind::floating, 8};

}  // namespace

TEST(GhostUpdate, GhostsOfAnyArrayAndAnyMemoryAreUpdatedAndSummed) {
  std::mt19937 random(17);  // the same cases on every process
  const int cases = effort::of(600, 120);
  for (int i = 0; i < cases; ++i) {
    const int ndim = 1 + i % 3;
    const auto grids = on::grids(processes(), ndim);
    const List grid = grids[random() % grids.size()];
    std::vector<oracle::Axis> axes;
    for (const Index extent : grid) axes.push_back(ghost::any_axis(extent, random));
    Case of{oracle::Array(axes), 1 + random() % axes.size()};
    of.column_major = random() % 2 == 0;
    of.choose_ghosts(random, 1 + random() % 20);
    std::vector<std::pair<List, std::vector<bool>>> orders;
    oracle::for_each_memory_order(axes.size() - of.numbered + 1, [&](const List& order, const std::vector<bool>& back) {
      orders.emplace_back(order, back);
    });
    const auto& [order, back] = orders[(random() + static_cast<std::size_t>(rank())) % orders.size()];
    Local local(of, rank(), types[random() % types.size()], order, back, (rank() + i) % 3);
    expect_whole_picture(of, local);
    if (HasFailure()) FAIL() << "case " << i;
  }
}

TEST(GhostUpdate, ManyComponentsAndLongRowsOfGhosts) {
  std::mt19937 random(5);
  for (const Index components : {1, 3, 40, 300}) {
    const bool few = components > 3;
    const List counts(static_cast<std::size_t>(processes()), few ? 60 : 3000);
    Case of{oracle::Array({oracle::block(counts), oracle::block({components})})};
    of.choose_ghosts(random, few ? 50 : 2500);
    for (const bool row_major : {true, false}) {
      Local local(of, rank(), float64, row_major ? List{0, 1} : List{1, 0}, forwards, 0);
      expect_whole_picture(of, local);
    }
  }
}

TEST(GhostUpdate, MemoryMayRunBackwards) {
  const Index p = processes(), next = (rank() + 1) % p;
  const std::vector<Index> ghosts = p > 1 ? std::vector<Index>{2 * next + 1, 2 * next} : std::vector<Index>{};
  const Index count = 2 + static_cast<Index>(ghosts.size());
  std::vector<double> memory(static_cast<std::size_t>(count));
  tridap::Buffer local = tridap::row_major(&memory.back(), {count});
  local.strides = {-8};
  const auto at = [&](Index row) -> double& { return memory[static_cast<std::size_t>(count - 1 - row)]; };
  for (const Index row : {0, 1}) at(row) = static_cast<double>(2 * rank() + row);
  tridap::update_ghosts(tridap::make_ghosted(local, ghosts, MPI_COMM_WORLD), MPI_COMM_WORLD);
  for (Index row = 2; row < count; ++row)
    EXPECT_EQ(at(row), static_cast<double>(ghosts[static_cast<std::size_t>(row - 2)]));
}

TEST(GhostUpdate, AnyCommunicatorDoesAndTheCallersMessagesAreNotMet) {
  on::every_communicator([](MPI_Comm comm) {
    const on::PendingReceive pending(comm);
    const Case of = ring(on::processes(comm));
    Local local(of, on::rank(comm), float64, {0, 1}, forwards, 0);
    expect_whole_picture(of, local, comm);
  });
}

TEST(GhostUpdate, APlanAndItsUpdatesWriteNothingElse) {
  const Case of = ring(processes());
  Local local(of, rank(), float64, {0, 1}, forwards, 8);
  local.fill(1);
  GhostUpdate plan(local.array(), MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  local.expect_filled(1);
}

TEST(GhostUpdate, AnUpdateAllocatesNothing) {
  const Case of = ring(processes());
  Local local(of, rank(), float64, {1, 0}, forwards, 0);
  GhostUpdate plan(local.array(), MPI_COMM_WORLD);
  for (const bool sum : {false, true}) {
    local.fill(1);
    memory_meter::allocations_left = 0;
    sum ? plan.sum_ghosts() : plan.update_ghosts();
    memory_meter::allocations_left = -1;
    sum ? local.expect_summed(1) : local.expect_updated(1);
  }
}

TEST(GhostUpdate, PlansUnderWayTogetherDoNotMeetWhateverTheirOrder) {
  const Case of = ring(processes());
  Local a(of, rank(), float64, {0, 1}, forwards, 0), b(of, rank(), float64, {1, 0}, forwards, 8);
  GhostUpdate first(a.array(), MPI_COMM_WORLD), second(b.array(), MPI_COMM_WORLD);
  for (Index salt = 0; salt < 20; ++salt) {
    a.fill(salt);
    b.fill(salt + 100);
    const bool swap = (rank() + salt) % 2 == 0;
    const auto begin = [&](bool one) { one ? first.start_update() : second.start_sum(); };
    begin(swap);
    begin(!swap);
    (swap ? first : second).wait();
    (swap ? second : first).wait();
    a.expect_updated(salt);
    b.expect_summed(salt + 100);
  }
}

TEST(GhostUpdate, UpdatesAndSumsOfFastAndSlowProcessesDoNotMeet) {
  const Case of = ring(processes());
  Local local(of, rank(), float64, {0, 1}, forwards, 0);
  GhostUpdate plan(local.array(), MPI_COMM_WORLD);
  for (Index salt = 0; salt < 20; ++salt) {
    if ((rank() + salt) % 3 == 0) usleep(200);
    local.fill(salt);
    plan.sum_ghosts();
    local.expect_summed(salt);
    local.fill(salt);
    plan.update_ghosts();
    local.expect_updated(salt);
  }
}

TEST(GhostUpdate, StartAndWaitTakeTurns) {
  const Case of = ring(processes());
  Local local(of, rank(), float64, {0, 1}, forwards, 0);
  GhostUpdate plan(local.array(), MPI_COMM_WORLD);
  local.fill(1);
  const auto text = [](const std::function<void()>& step) { return std::string(on::error_of(step).value().what()); };
  on::expect_says(text([&] { plan.wait(); }), "no update is in progress");
  plan.start_update();
  on::expect_says(text([&] { plan.start_sum(); }), "an update is in progress");
  on::expect_says(text([&] { plan.update_ghosts(); }), "call wait() first");
  plan.wait();
  local.expect_updated(1);
}

TEST(GhostUpdate, APlanThatIsDestroyedEndsItsUpdate) {
  const Case of = ring(processes());
  Local local(of, rank(), float64, {0, 1}, forwards, 0);
  local.fill(3);
  {
    GhostUpdate plan(local.array(), MPI_COMM_WORLD);
    GhostUpdate moved = std::move(plan);
    moved.start_update();
  }
  local.expect_updated(3);
}

TEST(GhostUpdate, MemoryWithAnOwnerOutlivesTheCaller) {
  auto memory = std::make_shared<std::vector<double>>(2, 1.0 + static_cast<double>(rank()));
  const Index p = processes();
  std::vector<Index> ghosts;
  if (p > 1) ghosts.push_back((rank() + 1) % p);
  memory->resize(1 + ghosts.size());
  const std::weak_ptr<std::vector<double>> alive = memory;
  double* const data = memory->data();
  auto plan = std::make_unique<GhostUpdate>(
      tridap::make_ghosted(tridap::row_major(data, {static_cast<Index>(memory->size())}, memory), ghosts,
                           MPI_COMM_WORLD),
      MPI_COMM_WORLD);
  memory.reset();
  EXPECT_FALSE(alive.expired());
  plan->update_ghosts();
  if (p > 1) {
    EXPECT_EQ(data[1], 1.0 + static_cast<double>((rank() + 1) % p));
  }
  plan.reset();
  EXPECT_TRUE(alive.expired());
}
