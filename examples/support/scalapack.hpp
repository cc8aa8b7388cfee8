#pragma once

#include "support/claims.hpp"
#include <tridap/dist_array.hpp>
#include <tridap/scalapack.hpp>

#include <vector>

namespace examples {

/// A matrix of doubles as a program of ScaLAPACK has it: NUMROC gives the size of the local matrix, DESCINIT makes the
/// descriptor.
struct ScalapackMatrix {
  tridap::scalapack::Desc desc{};
  std::vector<double> local;  ///< column-major, with `gap` elements of value -1 after each column

  /// In square blocks over a grid of all processes. **Collective.**
  ScalapackMatrix(const tridap::scalapack::ProcessGrid& grid, int rows, int columns, int block, int gap);
};

/// The largest element of `b - A x` divided by that of `b`; A is in rows. **Collective.**
double residual(const tridap::DistArray& a, const tridap::DistArray& b, const tridap::DistArray& x,
                const Claims& claims);

/// The largest difference of `x` from LAPACK's solution on process 0, divided by the largest element. **Collective.**
double distance_from_lapack(const tridap::DistArray& a, const tridap::DistArray& b, const tridap::DistArray& x,
                            const Claims& claims);

}  // namespace examples
