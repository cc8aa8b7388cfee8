// Moves an array over all processes, into memory of its own and into memory that the plan makes, and says on process 0
// what came of it: "moved" and how, or "refused: " and why. Where the processes do not agree, or an element is wrong,
// it fails. With an argument, it allocates shared memory for which free memory of the pool must be given back, and says
// "allocated". little_memory_test.sh starts it where there is too little shared memory.

#include <tridap/internal/shared_allocation.hpp>
#include <tridap/make.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <mpi.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

using tridap::Index;

tridap::DistArray part(const tridap::Distribution& distribution, int rank) {
  tridap::DistArray array;
  array.buffer = tridap::allocate(tridap::element_type<double>(), distribution.local_shape(rank));
  return array;
}

Index wrong_elements(const tridap::DistArray& target, int rank, int processes) {
  const auto* const to = static_cast<const double*>(target.buffer.data);
  Index wrong = 0;
  for (Index i = 0; i < target.buffer.shape[0]; ++i) wrong += to[i] != static_cast<double>(rank + i * processes);
  return wrong;
}

// What came of moves from blocks to cyclic.
std::string moved(Index size, int rank, int processes) {
  const auto blocks = tridap::Distribution::make({size}, {tridap::block()}, {processes});
  const auto dealt = tridap::Distribution::make({size}, {tridap::cyclic()}, {processes});
  tridap::redistribute::Redistribution plan(blocks, dealt, 8, MPI_COMM_WORLD);
  const tridap::DistArray source = part(blocks, rank), target = part(dealt, rank);
  auto* const from = static_cast<double*>(source.buffer.data);
  for (Index i = 0; i < source.buffer.shape[0]; ++i)
    from[i] = static_cast<double>(blocks.axis(0).global_index(rank, i));
  plan(source, target);
  if (wrong_elements(target, rank, processes) != 0) return "wrong";
  const std::string explained = plan.explain();
  const std::size_t at = explained.find("All transfers are messages");
  if (wrong_elements(plan(source), rank, processes) != 0) return "wrong";
  return "moved. " + (at == std::string::npos ? "" : explained.substr(at));
}

// Of 64 MB, 36 MB are free in the pool, and 48 MB are needed.
std::string allocated(int processes) {
  for (const Index megabytes : {36, 48})
    tridap::mpi::allocate_shared_bytes((megabytes << 20) / processes, MPI_COMM_WORLD);
  return "allocated";
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  std::string outcome;
  try {
    outcome = argc > 1 ? allocated(processes) : moved(1000000, rank, processes);
  } catch (const tridap::Error& error) {
    outcome = std::string("refused: ") + error.what();
  }
  std::vector<char> first(outcome.begin(), outcome.end());
  Index length = static_cast<Index>(first.size());
  MPI_Bcast(&length, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  first.resize(static_cast<std::size_t>(length));
  MPI_Bcast(first.data(), static_cast<int>(length), MPI_CHAR, 0, MPI_COMM_WORLD);
  const bool good = outcome == std::string(first.begin(), first.end()) && outcome != "wrong";
  if (rank == 0) std::puts(outcome.c_str());
  MPI_Finalize();
  return good ? 0 : 1;
}
