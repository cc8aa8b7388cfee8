#pragma once

#include "array.hpp"
#include "gil.hpp"
#include "memory.hpp"
#include "user_call.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/duplicates.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/mpi/agree.hpp>

#include <mpi.h>

#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tridap::python {

/// A number that is the same for equal texts.
inline Index same_number(const std::string& text) {
  Digest digest;
  digest.add(text);
  return digest.value();
}

/// Throws the same Error on every process, because the processes asked for different things. **Collective.**
inline void refuse_different(const std::string& asked, MPI_Comm comm) {
  const MinMax said = mpi::min_max({same_number(asked)}, comm).front();
  mpi::collectively(comm, [&] {
    const Index rank = mpi::rank_of(comm);
    if (rank == said.smallest_rank || rank == said.largest_rank)
      refuse("asks for " + asked, "must be the same on every process", "pass the same on every process");
  });
}

/// Throws the Error that became a ProtocolError in Python; returns if it is another exception.
inline void throw_report(const py::error_already_set& error) {
  const py::object report = py::getattr(error.value(), "report", py::none());
  if (py::isinstance<Checked>(report)) throw Error(py::cast<const Checked&>(report).report);
}

struct NothingExchanged {
  void bring(mpi::Record&) const {}
  void take(const mpi::Call&) const {}
};

/// Runs a step on every process. The step uses Python and does not communicate. If it raises on any process,
/// ProtocolError is raised on all. Its cause is what was raised on this process, unless that is a ProtocolError, whose
/// report it then has. The same if `asked`, which the step may set, is not null and differs between processes, and if
/// they make different calls. **Collective**: one reduction if nothing is wrong, which is the beginning of the call if
/// it has not begun.
///
/// `exchange` adds to the record of the call, and reads the record of all processes if nothing is wrong.
template <class Step, class Exchange = NothingExchanged>
auto together(MPI_Comm comm, Step&& step, const std::string* asked = nullptr, Exchange&& exchange = {})
    -> std::invoke_result_t<Step> {
  std::optional<std::invoke_result_t<Step>> result;
  std::optional<py::error_already_set> raised;
  Raising how;
  mpi::Faults faults;
  Index said = 0, wanted = 0;
  faults.attempt([&] {
    try {
      result.emplace(std::forward<Step>(step)());
    } catch (py::error_already_set& error) {
      throw_report(error);
      raised.emplace(error);
      throw std::runtime_error(one_line(error));
    }
  });
  faults.attempt([&] {
    said = same_number(faults.report.text());
    if (asked != nullptr) wanted = same_number(*asked);
  });
  const ErrorKind kind = error_kind_of(raised);
  try {
    const WithoutPython released;
    const Index failed = faults.ok() ? 0 : 1;
    const Begun begun(comm, [&](mpi::Record& record) {
      for (const Index number : {failed, said, wanted}) record.add(number);
      exchange.bring(record);
    });
    const mpi::Call& call = begun.call();
    comm = call.comm();
    if (call.largest(0) != 0 || !call.is_same(2)) how = agree_kind(failed != 0, kind, comm);
    if (!call.is_same(0) || !call.is_same(1)) {
      mpi::throw_faults(std::move(faults), comm);
    } else if (failed != 0) {  // all processes have the same fault, in the same words
      tridap::throw_if_wrong(faults.report);
      throw std::bad_alloc();
    } else if (!call.is_same(2)) {
      refuse_different(*asked, comm);
    } else {
      exchange.take(call);
    }
  } catch (const Error& error) {
    if (!how.of) how = raised_on_all(comm);
    throw_if_wrong(error.report(), raised, how);
  }
  return std::move(*result);
}

}  // namespace tridap::python
