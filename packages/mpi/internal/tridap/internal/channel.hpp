#pragma once

#include <tridap/internal/call.hpp>

#include <mpi.h>

namespace tridap::mpi {

/// True once MPI is over and what it made must be left alone.
bool mpi_is_over();

/// The key of an attribute of communicators, which MPI frees by this function. The first call makes it.
template <int (*free)(MPI_Comm, int, void*, void*)>
int attribute_key() {
  static const int made = [] {
    int value = MPI_KEYVAL_INVALID;
    must_succeed(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free, &value, nullptr), "MPI_Comm_create_keyval");
    return value;
  }();
  return made;
}

/// A communicator and a tag for our messages, so that they cannot be confused with the caller's or with each other.
struct Channel {
  MPI_Comm comm = MPI_COMM_NULL;
  int tag = 0;  ///< another one for each call, until all that MPI has were used
};

/// The duplicate of a communicator that stays with it, made by the first call and freed with it: one for each plan
/// could only be freed together. **Collective**; throws the same Error on every process where memory ends.
Channel channel_of(MPI_Comm comm);

}  // namespace tridap::mpi
