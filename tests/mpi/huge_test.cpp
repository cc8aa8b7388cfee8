#include "mpi/support.hpp"
#include <tridap/mpi/gather_distribution.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <limits>

namespace {

using oracle::List;
using tridap::Block;
using tridap::Cyclic;
using tridap::DistArray;
using tridap::Index;
using tridap::Report;
using tridap::Rule;
using tridap::Unstructured;

constexpr Index big = Index{1} << 62, highest = std::numeric_limits<Index>::max();

/// One cyclic axis over all processes, two elements each.
DistArray small() {
  const int processes = on::processes(MPI_COMM_WORLD);
  return on::stamped(oracle::Array({oracle::cyclic(2 * processes, 1, processes)}), on::rank(MPI_COMM_WORLD));
}

DistArray of_many_axes(Index ndim) {
  DistArray array;
  static double one = 1;
  array.dim_data.assign(static_cast<std::size_t>(ndim), tridap::undistributed(1));
  array.buffer = tridap::row_major(&one, List(static_cast<std::size_t>(ndim), 1));
  return array;
}

TEST(HugeDescriptions, HundredThousandAxesOnOneProcessFailEveryProcess) {
  const int here = on::rank(MPI_COMM_WORLD), processes = on::processes(MPI_COMM_WORLD);
  for (int r = 0; r < processes && processes > 1; ++r) {
    const DistArray array = here == r ? of_many_axes(100000) : small();
    Report report;
    report = tridap::mpi::check(array, MPI_COMM_WORLD);
    EXPECT_EQ(report.counts(), (oracle::Counts{{Rule::agree_ndim, 1}})) << report.text();
    EXPECT_TRUE(on::same_everywhere(on::all_of(report), MPI_COMM_WORLD));
  }
}

TEST(HugeDescriptions, HundredThousandWrongAxesOnOneProcessAreCountedAndNotAllSent) {
  DistArray array = small();
  if (on::rank(MPI_COMM_WORLD) == 0) {
    array = of_many_axes(100000);
    for (tridap::Dimension& d : array.dim_data) d.size = -1;
  }
  Report report;
  report = tridap::mpi::check(array, MPI_COMM_WORLD);
  EXPECT_EQ(report.count(Rule::size), 100000);
  EXPECT_EQ(report.findings().size(), 200u + (on::processes(MPI_COMM_WORLD) > 1)) << report.text();
}

TEST(HugeDescriptions, FiftyThousandAxesOnEveryProcessAreTaken) {
  const int processes = on::processes(MPI_COMM_WORLD);
  DistArray array = of_many_axes(50000);
  array.dim_data.back() = small().dim_data[0];
  array.buffer.shape.back() = 2;
  double two[2] = {};
  array.buffer.data = two;
  EXPECT_EQ(tridap::mpi::gather_distribution(array, MPI_COMM_WORLD).processes(), processes);
}

TEST(HugeDescriptions, ManyUnstructuredAxesOnEveryProcessAreTaken) {
  const int processes = on::processes(MPI_COMM_WORLD);
  DistArray array = of_many_axes(1000);
  for (tridap::Dimension& d : array.dim_data) d.dist = Unstructured{List{7}, false};
  array.dim_data.back() = small().dim_data[0];
  array.buffer.shape.back() = 2;
  double two[2] = {};
  array.buffer.data = two;
  EXPECT_EQ(tridap::mpi::gather_distribution(array, MPI_COMM_WORLD).processes(), processes);
}

TEST(HugeDescriptions, NumbersAtTheEndOf64BitsOnEveryProcessNeitherWrapNorAllocate) {
  const int here = on::rank(MPI_COMM_WORLD), processes = on::processes(MPI_COMM_WORLD);
  static double one = 1;
  DistArray array;
  array.dim_data = {oracle::dimension(highest, processes, here)};
  array.buffer = tridap::row_major(&one, {0});
  const bool last = here == processes - 1;
  array.dim_data[0].dist = Block{last ? 0 : highest, highest, {}};  // the last one holds all
  array.buffer.shape = {last ? highest : 0};
  array.buffer.strides = {0};
  array.buffer.type = tridap::element_type<char>();
  EXPECT_EQ(tridap::mpi::gather_distribution(array, MPI_COMM_WORLD).owner({highest - 1}), processes - 1);

  array.dim_data[0].dist = Cyclic{here == 0 ? 0 : highest, highest};  // the first one
  array.buffer.shape = {here == 0 ? highest : 0};
  EXPECT_EQ(tridap::mpi::gather_distribution(array, MPI_COMM_WORLD).owner({highest - 1}), 0);

  array.dim_data[0].dist = Block{0, highest, {{big, big - 1}}};
  array.buffer.shape = {highest};
  const Report report = tridap::mpi::check(array, MPI_COMM_WORLD);
  EXPECT_EQ(report.ok(), processes == 1) << report.text();
  EXPECT_TRUE(on::same_everywhere(on::all_of(report), MPI_COMM_WORLD));
}

TEST(HugeDescriptions, AListThatOnlyStatesItsLengthFailsEveryProcess) {
  const int here = on::rank(MPI_COMM_WORLD), processes = on::processes(MPI_COMM_WORLD);
  for (int r = 0; r < processes; ++r) {
    DistArray array = on::stamped(
        oracle::Array({oracle::unstructured(std::vector<List>(static_cast<std::size_t>(processes), {1, 2}))}), here);
    if (here == r) std::get<Unstructured>(array.dim_data[0].dist).indices.buffer.shape = {big};
    const Report report = tridap::mpi::check(array, MPI_COMM_WORLD);
    EXPECT_EQ(report.errors(), 1) << report.text();
    EXPECT_EQ(report.findings().at(0).process, r);
    EXPECT_TRUE(on::same_everywhere(on::all_of(report), MPI_COMM_WORLD));
  }
}

}  // namespace
