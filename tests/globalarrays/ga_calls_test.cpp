#include "random_arrays.hpp"
#include "support/different_calls.hpp"
#include "support/parts.hpp"
#include <tridap/globalarrays/array.hpp>
#include <tridap/globalarrays/export.hpp>
#include <tridap/globalarrays/import.hpp>
#include <tridap/make.hpp>
#include <tridap/redistribute/gather.hpp>

extern "C" {
#include <ga.h>
}

namespace ga = tridap::globalarrays;
using tridap::Index;

namespace {

testing::Environment* const session = testing::AddGlobalTestEnvironment(new arrays::WithSession);

int made_by_ga() {
  char name[] = "made";
  int64_t dims[] = {12};
  return NGA_Create64(C_DBL, 1, dims, name, nullptr);
}

}  // namespace

TEST(GaCalls, ThatDifferAreAnErrorOnAllProcesses) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const tridap::Distribution line = tridap::Distribution::make({12}, {tridap::block()}, {arrays::processes()});
  tridap::DistArray array = on::part_of(line, arrays::rank(), arrays::real);
  const int handle = made_by_ga();
  different_calls::expect_errors({
      {"globalarrays::create", [&] { ga::create(line, arrays::real, comm); }},
      {"globalarrays::allocate", [&] { ga::allocate(line, arrays::real, comm); }},
      {"globalarrays::import_array", [&] { ga::import_array(array, comm, tridap::Copy::if_needed); }},
      {"globalarrays::make_group", [&] { ga::make_group(comm); }},
      {"globalarrays::collect", [] { ga::collect(); }},
      {"globalarrays::grid_communicator",
       [&] {
         MPI_Comm made = ga::grid_communicator(handle);
         if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
       }},
      {"redistribute::allgather", [&] { tridap::redistribute::allgather(array, comm); }},
      {"globalarrays::destroy", [&] { ga::destroy(handle, comm); }},
  });
}
