// The C++ solve of the examples. bench_python.py calls it by ctypes, in alternation with tridap.solve, on the same
// matrix, memory and processes.

#include "support/diffusion.hpp"
#include "support/solver.hpp"
#include <tridap/tpetra.hpp>

#include <memory>

namespace {

struct Peer {
  tridap::tpetra::ArrayMap layout;
  examples::Solver solver;
};

tridap::DistArray rows_of(const double* data, tridap::Index rows, tridap::Index cols, tridap::Index start,
                          tridap::Index stop, MPI_Comm comm) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  tridap::DistArray array;
  array.buffer = tridap::row_major(const_cast<double*>(data), {stop - start, cols});
  array.dim_data = {tridap::undistributed(rows), tridap::undistributed(cols)};
  array.dim_data[0].proc_grid_size = size;
  array.dim_data[0].proc_grid_rank = rank;
  array.dim_data[0].dist = tridap::Block{start, stop, {}};
  return array;
}

}  // namespace

extern "C" {

void* peer_new(MPI_Comm* comm, tridap::Index rows, tridap::Index cols, tridap::Index start, tridap::Index stop,
               double k, double* field) {
  const tridap::tpetra::ArrayMap layout(rows_of(field, rows, cols, start, stop, *comm), *comm);
  return new Peer{layout, examples::Solver(examples::five_point_matrix(layout.map(), rows, cols, k, k))};
}

// Solves A x = b from 0, in the memory of both; returns the iterations.
int peer_solve(void* peer, MPI_Comm* comm, tridap::Index rows, tridap::Index cols, tridap::Index start,
               tridap::Index stop, double* b, double* x) {
  const Peer& p = *static_cast<Peer*>(peer);
  const auto vb = tridap::tpetra::import_vector<double>(rows_of(b, rows, cols, start, stop, *comm), p.layout);
  const auto vx = tridap::tpetra::import_vector<double>(rows_of(x, rows, cols, start, stop, *comm), p.layout);
  return p.solver.solve(*vb.vector, *vx.vector).iterations;
}

void peer_delete(void* peer) { delete static_cast<Peer*>(peer); }

}  // extern "C"
