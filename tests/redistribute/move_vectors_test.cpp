#include "support/oracle.hpp"
#include "support/ranks.hpp"
#include "support/thrown.hpp"
#include <tridap/make.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/redistribute/vectors.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using oracle::List;
using tridap::DistArray;
using tridap::Index;
using tridap::Order;
using tridap::Part;
using tridap::redistribute::move_vectors;
using tridap::redistribute::Options;
using tridap::redistribute::Redistribution;

Index rank() { return on::rank(MPI_COMM_WORLD); }
Index processes() { return on::processes(MPI_COMM_WORLD); }

constexpr Index vectors = 3;

/// This process's part of an array of doubles, all -1.
struct Local {
  oracle::Array oracle;
  DistArray part;

  Local(std::vector<oracle::Axis> axes, bool column_major = false) : oracle(axes) {
    for (std::size_t i = 0; i < axes.size(); ++i)
      part.dim_data.push_back(axes[i].dims[static_cast<std::size_t>(oracle.coordinates(rank())[i])]);
    part.buffer = tridap::allocate(tridap::element_type<double>(), oracle.local_shape(rank()));
    if (column_major) part.buffer.strides = tridap::column_major_strides(part.buffer.shape, 8);
    for (const auto& element : oracle.elements(rank(), Part::local)) at(element.local) = -1;
  }
  double& at(const List& local) const { return *reinterpret_cast<double*>(oracle::address(part.buffer, local)); }
  tridap::Distribution distribution() const { return tridap::mpi::gather_distribution(part, MPI_COMM_WORLD); }
};

List uneven(Index size, Index grid) {
  List counts(static_cast<std::size_t>(grid), size / (grid + 1));
  counts.back() = size - (grid - 1) * (size / (grid + 1));
  return counts;
}

List ones(Index grid) { return List(static_cast<std::size_t>(grid - 1), 1); }

}  // namespace

TEST(MoveVectors, AMultiVectorBecomesAGridWithPaddingAndUnevenBlocks) {
  const Index p = processes() % 2 == 0 ? 2 : 1, q = processes() / p, nx = 7, ny = 3 * q + 2;
  for (const Order order : {Order::row_major, Order::column_major})
    for (const bool dealt : {false, true})
      for (const Index of_grid : {0, 2}) {  // the vectors' axis
        const oracle::Axis line =
            dealt ? oracle::cyclic(nx * ny, 2, processes()) : oracle::block(uneven(nx * ny, processes()));
        const oracle::Axis x = oracle::block(uneven(nx, p), ones(p)), y = oracle::block(uneven(ny, q), ones(q));
        const Local source({line, oracle::block({vectors})}, true);
        std::vector<oracle::Axis> axes{x, y};
        axes.insert(axes.begin() + of_grid, oracle::block({vectors}));
        const Local target(axes);
        for (const auto& element : source.oracle.elements(rank(), Part::local))
          source.at(element.local) = static_cast<double>(10 * element.global[0] + element.global[1]);
        Options options;
        options.mapping.ravel = order;
        Redistribution plan(Local({line}).distribution(), Local({x, y}).distribution(), 8, MPI_COMM_WORLD, options);
        move_vectors(plan, {source.part, 1}, {target.part, of_grid});
        for (const auto& element : target.oracle.elements(rank(), Part::owned)) {
          const Index i = element.global[of_grid == 0 ? 1 : 0], j = element.global[of_grid == 0 ? 2 : 1];
          const Index number = order == Order::row_major ? i * ny + j : i + nx * j;
          ASSERT_EQ(target.at(element.local),
                    static_cast<double>(10 * number + element.global[static_cast<std::size_t>(of_grid)]));
        }
        for (const auto& element : source.oracle.elements(rank(), Part::local)) source.at(element.local) = -1;
        Redistribution back = plan.reversed();
        move_vectors(back, {target.part, of_grid}, {source.part, 1});
        for (const auto& element : source.oracle.elements(rank(), Part::local))
          ASSERT_EQ(source.at(element.local), static_cast<double>(10 * element.global[0] + element.global[1]));
      }
}

TEST(MoveVectors, AnAxisThatIsNotThatOfTheVectorsIsRefusedOnAll) {
  const oracle::Axis line = oracle::block(List(static_cast<std::size_t>(processes()), 2));
  const Local source({line, oracle::block({vectors})}), target({line, oracle::block({vectors})}),
      fewer({line, oracle::block({2})});
  Redistribution plan(Local({line}).distribution(), Local({line}).distribution(), 8, MPI_COMM_WORLD);
  const auto refused = [&](const Local& to, Index axis) -> std::string {
    try {
      move_vectors(plan, {source.part, rank() == processes() - 1 ? axis : 1}, {to.part, 1});
    } catch (const tridap::Error& error) {
      return error.what();
    }
    return "";
  };
  on::expect_says(refused(fewer, 1), "the source has 3 vectors, the target 2");
  on::expect_says(refused(target, 2), "the vectors' axis of the source is 2, must be one of its 2 axes");
  if (processes() > 1) {
    on::expect_says(refused(target, 0), "is distributed over " + std::to_string(processes()));
  }
  EXPECT_EQ(refused(target, 1), "");
}
