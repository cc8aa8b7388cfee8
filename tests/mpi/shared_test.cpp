#include "mpi/support.hpp"
#include <dap/mpi/shared.hpp>

namespace {
TEST(Shared, Smoke) {
  auto piece = dap::mpi::share(100, MPI_COMM_WORLD);
  EXPECT_NE(piece->base(on::rank(MPI_COMM_WORLD)), nullptr);
}
}  // namespace
