#include "collectives/counted.hpp"
#include <tridap/c_array.hpp>
#include <tridap/globalarrays/export.hpp>
#include <tridap/globalarrays/import.hpp>
#include <tridap/tridap.h>

#include <functional>

// C makes as many collectives as C++, or fewer.

namespace {

using counted::second;

long of(const std::function<int()>& call) {
  return second([&] { EXPECT_EQ(call(), TRIDAP_OK) << tridap_message(); }).messages;
}

TEST(CGlobalArraysCollectives, AreThoseOfCpp) {
  namespace ga = tridap::globalarrays;
  const auto distribution = tridap::Distribution::make({12, 9}, {tridap::block(), tridap::block()},
                                                       tridap::near_square_grid(counted::processes(), 2));
  const std::int64_t shape[] = {12, 9};
  tridap_distribution layout{};
  ASSERT_EQ(tridap_distribute(2, shape, "b,b", MPI_COMM_WORLD, nullptr, &layout), TRIDAP_OK) << tridap_message();
  int handle = 0;
  const auto created = second([&] {
    const tridap::DistArray made = ga::allocate({distribution, {}}, tridap::element_type<double>(), MPI_COMM_WORLD);
    ga::import_array(made, MPI_COMM_WORLD);  // released, as below
  });
  EXPECT_LE(of([&] {
              tridap_array made{};
              const int status = tridap_ga_create(layout, TRIDAP_FLOAT64, &handle, &made);
              tridap_release(made.number);
              return status;
            }),
            created.messages);
  const tridap::DistArray x = counted::part_of(distribution);
  tridap_array array{};
  ASSERT_EQ(tridap_array_from_dap(tridap::to_c(x).release(), MPI_COMM_WORLD, &array), TRIDAP_OK) << tridap_message();
  const auto copied = second([&] { ga::import_array(x, MPI_COMM_WORLD, tridap::Copy::if_needed); });
  EXPECT_LE(of([&] {
              tridap_array made{};
              const int status = tridap_ga_of_array(array, TRIDAP_COPY_IF_NEEDED, &handle, &made, nullptr);
              tridap_release(made.number);
              return status;
            }),
            copied.messages);
  MPI_Comm grid = MPI_COMM_NULL;
  const auto freed = [&] {
    if (grid != MPI_COMM_NULL) MPI_Comm_free(&grid);
  };
  EXPECT_EQ(of([&] {
              const int status = tridap_ga_communicator(handle, &grid);
              freed();
              return status;
            }),
            second([&] {
              grid = ga::grid_communicator(handle);
              freed();
            }).messages);
  tridap_release(array.number);
  tridap_release(layout.number);
}

}  // namespace
