#pragma once

#include "array.hpp"
#include "gil.hpp"
#include "memory.hpp"
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

/// Throws the same Error on every process, because the processes asked for different things. `said` is what they said.
/// **Collective.**
inline void refuse_different(const std::string& asked, const MinMax& said, MPI_Comm comm) {
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

/// For together(): only its own reduction tells whether all processes agree.
struct NotAsked {
  bool operator()(Index, Index, Index) const { return false; }
};

/// Runs a step on every process. The step uses Python and does not communicate. If it raises on any process,
/// ProtocolError is raised on all. Its cause is what was raised on this process, unless that is a ProtocolError, whose
/// report it then has. The same if `asked`, which the step
/// may set, is not null and differs between processes. **Collective**: one reduction if nothing is wrong.
///
/// `agreed` is for a caller that communicates anyway. It gets three numbers, does not use Python, and is collective. If
/// the first is 0 and the others are the same on all processes, it may return true on all; then there is no reduction.
template <class Step, class Agreed = NotAsked>
auto together(MPI_Comm comm, Step&& step, const std::string* asked = nullptr, const Agreed& agreed = {})
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
    comm = mpi::ours(comm);
    const Index failed = faults.ok() ? 0 : 1;
    if (agreed(failed, said, wanted)) return std::move(*result);
    const std::vector<MinMax> spread = mpi::min_max({failed, said, wanted}, comm);
    if (spread[0].largest != 0 || !spread[2].is_same()) how = agree_kind(failed != 0, kind, comm);
    if (!spread[0].is_same() || !spread[1].is_same()) {
      mpi::throw_faults(std::move(faults), comm);
    } else if (failed != 0) {  // all processes have the same fault, in the same words
      tridap::throw_if_wrong(faults.report);
      throw std::bad_alloc();
    } else if (!spread[2].is_same()) {
      refuse_different(*asked, spread[2], comm);
    }
  } catch (const Error& error) {
    throw_if_wrong(error.report(), raised, how);
  }
  return std::move(*result);
}

/// Throws the same Error on every process if the processes do not all ask for the same. **Collective.**
inline void expect_same(const std::string& asked, MPI_Comm comm) {
  const WithoutPython released;
  comm = mpi::ours(comm);
  const MinMax said = mpi::min_max({same_number(asked)}, comm).front();
  if (!said.is_same()) refuse_different(asked, said, comm);
}

}  // namespace tridap::python
