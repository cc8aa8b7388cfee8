#include "comms.hpp"

#include "access.hpp"
#include "call.hpp"
#include <tridap/internal/call.hpp>
#include <tridap/internal/duplicates.hpp>
#include <tridap/petsc/compat.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tridap::petsc {

namespace {

// The duplicates of a user's communicator know whether it still exists.
using UsersComm = std::shared_ptr<mpi::Duplicates>;

struct KeptComm {
  MPI_Comm of_petsc;  // with one reference of ours
  UsersComm users;
};

// Never destroyed, as PETSc may end after static objects.
std::vector<KeptComm>& all_kept() {
  static auto* const all = new std::vector<KeptComm>;
  return *all;
}

const KeptComm* kept(MPI_Comm of_petsc) {
  for (const KeptComm& one : all_kept())
    if (one.of_petsc == of_petsc) return &one;
  return nullptr;
}

}  // namespace

MPI_Comm users_comm(PetscObject object) {
  if (const std::optional<MPI_Comm> said = compat::users_comm(object)) return *said;
  const MPI_Comm own = PetscObjectComm(object);
  const KeptComm* const one = kept(own);
  const MPI_Comm caller = one != nullptr ? one->users->caller() : MPI_COMM_NULL;
  return caller != MPI_COMM_NULL ? caller : own;
}

void keep_users_comm(PetscObject object, MPI_Comm users) {
  const MPI_Comm own = PetscObjectComm(object);
  if (own == users || kept(own) != nullptr) return;
  call_at_end();
  all_kept().reserve(all_kept().size() + 1);
  KeptComm one{own, mpi::duplicates_of(users)};
  call("PetscCommDuplicate", [&] { return PetscCommDuplicate(own, &one.of_petsc, nullptr); });
  all_kept().push_back(std::move(one));
}

void give_back_comms(Which which) {
  std::vector<KeptComm>& all = all_kept();
  const auto first = std::stable_partition(all.begin(), all.end(), [&](const KeptComm& one) {
    return which == Which::of_freed && one.users->caller() != MPI_COMM_NULL;
  });
  std::vector<KeptComm> given_back(std::make_move_iterator(first), std::make_move_iterator(all.end()));
  all.erase(first, all.end());
  for (KeptComm& one : given_back) call("PetscCommDestroy", [&] { return PetscCommDestroy(&one.of_petsc); });
}

}  // namespace tridap::petsc
