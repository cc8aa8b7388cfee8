// Before PetscInitialize every call says so.

#include "support/parts.hpp"
#include "support/thrown.hpp"
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
  const tridap::DistArray array = on::part_of(line, on::rank(MPI_COMM_WORLD), tridap::element_type<PetscScalar>());
  const auto expect = [](auto&& step) {
    try {
      step();
      FAIL();
    } catch (const tridap::Error& error) {
      on::expect_says(error.what(), "call PetscInitialize first");
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
