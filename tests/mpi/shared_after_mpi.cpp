// Arrays in shared memory that are still there when MPI ends: they are read and let go of behind MPI_Finalize, by
// main, by a thread and by what is destroyed after main; and no file is left behind.

#include "support/ranks.hpp"
#include <tridap/internal/shared_allocation.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/allocate_shared.hpp>

#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace {

using Piece = std::shared_ptr<const tridap::mpi::SharedAllocation>;

constexpr tridap::Index length = 100000;

tridap::Buffer kept_after_main;

int fill(int rank, int which) { return 1 + which + 10 * rank; }

Piece filled(MPI_Comm comm, int which) {
  Piece piece = tridap::mpi::allocate_shared_bytes(length, comm);
  const int rank = static_cast<int>(tridap::mpi::rank_of(comm));
  std::memset(piece->base(rank), fill(rank, which), static_cast<std::size_t>(length));
  return piece;
}

bool holds(const Piece& piece, const std::vector<int>& ranks, int which) {
  bool same = true;
  for (const int rank : ranks)
    for (tridap::Index at = 0; at < length; ++at)
      same = same && piece->base(rank)[at] == static_cast<std::byte>(fill(rank, which));
  return same;
}

}  // namespace

int main(int argc, char** argv) {
  int rank = 0, processes = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Comm duplicate = MPI_COMM_NULL, freed = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
  MPI_Comm_dup(MPI_COMM_WORLD, &freed);
  std::vector<Piece> pieces{filled(MPI_COMM_WORLD, 0), filled(duplicate, 1), filled(freed, 2), filled(freed, 3),
                            filled(MPI_COMM_SELF, 4)};
  Piece of_the_last = filled(MPI_COMM_WORLD, 5), gone = filled(MPI_COMM_WORLD, 6);
  kept_after_main = tridap::mpi::allocate_shared(tridap::element_type<double>(), {1000}, MPI_COMM_WORLD);
  gone.reset();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != processes - 1) of_the_last.reset();
  MPI_Comm_free(&freed);
  pieces[3].reset();
  const std::vector<int> node = on::ranks_of_node(MPI_COMM_WORLD);
  MPI_Finalize();

  bool well = true;
  for (const int which : {0, 1, 2}) well = well && holds(pieces[static_cast<std::size_t>(which)], node, which);
  well = well && holds(pieces[4], {0}, 4) && (!of_the_last || holds(of_the_last, node, 5));
  for (int i = 0; i < 1000; ++i) static_cast<double*>(kept_after_main.data)[i] = i;
  std::thread([last = std::move(pieces[0])]() mutable { last.reset(); }).join();
  pieces.clear();
  of_the_last.reset();
  if (well) std::printf("rank %d is well\n", rank);
  return well ? 0 : 1;
}
