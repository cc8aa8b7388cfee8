#include "support/scalapack.hpp"

#include <tridap/redistribute/gather.hpp>

#include <algorithm>
#include <cmath>

extern "C" {
int numroc_(const int* n, const int* nb, const int* iproc, const int* isrcproc, const int* nprocs);
void descinit_(int* desc, const int* m, const int* n, const int* mb, const int* nb, const int* rsrc, const int* csrc,
               const int* context, const int* lld, int* info);
void dgesv_(const int* n, const int* nrhs, double* a, const int* lda, int* pivots, double* b, const int* ldb,
            int* info);
}

namespace examples {

namespace {

double* elements(const tridap::DistArray& array) { return static_cast<double*>(array.buffer.data); }

double largest_over_all(double here, const Claims& claims) {
  MPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_DOUBLE, MPI_MAX, claims.comm());
  return here;
}

}  // namespace

ScalapackMatrix::ScalapackMatrix(const tridap::scalapack::ProcessGrid& grid, int rows, int columns, int block,
                                 int gap) {
  const auto [row, column] = *grid.place();
  const int nprow = static_cast<int>(grid.nprow()), npcol = static_cast<int>(grid.npcol()), context = grid.context();
  const int myrow = static_cast<int>(row), mycol = static_cast<int>(column), zero = 0;
  const int lld = std::max(1, numroc_(&rows, &block, &myrow, &zero, &nprow) + gap);
  const int local_columns = numroc_(&columns, &block, &mycol, &zero, &npcol);
  int info = 0;
  descinit_(desc.data(), &rows, &columns, &block, &block, &zero, &zero, &context, &lld, &info);
  local.assign(static_cast<std::size_t>(lld) * static_cast<std::size_t>(local_columns), -1);
}

double residual(const tridap::DistArray& a, const tridap::DistArray& b, const tridap::DistArray& x,
                const Claims& claims) {
  const tridap::DistArray whole = tridap::redistribute::allgather(x, claims.comm());
  double worst = 0, scale = 0;
  for (tridap::Index i = 0; i < a.buffer.shape[0]; ++i) {
    double rest = elements(b)[i];
    scale = std::max(scale, std::abs(rest));
    for (tridap::Index j = 0; j < a.buffer.shape[1]; ++j)
      rest -= elements(a)[i * a.buffer.shape[1] + j] * elements(whole)[j];
    worst = std::max(worst, std::abs(rest));
  }
  return largest_over_all(worst, claims) / largest_over_all(scale, claims);
}

double distance_from_lapack(const tridap::DistArray& a, const tridap::DistArray& b, const tridap::DistArray& x,
                            const Claims& claims) {
  const auto whole_a = tridap::redistribute::gather(a, claims.comm()),
             whole_b = tridap::redistribute::gather(b, claims.comm());
  const auto found = tridap::redistribute::gather(x, claims.comm());
  double apart = 0;
  if (claims.process() == 0) {
    const int n = static_cast<int>(whole_b.buffer.shape[0]), one = 1;
    std::vector<double> columns(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    for (tridap::Index i = 0; i < n; ++i)  // LAPACK's matrices are column-major
      for (tridap::Index j = 0; j < n; ++j) columns[static_cast<std::size_t>(j * n + i)] = elements(whole_a)[i * n + j];
    std::vector<int> pivots(static_cast<std::size_t>(n));
    int info = 0;
    double* const answer = elements(whole_b);
    dgesv_(&n, &one, columns.data(), &n, pivots.data(), answer, &n, &info);
    double scale = 0;
    for (int i = 0; i < n; ++i) {
      scale = std::max(scale, std::abs(answer[i]));
      apart = std::max(apart, std::abs(answer[i] - elements(found)[i]));
    }
    apart /= scale;
  }
  return largest_over_all(apart, claims);
}

}  // namespace examples
