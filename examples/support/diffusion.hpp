#pragma once

#include "support/ascii_grid.hpp"
#include <tridap/tpetra.hpp>

#include <Tpetra_CrsMatrix.hpp>

namespace examples {

/// `I - ky*D2y - kx*D2x` on a grid of rows x cols cells with no flux through the edges, by cell-centred finite volumes.
/// The matrix is symmetric positive definite, and its rows and columns sum to 1. The global ids of `map` are row-major
/// cell numbers. **Collective.**
Teuchos::RCP<const Tpetra::CrsMatrix<double>> five_point_matrix(const Teuchos::RCP<const tridap::tpetra::Map>& map,
                                                                Index rows, Index cols, double ky, double kx);

/// The matrix of one implicit step of hillslope diffusion, `I - dt*D*Laplace`, by five_point_matrix() on the cells of
/// `grid`. It conserves the sum over all cells. `diffusion` is dt*D in m2. **Collective.**
Teuchos::RCP<const Tpetra::CrsMatrix<double>> diffusion_matrix(const Teuchos::RCP<const tridap::tpetra::Map>& map,
                                                               const GridHeader& grid, double diffusion);

}  // namespace examples
