#pragma once

#include "support/effort.hpp"
#include "support/expect_refused.hpp"
#include <tridap/make.hpp>
#include <tridap/report.hpp>
#include <tridap/scalapack.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

// ScaLAPACK's own functions, which are the oracle. Global indices count from 1, processes from 0.
extern "C" {
int numroc_(const int* n, const int* nb, const int* iproc, const int* isrcproc, const int* nprocs);
int indxg2p_(const int* index, const int* nb, const int* unused, const int* isrcproc, const int* nprocs);
int indxg2l_(const int* index, const int* nb, const int* unused, const int* unused_too, const int* nprocs);
void pdelget_(const char* scope, const char* top, double* alpha, const double* a, const int* ia, const int* ja,
              const int* desc);
void descinit_(int* desc, const int* m, const int* n, const int* mb, const int* nb, const int* rsrc, const int* csrc,
               const int* context, const int* lld, int* info);
void pdgemr2d_(const int* m, const int* n, const double* a, const int* ia, const int* ja, const int* desca, double* b,
               const int* ib, const int* jb, const int* descb, const int* context);
}

namespace scalapack_test {

using on::same_everywhere;
using on::thrown;
using tridap::DistArray;
using tridap::Distribution;
using tridap::Index;
using tridap::Order;
using tridap::scalapack::Desc;
using tridap::scalapack::ProcessGrid;
using Random = std::mt19937;

inline int pick(Random& random, int below) { return static_cast<int>(random() % static_cast<std::uint32_t>(below)); }

inline Index rank_here() { return on::rank(MPI_COMM_WORLD); }
inline Index processes() { return on::processes(MPI_COMM_WORLD); }

/// The value of each element says where it stands.
inline double value(Index i, Index j) { return static_cast<double>(1000 * i + j + 1); }

/// A grid over some of the processes, the same on all.
inline ProcessGrid some_grid(Random& random) {
  const auto all = static_cast<int>(processes());
  const int nprow = 1 + pick(random, all), npcol = 1 + pick(random, all / nprow);
  return {MPI_COMM_WORLD, nprow, npcol, pick(random, 2) == 0 ? Order::row_major : Order::column_major};
}

}  // namespace scalapack_test
