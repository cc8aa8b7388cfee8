#include "globalarrays/handle_pool_support.hpp"
#include "support/mpi_abort.hpp"
#include "support/thrown.hpp"
#include "types.hpp"
#include <tridap/globalarrays/export.hpp>
#include <tridap/globalarrays/import.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/report.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

using namespace ga_test;
using tridap::globalarrays::HandlePool;
using tridap::globalarrays::SessionOptions;

TEST(Session, BeginsAndEndsAsOftenAsWanted) {
  for (int turn = 0; turn < 3; ++turn) {
    Session session;
    EXPECT_EQ(tridap::globalarrays::held(), 0);
    EXPECT_EQ(tridap::globalarrays::collect(), 0);
  }
  EXPECT_EQ(GA_Initialized(), 0);
}

TEST(Session, AgainstAnotherCallIsAnErrorOnAllProcesses) {
  if (processes() < 2) GTEST_SKIP() << "needs at least 2 processes";
  tridap::DistArray whole;
  whole.buffer = tridap::allocate(tridap::element_type<double>(), {});
  const std::string said = on::error_text([&] {
    if (rank() == 0)
      Session session;
    else
      tridap::mpi::gather_distribution(whole, MPI_COMM_WORLD);
  });
  EXPECT_EQ(said.find("rank 0 calls globalarrays::Session, "), std::size_t{0}) << said;
  on::expect_says(said, "mpi::gather_distribution");
  EXPECT_EQ(GA_Initialized(), 0);
}

TEST(Session, LeavesWhatTheUserBeginsAfterIt) {
  { Session session; }
  GA_Initialize();
  { Session session; }
  EXPECT_EQ(GA_Initialized(), 1);
  GA_Terminate();
  for (const bool by_close : {true, false}) {
    {
      Session session;
      GA_Terminate();
      GA_Initialize();
      if (by_close) session.close();
    }
    EXPECT_EQ(GA_Initialized(), 1);
    GA_Terminate();
  }
}

TEST(Session, NothingIsMadeWithoutIt) {
  const auto refused = [](const std::function<void()>& what, const std::string& words = "is not initialised") {
    on::expect_says(on::error_text(what), words);
  };
  refused([] { tridap::globalarrays::create(placed_whole(), tridap::element_type<double>(), MPI_COMM_WORLD); });
  refused([] { tridap::globalarrays::make_group(MPI_COMM_WORLD); });
  refused([] { tridap::globalarrays::export_array(0); }, "there is no Global Array 0");
  tridap::DistArray array;
  array.buffer = tridap::allocate(tridap::element_type<double>(), {});
  refused([&] { tridap::globalarrays::import_array(array, MPI_COMM_SELF, tridap::Copy::if_needed); });
}

// GA's numbers of groups begin anew.
TEST(Session, GroupsEndWithIt) {
  if (processes() < 2) GTEST_SKIP() << "needs at least 2 processes";
  const int n = processes();
  for (const std::vector<int>& turn : {std::vector<int>{0}, {n - 1, 0}, {0, n - 1}}) {
    Session session;
    for (const int other : turn) {
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm_split(MPI_COMM_WORLD, rank() == other ? MPI_UNDEFINED : 0, 0, &comm);
      const std::optional<int> group = tridap::globalarrays::make_group(comm);
      ASSERT_EQ(group.has_value(), comm != MPI_COMM_NULL);
      if (!group) continue;
      EXPECT_EQ(GA_Pgroup_absolute_id(*group, 0), other == 0 ? 1 : 0);
      EXPECT_EQ(tridap::globalarrays::create(placed_whole(), tridap::element_type<double>(), comm).placed().rank(0), 0);
      MPI_Comm_free(&comm);
    }
  }
}

