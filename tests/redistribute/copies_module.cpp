#include <tridap/make.hpp>
#include <tridap/mpi/allocate_shared.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <mpi.h>

/// Moves an array over all processes of a communicator, from blocks to cyclic; false: an element is wrong.
/// **Collective.**
extern "C" bool copies_module_moves(MPI_Comm comm) {
  using tridap::Index;
  int rank = 0, processes = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &processes);
  const auto blocks = tridap::Distribution::make({6 * processes}, {tridap::block()}, {processes});
  const auto dealt = tridap::Distribution::make({6 * processes}, {tridap::cyclic()}, {processes});
  tridap::DistArray source;
  source.dim_data = blocks.dim_data(rank);
  source.buffer = tridap::mpi::allocate_shared(tridap::element_type<Index>(), {6}, comm);
  for (Index i = 0; i < 6; ++i) static_cast<Index*>(source.buffer.data)[i] = 6 * rank + i;
  const tridap::DistArray target = tridap::redistribute::Redistribution(blocks, dealt, 8, comm)(source);
  bool right = true;
  for (Index i = 0; i < 6; ++i) right = right && static_cast<Index*>(target.buffer.data)[i] == rank + i * processes;
  return right;
}
