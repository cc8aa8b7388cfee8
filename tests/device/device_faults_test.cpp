#include "device/device_moved.hpp"
#include <tridap/device/device.hpp>
#include <tridap/internal/device_moves.hpp>
#include <tridap/make.hpp>

#include <memory>
#include <stdexcept>
#include <string>

using namespace on_device;
using tridap::Distribution;

namespace {

void fail_next_launch(bool fails) { stand_in::Driver::loaded().fail(fails ? 1 : 0, 0); }
void refuse_to_open(bool refuses) { stand_in::Driver::loaded().fail(0, refuses ? 1 : 0); }
bool is_last() { return on::rank(world) == on::processes(world) - 1; }

/// Rows to columns, each time with parts of its own.
class DeviceFaults : public testing::Test {
 protected:
  void SetUp() override {
    if (stand_in::Driver::loaded().is_real) GTEST_SKIP() << "a real driver does not fail when it is told to";
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
  }
  void TearDown() override {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }

  std::unique_ptr<Moved> moved(const Where& from, const Where& to, Path path = Path::automatic) {
    return std::make_unique<Moved>(rows_to_columns(24), 8, 3, from, to, path, comm_);
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace

TEST_F(DeviceFaults, AKernelThatFailsOnOneProcessIsAnErrorOnAll) {
  const auto move = moved(in_device_memory, in_device_memory);
  const auto source = move->source(), target = move->target();
  for (Index failing = 0; failing < on::processes(comm_); ++failing) {
    move->fill(*source, *target, 1);
    fail_next_launch(on::rank(comm_) == failing);
    on::expect_refused([&] { move->plan()(source->stamped(), target->stamped()); }, "launching tridap_", comm_);
    fail_next_launch(false);
    move->expect_moves(*source, *target, 2, "after a kernel that failed");
  }
  EXPECT_EQ(counted(stand_in::contexts), 0U);
}

// The first of two arrays is on its way when the kernel of the second one fails.
TEST_F(DeviceFaults, NothingIsMovedAfterAnError) {
  const auto move = moved(in_device_memory, in_device_memory);
  const auto source = move->source(), other = move->source(), target = move->target(), second = move->target();
  move->fill(*source, *target, 1);
  move->fill(*other, *second, 1);
  const std::vector<Move> both = {{source->stamped(), target->stamped()}, {other->stamped(), second->stamped()}};
  move->plan()(both);  // has the tables of both
  if (is_last()) stand_in::Driver::loaded().fail(2, 0);
  on::expect_refused([&] { move->plan()(both); }, "launching tridap_", comm_);
  fail_next_launch(false);
  const std::vector<std::byte> mine(static_cast<std::size_t>(target->host.bytes()), std::byte{5});
  target->set(mine);
  EXPECT_TRUE(target->now() == mine);
}

TEST_F(DeviceFaults, AKernelOfSlotsThatFailsIsAnErrorOnAll) {
  for (const Path path : moves::paths) {
    const auto move = moved([](Dice&) { return stand_in::pool; }, in_device_memory, path);
    const auto source = move->source(), target = move->target();
    move->fill(*source, *target, 1);
    fail_next_launch(is_last());
    on::expect_refused([&] { move->plan()(source->stamped(), target->stamped()); }, "CUDA_ERROR_LAUNCH_FAILED", comm_);
    fail_next_launch(false);
    move->expect_moves(*source, *target, 2, "after a kernel that failed");
  }
}

// Copies that a failed kernel leaves behind on the streams of slots would use memory that is freed with the plan.
TEST_F(DeviceFaults, AKernelOfSlotsThatFailsLeavesNoWork) {
  if (on::processes(comm_) < 2) GTEST_SKIP() << "needs at least 2 processes";
  const Where in_a_pool = [](Dice&) { return stand_in::pool; };
  for (std::uint64_t launch = 1; launch <= 4; ++launch) {
    auto move = moved(in_a_pool, in_a_pool);
    const auto source = move->source(), target = move->target();
    move->fill(*source, *target, 1);
    if (is_last()) stand_in::Driver::loaded().fail(launch, 0);
    on::expect_refused([&] { move->plan()(source->stamped(), target->stamped()); }, "CUDA_ERROR_LAUNCH_FAILED", comm_);
    fail_next_launch(false);
    move.reset();
    for (int time = 0; time < 2; ++time)  // to make it again waits for all streams
      tridap::redistribute::device_engine()->make_target(cuda, 64, false);
  }
}

TEST_F(DeviceFaults, MemoryThatOneProcessCannotOpenGoesThroughSlots) {
  const auto move = moved(in_device_memory, in_device_memory);
  const auto source = move->source(), target = move->target();
  refuse_to_open(is_last());
  for (const Index salt : {1, 2}) move->expect_moves(*source, *target, salt, "by slots");
  move->fill(*source, *target, 3);
  move->plan().start({{source->stamped(), target->stamped()}});
  move->plan().wait();
  move->expect_moved(*source, *target, 3, "by slots, waited for");
  refuse_to_open(false);
  move->expect_moves(*source, *target, 4, "by slots for as long as the communicator lives");
}

// No board keeps what it named before memory could not be opened.
TEST_F(DeviceFaults, TargetsAreReleasedWhenMemoryCannotBeOpened) {
  if (!on_one_node() || on::processes(comm_) < 2) GTEST_SKIP() << "needs several processes on one node";
  tridap::device::close(comm_);
  {
    const auto move = moved([](Dice&) { return stand_in::pool; }, in_device_memory);
    const auto source = move->source(), target = move->target();
    move->expect_moves(*source, *target, 1, "by slots, which stay");
  }
  tridap::device::close(comm_);
  const std::uint64_t before = counted(stand_in::allocations), open = counted(stand_in::open_handles);
  for (const Index n : {12, 24, 36, 48}) {
    Moved there(rows_to_columns(n), 8, 1, in_device_memory, in_device_memory, Path::automatic, comm_);
    const auto source = there.source(), target = there.source();
    Redistribution back = there.plan().reversed();
    if (n == 48) refuse_to_open(is_last());
    back(there.plan()(source->stamped()), target->stamped());
  }
  refuse_to_open(false);
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  tridap::device::close(other);  // releases what is unused
  MPI_Comm_free(&other);
  EXPECT_EQ(counted(stand_in::allocations), before);
  EXPECT_EQ(counted(stand_in::open_handles), open);
  EXPECT_EQ(counted(stand_in::freed_open), 0U);
}

TEST_F(DeviceFaults, AStartedMoveThatCannotBePulledEndsInWait) {
  const auto move = moved(in_device_memory, in_device_memory);
  const auto source = move->source(), target = move->target();
  move->fill(*source, *target, 1);
  refuse_to_open(is_last());
  move->plan().start({{source->stamped(), target->stamped()}});
  while (!move->plan().test()) continue;
  move->plan().wait();
  refuse_to_open(false);
  move->expect_moved(*source, *target, 1, "by slots");
}

TEST_F(DeviceFaults, MemoryWithoutAHandleOnOneProcessGoesThroughSlots) {
  if (!on_one_node()) GTEST_SKIP() << "between nodes, elements take slots";
  const Where one_in_a_pool = [](Dice&) { return is_last() ? stand_in::pool : stand_in::device; };
  const auto move = moved(one_in_a_pool, in_device_memory);
  const auto source = move->source(), target = move->target();
  move->expect_moves(*source, *target, 1, "one in a pool");
  const auto pull = moved(in_device_memory, in_device_memory);
  const auto other = pull->source();
  const std::uint64_t before = counted(stand_in::kernels);
  pull->expect_moves(*other, *target, 2, "none in a pool");
  EXPECT_EQ(counted(stand_in::kernels) - before, 1U);
}

TEST_F(DeviceFaults, AProcessThatObjectsMakesTheOthersThrow) {
  const auto move = moved(in_device_memory, in_device_memory);
  const auto source = move->source(), target = move->target();
  move->fill(*source, *target, 1);
  on::expect_refused(
      [&] {
        if (!is_last()) return move->plan()(source->stamped(), target->stamped());
        tridap::mpi::Faults why;
        why.attempt([] { throw std::runtime_error("no arrays here"); });
        move->plan().object(std::move(why));
      },
      "no arrays here", comm_);
  move->expect_moves(*source, *target, 2, "after the objection");
}

TEST_F(DeviceFaults, ScalingIsDoneOnceWhereMemoryCannotBeOpened) {
  const Distribution of = Distribution::make({6 * on::processes(comm_)}, {tridap::block()}, {on::processes(comm_)});
  const Distribution cyclic =
      Distribution::make({6 * on::processes(comm_)}, {tridap::cyclic()}, {on::processes(comm_)});
  Redistribution plan(of, cyclic, 8, comm_);
  DistArray source, target;
  source.buffer = target.buffer = stand_in::numbers({6});
  target.buffer = stand_in::numbers({6});
  refuse_to_open(is_last());
  plan(source, target, {2.0, 3.0});
  refuse_to_open(false);
  std::vector<double> found(6);
  stand_in::Driver::loaded().read(found.data(), reinterpret_cast<std::uintptr_t>(target.buffer.data), 48, 1);
  const Index p = on::processes(comm_), r = on::rank(comm_);
  for (Index k = 0; k < 6; ++k)
    EXPECT_EQ(found[static_cast<std::size_t>(k)], static_cast<double>(2 * ((r + k * p) % 6) + 3 * k));
}

TEST_F(DeviceFaults, APlanThatEndsDuringAMoveLeavesTheOthersAlone) {
  for (const Path path : {Path::automatic, Path::staged, Path::messages}) {
    auto move = moved(in_device_memory, in_device_memory, path);
    const auto source = move->source(), target = move->target();
    move->fill(*source, *target, 1);
    move->plan().start({{source->stamped(), target->stamped()}});
    if (is_last())
      move->end_plan();
    else
      move->plan().wait();
    move->expect_moved(*source, *target, 1, "the plan has ended on one process");
  }
}

TEST_F(DeviceFaults, AFaultOfAStartedMoveIsThrownByItsOwnWait) {
  const auto move = moved(in_device_memory, in_device_memory), other = moved(in_device_memory, in_device_memory);
  const auto source = move->source(), target = move->target(), second = other->source(), third = other->target();
  move->fill(*source, *target, 1);
  fail_next_launch(is_last());
  move->plan().start({{source->stamped(), target->stamped()}});
  fail_next_launch(false);
  other->expect_moves(*second, *third, 2, "the move of another plan");
  on::expect_refused([&] { move->plan().wait(); }, "launching tridap_", comm_);
}

TEST_F(DeviceFaults, AMessageOfTheCallerArrivesWhileOthersWait) {
  if (on::processes(comm_) < 2) GTEST_SKIP() << "needs at least 2 processes";
  const auto move = moved(in_device_memory, in_device_memory);
  const auto source = move->source(), target = move->target();
  move->fill(*source, *target, 1);
  std::vector<char> message(std::size_t{8} << 20);
  MPI_Request request = MPI_REQUEST_NULL;
  const int r = static_cast<int>(on::rank(comm_)), bytes = static_cast<int>(message.size());
  if (r == 0) MPI_Irecv(message.data(), bytes, MPI_CHAR, 1, 5, comm_, &request);
  move->plan().start({{source->stamped(), target->stamped()}});
  if (r == 1) MPI_Send(message.data(), bytes, MPI_CHAR, 0, 5, comm_);
  move->plan().wait();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  move->expect_moved(*source, *target, 1, "beside a message");
}

TEST_F(DeviceFaults, MemoryIsNotClosedDuringAMove) {
  if (!on_one_node()) GTEST_SKIP() << "between nodes, elements take slots";
  const auto move = moved(in_device_memory, in_device_memory);
  const auto source = move->source(), target = move->target();
  move->fill(*source, *target, 1);
  move->plan().start({{source->stamped(), target->stamped()}});
  on::expect_refused([&] { tridap::device::close(comm_); }, "a move is in progress", comm_);
  move->plan().wait();
  move->expect_moved(*source, *target, 1, "not closed");
}