// With another default group, GA_Nodeid and GA_Nnodes speak of that group, in which the last process of all is another
// number.
TEST(Session, CloseRefusesWhereOneProcessHoldsAnArray) {
  for (const bool with_default_group : {false, true}) {
    Session session;
    std::vector<int> members(static_cast<std::size_t>(std::max(processes() - 1, 1)), 0);
    if (processes() > 1) std::iota(members.begin(), members.end(), 1);
    const int group = GA_Pgroup_create(members.data(), static_cast<int>(members.size()));
    Owner pin = pinned(made(10 * processes()));
    if (rank() != processes() - 1) pin.reset();
    if (with_default_group && rank() > 0) GA_Pgroup_set_default(group);
    for (int turn = 0; turn < 2; ++turn) {
      const std::string why = on::error_text([&] { session.close(); });
      on::expect_says(why, "(rank " + std::to_string(processes() - 1) + "): 1 Global Arrays are held");
      EXPECT_EQ(GA_Initialized(), 1);
    }
    pin.reset();
    session.close();
    EXPECT_EQ(GA_Initialized(), 0);
  }
}

TEST(Session, ClosesWhileADestroyedArrayIsHeld) {
  Session session;
  const auto array = kept(made(10));
  GA_Destroy(array.handle());
  session.close();
  EXPECT_EQ(GA_Initialized(), 0);
}

TEST(Session, HasAnAllocatorForGhosts) {
  Session session;
  const int handle = with_ghosts();
  int64_t extent = 0, strides[1];
  double* data = nullptr;
  NGA_Access_ghosts64(handle, &extent, &data, strides);
  ASSERT_EQ(extent, 12);  // ten of its own, and a ghost on each side
  std::fill(data, data + extent, rank());
  NGA_Release_update_ghosts(handle);
  GA_Update_ghosts(handle);
  EXPECT_EQ(data[0], (rank() + processes() - 1) % processes());
  EXPECT_EQ(data[1], rank());
  EXPECT_EQ(data[11], (rank() + 1) % processes());
  GA_Destroy(handle);
}

TEST(Session, ArraysKnowThatItEnded) {
  auto session = std::make_unique<Session>();
  const int handle = made(10 * processes());
  Owner pin = pinned(handle);
  auto array = kept(made(10));
  GA_Terminate();
  EXPECT_FALSE(HandlePool::is_there(pin));
  on::expect_says(on::error_text([&] { array.handle(); }), "no longer exists");
  EXPECT_EQ(array.type(), tridap::element_type<double>());
  EXPECT_EQ(tridap::globalarrays::held(), 0);
  session = nullptr;
  session = std::make_unique<Session>();
  EXPECT_EQ(made(10 * processes()), handle);  // in a new GA
  EXPECT_FALSE(HandlePool::is_there(pin));
  on::expect_says(on::error_text([&] { array.handle(); }), "no longer exists");
}

TEST(Session, AnotherKnowsNoGroupOfTheFirst) {
  auto session = std::make_unique<Session>();
  std::vector<int> members;
  for (int r = processes(); r-- > 0;) members.push_back(r);
  const int group = GA_Pgroup_create(members.data(), processes());
  const auto array = kept(made(10, group));
  GA_Terminate();
  session = nullptr;
  session = std::make_unique<Session>();
  EXPECT_FALSE(pool().keeps_of_others(GA_Pgroup_get_world()));
  EXPECT_EQ(tridap::globalarrays::collect(), 0);
  ASSERT_EQ(GA_Pgroup_create(members.data(), processes()), group);
  auto other = kept(made(10, group));
  EXPECT_EQ(pool().serial(other.handle()), 1);
  EXPECT_TRUE(pool().keeps_of_others(GA_Pgroup_get_world()));
  EXPECT_FALSE(pool().keeps_of_others(group));
  other = {};
  EXPECT_EQ(tridap::globalarrays::collect(), 1);
  EXPECT_FALSE(pool().keeps_of_others(GA_Pgroup_get_world()));
}

TEST(Destroy, FreesAtOnceOrWhenNoProcessHoldsIt) {
  Session session;
  int handle = made(10);
  EXPECT_TRUE(tridap::globalarrays::destroy(handle, MPI_COMM_WORLD));
  EXPECT_FALSE(GA_Verify_handle(handle));
  handle = made(10 * processes());
  Owner pin = pinned(handle);
  if (rank() != 0) pin.reset();
  EXPECT_FALSE(tridap::globalarrays::destroy(handle, MPI_COMM_WORLD));
  EXPECT_EQ(HandlePool::is_there(pin), rank() == 0);
  on::expect_says(on::error_text([&] { tridap::globalarrays::destroy(handle, MPI_COMM_WORLD); }),
                  "belongs to a GlobalArray");
  pin.reset();
  EXPECT_EQ(tridap::globalarrays::collect(), 1);
  EXPECT_FALSE(GA_Verify_handle(handle));
}

