#pragma once

#include "array.hpp"
#include "gil.hpp"
#include "memory.hpp"
#include <tridap/internal/digest.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/mpi/agree.hpp>

#include <mpi.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tridap::python {

/// A number that equal texts share.
inline Index same_number(const std::string& text) {
  Digest digest;
  digest.add(text);
  return digest.value();
}

/// Runs a step on every process, with Python and without communication; where it raises on any, ProtocolError is raised
/// on all, with what was raised here as its cause. **Collective.**
template <class Step>
auto together(MPI_Comm comm, Step&& step) -> std::invoke_result_t<Step> {
  std::optional<std::invoke_result_t<Step>> result;
  std::optional<py::error_already_set> raised;
  Report faults;
  const auto failed = [&faults](const std::string& why) {
    faults.add({Rule::process_failure, {}, {}, "", why, "", ""});
  };
  try {
    result.emplace(std::forward<Step>(step)());
  } catch (const Error& error) {
    faults = error.report();
  } catch (py::error_already_set& error) {
    failed(one_line(error));
    raised.emplace(error);
  } catch (const std::exception& error) {
    failed(error.what());
  }
  {
    const WithoutPython released;
    if (!mpi::min_max({same_number(faults.text())}, comm).front().is_same()) {  // else it is all processes' fault
      faults.set_process(mpi::rank_of(comm));
      faults = mpi::agree(std::move(faults), comm);
    }
  }
  throw_if_wrong(faults, raised);
  return std::move(*result);
}

}  // namespace tridap::python
