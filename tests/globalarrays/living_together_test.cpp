// MPI, Global Arrays, and Kokkos and Tpetra where they are there, in one program, in the order that its argument names:
// begun, used and ended, left by an exception, let go of after MPI and after main. It is well if it ends, without a
// crash, and all that it looked at was right.

#include "globalarrays/living_together.hpp"

#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

using namespace living;
using tridap::globalarrays::HandlePool;

namespace {

// Destroyed after main, and after what main did with MPI.
Owner kept_after_main;
std::unique_ptr<Session> session_after_main;

bool over() { return GA_Initialized() == 0; }
bool going() { return !over(); }

bool last() { return rank() == processes() - 1; }

// Whether all processes get here; where one waits for another in GA's end, none does.
bool all_are_here() {
  int count = 1;
  MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return count == processes();
}

bool twice() {
  for (int turn = 0; turn < 3; ++turn) {
    Session session;
    check(going() && ga_works());
    check(turn != 1 || (session.close(), over()));
    session.close();  // again: nothing
  }
  return over();
}

bool nested() {
  Session session;
  {
    Session inner;
    check(ga_works());
  }
  check(going() && ga_works());
  session.close();
  return over();
}

bool joined() {
  GA_Initialize();
  {
    Session session;
    check(ga_works());
  }
  check(going() && ga_works());
  {
    Session session;
    session.close();
  }
  check(going() && ga_works());
  GA_Terminate();
  Session session;
  check(ga_works());
  session.close();
  return over();
}

bool joined_and_left_to_mpi() {
  GA_Initialize();
  const int handle = made(100);
  kept_after_main = pinned(handle);
  Session session;
  check(ga_works());
  MPI_Finalize();  // GA is the user's: it goes on, for what that is worth
  check(!HandlePool::is_there(kept_after_main));
  return tridap::globalarrays::held() == 0;
}

bool ended_by_the_user() {
  Owner pin;
  {
    Session session;
    pin = pinned(made(10));
    check(HandlePool::is_there(pin) && tridap::globalarrays::held() == 1);
    GA_Terminate();
    check(!HandlePool::is_there(pin) && tridap::globalarrays::held() == 0);
  }
  Session session;
  check(ga_works() && !HandlePool::is_there(pin));
  GA_Terminate();
  GA_Initialize();
  pin = pinned(made(10));
  check(ga_works());
  session.close();  // GA is the user's now, but something is held
  return false;
}

bool ended_by_the_user_and_begun_anew() {
  try {
    ended_by_the_user();
  } catch (const tridap::Error&) {
    check(going() && ga_works() && tridap::globalarrays::held() == 0);
    GA_Terminate();
    return over();
  }
  return false;
}

bool held_beyond_the_session() {
  Owner pin;
  {
    Session session;
    pin = pinned(made(10 * processes()));
    if (!last()) pin.reset();
  }
  check(going() && ga_works() && (!last() || HandlePool::is_there(pin)));
  {
    Session session;
    check(ga_works());
  }
  check(going());
  pin.reset();
  { Session session; }  // ends what the first one began
  return over();
}

bool held_until_mpi_ends() {
  Owner pin;
  {
    Session session;
    pin = pinned(made(10));
  }
  check(going());
  pin.reset();
  MPI_Finalize();
  return over();
}

bool held_beyond_mpi() {
  std::vector<Owner> pins;
  Session session;
  for (int i = 0; i < 4; ++i) pins.push_back(pinned(made(10 * processes())));
  kept_after_main = last() ? pins[0] : nullptr;
  MPI_Finalize();
  check(!HandlePool::is_there(pins[1]) && tridap::globalarrays::held() == 0);
  std::thread([one = std::move(pins[2])]() mutable { one.reset(); }).join();
  return true;
}

bool session_beyond_mpi() {
  session_after_main = std::make_unique<Session>();
  check(ga_works());
  MPI_Finalize();
  return over();
}

bool session_beyond_mpi_on_one() {
  auto session = std::make_unique<Session>();
  check(ga_works());
  if (last()) session_after_main = std::move(session);
  session.reset();  // waits for the last one, which is in MPI_Finalize
  MPI_Finalize();
  return over();
}

void leave_early(bool early) {
  try {
    Session session;
    check(ga_works());
    if (early) throw std::runtime_error("early");
  } catch (const std::runtime_error&) {
  }
}

bool left_by_one() {
  leave_early(last());
  check(all_are_here() && going() && ga_works());
  MPI_Finalize();
  return over();
}

bool left_by_all() {
  leave_early(true);
  check(all_are_here() && going());
  MPI_Finalize();
  return over();
}

bool left_and_begun_again() {
  for (int turn = 0; turn < 3; ++turn) {
    leave_early(turn == 0 ? last() : turn == 1 ? rank() == 0 : true);
    check(all_are_here() && going());
  }
  leave_early(false);
  check(over());
  leave_early(last());
  MPI_Finalize();
  return over();
}

bool left_for_mpi_finalize() {  // one is in MPI_Finalize while the others have Sessions yet
  Owner pin;
  try {
    Session session;
    pin = pinned(made(10));
    if (last()) throw std::runtime_error("early");
  } catch (const std::runtime_error&) {
    pin.reset();
    MPI_Finalize();
    return over();
  }
  { Session session; }
  check(going());  // the others hold the array
  pin.reset();
  { Session session; }
  check(over());
  MPI_Finalize();
  return over();
}

bool left_with_arrays() {
  try {
    Session session;
    const Owner pin = pinned(made(10));
    kept_after_main = rank() == 0 ? pin : nullptr;
    if (last()) throw std::runtime_error("early");
  } catch (const std::runtime_error&) {
  }
  check(all_are_here() && going());
  MPI_Finalize();
  return tridap::globalarrays::held() == 0;
}

bool left_by_one_and_closed_by_others() {
  bool refused = false;
  try {
    Session session;
    if (last()) throw std::runtime_error("early");
    session.close();
  } catch (const tridap::Error&) {
    refused = true;
  } catch (const std::runtime_error&) {
  }
  check(all_are_here() && refused == !last() && going());
  MPI_Finalize();
  return over();
}

bool left_and_ended_by_the_user() {
  leave_early(last());
  check(all_are_here());
  GA_Terminate();
  leave_early(false);
  return over();
}

const std::map<std::string, bool (*)()> with_mpi = {
    {"twice", twice},
    {"nested", nested},
    {"joined", joined},
    {"joined_and_left_to_mpi", joined_and_left_to_mpi},
    {"ended_by_the_user", ended_by_the_user_and_begun_anew},
    {"held_beyond_the_session", held_beyond_the_session},
    {"held_until_mpi_ends", held_until_mpi_ends},
    {"held_beyond_mpi", held_beyond_mpi},
    {"session_beyond_mpi", session_beyond_mpi},
    {"session_beyond_mpi_on_one", session_beyond_mpi_on_one},
    {"left_by_one", left_by_one},
    {"left_by_all", left_by_all},
    {"left_and_begun_again", left_and_begun_again},
    {"left_for_mpi_finalize", left_for_mpi_finalize},
    {"left_with_arrays", left_with_arrays},
    {"left_by_one_and_closed_by_others", left_by_one_and_closed_by_others},
    {"left_and_ended_by_the_user", left_and_ended_by_the_user},
};

// As between nodes that no window of Open MPI spans: GA would end the program.
bool without_windows() {
#ifdef OPEN_MPI
  setenv("OMPI_MCA_osc", "^sm,rdma,ucx,pt2pt,monitoring,portals4", 1);
  MPI_Init(nullptr, nullptr);
  std::string said;
  try {
    Session session;
  } catch (const tridap::Error& error) {
    said = error.what();
  }
  MPI_Finalize();
  return said.find("MPI has no window over all processes") != std::string::npos &&
         said.find("OMPI_MCA_osc=ucx") != std::string::npos;
#else
  return true;
#endif
}

bool without_mpi() {
  const auto refused = [] {
    try {
      Session session;
    } catch (const tridap::Error&) {
      return true;
    }
    return false;
  };
  check(refused());
  MPI_Init(nullptr, nullptr);
  { Session session; }
  MPI_Finalize();
  return refused();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string order = argc > 1 ? argv[1] : "";
  bool well = false;
  try {
    if (const auto one = with_mpi.find(order); one != with_mpi.end()) {
      MPI_Init(&argc, &argv);
      well = one->second();
    } else if (order == "without_mpi") {
      well = without_mpi();
    } else if (order == "without_windows") {
      well = without_windows();
    } else {
      well = with_kokkos(order, argc, argv);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", order.c_str(), error.what());
  }
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended == 0) MPI_Finalize();
  if (!well) std::fprintf(stderr, "%s is not well\n", order.c_str());
  return well && checked() ? 0 : 1;
}
