#pragma once

#include "support/ascii_grid.hpp"
#include <dap/tpetra.hpp>

#include <Tpetra_CrsMatrix.hpp>

namespace examples {

/// The matrix of one implicit step of hillslope diffusion, `I - dt*D*Laplace`, by cell-centred finite volumes with no
/// flux through the edges: symmetric positive definite, its rows and columns sum to 1, so the sum over all cells is
/// kept.
///
/// `map`'s global ids are row-major cell numbers of `grid`; `diffusion` is dt*D in m2. **Collective.**
Teuchos::RCP<const Tpetra::CrsMatrix<double>> diffusion_matrix(const Teuchos::RCP<const dap::tpetra::Map>& map,
                                                               const GridHeader& grid, double diffusion);

}  // namespace examples
