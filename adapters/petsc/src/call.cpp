#include "call.hpp"

#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/duplicates.hpp>
#include <tridap/petsc/compat.hpp>

#include <exception>
#include <memory>
#include <new>
#include <optional>

namespace tridap::petsc {

namespace detail {

QuietErrors::QuietErrors() {
  if (PetscPushErrorHandler(keep, this) != 0) throw std::bad_alloc();
}

QuietErrors::~QuietErrors() { PetscPopErrorHandler(); }

// PETSc calls this function once for each function on its way out; the first one has the message.
PetscErrorCode QuietErrors::keep(MPI_Comm, int, const char* function, const char*, PetscErrorCode code,
                                 PetscErrorType type, const char* message, void* self) {
  if (type != PETSC_ERROR_INITIAL) return code;
  try {
    std::string& text = static_cast<QuietErrors*>(self)->text_;
    text = message == nullptr ? "" : message;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    if (function != nullptr)
      text += (text.empty() ? "in " : " (in ") + std::string(function) + (text.empty() ? "" : ")");
  } catch (const std::exception&) {  // no exception may pass through PETSc's C functions
  }
  return code;
}

void call_failed(PetscErrorCode code, const char* function, const std::string& text) {
  const char* general = nullptr;
  if (PetscErrorMessage(static_cast<int>(code), &general, nullptr) != 0 || general == nullptr) general = "";
  std::string said = std::string(function) + " of PETSc failed: " + general;
  if (!text.empty()) said += (general[0] == '\0' ? "" : ": ") + text;
  refuse(said, "", "see PETSc's manual page of " + std::string(function));
}

}  // namespace detail

thread_local detail::QuietErrors* QuietCalls::innermost_ = nullptr;

namespace {

// PETSc's communicator has the duplicates of the user's as an attribute: these know whether the user's still exists.
using UsersComm = std::shared_ptr<mpi::Duplicates>;

int key_of_users_comm() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    const auto forget = [](MPI_Comm, int, void* kept, void*) -> int {
      delete static_cast<UsersComm*>(kept);
      return MPI_SUCCESS;
    };
    mpi::must_succeed(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &made, nullptr), "MPI_Comm_create_keyval");
    return made;
  }();
  return key;
}

const UsersComm* kept_users_comm(MPI_Comm of_petsc) {
  UsersComm* kept = nullptr;
  int found = 0;
  mpi::must_succeed(MPI_Comm_get_attr(of_petsc, key_of_users_comm(), &kept, &found), "MPI_Comm_get_attr");
  return found != 0 ? kept : nullptr;
}

}  // namespace

MPI_Comm users_comm(PetscObject object) {
  if (const std::optional<MPI_Comm> said = compat::users_comm(object)) return *said;
  const MPI_Comm own = PetscObjectComm(object);
  const UsersComm* const kept = kept_users_comm(own);
  const MPI_Comm caller = kept != nullptr ? (*kept)->caller() : MPI_COMM_NULL;
  return caller != MPI_COMM_NULL ? caller : own;
}

void keep_users_comm(PetscObject object, MPI_Comm users) {
  const MPI_Comm own = PetscObjectComm(object);
  if (own == users || compat::users_comm(object) || kept_users_comm(own) != nullptr) return;
  auto* const kept = new UsersComm(mpi::duplicates_of(users));  // belongs to MPI, also if the call fails
  mpi::must_succeed(MPI_Comm_set_attr(own, key_of_users_comm(), kept), "MPI_Comm_set_attr");
}

bool petsc_is_there() {
  PetscBool begun = PETSC_FALSE, ended = PETSC_FALSE;
  return PetscInitialized(&begun) == 0 && PetscFinalized(&ended) == 0 && begun == PETSC_TRUE && ended == PETSC_FALSE;
}

void need_petsc() {
  if (petsc_is_there()) return;
  PetscBool ended = PETSC_FALSE;
  PetscFinalized(&ended);
  refuse(ended == PETSC_TRUE ? "PETSc is finalised" : "PETSc is not initialised", "",
         ended == PETSC_TRUE ? "call this before PetscFinalize" : "call PetscInitialize first");
}

}  // namespace tridap::petsc
