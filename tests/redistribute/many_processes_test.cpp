#include "mpi/support.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include <tridap/make.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <cstdint>
#include <fstream>
#include <string>

// Moves between many more processes than there are cores: the elements, and the memory that each process needs for
// them.
namespace {

using namespace tridap;
using redistribute::Options;
using redistribute::Path;
using redistribute::Redistribution;

/// The part of this process, each element of which is its row-major number in the whole array.
DistArray filled(const Distribution& distribution, MPI_Comm comm) {
  const Index process = on::rank(comm);
  DistArray part = on::part_of(distribution, process);
  auto* next = static_cast<double*>(part.buffer.data);
  for (Index i = 0; i < part.buffer.shape[0]; ++i)
    for (Index j = 0; j < part.buffer.shape[1]; ++j) {
      const std::vector<Index> global = distribution.global_index(process, {i, j});
      *next++ = static_cast<double>(global[0] * distribution.axis(1).size() + global[1]);
    }
  return part;
}

/// The number of elements that are not those of `distribution`.
Index wrong(const DistArray& moved, const Distribution& distribution, MPI_Comm comm) {
  const DistArray expected = filled(distribution, comm);
  const auto *is = static_cast<const double*>(moved.buffer.data),
             *must = static_cast<const double*>(expected.buffer.data);
  Index count = 0;
  for (Index k = 0; k < element_count(expected.buffer); ++k) count += is[k] != must[k];
  return count;
}

/// Bytes of this process's resident memory, without files.
Index resident_bytes() {
  std::ifstream status("/proc/self/status");
  Index kibibytes = 0, sum = 0;
  for (std::string word; status >> word;)
    if ((word == "RssAnon:" || word == "RssShmem:") && status >> kibibytes) sum += kibibytes;
  return 1024 * sum;
}

}  // namespace

TEST(ManyProcesses, EveryPairExchangesElementsByEachWay) {
  MPI_Comm const comm = MPI_COMM_WORLD;
  const Index processes = on::processes(comm), rows = 3 * processes + 1, columns = 5 * processes + 2;
  const Distribution from = Distribution::make({rows, columns}, {block(), whole()}, {processes, 1});
  const Distribution to = Distribution::make({rows, columns}, {whole(), cyclic(2)}, {1, processes});
  const DistArray source = filled(from, comm), target = filled(to, comm);
  const int repeats = processes > 64 ? 1 : 3;  // hundreds of processes on a few cores need minutes
  for (const Path path : {Path::automatic, Path::staged, Path::messages, Path::derived_types}) {
    Options options;
    options.path = path;
    Redistribution plan(from, to, sizeof(double), comm, options);
    for (int repeat = 0; repeat < repeats; ++repeat) {
      std::fill_n(static_cast<double*>(target.buffer.data), element_count(target.buffer), -1.0);
      plan(source, target);
      ASSERT_EQ(wrong(target, to, comm), 0) << static_cast<int>(path) << ", move " << repeat;
    }
    const DistArray made = plan(source);
    ASSERT_EQ(wrong(made, to, comm), 0) << static_cast<int>(path);
    Redistribution back = plan.reversed();
    ASSERT_EQ(wrong(back(made), from, comm), 0) << static_cast<int>(path);
  }
}

// Rings and slots of messages have at most 4 MB each, however many processes there are. The rings that a process reads
// count for it, too.
TEST(ManyProcesses, NeedNoMoreMemoryThanFew) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const Index processes = on::processes(comm), size = 64 * processes;
  const Distribution from = Distribution::make({size, 8}, {block(), whole()}, {processes, 1});
  const Distribution to = Distribution::make({size, 8}, {cyclic(1), whole()}, {processes, 1});
  const DistArray source = filled(from, comm), target = filled(to, comm);
  std::vector<char> out(static_cast<std::size_t>(processes) << 13), in(out.size());  // MPI's own memory for each peer
  MPI_Alltoall(out.data(), 1 << 13, MPI_CHAR, in.data(), 1 << 13, MPI_CHAR, comm);
  const Index before = resident_bytes();
  Options messages, derived_types;
  messages.path = Path::messages;
  derived_types.path = Path::derived_types;
  for (const Options& options : {Options{}, messages, derived_types}) {
    Redistribution plan(from, to, sizeof(double), comm, options);
    plan(source, target);
    EXPECT_LT(plan.plan().memory(), Index{1} << 20);
  }
#if !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(resident_bytes() - before, Index{24} << 20);
#else
  (void)before;
#endif
  EXPECT_EQ(wrong(target, to, comm), 0);
  MPI_Comm_free(&comm);
}
