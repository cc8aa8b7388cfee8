#pragma once

#include <tridap/internal/collective_call.hpp>

#include <mpi.h>
#include <pybind11/pybind11.h>

#include <optional>
#include <type_traits>

namespace tridap::python {

namespace py = pybind11;

/// A collective function of this package, while it runs. The calls inside of it begin under its name, so that an error
/// says what the user wrote, and the first of them lasts until the function ends. An UserCall inside of another one of
/// the thread does nothing, unless a function of the user runs between them.
///
/// Example: `const UserCall user_call("x.gather()");`
class UserCall {
 public:
  /// `name` is never freed. `libraries`: those that the function calls. Local.
  explicit UserCall(const char* name, mpi::Libraries libraries = {});
  UserCall(const UserCall&) = delete;
  UserCall& operator=(const UserCall&) = delete;
  ~UserCall();

 private:
  friend class Begun;
  mpi::ThreadCalls& thread_;
  bool is_outermost_;
  mpi::Libraries libraries_;
  UserCall* outer_ = nullptr;
  std::optional<mpi::Call> call_;
};

/// A record of the function that runs, in which the processes compare numbers: the beginning of the call, or a later
/// step of it. Make it without the GIL. **Collective**: throws the same Error on every process if their calls differ.
class Begun {
 public:
  /// `step` takes a mpi::Record&, and does not communicate.
  template <class Step>
  Begun(MPI_Comm comm, Step&& step) {
    if (UserCall* const user_call = to_begin()) {
      call_ = &user_call->call_.emplace(comm, fallback, user_call->libraries_, std::forward<Step>(step));
    } else {
      call_ = &own_.emplace(comm, fallback, mpi::Libraries(), std::forward<Step>(step));
    }
  }
  const mpi::Call& call() const { return *call_; }

 private:
  static constexpr const char* fallback = "a function of tridap";
  static UserCall* to_begin();  // that has no call yet; null: there is none

  std::optional<mpi::Call> own_;
  const mpi::Call* call_ = nullptr;
};

/// What `tridap._agree.collective` uses.
void bind_user_call(py::module_& module);

}  // namespace tridap::python
