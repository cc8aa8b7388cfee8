// The pool by its own door: arrays that are made by hand, kept, pinned, let go of and collected.

#include "globalarrays/handle_pool_support.hpp"

#include <thread>
#include <utility>

using namespace ga_test;
using tridap::globalarrays::GlobalArray;
using tridap::globalarrays::HandlePool;

namespace {

// What the linker has GA's calls of the library come to here, in place of GA's.
struct Closed {
  std::vector<int> handles;
  std::vector<std::thread::id> threads;
};
Closed closed;

void say_closed(int handle) {
  closed.handles.push_back(handle);
  closed.threads.push_back(std::this_thread::get_id());
}

}  // namespace

extern "C" {
void __real_NGA_Release_update_block_segment(int, int);
void __wrap_NGA_Release_update_block_segment(int handle, int process) {
  say_closed(handle);
  __real_NGA_Release_update_block_segment(handle, process);
}
}

namespace {

// Two elements on each process, but for where those of the last two meet.
int last_two_meet_at(int64_t index) {
  List starts;
  for (int64_t r = 0; r < processes(); ++r) starts.push_back(2 * r);
  starts.back() = index;
  return Spec{{2 * processes()}, C_DBL, {}, {starts}}.make();
}

void released_elsewhere(Owner pin) {
  std::thread([last = std::move(pin)]() mutable { last.reset(); }).join();
}

// A pool with nothing in it, in a GA of its own for each test.
struct ThePool : testing::Test {
  void SetUp() override {
    session = std::make_unique<Session>();
    closed = {};
    ASSERT_EQ(pool().held(), 0);
  }
  void TearDown() override {
    pool().collect();
    EXPECT_EQ(pool().held(), 0);
    session.reset();
    EXPECT_EQ(GA_Initialized(), 0) << "something was held";
  }

  std::unique_ptr<Session> session;
};

}  // namespace

TEST_F(ThePool, FreesWhatNoProcessHolds) {
  GlobalArray array = kept(made(10));
  const int handle = array.handle();
  GlobalArray copy = array;
  EXPECT_EQ(pool().held(), 1);
  EXPECT_EQ(pool().collect(), 0);
  array = {};
  EXPECT_EQ(pool().collect(), 0);
  EXPECT_TRUE(GA_Verify_handle(handle));
  if (rank() != processes() - 1) copy = {};
  EXPECT_EQ(pool().collect(), 0);  // the last process holds it
  EXPECT_EQ(pool().held(), rank() == processes() - 1 ? 1 : 0);
  copy = {};
  EXPECT_EQ(pool().collect(), 1);
  EXPECT_FALSE(GA_Verify_handle(handle));
  EXPECT_EQ(pool().collect(), 0);
}

TEST_F(ThePool, APinHoldsAnArrayBeyondItsGlobalArray) {
  GlobalArray array = kept(made(10));
  const int handle = array.handle();
  Owner pin = pinned(handle);
  EXPECT_EQ(pool().held(), 1);
  array = {};
  EXPECT_EQ(pool().held(), 1);
  EXPECT_EQ(pool().collect(), 0);
  EXPECT_TRUE(HandlePool::is_there(pin));
  EXPECT_EQ(pool().find(handle).handle(), handle);  // it can be had as a GlobalArray again
  EXPECT_GT(pool().serial(handle), 0);
  pin.reset();
  EXPECT_EQ(pool().collect(), 1);
}

TEST_F(ThePool, FindsItsOwnArraysAgain) {
  GlobalArray array = kept(made(10));
  const int others = made(11);
  EXPECT_EQ(pool().find(array.handle()).handle(), array.handle());
  EXPECT_TRUE(pool().find(others).empty());
  EXPECT_EQ(pool().serial(others), 0);
  GlobalArray again = pool().find(array.handle());
  array = {};
  EXPECT_EQ(pool().collect(), 0);
  again = {};
  EXPECT_EQ(pool().collect(), 1);
  GA_Destroy(others);
}

TEST_F(ThePool, PinsOfOneMemoryAreOne) {
  const int handle = made(10);
  Owner one = pinned(handle), other = pinned(handle);
  EXPECT_EQ(HandlePool::handle_of(one), handle);
  EXPECT_EQ(HandlePool::handle_of(nullptr), std::nullopt);
  EXPECT_EQ(HandlePool::handle_of(std::make_shared<int>(3)), std::nullopt);
  EXPECT_FALSE(HandlePool::is_there(nullptr));
  EXPECT_FALSE(HandlePool::is_there(std::make_shared<int>(3)));
  EXPECT_EQ(pool().held(), 1);
  one.reset();
  EXPECT_EQ(pool().held(), 1);
  EXPECT_TRUE(closed.handles.empty());
  EXPECT_TRUE(HandlePool::is_there(other));
  other.reset();
  EXPECT_EQ(pool().held(), 0);
  EXPECT_EQ(closed.handles, std::vector<int>{handle});
  GA_Destroy(handle);
}

