#include "operators.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/text.hpp>

#include <algorithm>
#include <vector>

namespace tridap::solvers {

double Observed::smallest_cosine() const {
  if (!x_) return 0;
  const std::size_t count = x_->getNumVectors();
  std::vector<double> products(count), of_x(count), of_y(count);
  x_->dot(*y_, Teuchos::arrayViewFromVector(products));
  x_->norm2(Teuchos::arrayViewFromVector(of_x));
  y_->norm2(Teuchos::arrayViewFromVector(of_y));
  double smallest = 1;
  for (std::size_t j = 0; j < count; ++j)
    if (const double lengths = of_x[j] * of_y[j]; lengths > 0) smallest = std::min(smallest, products[j] / lengths);
  return smallest;
}

void refuse_indefinite(const Observed* matrix, const Observed* preconditioner, MPI_Comm comm) {
  const auto products = [](const Observed* of) { return of == nullptr ? Index{0} : Index{of->products()}; };
  for (const MinMax& said : mpi::min_max({products(matrix), products(preconditioner)}, comm))
    if (!said.is_same()) return;  // the processes failed at different places
  constexpr double rounding = -1e-12;
  if (matrix != nullptr)
    if (const double cosine = matrix->smallest_cosine(); cosine < rounding)
      refuse(
          "the matrix is not positive definite: p . A p is " + number_text(cosine, 2) + " |p| |A p| for a direction p",
          "", "use method='gmres'");
  if (preconditioner != nullptr)
    if (const double cosine = preconditioner->smallest_cosine(); cosine < rounding)
      refuse("the preconditioner is not positive definite: r . M r is " + number_text(cosine, 2) +
                 " |r| |M r| for a residual r",
             "", "use another preconditioner, or method='gmres'");
}

}  // namespace tridap::solvers
