// A Redistribution in C++. bench_python.py calls it by ctypes, in alternation with tridap.Redistribution, on the same
// source and processes. Its targets are in its own shared memory, as those of Python are in theirs.

#include <tridap/make.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <utility>

namespace {

struct Peer {
  tridap::redistribute::Redistribution plan;
  tridap::DistArray source, target;
};

}  // namespace

extern "C" {

// From rows to columns of a square of doubles; `data` is this process's rows.
void* mover_new(MPI_Comm* comm, tridap::Index size, double* data) {
  int rank = 0, processes = 0;
  MPI_Comm_rank(*comm, &rank);
  MPI_Comm_size(*comm, &processes);
  using tridap::Distribution;
  const auto rows = Distribution::make({size, size}, {tridap::block(), tridap::whole()}, {processes, 1});
  const auto columns = Distribution::make({size, size}, {tridap::whole(), tridap::block()}, {1, processes});
  tridap::redistribute::Redistribution plan(rows, columns, sizeof(double), *comm);
  tridap::DistArray source;
  source.buffer = tridap::row_major(data, tridap::IndexList(rows.local_shape(rank)));
  source.dim_data = rows.dim_data(rank);
  tridap::DistArray target = plan(source);
  return new Peer{std::move(plan), std::move(source), std::move(target)};
}

void mover_fill(void* peer) {
  auto& p = *static_cast<Peer*>(peer);
  p.plan(p.source, p.target);
}

void mover_make(void* peer) {
  auto& p = *static_cast<Peer*>(peer);
  p.target = {};
  p.target = p.plan(p.source);
}

const double* mover_target(void* peer) {
  return static_cast<const double*>(static_cast<Peer*>(peer)->target.buffer.data);
}

void mover_delete(void* peer) { delete static_cast<Peer*>(peer); }

}  // extern "C"
