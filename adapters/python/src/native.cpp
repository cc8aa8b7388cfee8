#include "native.hpp"

#include <tridap/internal/call.hpp>
#include <tridap/kokkos/compat.hpp>

#include <mpi.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace tridap::python {

namespace {

// Never destroyed: objects are released until the very end of the process.
struct Inside {
  std::recursive_mutex entered;
  std::mutex guard;
  std::vector<std::shared_ptr<void>> left_behind;    // protected by `guard`
  std::vector<std::weak_ptr<EndsWithMpi>> with_mpi;  // protected by `guard`
  int depth = 0;                                     // protected by `entered`
};

Inside& inside() {
  static auto* const state = new Inside;
  return *state;
}

void let_go() {  // called inside of Trilinos
  int finalized = 0;
  MPI_Finalized(&finalized);
  // Tpetra's objects need MPI until they are destroyed: now they are kept until the process ends.
  if (finalized != 0) return;
  std::vector<std::shared_ptr<void>> dead;
  {
    const std::lock_guard<std::mutex> lock(inside().guard);
    dead.swap(inside().left_behind);
  }
}

// MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF.
int at_finalize(MPI_Comm, int, void*, void*) {
  if (!inside().entered.try_lock()) return MPI_SUCCESS;  // a daemon thread uses the objects
  if (inside().depth == 0) {
    std::vector<std::weak_ptr<EndsWithMpi>> all;
    {
      const std::lock_guard<std::mutex> lock(inside().guard);
      all.swap(inside().with_mpi);
    }
    for (const auto& each : all)
      if (const auto object = each.lock()) object->let_go();
    let_go();
  }
  inside().entered.unlock();
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

Native::Native() {
  inside().entered.lock();
  ++inside().depth;
}

Native::~Native() {
  let_go();
  --inside().depth;
  inside().entered.unlock();
}

void end_with_mpi(const std::shared_ptr<EndsWithMpi>& object) {
  const std::lock_guard<std::mutex> lock(inside().guard);
  watch_finalize();
  std::vector<std::weak_ptr<EndsWithMpi>>& all = inside().with_mpi;
  if (all.size() == all.capacity())
    all.erase(std::remove_if(all.begin(), all.end(), [](const auto& each) { return each.expired(); }), all.end());
  all.push_back(object);
}

void release_inside(std::shared_ptr<void> owned) {
  {
    const std::lock_guard<std::mutex> lock(inside().guard);
    inside().left_behind.push_back(std::move(owned));
  }
  if (!inside().entered.try_lock()) return;
  let_go();
  inside().entered.unlock();
}

void need_kokkos() {
  if (!Kokkos::is_initialized()) kokkos::compat::initialize_quietly();
}

}  // namespace tridap::python
