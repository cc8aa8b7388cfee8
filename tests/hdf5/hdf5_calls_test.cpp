#include "hdf5_support.hpp"
#include "support/different_calls.hpp"
#include "support/parts.hpp"
#include <tridap/mpi/gather_distribution.hpp>

using namespace hdf5_test;

TEST(Hdf5Calls, ThatDifferAreAnErrorOnAllProcesses) {
  const TemporaryFile file, saved;
  const Index rank = on::rank(MPI_COMM_WORLD), processes = on::processes(MPI_COMM_WORLD);
  const Distribution line = Distribution::make({3 * processes}, {tridap::block()}, {processes});
  DistArray array = on::part_of(line, rank);
  h5::save(saved.path(), {{"x", array}}, MPI_COMM_WORLD);
  const h5::Stored stored = h5::find(saved.path(), "x", MPI_COMM_WORLD);
  different_calls::expect_errors({
      {"hdf5::save",
       [&] {
         h5::save(file.path(), {{"x", array}}, MPI_COMM_WORLD);
       }},
      {"hdf5::load", [&] { h5::load(saved.path(), "x", MPI_COMM_WORLD, line); }},
      {"hdf5::load_into", [&] { h5::load_into(array.buffer, saved.path(), stored, line, MPI_COMM_WORLD); }},
      {"hdf5::find", [&] { h5::find(saved.path(), "x", MPI_COMM_WORLD); }},
      {"mpi::gather_distribution", [&] { tridap::mpi::gather_distribution(array, MPI_COMM_WORLD); }},
  });
}
