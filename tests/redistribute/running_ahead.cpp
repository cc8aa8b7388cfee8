// Gathers a cyclic array on process 0 by messages, twice, and fails if process 0 needs more memory for that than a
// bound. All processes send at once, much faster than process 0 receives.
//
//   mpiexec -n 9 running_ahead 33     # each of 8 processes sends 33 MB
//   most memory beyond the array: 1.7 MB in the first gather, 1.7 MB in both

#include <tridap/make.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

namespace {

using tridap::Distribution;
using tridap::Index;

constexpr Index bound = 4'000'000;  // bytes

Index resident_bytes() {
  Index all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

Index most_resident_bytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return Index{1024} * used.ru_maxrss;
}

tridap::DistArray part_of(const Distribution& distribution, Index process) {
  tridap::DistArray part;
  part.dim_data = distribution.dim_data(process);
  part.buffer = tridap::allocate(tridap::element_type<double>(), distribution.local_shape(process));
  return part;
}

// Each pair of processes opens its connection, and process 0 makes what a move of a few elements needs.
void prepare(int processes) {
  constexpr int bytes = 1 << 13;
  std::vector<char> out(static_cast<std::size_t>(processes) * bytes, 'x'), in(out.size());
  for (int repeat = 0; repeat < 2; ++repeat)
    MPI_Alltoall(out.data(), bytes, MPI_CHAR, in.data(), bytes, MPI_CHAR, MPI_COMM_WORLD);
}

Index wrong_elements(const tridap::DistArray& whole) {
  const auto* const first = static_cast<const double*>(whole.buffer.data);
  Index wrong = 0;
  for (Index k = 0; k < whole.buffer.shape[0]; ++k) wrong += first[k] != static_cast<double>(k);
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const Index each = (argc > 1 ? std::atoi(argv[1]) : 8) * Index{1'000'000} / 8;  // elements
  int status = EXIT_SUCCESS;
  {
    const auto dealt = Distribution::make({each * (processes - 1)}, {tridap::cyclic(1000)}, {processes - 1});
    const auto whole = Distribution::make({each * (processes - 1)}, {tridap::block()}, {1});
    std::vector<Index> senders;
    for (int sender = 1; sender < processes; ++sender) senders.push_back(sender);
    tridap::redistribute::Options options;
    options.path = tridap::redistribute::Path::messages;
    tridap::redistribute::Redistribution plan({dealt, senders}, {whole, {0}}, 8, MPI_COMM_WORLD, options);
    tridap::DistArray source, target;
    if (rank == 0) {
      target = part_of(whole, 0);
      std::fill_n(static_cast<double*>(target.buffer.data), target.buffer.shape[0], -1.0);
    } else {
      source = part_of(dealt, rank - 1);
      for (Index k = 0; k < source.buffer.shape[0]; ++k)
        static_cast<double*>(source.buffer.data)[k] = static_cast<double>(dealt.axis(0).global_index(rank - 1, k));
    }
    prepare(processes);
    const Index before = resident_bytes();
    plan(source, target);
    const Index first = most_resident_bytes() - before;
    plan(source, target);
    const Index both = most_resident_bytes() - before;
    if (rank == 0) {
      std::printf("most memory beyond the array: %.2f MB in the first gather, %.2f MB in both\n",
                  1e-6 * static_cast<double>(first), 1e-6 * static_cast<double>(both));
      if (both > bound || wrong_elements(target) != 0) status = EXIT_FAILURE;
    }
  }
  MPI_Finalize();
  return status;
}
