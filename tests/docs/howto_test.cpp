// The lines of C++ in the pages of docs/howto, which tests/docs/pages_test.py compares with this file.

#include "support/thrown.hpp"
#include <tridap/ghosts/ghost_update.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/allocate_shared.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/mpi/watch.hpp>
#include <tridap/mpi/write_capture.hpp>
#include <tridap/redistribute/padding.hpp>
#include <tridap/redistribute/redistribution.hpp>
#include <tridap/solvers.hpp>
#include <tridap/tpetra.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace {

using tridap::Index;

struct Howto : testing::Test {
  const MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0, processes = 1;

  Howto() {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &processes);
  }
  tridap::DistArray make(const tridap::Distribution& distribution, double value) const {
    tridap::DistArray array;
    array.buffer = tridap::allocate(tridap::element_type<double>(), distribution.local_shape(rank));
    array.dim_data = distribution.dim_data(rank);
    double* const values = static_cast<double*>(array.buffer.data);
    std::fill_n(values, tridap::element_count(array.buffer), value);
    return array;
  }
};

TEST_F(Howto, ExportVector) {
  using Vector = Tpetra::Vector<double>;
  const auto teuchos = Teuchos::rcp(new Teuchos::MpiComm<int>(comm));
  const auto rows = tridap::Distribution::make({10}, {tridap::block()}, {processes});
  const auto count = static_cast<std::size_t>(10 * rows.local_shape(rank)[0]);  // whole rows of 10 elements
  const auto map = Teuchos::rcp(new tridap::tpetra::Map(100, count, 0, teuchos));
  const Teuchos::RCP<Vector> vector = Teuchos::rcp(new Vector(map));

  const auto exported = tridap::tpetra::export_array(vector);  // collective
  const tridap::DistArray& array = exported.array;
  double* values = static_cast<double*>(array.buffer.data);  // the memory of the vector
  for (Index i = 0; i < array.buffer.shape[0]; ++i) values[i] = 2;
  EXPECT_EQ(vector->norm1(), 200);
  EXPECT_EQ(exported.receipt.bytes_copied, 0);

  const auto grid = tridap::tpetra::export_array(vector, {{{10, 10}}});  // ids are row-major numbers of 10 x 10
  EXPECT_EQ(tridap::mpi::gather_distribution(array, comm).shape(), std::vector<Index>{100});
  EXPECT_EQ(tridap::mpi::gather_distribution(grid.array, comm).shape(), (std::vector<Index>{10, 10}));
}

TEST_F(Howto, Solve) {
  namespace solvers = tridap::solvers;
  const Index n = 200;
  const auto line = tridap::Distribution::make({n}, {tridap::block()}, {processes});
  const tridap::DistArray b = make(line, 1), x = make(line, 0);
  // The rows of this process of the matrix (-1, 2, -1), as SciPy's CSR has them. Columns are global.
  std::vector<double> data;
  std::vector<Index> columns, starts = {0};
  for (Index i = 0; i < line.local_shape(rank)[0]; ++i) {
    const Index row = line.global_index(rank, {i})[0];
    for (Index column = std::max<Index>(row - 1, 0); column < std::min(row + 2, n); ++column) {
      data.push_back(column == row ? 2 : -1);
      columns.push_back(column);
    }
    starts.push_back(static_cast<Index>(data.size()));
  }

  const tridap::tpetra::ArrayMap rows(x, comm);  // collective: checks x on all processes
  const Index count = static_cast<Index>(data.size()), row_count = static_cast<Index>(starts.size());
  const auto a =
      solvers::make_matrix(rows, {data.data(), count, {columns.data(), 8, count}, {starts.data(), 8, row_count}});
  const auto right = tridap::tpetra::import_vector<double>(b, rows);
  const auto left = tridap::tpetra::import_vector<double>(x, rows);
  const auto m = solvers::make_preconditioner("muelu", solvers::Method::cg, a);
  const solvers::Solution solution = solvers::solve(a, m, *right.vector, *left.vector, {});
  // solution.converged, solution.iterations, solution.residual; the solution is in the memory of x

  EXPECT_TRUE(solution.converged);
  EXPECT_EQ(left.receipt.bytes_copied + right.receipt.bytes_copied, 0);
  for (Index i = 0; i < line.local_shape(rank)[0]; ++i) {
    const double row = static_cast<double>(line.global_index(rank, {i})[0]), exact = (row + 1) * (n - row) / 2;
    EXPECT_NEAR(static_cast<const double*>(x.buffer.data)[i], exact, 1e-3 * n * n / 8);
  }
}

