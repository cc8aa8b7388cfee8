#include "c_solvers/laplace.hpp"
#include "collectives/counted.hpp"
#include <tridap/c_array.hpp>
#include <tridap/solvers.hpp>

// C makes as many collectives as C++, or fewer.

namespace {

namespace solvers = tridap::solvers;
using counted::second;
using tridap::tpetra::ArrayMap;

long of(const std::function<int()>& call) {
  return second([&] { EXPECT_EQ(call(), TRIDAP_OK) << tridap_message(); }).messages;
}

TEST(CSolversCollectives, AreThoseOfCpp) {
  using namespace tridap;
  laplace::Case system;
  const laplace::Rows<std::int64_t> rows(system.of, system.b.layout);
  const Index p = counted::processes();
  const auto distribution = Distribution::make({12, 9}, {block(), block()}, near_square_grid(p, 2));
  const DistArray b = counted::part_of(distribution), x = counted::part_of(distribution);
  std::fill_n(static_cast<double*>(b.buffer.data), element_count(b.buffer), 1.0);
  std::fill_n(static_cast<double*>(x.buffer.data), element_count(x.buffer), 0.0);
  tpetra::ArrayMapOptions by_process;
  by_process.numbering = tpetra::Numbering::by_process;
  const auto make = [&] {
    const ArrayMap map(b, distribution, MPI_COMM_WORLD, by_process);
    solvers::Csr csr;
    csr.data = rows.csr.values;
    csr.count = rows.csr.entry_count;
    csr.columns = {rows.csr.columns, 8, rows.csr.entry_count};
    csr.row_starts = {rows.csr.row_starts, 8, rows.csr.row_count + 1};
    return std::pair(map, solvers::make_matrix(map, csr));
  };
  EXPECT_LE(of([&] {
              tridap_matrix made{};
              const int status = tridap_matrix_of_csr(system.b.layout, &rows.csr, &made);
              tridap_release(made.number);
              return status;
            }),
            second(make).messages);
  const auto pair = make();
  const ArrayMap& map = pair.first;
  const auto& matrix = pair.second;
  const auto import = [&](const DistArray& array, const char* name, bool writable) {
    return solvers::import_vectors({array, distribution, name, writable}, map);
  };
  const auto multiply = second([&] { matrix->apply(*import(b, "b", false).vectors, *import(x, "x", true).vectors); });
  EXPECT_LE(of([&] { return tridap_multiply(system.a, system.b.array, system.x.array, TRIDAP_COPY_NEVER, nullptr); }),
            multiply.messages);
  tridap_solve_options options{};
  options.method = "direct";
  const auto direct = second(
      [&] { solvers::DirectSolver(matrix).solve(*import(b, "b", false).vectors, *import(x, "x", true).vectors); });
  EXPECT_LE(of([&] { return tridap_solve(system.a, system.b.array, system.x.array, &options, nullptr); }),
            direct.messages);
  options.method = "cg";
  options.maxiter = 1;
  solvers::Options one;
  one.maxiter = 1;
  const auto solve = second([&] {
    std::fill_n(static_cast<double*>(x.buffer.data), element_count(x.buffer), 0.0);
    solvers::solve(matrix, Teuchos::null, *import(b, "b", false).vectors, *import(x, "x", true).vectors, one);
  });
  EXPECT_LE(of([&] {
              system.x.fill(0);
              return tridap_solve(system.a, system.b.array, system.x.array, &options, nullptr);
            }),
            solve.messages);

  // Two steps from the same vectors, so that both iterate alike.
  const auto with_vectors =
      Distribution::make({12, 9, 2}, {block(), block(), whole()},
                         {distribution.axis(0).proc_grid_size(), distribution.axis(1).proc_grid_size(), 1});
  const DistArray vectors = counted::part_of(with_vectors);
  const auto restart = [](double* to, Index count) {
    for (Index i = 0; i < count; ++i) to[i] = static_cast<double>((7 * i) % 11) - 3;
  };
  solvers::EigenOptions two;
  two.maxiter = 2;
  const auto eigen = second([&] {
    restart(static_cast<double*>(vectors.buffer.data), element_count(vectors.buffer));
    const auto imported = solvers::import_vectors({vectors, with_vectors, "x", true}, map, Copy::if_needed);
    solvers::find_eigenvalues(matrix, Teuchos::null, Teuchos::null, *imported.vectors, two);
  });
  tridap_array in_c{};
  ASSERT_EQ(tridap_array_from_dap(to_c(vectors).release(), MPI_COMM_WORLD, &in_c), TRIDAP_OK) << tridap_message();
  tridap_eigen_options of_c{};
  of_c.maxiter = 2;
  of_c.copy = TRIDAP_COPY_IF_NEEDED;
  double values[2];
  EXPECT_LE(of([&] {
              restart(static_cast<double*>(vectors.buffer.data), element_count(vectors.buffer));
              return tridap_eigenvalues(system.a, {}, in_c, &of_c, values, nullptr, nullptr);
            }),
            eigen.messages);
  tridap_release(in_c.number);
}

}  // namespace
