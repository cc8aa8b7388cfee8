#include "random_arrays.hpp"
#include "support/parts.hpp"
#include "support/two_threads.hpp"
#include <tridap/globalarrays/array.hpp>
#include <tridap/globalarrays/export.hpp>
#include <tridap/globalarrays/import.hpp>
#include <tridap/internal/state.hpp>
#include <tridap/make.hpp>
#include <tridap/redistribute/gather.hpp>

#include <atomic>
#include <future>

namespace ga = tridap::globalarrays;
using tridap::DistArray;
using tridap::Index;

namespace {

std::atomic<int> closed_accesses{0};

testing::Environment* const session = testing::AddGlobalTestEnvironment(new arrays::WithSession);

tridap::Distribution line(MPI_Comm comm) {
  return tridap::Distribution::make({12}, {tridap::block()}, {Index{on::processes(comm)}});
}

DistArray numbered_part(MPI_Comm comm, double first) {
  DistArray part = on::part_of(line(comm), on::rank(comm), arrays::real);
  const Index start = std::get<tridap::Block>(part.dim_data[0].dist).start;
  for (Index i = 0; i < part.buffer.shape[0]; ++i)
    static_cast<double*>(part.buffer.data)[i] = first + static_cast<double>(start + i);
  return part;
}

}  // namespace

extern "C" {
void __real_NGA_Release_update_block_segment(int handle, int process);
void __wrap_NGA_Release_update_block_segment(int handle, int process) {
  ++closed_accesses;
  __real_NGA_Release_update_block_segment(handle, process);
}
}

// GA's own functions are called by the calls of TriDAP alone, because GA lets one thread in.
TEST(GaThreads, ImportAndAllocateWithACommunicatorEach) {
  std::array<std::vector<ga::GlobalArray>, 2> imported;
  two_threads::run([&](MPI_Comm comm, int number) {
    for (int round = 0; round < 10; ++round) {
      const double first = 100 * number + round;
      ga::GlobalArray array = ga::import_array(numbered_part(comm, first), comm, tridap::Copy::if_needed).array;
      imported[static_cast<std::size_t>(number)].push_back(std::move(array));
      const DistArray zeros = ga::allocate(line(comm), arrays::real, comm);
      for (Index i = 0; i < zeros.buffer.shape[0]; ++i)
        static_cast<double*>(zeros.buffer.data)[i] += first + static_cast<double>(i);
      const DistArray whole = tridap::redistribute::allgather(zeros, comm);
      EXPECT_EQ(static_cast<const double*>(whole.buffer.data)[0], first);
      ga::create(line(comm), arrays::real, comm);
    }
  });
  for (int number = 0; number < 2; ++number) {
    auto& all = imported[static_cast<std::size_t>(number)];
    for (std::size_t round = 0; round < all.size(); ++round) {
      const DistArray whole = tridap::redistribute::allgather(ga::export_array(all[round]).array, MPI_COMM_WORLD);
      for (Index i = 0; i < 12; ++i)
        EXPECT_EQ(static_cast<const double*>(whole.buffer.data)[i],
                  100.0 * number + static_cast<double>(round) + static_cast<double>(i));
    }
    all.clear();
  }
  ga::collect();
  EXPECT_EQ(ga::held(), 0);
}

TEST(GaThreads, AnExportWaitsForTheThreadInsideToBeReleased) {
  const ga::GlobalArray array = ga::create(line(MPI_COMM_WORLD), arrays::real, MPI_COMM_WORLD);
  DistArray exported = ga::export_array(array).array;
  std::promise<void> inside, released;
  std::thread other([&] {
    const tridap::mpi::Inside entered(tridap::mpi::Library::globalarrays);
    inside.set_value();
    released.get_future().wait();
  });
  inside.get_future().wait();
  const int before = closed_accesses;
  exported = {};  // on the thread that exported
  EXPECT_EQ(closed_accesses, before);
  released.set_value();
  other.join();
  EXPECT_EQ(ga::held(), 1);  // the GlobalArray itself
  EXPECT_EQ(closed_accesses, before + 1);
}
