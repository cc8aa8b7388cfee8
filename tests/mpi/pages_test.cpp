#include <tridap/internal/shared_allocation.hpp>

#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>

// This program is linked with --wrap=sysconf: the system says that its pages have 64 KiB, as those of ARM may have.
// On one process alone: of several, Linux would still align the parts to its own pages.

using tridap::Index;
using tridap::mpi::allocate_shared_bytes;

extern "C" {
long __real_sysconf(int name);
long __wrap_sysconf(int name) { return name == _SC_PAGESIZE ? 65536 : __real_sysconf(name); }
}

TEST(Pages, PartsAreWholePagesOfTheSystem) {
  for (const Index bytes : {1, 4096, 65536, 65537, 1000000}) {
    const auto piece = allocate_shared_bytes(bytes, MPI_COMM_WORLD);
    int processes = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    for (int rank = 0; rank < processes; ++rank) {
      EXPECT_EQ(piece->bytes(rank) % 65536, 0);
      EXPECT_GE(piece->bytes(rank), bytes);
      std::fill_n(piece->base(rank), rank == 0 ? bytes : 0, std::byte{1});
    }
  }
}
