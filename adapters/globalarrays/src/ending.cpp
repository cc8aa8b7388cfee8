#include "ending.hpp"

#include "ga.hpp"
#include <tridap/internal/call.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <exception>

namespace tridap::globalarrays {

namespace {

// The functions of this library's files. They are stored in a fixed array, so memory for them cannot run out.
struct Functions {
  std::array<void (*)(), 8> all{};
  std::size_t count = 0;
};

Functions of_ga;
void (*of_mpi)() = nullptr;

// GA frees its communicator when it ends. MPI then calls this function, which is attached to the communicator.
int on_communicator(MPI_Comm, int, void*, void*) {
  ga_has_ended();
  return MPI_SUCCESS;
}

int on_self(MPI_Comm, int, void*, void*) {
  int status = MPI_SUCCESS;
  try {
    if (of_mpi != nullptr) of_mpi();
  } catch (const std::exception&) {  // no exception may pass through MPI's C functions
    status = MPI_ERR_OTHER;
  }
  ga_has_ended();
  return status;
}

void tell(MPI_Comm comm, MPI_Comm_delete_attr_function* function, int& key) {
  if (key == MPI_KEYVAL_INVALID)
    mpi::must_succeed(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, function, &key, nullptr), "MPI_Comm_create_keyval");
  void* value = nullptr;
  int there = 0;
  mpi::must_succeed(MPI_Comm_get_attr(comm, key, &value, &there), "MPI_Comm_get_attr");
  if (there == 0) mpi::must_succeed(MPI_Comm_set_attr(comm, key, nullptr), "MPI_Comm_set_attr");
}

void tell_of_mpi() {
  static int key = MPI_KEYVAL_INVALID;
  tell(MPI_COMM_SELF, on_self, key);
}

}  // namespace

void at_ga_end(void (*forget)()) {
  const auto end = of_ga.all.begin() + of_ga.count;
  if (std::find(of_ga.all.begin(), end, forget) != end) return;
  assert(of_ga.count < of_ga.all.size());
  static int key = MPI_KEYVAL_INVALID;
  tell(GA_MPI_Comm(), on_communicator, key);
  tell_of_mpi();
  of_ga.all[of_ga.count++] = forget;
}

void ga_has_ended() {
  const Functions functions = of_ga;
  of_ga = {};
  for (std::size_t i = 0; i < functions.count; ++i) functions.all[i]();
}

void at_mpi_end(void (*end)()) {
  of_mpi = end;
  tell_of_mpi();
}

}  // namespace tridap::globalarrays
