#include "call.hpp"

#include <tridap/detail/refuse.hpp>

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
