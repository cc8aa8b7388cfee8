#include "ga.hpp"
#include "pool.hpp"
#include <dap/globalarrays/session.hpp>
#include <dap/mpi/agree.hpp>
#include <dap/report.hpp>

#include <exception>
#include <string>

namespace dap::globalarrays {

namespace {

Error refused(const std::string& fault, const std::string& remedy) {
  return Error(Finding{Rule::conversion, {}, {}, "", fault, "", remedy});
}

// How often a process has tried to end GA: at the Session's end, and in MPI_Finalize. All try as often, whoever leaves
// the Session by an exception, too: that one's first try is in MPI_Finalize, and meets the others' at their Session's
// end.
int tries = 0;
bool to_end = false;  // we began it

// Ends GA where nobody holds an array any more: on all processes or on none. **Collective.**
bool end_if_free() {
  Pool::all().collect();
  std::vector<Index> held = {Pool::all().held()};
  mpi::Team(GA_MPI_Comm()).largest(held);
  if (held[0] > 0) return false;
  Pool::all().forget();
  GA_Terminate();
  to_end = false;
  return true;
}

// Called first of all by MPI_Finalize, while everything still works.
int at_finalize(MPI_Comm, int, void*, void*) {
  while (to_end && GA_Initialized() != 0 && tries < 2) {
    ++tries;
    end_if_free();
  }
  Pool::all().forget();
  return MPI_SUCCESS;
}

void end_in_finalize() {
  static bool set = false;
  if (set) return;
  set = true;
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
}

}  // namespace

Session::Session(const SessionOptions& options) : exceptions_(std::uncaught_exceptions()) {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (begun == 0 || ended != 0)
    throw refused(begun == 0 ? "MPI has not begun" : "MPI has ended",
                  "make the Session between MPI_Init and MPI_Finalize");
  if (GA_Initialized() == 0) {
    GA_Initialize();
    began_ = to_end = true;
    tries = 0;
    end_in_finalize();
  }
  if (options.allocator_doubles > 0 && MA_initialized() == 0) {
    const auto doubles = static_cast<Integer>(options.allocator_doubles);
    const bool made = MA_init(MT_C_DBL, doubles, doubles) != 0;
    mpi::collectively(GA_MPI_Comm(), [&] {
      if (!made) throw refused("GA's memory allocator got no memory", "ask for fewer allocator_doubles");
    });
  }
  open_ = true;
}

Session::~Session() {
  if (!open_ || !began_ || !to_end || GA_Initialized() == 0) return;
  if (std::uncaught_exceptions() > exceptions_) return;  // others may be elsewhere
  ++tries;
  end_if_free();
}

void Session::close() {
  if (!open_) return;
  Pool::all().collect();
  mpi::collectively(GA_MPI_Comm(), [] {
    const Index held = Pool::all().held();
    if (held > 0) throw refused(std::to_string(held) + " arrays of Global Arrays are held", "let go of them first");
  });
  open_ = false;
  if (!began_) return;
  Pool::all().forget();
  GA_Terminate();
  to_end = false;
}

}  // namespace dap::globalarrays
