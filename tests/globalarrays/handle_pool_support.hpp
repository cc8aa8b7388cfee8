#pragma once

#include <tridap/distribution.hpp>
#include <tridap/globalarrays/array.hpp>
#include <tridap/globalarrays/session.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/agree.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <memory>
#include <vector>

extern "C" {
#include <ga-mpi.h>
#include <ga.h>
#include <macdecls.h>
}

namespace ga_test {

using tridap::globalarrays::Session;

inline int rank() { return static_cast<int>(tridap::mpi::rank_of(MPI_COMM_WORLD)); }
inline int processes() {
  int count = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

/// An array of doubles by GA's own calls; on all processes, or those of a group.
inline int made(int64_t elements, int group = GA_Pgroup_get_world()) {
  char name[] = "made";
  const int handle = GA_Create_handle();
  GA_Set_data64(handle, 1, &elements, C_DBL);
  GA_Set_array_name(handle, name);
  GA_Set_pgroup(handle, group);
  GA_Allocate(handle);
  return handle;
}

/// One with ghost cells, with something for each process.
inline int with_ghosts() {
  char name[] = "ghosts";
  int64_t dims[] = {10 * processes()}, width[] = {1};
  return NGA_Create_ghosts64(C_DBL, 1, dims, width, name, nullptr);
}

/// Rows of blocks, dealt to the processes in turn.
inline int block_cyclic() {
  int64_t dims[] = {6 * processes(), 4}, block[] = {2, 4}, grid[] = {processes(), 1};
  const int handle = GA_Create_handle();
  GA_Set_data64(handle, 2, dims, C_DBL);
  GA_Set_block_cyclic_proc_grid64(handle, block, grid);
  GA_Allocate(handle);
  return handle;
}

/// Where a regular array's part begins here; null: there is none.
inline double* part(int handle) {
  int64_t lo[GA_MAX_DIM], hi[GA_MAX_DIM], ld[GA_MAX_DIM];
  NGA_Distribution64(handle, GA_Pgroup_nodeid(GA_Get_pgroup(handle)), lo, hi);
  double* data = nullptr;
  if (lo[0] >= 0 && lo[0] <= hi[0]) NGA_Access64(handle, lo, hi, &data, ld);
  return data;
}

/// Some distribution, where one must be named and nobody asks.
inline tridap::redistribute::PlacedDistribution placed_whole() {
  return tridap::Distribution::make({10}, {tridap::block()}, {1});
}

}  // namespace ga_test
