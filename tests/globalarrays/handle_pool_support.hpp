#pragma once

#include "ga_session.hpp"
#include "globalarrays/ga_spec.hpp"
#include <tridap/distribution.hpp>
#include <tridap/globalarrays/session.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/agree.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <memory>
#include <vector>

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
  Spec spec{{elements}, C_DBL};
  spec.group = group;
  return spec.make();
}

/// One with ghost cells, with something for each process.
inline int with_ghosts() { return Spec{{10 * processes()}, C_DBL, {1}}.make(); }

/// Rows of blocks, dealt to the processes in turn.
inline int block_cyclic() { return Spec{{6 * processes(), 4}, C_DBL, {}, {}, {2, 4}, {processes(), 1}}.make(); }

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

using Owner = std::shared_ptr<void>;
inline tridap::globalarrays::HandlePool& pool() { return tridap::globalarrays::ga_session().pool; }
inline Owner pinned(int handle) { return pool().pin(handle, part(handle)); }
inline tridap::globalarrays::GlobalArray kept(int handle) {
  return pool().keep(handle, placed_whole(), tridap::element_type<double>());
}

}  // namespace ga_test
