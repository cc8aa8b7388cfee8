#include "ending.hpp"

#include "ga.hpp"
#include <tridap/internal/call.hpp>

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

namespace tridap::globalarrays {

namespace {

using Functions = std::vector<void (*)()>;

Functions& of_ga() {
  static auto* const functions = new Functions;
  return *functions;
}

void (*of_mpi)() = nullptr;

// GA frees its communicator when it ends: what is attached to it is told.
int on_communicator(MPI_Comm, int, void*, void*) {
  ga_has_ended();
  return MPI_SUCCESS;
}

int on_self(MPI_Comm, int, void*, void*) {
  int status = MPI_SUCCESS;
  try {
    if (of_mpi != nullptr) of_mpi();
  } catch (const std::exception&) {  // no exception may pass through MPI's C
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
  Functions& functions = of_ga();
  if (std::find(functions.begin(), functions.end(), forget) != functions.end()) return;
  static int key = MPI_KEYVAL_INVALID;
  tell(GA_MPI_Comm(), on_communicator, key);
  tell_of_mpi();
  functions.push_back(forget);
}

void ga_has_ended() {
  for (void (*forget)() : std::exchange(of_ga(), {})) forget();
}

void at_mpi_end(void (*end)()) {
  of_mpi = end;
  tell_of_mpi();
}

}  // namespace tridap::globalarrays
