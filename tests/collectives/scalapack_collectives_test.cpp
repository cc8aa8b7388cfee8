#include "collectives/counted.hpp"
#include <tridap/scalapack/dense.hpp>

namespace {

using counted::Counts;
using counted::second;
using tridap::Index;
namespace sc = tridap::scalapack;

TEST(ScalapackCollectives, OfDenseFunctions) {
  const Index p = counted::processes();
  const auto cyclic = tridap::cyclic(4);
  const auto of = [&](Index columns) {
    const auto grid = tridap::near_square_grid(p, 2);
    const auto distribution = tridap::Distribution::make({16 * p, columns}, {cyclic, cyclic}, grid);
    auto part = counted::part_of(distribution);
    part.buffer.strides = tridap::column_major_strides(part.buffer.shape, 8);
    auto* const elements = static_cast<double*>(part.buffer.data);
    const auto shape = distribution.local_shape(counted::rank());
    for (Index i = 0; i < shape[0]; ++i)
      for (Index j = 0; j < shape[1]; ++j) {
        const auto global = distribution.global_index(counted::rank(), {i, j});
        elements[i + j * shape[0]] = global[0] == global[1] ? 100.0 * static_cast<double>(p) : 1.0;
      }
    return part;
  };
  const tridap::DistArray a = of(16 * p), b = of(4);
  EXPECT_EQ(second([&] { return sc::cholesky(a, MPI_COMM_WORLD); }), (Counts{4, 0}));
  EXPECT_EQ(second([&] { return sc::solve(a, b, MPI_COMM_WORLD); }), (Counts{6, 0}));
  EXPECT_EQ(second([&] { return sc::eigh(a, MPI_COMM_WORLD); }), (Counts{5, 0}));
  EXPECT_EQ(second([&] { return sc::svd(a, MPI_COMM_WORLD); }), (Counts{6, 0}));
  EXPECT_EQ(second([&] { return sc::qr(a, MPI_COMM_WORLD); }), (Counts{6, 0}));
}

}  // namespace
