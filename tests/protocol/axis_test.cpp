#include <dap/axis.hpp>

#include <gtest/gtest.h>

TEST(Axis, WorkedExampleOfTheHeaderHolds) {
  std::vector<dap::Dimension> dims(3);
  for (dap::Index c = 0; c < 3; ++c) {
    auto& d = dims[static_cast<std::size_t>(c)];
    d.size = 10;
    d.proc_grid_size = 3;
    d.proc_grid_rank = c;
    d.dist = dap::Cyclic{2 * c, 2};
  }
  const dap::Axis axis(dims);
  EXPECT_EQ(axis.count(1), 4);
  EXPECT_EQ(axis.owner(8), 1);
  EXPECT_EQ(axis.local_index(1, 8), 2);
  EXPECT_EQ(axis.global_index(1, 2), 8);
}
