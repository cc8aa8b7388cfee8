#pragma once

#include <petscsys.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#pragma GCC visibility push(hidden)

namespace tridap::petsc {

namespace detail {

/// The text of the error that PETSc reports first, while this object exists: PETSc neither prints it nor ends the
/// program.
class QuietErrors {
 public:
  QuietErrors();
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;
  ~QuietErrors();

  /// Begins anew for another call.
  void clear() { text_.clear(); }
  const std::string& text() const { return text_; }

 private:
  static PetscErrorCode keep(MPI_Comm comm, int line, const char* function, const char* file, PetscErrorCode code,
                             PetscErrorType type, const char* message, void* self);

  std::string text_;
};

[[noreturn]] void call_failed(PetscErrorCode code, const char* function, const std::string& text);

}  // namespace detail

/// One handler of PETSc's errors for all call() of this thread while it exists, each of which makes its own otherwise:
/// that takes longer than a short call itself. No function of the user may run meanwhile.
class QuietCalls {
 public:
  QuietCalls() : outer_(std::exchange(innermost_, &errors_)) {}
  QuietCalls(const QuietCalls&) = delete;
  QuietCalls& operator=(const QuietCalls&) = delete;
  ~QuietCalls() { innermost_ = outer_; }

  static detail::QuietErrors* innermost() { return innermost_; }

 private:
  static thread_local detail::QuietErrors* innermost_;
  detail::QuietErrors errors_;
  detail::QuietErrors* outer_;
};

/// Calls PETSc, and throws an Error with the function's name and PETSc's own message if the call fails.
///
///     call("VecGetLocalSize", [&] { return VecGetLocalSize(vec, &size); });
template <class Call>
void call(const char* function, Call&& to_petsc) {
  std::optional<detail::QuietErrors> own;
  detail::QuietErrors* const shared = QuietCalls::innermost();
  detail::QuietErrors& errors = shared != nullptr ? *shared : own.emplace();
  errors.clear();
  const PetscErrorCode code = std::forward<Call>(to_petsc)();
  if (code != 0) detail::call_failed(code, function, errors.text());
}

/// The name of the type of an object; empty: it has none. It is valid until the object's type changes or the object is
/// destroyed. Local.
template <class Object>
std::string_view type_of(Object object) {
  const char* type = nullptr;
  call("PetscObjectGetType", [&] { return PetscObjectGetType(reinterpret_cast<PetscObject>(object), &type); });
  return type == nullptr ? "" : type;
}

/// Throws Error if PETSc is not initialised.
void need_petsc();
/// Whether PETSc is initialised, and is not finalised.
bool petsc_is_there();

}  // namespace tridap::petsc

#pragma GCC visibility pop