TEST_F(Howto, Move) {
  const Index n = 24;
  using tridap::redistribute::Redistribution;
  const auto rows = tridap::Distribution::make({n, n}, {tridap::block(), tridap::whole()}, {processes, 1});
  const auto columns = tridap::Distribution::make({n, n}, {tridap::whole(), tridap::block()}, {1, processes});
  const tridap::DistArray array = make(rows, rank), other = make(columns, -1);

  Redistribution plan(rows, columns, sizeof(double), comm);  // collective; no message carries a list of indices
  const tridap::DistArray moved = plan(array);               // a new array, in memory that a node shares
  plan(array, other);                                        // into memory that you have
  if (rank == 0) std::cout << plan.explain();                // what each process sends to each other one

  for (const tridap::DistArray& target : {moved, other})
    for (Index i = 0; i < target.buffer.shape[0]; ++i)
      for (Index j = 0; j < target.buffer.shape[1]; ++j)
        EXPECT_EQ(*reinterpret_cast<double*>(static_cast<char*>(target.buffer.data) + i * target.buffer.strides[0] +
                                             j * target.buffer.strides[1]),
                  static_cast<double>(*rows.owner({i, 0})));
}

TEST_F(Howto, Halo) {
  const auto points = tridap::Distribution::make({24}, {tridap::padded_block(1)}, {processes});
  const tridap::DistArray u = make(points, rank);

  tridap::redistribute::PaddingUpdate halo(u.buffer, points, comm);  // collective; planned once
  halo.start();                                                      // the messages are on their way
  // compute what needs no padding
  halo.wait();  // now compute at the borders

  for (Index i = 0; i < u.buffer.shape[0]; ++i)
    EXPECT_EQ(static_cast<const double*>(u.buffer.data)[i],
              static_cast<double>(*points.owner(points.global_index(rank, {i}))));
}

TEST_F(Howto, Ghosts) {
  const Index owned = 3, next = owned * ((rank + 1) % processes);
  std::vector<Index> ghosts;
  if (processes > 1) ghosts.push_back(next);  // the first element of the next process
  std::vector<double> memory(static_cast<std::size_t>(owned) + ghosts.size(), rank);
  double* const data = memory.data();
  const Index count = static_cast<Index>(memory.size());

  const auto u = tridap::make_ghosted(tridap::row_major(data, {count}), ghosts, comm);  // collective
  tridap::GhostUpdate update(u, comm);                                                  // planned once
  update.update_ghosts();                                                               // the messages

  for (std::size_t i = 3; i < memory.size(); ++i) EXPECT_EQ(memory[i], (rank + 1) % processes);
}

TEST_F(Howto, Capture) {
  const auto line = tridap::Distribution::make({12}, {tridap::block()}, {processes});
  tridap::DistArray array = make(line, 0);
  if (rank == processes - 1) std::get<tridap::Block>(array.dim_data[0].dist).stop += 1;
  const std::string path = testing::TempDir() + "howto_" + std::to_string(processes) + ".json";

  try {
    const auto whole = tridap::mpi::gather_distribution(array, comm);
  } catch (const tridap::Error&) {
    tridap::mpi::write_capture(array, path, comm);  // collective; the array may be wrong
  }

  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  on::expect_says(text.str(), "\"stop\"");
  MPI_Barrier(comm);
  if (rank == 0) std::remove(path.c_str());
}

std::ptrdiff_t threads() {
  const std::filesystem::directory_iterator all("/proc/self/task");
  return std::distance(begin(all), end(all));
}

TEST_F(Howto, Watch) {
  const std::ptrdiff_t before = threads();
  tridap::mpi::watch(30);  // on all processes; 0 ends it
  EXPECT_EQ(threads(), before + 1);
  tridap::mpi::watch(0);
  EXPECT_EQ(threads(), before);
}

TEST_F(Howto, SharedMemory) {
  const auto tiles = tridap::Distribution::make({64, 64}, {tridap::cyclic(8), tridap::whole()}, {processes, 1});

  tridap::DistArray array;
  array.buffer = tridap::mpi::allocate_shared(tridap::element_type<double>(), tiles.local_shape(rank), comm);
  array.dim_data = tiles.dim_data(rank);

  EXPECT_TRUE(tridap::mpi::check(array, comm).ok());
}

}  // namespace
