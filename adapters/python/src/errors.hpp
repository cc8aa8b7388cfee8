#pragma once

#include <tridap/internal/duplicates.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/report.hpp>

#include <mpi.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <utility>

namespace tridap::python {

namespace py = pybind11;

/// What a ProtocolError is besides.
enum class ErrorKind { other, type_error, index_error };

/// Of what Python raised; `other` for nothing.
ErrorKind error_kind_of(const std::optional<py::error_already_set>& raised);

/// An Error that every process throws.
struct Raising {
  ErrorKind kind = ErrorKind::other;
  bool elsewhere = false;                         ///< rank 0 of the call prints it, and this is another process
  std::shared_ptr<mpi::Duplicates> of = nullptr;  ///< the processes that throw it; null: this one alone
};

/// How every process of `comm` throws the same Error. Local.
inline Raising raised_on_all(MPI_Comm comm) {
  return {ErrorKind::other, mpi::rank_of(comm) != 0, mpi::duplicates_of(comm)};
}

/// How the processes throw an Error after a step failed on some of them, where Python raised an exception of this
/// kind. **Collective.**
Raising agree_kind(bool failed, ErrorKind kind, MPI_Comm comm);

/// An Error that every process of a collective call throws.
class AgreedError : public Error {
 public:
  AgreedError(const Error& error, Raising how) : Error(error), how_(how) {}
  const Raising& how() const { return how_; }

 private:
  Raising how_;
};

/// Runs a step that throws the same Error on every process of `comm` or on none. An Error becomes an AgreedError.
template <class Step>
auto on_all(MPI_Comm comm, Step&& step) {
  try {
    return std::forward<Step>(step)();
  } catch (const Error& error) {
    throw AgreedError(error, raised_on_all(comm));
  }
}

/// Raises `tridap.ProtocolError` with the error's text and report; `cause` may be null.
[[noreturn]] void throw_protocol_error(const Error& error, const py::object& cause = {}, const Raising& how = {});

/// Turns every tridap::Error that leaves C++ into `tridap.ProtocolError`.
void bind_errors(py::module_& module);

}  // namespace tridap::python
