// That an abort of Global Arrays fails one test and not the run: run as it is, the first test fails, and it alone.

#include "support/mpi_abort.hpp"
#include <tridap/globalarrays/session.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

extern "C" {
#include <ga.h>
#include <macdecls.h>
}

namespace {

int array_of(int64_t elements) {
  char name[] = "x";
  return NGA_Create64(C_DBL, 1, &elements, name, nullptr);
}

void access_nothing(int handle) {
  int64_t lo[] = {-1}, hi[] = {-2}, ld[1];
  double* data = nullptr;
  NGA_Access64(handle, lo, hi, &data, ld);
}

void fill_and_get_back() {
  const int handle = array_of(100);
  double value = 3, got = 0;
  GA_Fill(handle, &value);
  int64_t at[] = {99}, ld[] = {1};
  NGA_Get64(handle, at, at, &got, ld);
  EXPECT_EQ(got, 3);
  GA_Destroy(handle);
}

}  // namespace

TEST(GaAbort, FailsThisTest) {
  tridap::globalarrays::Session session;
  const int handle = array_of(10);
  access_nothing(handle);
}

TEST(GaAbort, AndNotTheNext) {
  tridap::globalarrays::Session session;
  for (int turn = 0; turn < 3; ++turn) {
    fill_and_get_back();
    EXPECT_THROW(access_nothing(-777), mpi_abort::Aborted);
    EXPECT_THROW(array_of(0), mpi_abort::Aborted);
    if (GA_Nodeid() == GA_Nnodes() - 1) {  // one process alone
      const int unknown = 123;
      EXPECT_THROW(GA_Ndim(unknown), mpi_abort::Aborted);
    }
  }
  fill_and_get_back();
}
