#include "native.hpp"

#include <tridap/kokkos/compat.hpp>

#include <mpi.h>

#include <mutex>
#include <utility>
#include <vector>

namespace tridap::python {

namespace {

// Never destroyed: objects are released until the very end of the process.
struct Inside {
  std::recursive_mutex entered;
  std::mutex guard;
  std::vector<std::shared_ptr<void>> left_behind;  // protected by `guard`
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

}  // namespace

Native::Native() { inside().entered.lock(); }

Native::~Native() {
  let_go();
  inside().entered.unlock();
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
