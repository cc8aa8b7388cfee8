#include "ga.hpp"
#include "ga_session.hpp"
#include "room.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/globalarrays/session.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/shown_call.hpp>
#include <tridap/report.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

namespace tridap::globalarrays {

namespace {

int sessions = 0;  // number of open ones

// Does not wait for the others, and not for the result.
void cast(Vote vote) {
  GaSession& session = ga_session();
  Ballot& one = mpi::or_end_job("the end of a globalarrays::Session", session.votes, [&]() -> Ballot& {
    return session.cast.emplace_back(Ballot{vote, {}, MPI_REQUEST_NULL});
  });
  mpi::must_succeed(MPI_Iallreduce(&one.mine, &one.all, 2, MPI_INT64_T, MPI_MAX, session.votes, &one.counted),
                    "MPI_Iallreduce");
}

// **Collective**, together with the processes that voted earlier and went on.
Vote cast_and_count(Vote vote) {
  cast(vote);
  std::list<Ballot>& all = ga_session().cast;
  for (Ballot& one : all) mpi::must_succeed(MPI_Wait(&one.counted, MPI_STATUS_IGNORE), "MPI_Wait");
  const Vote counted = all.back().all;
  all.clear();
  return counted;
}

// How many arrays each process holds. **Collective.**
std::vector<Index> held_by_all() {
  return mpi::or_end_job("the end of a globalarrays::Session", MPI_COMM_WORLD, [] {
    HandlePool& pool = ga_session().pool;
    pool.collect();
    const int all = GA_Pgroup_get_world();  // GA_Nodeid() is a rank in the default group
    std::vector<Index> held(static_cast<std::size_t>(GA_Pgroup_nnodes(all)), 0);
    held[static_cast<std::size_t>(GA_Pgroup_nodeid(all))] = pool.held();
    mpi::MpiCollectives(GA_MPI_Comm()).max(held);
    return held;
  });
}

// Ends GA if no process holds an array any more: on all processes or on none. Returns how many arrays each process
// holds. **Collective.**
std::vector<Index> end_if_free() {
  std::vector<Index> held = held_by_all();
  if (std::any_of(held.begin(), held.end(), [](Index arrays) { return arrays > 0; })) return held;
  MPI_Comm votes = ga_session().votes;
  GA_Pgroup_set_default(GA_Pgroup_get_world());  // with another default group, GA_Terminate hangs
  GA_Terminate();
  ga_session().forget();  // in case GA keeps its communicator
  mpi::must_succeed(MPI_Comm_free(&votes), "MPI_Comm_free");
  return held;
}

void end_in_finalize() {
  while (ga_session().has_to_end() && GA_Initialized() != 0) {
    const Vote all = cast_and_count({0, 0});
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
  GA_Initialize();
  ga_session().votes = mpi::Duplicate(GA_MPI_Comm()).release();
  ga_session().in_finalize = end_in_finalize;
}

void make_allocator(Index allocator_doubles) {
  if (allocator_doubles <= 0 || MA_initialized() != 0) return;
  const auto doubles = static_cast<Integer>(allocator_doubles);
  const bool made = MA_init(MT_C_DBL, doubles, doubles) != 0;
  mpi::collectively(GA_MPI_Comm(), [&] {
    if (!made) refuse("GA's memory allocator could not get its memory", "", "set fewer allocator_doubles");
  });
}

}  // namespace

Session::Session(const SessionOptions& options) : exceptions_(std::uncaught_exceptions()) {
  int begun = 0;
  MPI_Initialized(&begun);
  if (begun == 0 || mpi::mpi_is_over())
    refuse(begun == 0 ? "MPI is not initialised" : "MPI is finalised", "",
           "make the Session between MPI_Init and MPI_Finalize");
  const bool begins = GA_Initialized() == 0;
  if (begins || MA_initialized() == 0) {  // the same on every process
    const mpi::Call call(begins ? MPI_COMM_WORLD : all_processes(), "globalarrays::Session", mpi::Library::globalarrays,
                         [&](mpi::Record& record) { record.add(options.allocator_doubles); });
    if (!call.is_same(0))
      refuse("the processes give allocator_doubles from " + std::to_string(call.smallest(0)) + " to " +
                 std::to_string(call.largest(0)),
             "must be the same on every process", "pass the same number on every process");
    call.run([&] {
      if (begins) begin();
      make_allocator(options.allocator_doubles);
    });
  }
  ends_ = sessions == 0 && ga_session().has_to_end();
  open_ = true;
  ++sessions;
}

Session::~Session() {
  if (!open_) return;
  --sessions;
  if (!ends_ || mpi::mpi_is_over() || GA_Initialized() == 0 || !ga_session().has_to_end()) return;
  const mpi::ShownCall shown("the end of a globalarrays::Session");
  try {
    if (std::uncaught_exceptions() > exceptions_) {
      cast({1, 1});  // the others may be elsewhere
    } else if (cast_and_count({0, 1}).left == 0) {
      end_if_free();
    }
  } catch (const std::exception&) {  // a destructor cannot report it
  }
}

void Session::close() {
  if (!open_) return;
  if (!mpi::mpi_is_over() && GA_Initialized() != 0) {
    const mpi::ShownCall shown("globalarrays::Session::close");
    const bool end = ends_ && ga_session().has_to_end();
    if (end && cast_and_count({0, 1}).left != 0)
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
