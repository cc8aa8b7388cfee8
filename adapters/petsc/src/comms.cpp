#include "comms.hpp"

#include "access.hpp"
#include "call.hpp"
#include <tridap/internal/call.hpp>
#include <tridap/internal/duplicates.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/petsc/compat.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace tridap::petsc {

namespace {

struct KeptComm {
  MPI_Comm of_petsc;                       // with one reference of ours
  std::shared_ptr<mpi::Duplicates> users;  // they know whether the user's one still exists
  bool until_the_end;                      // the objects are on a duplicate, whose user's one was freed before

  bool is_freed() const { return !until_the_end && users->caller() == MPI_COMM_NULL; }
};

// It is never destroyed, because PETSc may end after static objects. Calls that begin read it without PETSc's lock.
struct KeptComms {
  std::vector<KeptComm> all;
  std::mutex mutex;
};

KeptComms& kept() {
  static auto* const one = new KeptComms;
  return *one;
}

// The user's communicator of one of PETSc; null if it was freed; absent: none is kept.
std::optional<MPI_Comm> kept_for(MPI_Comm of_petsc) {
  const std::lock_guard lock(kept().mutex);
  for (const KeptComm& each : kept().all)
    if (each.of_petsc == of_petsc) return each.users->caller();
  return {};
}

// Takes those for which it is true out of the list, in an order that is the same on every process.
template <class Condition>
std::vector<KeptComm> taken(Condition&& condition) {
  const std::lock_guard lock(kept().mutex);
  std::vector<KeptComm>& all = kept().all;
  const auto first =
      std::stable_partition(all.begin(), all.end(), [&](const KeptComm& each) { return !condition(each); });
  std::vector<KeptComm> found(std::make_move_iterator(first), std::make_move_iterator(all.end()));
  all.erase(first, all.end());
  std::sort(found.begin(), found.end(),
            [](const KeptComm& a, const KeptComm& b) { return a.users->number() < b.users->number(); });
  return found;
}

void give_back(std::vector<KeptComm> comms) {
  for (KeptComm& each : comms) call("PetscCommDestroy", [&] { return PetscCommDestroy(&each.of_petsc); });
}

bool has_the_processes_of(MPI_Comm one, MPI_Comm other) {
  int result = MPI_UNEQUAL;
  mpi::must_succeed(MPI_Comm_compare(one, other, &result), "MPI_Comm_compare");
  return result != MPI_UNEQUAL;
}

}  // namespace

MPI_Comm users_comm(PetscObject object) {
  if (const std::optional<MPI_Comm> said = compat::users_comm(object)) return *said;
  const MPI_Comm own = PetscObjectComm(object);
  const MPI_Comm caller = kept_for(own).value_or(MPI_COMM_NULL);
  return caller != MPI_COMM_NULL ? caller : own;
}

void give_back_comms(MPI_Comm comm) {
  const bool all = mpi::processes_of(comm) == mpi::processes_of(PETSC_COMM_WORLD);
  give_back(taken(
      [&](const KeptComm& each) { return each.is_freed() && (all || has_the_processes_of(each.of_petsc, comm)); }));
}

void keep_users_comm(PetscObject object, MPI_Comm users) {
  give_back_comms(users);
  const MPI_Comm own = PetscObjectComm(object);
  if (own == users || kept_for(own)) return;
  call_at_end();
  KeptComm made{own, mpi::duplicates_of(users), false};
  made.until_the_end = made.users->caller() != users;
  call("PetscCommDuplicate", [&] { return PetscCommDuplicate(own, &made.of_petsc, nullptr); });
  const std::lock_guard lock(kept().mutex);
  kept().all.push_back(std::move(made));
}

void give_back_all_comms() {
  std::vector<KeptComm> all = taken([](const KeptComm&) { return true; });
  if (compat::prints_after_finalizers) {  // PETSc frees this one itself, but for 8 bytes
    const auto is_worlds = [](const KeptComm& each) { return each.users->caller() == PETSC_COMM_WORLD; };
    all.erase(std::remove_if(all.begin(), all.end(), is_worlds), all.end());
  }
  give_back(std::move(all));
}

}  // namespace tridap::petsc
