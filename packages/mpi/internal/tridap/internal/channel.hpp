#pragma once

#include <tridap/internal/call.hpp>

#include <mpi.h>

#include <memory>

namespace tridap::mpi {

/// True once MPI is over and what it made must be left alone.
bool mpi_is_over();

// The key of the attribute that holds a T; MPI destroys it with the communicator. The first call makes the key. T must
// be of an unnamed namespace: otherwise two modules that both contain this code share the guard of `made`, but not its
// value.
template <class T>
int attribute_key() {
  static const int made = [] {
    int key = MPI_KEYVAL_INVALID;
    const auto destroy = [](MPI_Comm, int, void* value, void*) -> int {
      delete static_cast<T*>(value);
      return MPI_SUCCESS;
    };
    must_succeed(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, destroy, &key, nullptr), "MPI_Comm_create_keyval");
    return key;
  }();
  return made;
}

/// The T that is attached to a communicator; null: there is none. Local.
template <class T>
T* attached(MPI_Comm comm) {
  T* kept = nullptr;
  int found = 0;
  must_succeed(MPI_Comm_get_attr(comm, attribute_key<T>(), &kept, &found), "MPI_Comm_get_attr");
  return found != 0 ? kept : nullptr;
}

/// Attaches a T to a communicator, which has none. MPI destroys it when the communicator is freed; MPI_COMM_WORLD is
/// freed when MPI ends, and other communicators that the program does not free never are. Then it must leave MPI alone
/// if mpi_is_over(). **Collective**: throws the same Error on every process or on none.
template <class T>
T& attach(std::unique_ptr<T> object, MPI_Comm comm) {
  const int status = MPI_Comm_set_attr(comm, attribute_key<T>(), object.get());
  T* const attached_here = status == MPI_SUCCESS ? object.release() : nullptr;  // it belongs to MPI now
  try {
    must_succeed_everywhere(status, "MPI_Comm_set_attr", comm);
  } catch (...) {
    if (attached_here != nullptr) MPI_Comm_delete_attr(comm, attribute_key<T>());  // destroys it
    throw;
  }
  return *attached_here;
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
