#pragma once

#include <tridap/internal/collectives.hpp>
#include <tridap/mpi/agree.hpp>

#include <mpi.h>

#include <vector>

namespace tridap::mpi {

/// Sends each message to its process of `comm`, and returns those for this one, ascending by `from`: of one process in
/// the order in which it gave them. A process sends nothing to those for which it has no message, and a message
/// without numbers does not arrive. On few processes, an MPI_Alltoall tells how long the messages are; on many, whose
/// numbers would be most of what travels, each process tells only those that it has messages for, and all find out
/// together that nothing more comes: Hoefler, Siebert and Lumsdaine, Scalable Communication Protocols for Dynamic
/// Sparse Data Exchange (2010).
///
/// **Collective**: two collective calls of MPI. Throws the same Error on every process or on none, also if a process
/// brings `faults`: what failed where it made its messages.
std::vector<Message> exchange(std::vector<Message> messages, MPI_Comm comm, Faults faults = {});

/// The most processes whose lengths an MPI_Alltoall tells. Tests change it, the same on all processes.
Index& most_told_by_alltoall();

}  // namespace tridap::mpi
