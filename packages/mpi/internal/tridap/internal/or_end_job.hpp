#pragma once

#include <mpi.h>

#include <new>
#include <utility>

namespace tridap::mpi {

/// Ends the job with one line, because this process has no memory for a step of the call `name`, and the other
/// processes of `comm` wait for it there. On one process it throws the exception that is being handled.
[[noreturn]] void end_job(const char* name, MPI_Comm comm);

/// Runs a step of a collective call between its messages, and returns what that returns. What is as large as data is
/// allocated in agreed steps, which fail on all processes; other memory is not guarded. If it ends, the other processes
/// wait for messages of this one: an std::bad_alloc that leaves the step ends the job.
template <class Step>
decltype(auto) or_end_job(const char* name, MPI_Comm comm, Step&& step) {
  try {
    return std::forward<Step>(step)();
  } catch (const std::bad_alloc&) {
    end_job(name, comm);
  }
}

}  // namespace tridap::mpi