TEST(Destroy, TypesMayHaveOtherNumbersOnOtherProcesses) {
  Session session;
  const int another = rank() == 0 ? NGA_Register_type(11) : 0, type = NGA_Register_type(7);
  int64_t shape[] = {10};
  const int handle = GA_Create_handle();
  GA_Set_data64(handle, 1, shape, type);
  GA_Allocate(handle);
  EXPECT_TRUE(tridap::globalarrays::destroy(handle, MPI_COMM_WORLD));
  NGA_Deregister_type(type);
  if (rank() == 0) NGA_Deregister_type(another);
}

TEST(Destroy, NeedsACommunicator) {
  Session session;
  const int handle = made(10);
  EXPECT_THROW(tridap::globalarrays::destroy(handle, MPI_COMM_NULL), tridap::Error);
  EXPECT_TRUE(tridap::globalarrays::destroy(handle, MPI_COMM_WORLD));
}

TEST(Destroy, OneBadHandleFailsEveryProcessAndChangesNothing) {
  Session session;
  const int handle = made(10), other = made(11);
  const bool bad = rank() == processes() - 1;
  on::expect_says(on::error_text([&] { tridap::globalarrays::destroy(bad ? -1 : handle, MPI_COMM_WORLD); }),
                  "no Global Array");
  EXPECT_EQ(pool().serial(handle), 0);
  int64_t shape[] = {10};
  const int unallocated = GA_Create_handle();
  GA_Set_data64(unallocated, 1, shape, C_DBL);
  on::expect_says(on::error_text([&] { tridap::globalarrays::destroy(bad ? unallocated : handle, MPI_COMM_WORLD); }),
                  "no Global Array");
  GA_Allocate(unallocated);
  GA_Destroy(unallocated);
  if (processes() > 1) {
    on::expect_says(on::error_text([&] { tridap::globalarrays::destroy(bad ? other : handle, MPI_COMM_WORLD); }),
                    "different shapes");
    EXPECT_EQ(pool().serial(handle) + pool().serial(other), 0);
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, bad ? 1 : 0, 0, &half);
    on::expect_says(on::error_text([&] { tridap::globalarrays::destroy(handle, half); }),
                    "is not on the processes of the communicator");
    MPI_Comm_free(&half);
  }
  EXPECT_TRUE(tridap::globalarrays::destroy(handle, MPI_COMM_WORLD));
  EXPECT_TRUE(tridap::globalarrays::destroy(other, MPI_COMM_WORLD));
}

// Groups of even and of odd processes: one array then has other numbers on other processes.
TEST(Groups, FreeTheirArraysAmongThemselves) {
  Session session;
  std::vector<int> members[2];
  for (int r = 0; r < processes(); ++r) members[r % 2].push_back(r);
  if (processes() == 1) members[1] = {0};
  int groups[2];
  for (int g = 0; g < 2; ++g) groups[g] = GA_Pgroup_create(members[g].data(), static_cast<int>(members[g].size()));
  const int mine = groups[rank() % 2];
  std::vector<tridap::globalarrays::GlobalArray> arrays;
  if (rank() % 2 == 0) arrays.push_back(kept(made(20, mine)));
  arrays.push_back(kept(made(30)));  // on all; of different numbers
  if (rank() % 2 == 1) arrays.push_back(kept(made(20, mine)));
  const int others = made(40, mine);
  EXPECT_EQ(tridap::globalarrays::held(), 2);
  EXPECT_EQ(tridap::globalarrays::collect(), 0);

  EXPECT_NE(on::error_text([&] { tridap::globalarrays::destroy(others, MPI_COMM_WORLD); }) == "", processes() > 1);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, -rank(), &half);  // in the other order, which is the same array
  if (processes() > 1) {
    EXPECT_TRUE(tridap::globalarrays::destroy(others, half));
    EXPECT_FALSE(GA_Verify_handle(others));
  }
  MPI_Comm_free(&half);

  const int on_all = arrays[rank() % 2 == 0 ? 1 : 0].handle(), on_mine = arrays[rank() % 2 == 0 ? 0 : 1].handle();
  for (const int handle : {on_all, on_mine}) EXPECT_EQ(pool().serial(handle), 1);
  if (rank() % 2 == 0) arrays.erase(arrays.begin());  // the even ones' own
  EXPECT_EQ(tridap::globalarrays::collect(), rank() % 2 == 0 ? 1 : 0);
  EXPECT_TRUE(GA_Verify_handle(on_all));
  arrays.clear();
  EXPECT_EQ(tridap::globalarrays::collect(), rank() % 2 == 0 ? 1 : 2);
  EXPECT_FALSE(GA_Verify_handle(on_all));
  EXPECT_FALSE(processes() > 1 && GA_Verify_handle(on_mine));
}

