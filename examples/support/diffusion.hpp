#pragma once

#include "support/ascii_grid.hpp"
#include <tridap/tpetra.hpp>

#include <Tpetra_CrsMatrix.hpp>

namespace examples {

/// `I - ky*D2y - kx*D2x` on a grid of rows x cols cells with no flux through the edges, by cell-centred finite volumes:
/// symmetric positive definite, its rows and columns sum to 1. `map`'s global ids are row-major cell numbers.
/// **Collective.**
Teuchos::RCP<const Tpetra::CrsMatrix<double>> five_point_matrix(const Teuchos::RCP<const tridap::tpetra::Map>& map,
                                                                Index rows, Index cols, double ky, double kx);

/// The matrix of one implicit step of hillslope diffusion, `I - dt*D*Laplace`, as five_point_matrix() makes
/// it on the cells of `grid`: the sum over all cells is kept. `diffusion` is dt*D in m2. **Collective.**
Teuchos::RCP<const Tpetra::CrsMatrix<double>> diffusion_matrix(const Teuchos::RCP<const tridap::tpetra::Map>& map,
                                                               const GridHeader& grid, double diffusion);

}  // namespace examples
