#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <string>

/// Calls `call` with an inter-communicator between the even and the odd ranks, and returns what it throws.
/// **Collective**; needs two processes.
template <class Call>
std::string said_of_inter_communicator(const Call& call) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm half = MPI_COMM_NULL, inter = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter);
  std::string said = "nothing";
  try {
    call(inter);
  } catch (const std::exception& error) {
    said = error.what();
  }
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
  return said;
}

/// The call refuses an inter-communicator by name, and MPI_COMM_NULL on this process alone.
template <class Call>
void expect_needs_communicator(const char* what, const Call& call) {
  const std::string said = said_of_inter_communicator(call);
  EXPECT_NE(said.find("the communicator is an inter-communicator, must be an intra-communicator"), std::string::npos)
      << what << ": " << said;
  try {
    call(MPI_COMM_NULL);
    ADD_FAILURE() << what << " takes MPI_COMM_NULL";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("the communicator is MPI_COMM_NULL"), std::string::npos)
        << what << ": " << error.what();
  }
}
