#include "hdf5_support.hpp"
#include "support/long_lists.hpp"
#include <tridap/mpi/gather_distribution.hpp>

// What a process holds of lists that stay on their processes, while it saves and loads.
namespace {

using namespace hdf5_test;
using namespace long_lists;

// HDF5 collects elements in any order in memory of ours: 4 MiB, and their places.
constexpr double staged = 8e6;

void check_memory(Index step) {
  const std::vector<Index> ids = random_ids(MPI_COMM_WORLD, step);
  const DistArray array = listed(ids, MPI_COMM_WORLD);
  auto* const elements = static_cast<double*>(array.buffer.data);
  for (std::size_t i = 0; i < ids.size(); ++i) elements[i] = static_cast<double>(ids[i]);
  Reading reading;
  reading.most_listed = 0;
  const Distribution lists = tridap::mpi::gather_distribution(array, MPI_COMM_WORLD, reading);
  const TemporaryFile file;
  const auto save = [&] { h5::save(file.path(), {{"a", array, lists}}, MPI_COMM_WORLD); };
  save();  // what a communicator keeps
  EXPECT_LE(most_held_by(save), bound(ids) + staged);

  std::fill_n(elements, ids.size(), 0.0);
  const auto load = [&] {
    const h5::Stored stored = h5::find(file.path(), "a", MPI_COMM_WORLD, false, 0);
    h5::load_into(array.buffer, file.path(), stored, lists, MPI_COMM_WORLD);
  };
  EXPECT_LE(most_held_by(load), bound(ids) + 8 * static_cast<double>(ids.size()) + staged) << "with the list itself";
  for (std::size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(elements[i], static_cast<double>(ids[i])) << i;
}

TEST(ListsInFiles, TakeTheMemoryOfTheirOwnProcess) { check_memory(1); }

TEST(ListsInFiles, WithGapsTakeTheMemoryOfTheirOwnProcess) { check_memory(1024); }

}  // namespace
