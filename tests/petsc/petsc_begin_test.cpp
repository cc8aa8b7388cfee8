// Before PetscInitialize every call says so.

#include <tridap/make.hpp>
#include <tridap/petsc.hpp>
#include <tridap/report.hpp>

#include <gtest/gtest.h>
#include <mpi.h>
#include <support/ranks.hpp>

namespace petsc = tridap::petsc;

TEST(PetscBegin, EveryCallNamesPetscInitialize) {
  const auto processes = on::processes(MPI_COMM_WORLD);
  const auto line = tridap::Distribution::make({processes}, {tridap::block()}, {processes});
  tridap::DistArray array;
  array.dim_data = line.dim_data(on::rank(MPI_COMM_WORLD));
  array.buffer = tridap::allocate(tridap::element_type<PetscScalar>(), {1});
  const auto expect = [](auto&& step) {
    try {
      step();
      FAIL();
    } catch (const tridap::Error& error) {
      EXPECT_NE(std::string(error.what()).find("call PetscInitialize first"), std::string::npos) << error.what();
    }
  };
  expect([&] { petsc::export_array(nullptr); });
  expect([&] { petsc::import_array(array, MPI_COMM_WORLD); });
  expect([&] { petsc::make_ordering(array, MPI_COMM_WORLD); });
  expect([&] { petsc::create_dmda(line, MPI_COMM_WORLD); });
  expect([&] { petsc::place_array(nullptr, array); });
  expect([&] { petsc::collect(); });
  EXPECT_EQ(petsc::held().exports, 0);
}
