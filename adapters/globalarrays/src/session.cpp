#include "ending.hpp"
#include "ga.hpp"
#include "group.hpp"
#include "handle_pool.hpp"
#include "lasting.hpp"
#include "named.hpp"
#include "room.hpp"
#include <tridap/globalarrays/session.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/shown_call.hpp>
#include <tridap/mpi/agree.hpp>

#include <algorithm>
#include <exception>
#include <list>
#include <string>
#include <utility>
#include <vector>

namespace tridap::globalarrays {

namespace {

// A process's vote on ending GA. The result is the largest value of each member over all processes. Every process votes
// at every end of a Session, and in MPI_Finalize until all are there. A process that is elsewhere takes part in the
// others' votes later, in their order.
struct Vote {
  Index left = 0;     // 1: an exception destroyed the Session; the process does not wait for the others
  Index outside = 0;  // 1: not in MPI_Finalize yet
};

struct Ballot {
  Vote mine, all;
  MPI_Request counted = MPI_REQUEST_NULL;
};

// The state of this process, as long as this library has to end GA.
struct Ours {
  bool to_end = false;             // a Session began GA
  MPI_Comm votes = MPI_COMM_NULL;  // of GA's processes, only for votes
  std::list<Ballot> blank;         // made before they are needed: a process without memory must vote too
  std::list<Ballot> cast;          // in their order; kept as long as MPI may use them
  std::list<Ballot> uncounted;     // whose results are not needed any more
};

Ours& ours() {
  static Lasting<Ours> one;
  return *one;
}

// Makes two ballots: one to leave the Session, and one to end in MPI_Finalize after that. Local.
void need_blank_ballots() {
  while (ours().blank.size() < 2) ours().blank.emplace_back();
}

int sessions = 0;  // number of open ones

void cast(Vote vote) {
  std::list<Ballot>&blank = ours().blank, &cast = ours().cast;
  cast.splice(cast.end(), blank, blank.begin());
  Ballot& one = cast.back();
  one.mine = vote;
  mpi::must_succeed(MPI_Iallreduce(&one.mine, &one.all, 2, MPI_INT64_T, MPI_MAX, ours().votes, &one.counted),
                    "MPI_Iallreduce");
}

// **Collective**, together with the processes that voted earlier and went on.
Vote vote_and_count(Vote vote) {
  cast(vote);
  for (Ballot& one : ours().cast) mpi::must_succeed(MPI_Wait(&one.counted, MPI_STATUS_IGNORE), "MPI_Wait");
  const Vote all = ours().cast.back().all;
  ours().blank.splice(ours().blank.end(), ours().cast);
  return all;
}

std::vector<Index> held_by_all() {
  HandlePool::all().collect();
  std::vector<Index> held = mpi::collectively(GA_MPI_Comm(), [] {
    const int all = GA_Pgroup_get_world();  // GA_Nodeid() is a rank in the default group
    std::vector<Index> here(static_cast<std::size_t>(GA_Pgroup_nnodes(all)), 0);
    here[static_cast<std::size_t>(GA_Pgroup_nodeid(all))] = HandlePool::all().held();
    return here;
  });
  mpi::MpiCollectives(GA_MPI_Comm()).max(held);
  return held;
}

bool none(const std::vector<Index>& held) {
  return std::count(held.begin(), held.end(), 0) == static_cast<Index>(held.size());
}

// Ends GA if no process holds an array any more: on all processes or on none. Returns how many arrays each process
// holds. **Collective.**
std::vector<Index> end_if_free() {
  std::vector<Index> held = held_by_all();
  if (!none(held)) return held;
  MPI_Comm votes = ours().votes;
  GA_Pgroup_set_default(GA_Pgroup_get_world());  // with another default group, GA_Terminate hangs
  GA_Terminate();
  ga_has_ended();  // called again here, in case GA keeps its communicator
  mpi::must_succeed(MPI_Comm_free(&votes), "MPI_Comm_free");
  return held;
}

// GA has ended, by this library or by other code: the votes are not counted any more.
void forget_ours() {
  ours().uncounted.splice(ours().uncounted.end(), ours().cast);
  ours().votes = MPI_COMM_NULL;
  ours().to_end = false;
}

void end_in_finalize() {
  while (ours().to_end && GA_Initialized() != 0) {
    const Vote all = vote_and_count({0, 0});
    if (all.left == 0) end_if_free();
    if (all.outside == 0) return;
  }
}

// GA makes a window of all processes when it begins. It ends the program if MPI has no window that reaches all of them.
// So this function makes one first, with errors that return. **Collective.**
void need_windows() {
  const mpi::Duplicate comm(MPI_COMM_WORLD);
  mpi::must_succeed_everywhere(MPI_Comm_set_errhandler(comm.get(), MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler",
                               MPI_COMM_WORLD);
  void* memory = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  const int made = MPI_Win_allocate(sizeof(double), 1, MPI_INFO_NULL, comm.get(), &memory, &window);
  mpi::collectively(MPI_COMM_WORLD, [&] {
    if (made == MPI_SUCCESS) return;
    std::string text(MPI_MAX_ERROR_STRING, '\0');
    int length = 0;
    MPI_Error_string(made, text.data(), &length);
    refuse("MPI has no window over all processes, which Global Arrays needs (MPI_Win_allocate: " +
               text.substr(0, static_cast<std::size_t>(length)) + ")",
           "", windows_between_nodes());
  });
  mpi::must_succeed(MPI_Win_free(&window), "MPI_Win_free");
}

void begin() {
  need_windows();
  mpi::collectively(MPI_COMM_WORLD, need_blank_ballots);
  GA_Initialize();
  ours().votes = mpi::Duplicate(GA_MPI_Comm()).release();
  ours().to_end = true;
  at_ga_end(forget_ours);
  at_mpi_end(end_in_finalize);
}

void make_allocator(Index allocator_doubles) {
  if (allocator_doubles <= 0 || MA_initialized() != 0) return;
  const auto doubles = static_cast<Integer>(allocator_doubles);
  const bool made = MA_init(MT_C_DBL, doubles, doubles) != 0;
  mpi::collectively(GA_MPI_Comm(), [&] {
    if (!made) refuse("GA's memory allocator could not get its memory", "", "set fewer allocator_doubles");
  });
}

bool mpi_is_over() {
  int ended = 0;
  MPI_Finalized(&ended);
  return ended != 0;
}

}  // namespace

Session::Session(const SessionOptions& options) : exceptions_(std::uncaught_exceptions()) {
  int begun = 0;
  MPI_Initialized(&begun);
  if (begun == 0 || mpi_is_over())
    refuse(begun == 0 ? "MPI is not initialised" : "MPI is finalised", "",
           "make the Session between MPI_Init and MPI_Finalize");
  const bool begins = GA_Initialized() == 0;
  if (begins || (options.allocator_doubles > 0 && MA_initialized() == 0)) {  // the same on every process
    const mpi::Call call(begins ? MPI_COMM_WORLD : all_processes(), "globalarrays::Session",
                         mpi::Library::globalarrays);
    if (begins) begin();
    make_allocator(options.allocator_doubles);
  }
  ends_ = ours().to_end && sessions == 0;
  if (ends_) need_blank_ballots();  // begin() did; needed again if an exception destroyed the last Session
  open_ = true;
  ++sessions;
}

Session::~Session() {
  if (!open_) return;
  --sessions;
  if (!ends_ || !ours().to_end || mpi_is_over() || GA_Initialized() == 0) return;
  const mpi::ShownCall shown("the end of a globalarrays::Session");
  try {
    if (std::uncaught_exceptions() > exceptions_) {
      cast({1, 1});  // the others may be elsewhere
    } else if (vote_and_count({0, 1}).left == 0) {
      end_if_free();
    }
  } catch (const std::exception&) {  // a destructor cannot report it
  }
}

void Session::close() {
  if (!open_) return;
  if (!mpi_is_over() && GA_Initialized() != 0) {
    const mpi::ShownCall shown("globalarrays::Session::close");
    const bool end = ends_ && ours().to_end;
    if (end && vote_and_count({0, 1}).left != 0)
      refuse("the Session of a process was destroyed by an exception", "", "let MPI_Finalize terminate Global Arrays");
    Report report;
    const std::vector<Index> held = end ? end_if_free() : held_by_all();
    for (std::size_t rank = 0; rank < held.size(); ++rank)
      if (held[rank] > 0)
        report.add({Rule::conversion,
                    static_cast<Index>(rank),
                    {},
                    "",
                    std::to_string(held[rank]) + " Global Arrays are held",
                    "",
                    "destroy each GlobalArray and each exported array first"});
    throw_if_wrong(report);
  }
  open_ = false;
  --sessions;
}

}  // namespace tridap::globalarrays