TEST_F(ThePool, AHandleThatGaGivesAnewIsAnotherArray) {
  const int64_t n = processes();
  // Of another size, and of another type or shape in the same place.
  for (const Spec& next : {Spec{{5 * n}, C_DBL}, Spec{{10 * n}, C_LONG}, Spec{{2 * n, 5}, C_DBL}}) {
    closed = {};
    const int handle = made(10 * n);
    Owner old = pinned(handle);
    EXPECT_TRUE(HandlePool::is_there(old));
    GA_Destroy(handle);
    EXPECT_FALSE(HandlePool::is_there(old));
    ASSERT_EQ(next.make(), handle);
    EXPECT_FALSE(HandlePool::is_there(old));
    Owner other = pinned(handle);
    EXPECT_TRUE(HandlePool::is_there(other));
    EXPECT_FALSE(HandlePool::is_there(old));
    old.reset();
    EXPECT_TRUE(closed.handles.empty());  // what it had open is no more
    EXPECT_EQ(pool().held(), 1);
    EXPECT_TRUE(HandlePool::is_there(other));
    other.reset();
    EXPECT_EQ(pool().held(), 0);
    GA_Destroy(handle);
  }
}

TEST_F(ThePool, APinOfAnotherPlaceIsOfAnotherArray) {
  const int handle = made(10 * processes());
  Owner old = pool().pin(handle, &closed);
  EXPECT_FALSE(HandlePool::is_there(old));
  Owner other = pinned(handle);
  EXPECT_FALSE(HandlePool::is_there(old));
  EXPECT_TRUE(HandlePool::is_there(other));
  other.reset();
  EXPECT_EQ(pool().held(), 0);
  old.reset();
  EXPECT_EQ(closed.handles, std::vector<int>{handle});
  GA_Destroy(handle);
}

TEST_F(ThePool, APinOfOthersUnderTheNumberOfOursTellsThatOursIsGone) {
  GlobalArray ours = kept(made(10 * processes()));
  GA_Destroy(ours.handle());
  const int others = made(20 * processes());
  ASSERT_EQ(others, ours.handle());
  Owner pin = pinned(others);
  EXPECT_THROW(ours.handle(), tridap::Error);
  EXPECT_TRUE(pool().find(others).empty());
  pin.reset();
  GA_Destroy(others);
}

TEST_F(ThePool, AnArrayOfAnotherGroupIsNotToldOfAnOldPin) {
  std::vector<int> members;
  for (int r = processes(); r-- > 0;) members.push_back(r);
  const int group = GA_Pgroup_create(members.data(), processes()), handle = made(10 * processes(), group);
  Owner old = pinned(handle);
  GA_Destroy(handle);
  ASSERT_EQ(made(10 * processes()), handle);
  old.reset();
  EXPECT_TRUE(closed.handles.empty());
  GA_Destroy(handle);
}

TEST_F(ThePool, AnArrayOfOursInAnOldPlaceIsAnother) {
  const int handle = made(10);
  Owner old = pinned(handle);
  GA_Destroy(handle);
  GlobalArray array = kept(made(10));  // in all that can be seen the same
  ASSERT_EQ(array.handle(), handle);
  EXPECT_FALSE(HandlePool::is_there(old));
  const Owner anew = pinned(handle);
  EXPECT_FALSE(HandlePool::is_there(old));
  EXPECT_TRUE(HandlePool::is_there(anew));
  EXPECT_EQ(pool().held(), 1);
}

TEST_F(ThePool, AnAdoptedArrayIsNotHeldByPinsOfWhatHadItsHandle) {
  const int handle = made(10 * processes());
  const Owner old = pinned(handle);
  GA_Destroy(handle);
  ASSERT_EQ(made(5 * processes()), handle);
  pool().take(handle);
  EXPECT_EQ(pool().collect(), 1);
  EXPECT_FALSE(GA_Verify_handle(handle));
}

TEST_F(ThePool, WhatAnotherThreadReleasedIsNotFoundAndIsFreed) {
  GlobalArray array = kept(made(10 * processes()));
  const int handle = array.handle();
  Owner pin = pinned(handle);
  array = {};
  released_elsewhere(std::move(pin));
  EXPECT_TRUE(pool().find(handle).empty());
  pin = pinned(handle);
  released_elsewhere(std::move(pin));
  EXPECT_EQ(pool().collect(), 1);
  EXPECT_FALSE(GA_Verify_handle(handle));
}

TEST_F(ThePool, AnyHandleMayBeAskedFor) {
  for (const int handle : {-1, -1000, -1001, 1 << 30, -(1 << 30)}) {
    EXPECT_TRUE(pool().find(handle).empty());
    EXPECT_EQ(pool().serial(handle), 0);
    EXPECT_EQ(pool().serial(handle), 0);
  }
}

