#include "ga_session.hpp"

#include "ga.hpp"
#include <tridap/internal/call.hpp>
#include <tridap/internal/duplicates.hpp>

#include <exception>

namespace tridap::globalarrays {

namespace {

// Calls `freed` when MPI frees a communicator.
void when_freed(MPI_Comm comm, MPI_Comm_delete_attr_function* freed) {
  int key = MPI_KEYVAL_INVALID;
  mpi::must_succeed(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, freed, &key, nullptr), "MPI_Comm_create_keyval");
  mpi::must_succeed(MPI_Comm_set_attr(comm, key, nullptr), "MPI_Comm_set_attr");
  mpi::must_succeed(MPI_Comm_free_keyval(&key), "MPI_Comm_free_keyval");
}

// GA frees its communicator when it ends.
int on_ga_end(MPI_Comm, int, void*, void*) {
  GaSession& session = ga_session();
  session.forget();
  session.is_watched = false;
  return MPI_SUCCESS;
}

// MPI_Finalize frees MPI_COMM_SELF first.
int on_mpi_end(MPI_Comm, int, void*, void*) {
  GaSession& session = ga_session();
  int status = MPI_SUCCESS;
  try {
    if (session.in_finalize != nullptr) session.in_finalize();
  } catch (const std::exception&) {  // no exception may pass through MPI's C functions
    status = MPI_ERR_OTHER;
  }
  session.forget();
  return status;
}

void watch(GaSession& session) {
  session.is_watched = true;
  if (mpi::mpi_is_over()) return;
  when_freed(GA_MPI_Comm(), on_ga_end);
  static bool mpi_is_watched = false;
  if (!mpi_is_watched) when_freed(MPI_COMM_SELF, on_mpi_end);
  mpi_is_watched = true;
}

}  // namespace

void GaSession::forget() {
  pool.forget();
  groups = {};
  votes = MPI_COMM_NULL;
  static auto* const uncounted = new std::list<Ballot>;  // MPI may still use them
  uncounted->splice(uncounted->end(), cast);
}

GaSession& ga_session() {
  static auto* const session = new GaSession;
  if (!session->is_watched && GA_Initialized() != 0) watch(*session);
  return *session;
}

}  // namespace tridap::globalarrays
