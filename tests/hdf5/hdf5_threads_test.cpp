#include "support/parts.hpp"
#include "support/two_threads.hpp"
#include <tridap/hdf5/load.hpp>
#include <tridap/hdf5/save.hpp>
#include <tridap/make.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

using tridap::DistArray;
using tridap::Distribution;
using tridap::Index;

// One name for all processes.
std::string file_name(MPI_Comm comm, int number) {
  Index process = getpid();
  MPI_Bcast(&process, 1, MPI_INT64_T, 0, comm);
  return "hdf5_threads." + std::to_string(process) + "." + std::to_string(number) + ".h5";
}

}  // namespace

TEST(Hdf5Threads, SaveAndLoadWithACommunicatorEach) {
  two_threads::run([](MPI_Comm comm, int number) {
    const Index rank = on::rank(comm), processes = on::processes(comm), size = 40 + number;
    const Distribution distribution = Distribution::make({size}, {tridap::block()}, {processes});
    DistArray array = on::part_of(distribution, rank);
    auto* const values = static_cast<double*>(array.buffer.data);
    const Index count = array.buffer.shape[0], first = std::get<tridap::Block>(array.dim_data[0].dist).start;
    const std::string path = file_name(comm, number);
    for (int round = 0; round < 15; ++round) {
      for (Index i = 0; i < count; ++i) values[i] = static_cast<double>(1000 * round + first + i + number);
      tridap::hdf5::save(path, {{"x", array}}, comm);
      const DistArray loaded = tridap::hdf5::load(path, "x", comm, distribution);
      const auto* const read = static_cast<const double*>(loaded.buffer.data);
      EXPECT_EQ(std::vector<double>(read, read + count), std::vector<double>(values, values + count));
    }
    MPI_Barrier(comm);
    if (rank == 0) std::remove(path.c_str());
  });
}

TEST(Hdf5Threads, ATypeIsReleasedOnAnyThread) {
  two_threads::run([](MPI_Comm comm, int number) {
    const std::string path = file_name(comm, number);
    for (int round = 0; round < 200; ++round) {
      const tridap::hdf5::Datatype type = tridap::hdf5::datatype({tridap::ElementType::Kind::complex, 16, true});
      EXPECT_EQ(tridap::hdf5::element_type(type).bytes, 16);
      if (number == 0 && round % 20 == 0) {
        const Distribution distribution = Distribution::make({9}, {tridap::block()}, {Index{on::processes(comm)}});
        const DistArray array = on::part_of(distribution, on::rank(comm));
        tridap::hdf5::save(path, {{"x", array}}, comm);
      }
    }
    MPI_Barrier(comm);
    if (number == 0 && on::rank(comm) == 0) std::remove(path.c_str());
  });
}