// The first array of each group: alike in all but the group.
TEST(Groups, ArraysOfTwoAreNotOneArray) {
  if (processes() < 3) GTEST_SKIP() << "needs at least 3 processes";
  Session session;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank() < 2 ? 0 : MPI_UNDEFINED, 0, &comm);
  tridap::globalarrays::make_group(comm);
  const tridap::Distribution line = tridap::Distribution::make({4}, {tridap::block()}, {2});
  const auto made_on = [&](MPI_Comm on) {
    return tridap::globalarrays::allocate(line, tridap::element_type<double>(), on);
  };
  const auto is_shared = [&](const tridap::DistArray& array) {
    return tridap::globalarrays::import_array(array, comm, tridap::Copy::if_needed).receipt.shared;
  };
  const tridap::DistArray of_all = made_on(MPI_COMM_WORLD);
  if (comm != MPI_COMM_NULL) {
    const tridap::DistArray of_two = made_on(comm);
    EXPECT_TRUE(is_shared(of_two));
    EXPECT_FALSE(is_shared(rank() == 0 ? of_all : of_two));
    MPI_Comm_free(&comm);
  }
}

TEST(Types, AreRegisteredOnceForAllSessions) {
  const tridap::ElementType triple{tridap::ElementType::Kind::opaque, 24, true};
  int number = 0;
  for (int turn = 0; turn < 3; ++turn) {
    Session session;
    EXPECT_EQ(tridap::globalarrays::ga_type(tridap::element_type<double>()), C_DBL);
    const int again = tridap::globalarrays::ga_type(triple);
    EXPECT_TRUE(turn == 0 || again == number);
    number = again;
    const tridap::ElementType* const known = tridap::globalarrays::element_type_of(number);
    ASSERT_NE(known, nullptr);
    EXPECT_EQ(*known, triple);
    EXPECT_EQ(tridap::globalarrays::element_type_of(number + 1), nullptr);
    char name[] = "triples";
    int64_t dims[] = {8 * processes()}, lo[1], hi[1], ld[1];
    const int handle = NGA_Create64(number, 1, dims, name, nullptr);
    NGA_Distribution64(handle, rank(), lo, hi);
    char *first = nullptr, *second = nullptr;
    NGA_Access64(handle, lo, hi, &first, ld);
    ++lo[0];
    NGA_Access64(handle, lo, hi, &second, ld);
    EXPECT_EQ(second - first, 24);  // GA knows it yet
    GA_Destroy(handle);
  }
}

TEST(Types, RefusesWhereGaHasNoRoom) {
  Session session;
  std::vector<int> numbers;
  for (int number = NGA_Register_type(5); number >= 0; number = NGA_Register_type(5)) numbers.push_back(number);
  const tridap::ElementType other{tridap::ElementType::Kind::opaque, 48, true};
  for (int turn = 0; turn < 2; ++turn)
    on::expect_says(on::error_text([&] { tridap::globalarrays::ga_type(other); }), "cannot register another type");
  for (const int number : numbers) NGA_Deregister_type(number);
  EXPECT_GE(tridap::globalarrays::ga_type(other), 0);
}
