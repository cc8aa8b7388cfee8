#include "support/effort.hpp"
#include "support/test_files.hpp"

#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!test_files::select(&argc, argv)) return 2;
  if (effort::sampled()) std::puts("sweeps: a sample, the first cases from fixed seeds; all: TRIDAP_TEST_EFFORT=all");
  const int status = RUN_ALL_TESTS();
  test_files::print_again(0);
  return status;
}
