#include "native.hpp"

#include <tridap/internal/call.hpp>
#include <tridap/internal/state.hpp>
#include <tridap/kokkos/compat.hpp>

#include <mpi.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace tridap::python {

namespace {

// Never destroyed: objects are released until the very end of the process.
struct Ending {
  std::mutex guard;
  std::vector<std::weak_ptr<EndsWithMpi>> all;
};

Ending& ending() {
  static auto* const state = new Ending;
  return *state;
}

// MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF.
int at_finalize(MPI_Comm, int, void*, void*) {
  mpi::LibraryLocks& locks = mpi::state().locks;
  mpi::ThreadCalls& thread = mpi::state().this_thread();
  const mpi::Libraries trilinos(mpi::Library::trilinos);
  if (locks.has(trilinos, thread)) return MPI_SUCCESS;  // the program ends inside of a callback
  mpi::LibraryLocks::Claim claim{0, trilinos};
  if (!locks.take_if_free(claim, thread)) return MPI_SUCCESS;  // a daemon thread uses the objects
  std::vector<std::weak_ptr<EndsWithMpi>> all;
  {
    const std::lock_guard<std::mutex> lock(ending().guard);
    all.swap(ending().all);
  }
  for (const auto& each : all)
    if (const auto object = each.lock()) object->let_go();
  locks.give(trilinos, thread);
  return MPI_SUCCESS;
}

void watch_finalize() {  // the caller holds `guard`
  static bool watched = false;
  if (std::exchange(watched, true)) return;
  int key = MPI_KEYVAL_INVALID;
  mpi::must_succeed(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, nullptr),
                    "MPI_Comm_create_keyval");
  mpi::must_succeed(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
  mpi::must_succeed(MPI_Comm_free_keyval(&key), "MPI_Comm_free_keyval");
}

}  // namespace

void end_with_mpi(const std::shared_ptr<EndsWithMpi>& object) {
  const std::lock_guard<std::mutex> lock(ending().guard);
  watch_finalize();
  std::vector<std::weak_ptr<EndsWithMpi>>& all = ending().all;
  if (all.size() == all.capacity())
    all.erase(std::remove_if(all.begin(), all.end(), [](const auto& each) { return each.expired(); }), all.end());
  all.push_back(object);
}

void need_kokkos() {
  if (!Kokkos::is_initialized()) kokkos::compat::initialize_quietly();
}

}  // namespace tridap::python
