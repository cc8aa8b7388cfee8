#include "collectives/counted.hpp"
#include <tridap/scalapack/array.hpp>
#include <tridap/scalapack/dense.hpp>
#include <tridap/tridap.h>

// C makes as many collectives as C++.

namespace {

using counted::second;
using tridap::Index;

TEST(CScalapackCollectives, AreThoseOfCpp) {
  const Index p = counted::processes(), n = 8 * p;
  const auto grid = tridap::near_square_grid(p, 2);
  const auto distribution = tridap::Distribution::make({n, n}, {tridap::cyclic(4), tridap::cyclic(4)}, grid);
  auto part = counted::part_of(distribution);
  part.buffer.strides = tridap::column_major_strides(part.buffer.shape, 8);
  const auto local = distribution.local_shape(counted::rank());
  for (Index i = 0; i < local[0]; ++i)
    for (Index j = 0; j < local[1]; ++j) {
      const auto global = distribution.global_index(counted::rank(), {i, j});
      static_cast<double*>(part.buffer.data)[i + j * local[0]] = global[0] == global[1] ? 9 : 0;
    }
  tridap_distribution layout{};
  const std::int64_t shape[] = {n, n}, places[] = {grid[0], grid[1]};
  tridap_distribute_options options{};
  options.grid = places;
  ASSERT_EQ(tridap_distribute(2, shape, "c:4,c:4", MPI_COMM_WORLD, &options, &layout), TRIDAP_OK) << tridap_message();
  tridap_memory memory{};
  memory.data = part.buffer.data;
  memory.type = TRIDAP_FLOAT64;
  memory.order = TRIDAP_COLUMN_MAJOR;
  tridap_array a{};
  ASSERT_EQ(tridap_array_of(layout, &memory, &a), TRIDAP_OK) << tridap_message();
  const auto of = [](auto&& call) {
    return second([&] {
      tridap_array made[2] = {};
      EXPECT_EQ(call(made), TRIDAP_OK) << tridap_message();
      for (const tridap_array each : made) tridap_release(each.number);
    });
  };
  tridap::scalapack::DenseOptions known;
  known.of_a = known.of_b = distribution;
  std::vector<double> values(static_cast<std::size_t>(n));
  using namespace tridap::scalapack;
  EXPECT_EQ(of([&](tridap_array* x) { return tridap_dense_solve(a, a, nullptr, x, nullptr); }),
            second([&] { return solve(part, part, MPI_COMM_WORLD, known); }));
  EXPECT_EQ(of([&](tridap_array* x) { return tridap_cholesky(a, nullptr, x, nullptr); }),
            second([&] { return cholesky(part, MPI_COMM_WORLD, true, known); }));
  EXPECT_EQ(of([&](tridap_array* x) { return tridap_eigh(a, nullptr, values.data(), x, nullptr); }),
            second([&] { return eigh(part, MPI_COMM_WORLD, true, known); }));
  EXPECT_EQ(of([&](tridap_array* x) { return tridap_qr(a, nullptr, x, x + 1, nullptr); }),
            second([&] { return qr(part, MPI_COMM_WORLD, known); }));
  ProcessGrid of_program(MPI_COMM_WORLD, grid[0], grid[1]);
  const int context = of_program.context();
  int desc[9];
  void* memory_of_matrix = nullptr;
  EXPECT_EQ(of([&](tridap_array*) { return tridap_array_to_desc(a, context, desc, &memory_of_matrix); }), second([&] {
              ProcessGrid at = ProcessGrid::of_context(context, MPI_COMM_WORLD);
              import_array(part, at);
              at.close();
            }));
  of_program.close();
  tridap_release(a.number);
  tridap_release(layout.number);
}

}  // namespace