TEST_F(ThePool, ArraysThatTheUserDestroyedAreNotFreedAgain) {
  GlobalArray array = kept(made(10));
  const int handle = array.handle();
  GA_Destroy(handle);
  EXPECT_TRUE(pool().find(handle).empty());
  EXPECT_THROW(array.handle(), tridap::Error);
  EXPECT_EQ(pool().collect(), 0);
  array = kept(made(10));
  ASSERT_EQ(array.handle(), handle);
  GA_Destroy(handle);
  const int others = made(20);  // of the same number, and not the pool's
  ASSERT_EQ(others, handle);
  array = {};
  EXPECT_EQ(pool().collect(), 0);
  EXPECT_TRUE(GA_Verify_handle(others));
  EXPECT_EQ(pool().serial(others), 0);
  GA_Destroy(others);
}

TEST_F(ThePool, AnArrayOfOursUnderTheNumberOfAnotherOfOursIsAnother) {
  GlobalArray old = kept(made(10));
  const int handle = old.handle();
  GA_Destroy(handle);
  GlobalArray array = kept(made(10));  // in all that can be seen the same
  ASSERT_EQ(array.handle(), handle);
  EXPECT_THROW(old.handle(), tridap::Error);
  EXPECT_EQ(pool().collect(), 0);
  EXPECT_EQ(pool().find(handle).handle(), handle);
  EXPECT_EQ(pool().serial(handle), 2);
  EXPECT_EQ(pool().held(), 1);
  array = {};
  EXPECT_EQ(pool().collect(), 1);
}

TEST_F(ThePool, WhatOneProcessSeesDestroyedIsFreedByNone) {
  if (processes() < 3) GTEST_SKIP() << "needs at least 3 processes";
  for (const bool held : {true, false}) {
    GlobalArray array = kept(last_two_meet_at(2 * processes() - 2));
    const int handle = array.handle();
    GA_Destroy(handle);
    if (!held) array = {};
    const int others = last_two_meet_at(2 * processes() - 1);  // the first process sees no difference
    ASSERT_EQ(others, handle);
    EXPECT_EQ(pool().serial(handle) > 0, rank() < processes() - 2);
    EXPECT_EQ(pool().collect(), 0);
    EXPECT_TRUE(GA_Verify_handle(others));
    EXPECT_EQ(pool().serial(handle), 0);
    if (held) {
      EXPECT_THROW(array.handle(), tridap::Error);
    }
    GA_Destroy(others);
  }
}

TEST_F(ThePool, APinOfAnotherThreadIsLetGoOfThere) {
  const int handle = made(10 * processes());
  Owner pin = pinned(handle);
  released_elsewhere(std::move(pin));
  EXPECT_TRUE(closed.handles.empty());  // no call of GA from that thread
  EXPECT_EQ(pool().held(), 0);          // what was let go of is closed
  pin = pinned(handle);
  EXPECT_EQ(closed.handles, std::vector<int>{handle});
  EXPECT_EQ(closed.threads, std::vector<std::thread::id>{std::this_thread::get_id()});
  released_elsewhere(std::move(pin));
  pin = pinned(handle);  // which closes it, too
  EXPECT_EQ(closed.handles, (std::vector<int>{handle, handle}));
  pin.reset();
  EXPECT_EQ(closed.handles, (std::vector<int>{handle, handle, handle}));
  GA_Destroy(handle);
}

TEST_F(ThePool, ManyThreadsLetGoAtOnce) {
  std::vector<int> handles;
  std::vector<Owner> pins;
  for (int i = 0; i < 20; ++i) {
    handles.push_back(made(10 * processes()));
    pins.push_back(pinned(handles.back()));
  }
  for (int turn = 0; turn < 20; ++turn) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([mine = std::vector<Owner>(pins)]() mutable {
        for (Owner& one : mine) one.reset();
      });
    pins.clear();
    for (const int handle : handles) pins.push_back(pinned(handle));
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(pool().held(), 20);
  for (const Owner& one : pins) EXPECT_TRUE(HandlePool::is_there(one));
  pins.clear();
  EXPECT_EQ(pool().held(), 0);
  for (const int handle : handles) GA_Destroy(handle);
}

TEST_F(ThePool, AccessIsClosedWithTheLastOwner) {
  const int plain = made(10 * processes()), ghosts = with_ghosts(), cyclic = block_cyclic();
  for (const int handle : {plain, ghosts, cyclic}) {
    Owner one = pool().pin(handle, &closed), other = one;
    one.reset();
    EXPECT_TRUE(closed.handles.empty());
    other.reset();
    EXPECT_EQ(std::exchange(closed, {}).handles, std::vector<int>{handle});
  }
  for (const int handle : {plain, ghosts, cyclic}) GA_Destroy(handle);
  Owner late = pool().pin(made(10 * processes()), nullptr);
  GA_Destroy(HandlePool::handle_of(late).value());
  late.reset();
  EXPECT_TRUE(closed.handles.empty());  // the array was destroyed
}
