// Trilinos solves -u'' = f in the memory of the program: the answer is known, and nothing is copied.
#include <tridap/make.hpp>
#include <tridap/solvers.hpp>
#include <tridap/tpetra.hpp>

#include <Tpetra_Core.hpp>

#include <cmath>
#include <cstdint>
#include <iostream>
#include <vector>

int main(int argc, char** argv) {
  const Tpetra::ScopeGuard scope(&argc, &argv);
  namespace solvers = tridap::solvers;
  constexpr tridap::Index n = 200;
  int rank = 0, processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const auto line = tridap::Distribution::make({n}, {tridap::block()}, {processes});
  const auto array_of = [&] {
    tridap::DistArray array;
    array.buffer = tridap::allocate(tridap::element_type<double>(), tridap::IndexList(line.local_shape(rank)));
    array.dim_data = line.dim_data(rank);
    return array;
  };
  const tridap::DistArray b = array_of(), x = array_of();
  const tridap::Index count = line.local_shape(rank)[0];
  std::vector<double> values;
  std::vector<std::int64_t> columns, starts{0};
  for (tridap::Index local = 0; local < count; ++local) {
    const tridap::Index row = line.axis(0).global_index(rank, local);
    static_cast<double*>(b.buffer.data)[local] = row == 0 || row == n - 1 ? 1 : 0;  // then every u is 1
    for (tridap::Index column = row - 1; column <= row + 1; ++column) {
      if (column < 0 || column >= n) continue;
      values.push_back(column == row ? 2 : -1);
      columns.push_back(column);
    }
    starts.push_back(static_cast<std::int64_t>(values.size()));
  }
  const tridap::tpetra::ArrayMap rows(x, MPI_COMM_WORLD);
  const auto nonzeros = static_cast<tridap::Index>(values.size());
  const auto a = solvers::make_matrix(rows, {values.data(),
                                             nonzeros,
                                             {columns.data(), 8, nonzeros},
                                             {starts.data(), 8, static_cast<tridap::Index>(starts.size())}});
  const auto right = tridap::tpetra::import_vector<double>(b, rows);
  const auto left = tridap::tpetra::import_vector<double>(x, rows);
  const auto m = solvers::make_preconditioner("muelu", solvers::Method::cg, a);
  const solvers::Solution solution = solvers::solve(a, m, *right.vector, *left.vector, {});
  double error = 0, largest = 0;
  for (tridap::Index local = 0; local < count; ++local)
    error = std::fmax(error, std::fabs(static_cast<const double*>(x.buffer.data)[local] - 1));
  MPI_Allreduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const bool works = solution.converged && largest < 1e-4 && left.receipt.shared && left.receipt.bytes_copied == 0;
  if (rank == 0)
    std::cout << (works ? "works: " : "FAILED: ") << solution.iterations << " iterations, the error is " << largest
              << "; " << left.receipt.text() << "\n";
  return works ? 0 : 1;
}
