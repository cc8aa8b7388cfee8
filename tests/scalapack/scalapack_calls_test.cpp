#include "support.hpp"
#include "support/different_calls.hpp"
#include "support/parts.hpp"
#include <tridap/redistribute/gather.hpp>
#include <tridap/scalapack/dense.hpp>

using namespace scalapack_test;
namespace sl = tridap::scalapack;

TEST(ScalapackCalls, ThatDifferAreAnErrorOnAllProcesses) {
  const Index rank = rank_here(), n = 8;
  const MPI_Comm comm = MPI_COMM_WORLD;
  const Distribution rows = Distribution::make({n, n}, {tridap::block(), tridap::block()}, {processes(), 1});
  DistArray a = on::part_of(rows, rank);
  const Index first = std::get<tridap::Block>(a.dim_data[0].dist).start;
  for (Index i = 0; i < a.buffer.shape[0]; ++i)
    for (Index j = 0; j < n; ++j) static_cast<double*>(a.buffer.data)[i * n + j] = i + first == j ? 2 : 0;
  const ProcessGrid grid(comm, processes(), 1);
  sl::DenseOptions options;
  options.copy = tridap::Copy::if_needed;
  sl::MatmulOptions of_matmul;
  of_matmul.copy = tridap::Copy::if_needed;
  different_calls::expect_errors({
      {"ProcessGrid", [&] { ProcessGrid(comm, processes(), 1); }},
      {"ProcessGrid::of_context", [&] { ProcessGrid::of_context(grid.context(), comm); }},
      {"scalapack::import_array", [&] { sl::import_array(a, grid, sl::Fit::nearest); }},
      {"scalapack::solve", [&] { sl::solve(a, a, comm, options); }},
      {"scalapack::cholesky", [&] { sl::cholesky(a, comm, true, options); }},
      {"scalapack::eigh", [&] { sl::eigh(a, comm, true, options); }},
      {"scalapack::svd", [&] { sl::svd(a, comm, options); }},
      {"scalapack::qr", [&] { sl::qr(a, comm, options); }},
      {"scalapack::matmul", [&] { sl::matmul(a, a, comm, of_matmul); }},
      {"redistribute::allgather", [&] { tridap::redistribute::allgather(a, comm); }},
  });
}
