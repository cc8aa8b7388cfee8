#include "collectives/counted.hpp"
#include "hdf5/hdf5_support.hpp"

namespace {

using counted::second;
namespace h5 = tridap::hdf5;

class Hdf5Collectives : public counted::OfKind {};

TEST_P(Hdf5Collectives, OfFiles) {
  const hdf5_test::TemporaryFile file;
  const long save = GetParam() == "lists" ? 9 : 7;
  EXPECT_EQ(second([&] { return h5::save(file.path(), {{"x", x}}, MPI_COMM_WORLD); }).messages, save);
  EXPECT_EQ(second([&] { return h5::load(file.path(), "x", MPI_COMM_WORLD); }).messages, 6);
}

INSTANTIATE_TEST_SUITE_P(, Hdf5Collectives, testing::ValuesIn(counted::kinds), counted::name_of);

}  // namespace
