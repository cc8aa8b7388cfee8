#include "collectives/counted.hpp"
#include "hdf5/hdf5_support.hpp"
#include <tridap/c_array.hpp>
#include <tridap/tridap.h>

// C makes as many collectives as C++, or fewer.

namespace {

using counted::second;
namespace h5 = tridap::hdf5;

class CollectivesOfFilesInC : public counted::OfKind {};

TEST_P(CollectivesOfFilesInC, AreThoseOfCpp) {
  const hdf5_test::TemporaryFile file;
  tridap_array array{};
  ASSERT_EQ(tridap_array_from_dap(tridap::to_c(x).release(), MPI_COMM_WORLD, &array), TRIDAP_OK) << tridap_message();
  const auto of = [](const std::function<int()>& call) {
    return second([&] { EXPECT_EQ(call(), TRIDAP_OK) << tridap_message(); }).messages;
  };
  const std::string path = file.path();
  const char* const name = "x";
  const auto saved = second([&] { return h5::save(path, {{"x", x, distribution}}, MPI_COMM_WORLD); });
  EXPECT_LE(of([&] { return tridap_save(path.c_str(), 1, &name, &array, nullptr, nullptr); }), saved.messages);
  const auto loaded = second([&] { return h5::load(path, "x", MPI_COMM_WORLD); });
  EXPECT_LE(of([&] {
              tridap_array made{};
              const int status = tridap_load(path.c_str(), "x", MPI_COMM_WORLD, {}, nullptr, &made);
              tridap_release(made.number);
              return status;
            }),
            loaded.messages);
  const auto into =
      second([&] { h5::load_into(x.buffer, path, h5::find(path, "x", MPI_COMM_WORLD), distribution, MPI_COMM_WORLD); });
  EXPECT_LE(of([&] { return tridap_load_into(path.c_str(), "x", array, nullptr, nullptr); }), into.messages);
  tridap_release(array.number);
}

INSTANTIATE_TEST_SUITE_P(, CollectivesOfFilesInC, testing::ValuesIn(counted::kinds), counted::name_of);

}  // namespace
