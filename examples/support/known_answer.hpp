#pragma once

#include "support/claims.hpp"
#include <tridap/dist_array.hpp>

namespace examples {

/// A sum of two standing waves on a grid of rows x cols cells with no flux through the edges, and its product with
/// five_point_matrix() for ky = kx = k. The matrix multiplies each wave by a number.
class KnownAnswer {
 public:
  KnownAnswer(double rows, double cols, double k);

  double answer(double i, double j) const;
  double right_hand_side(double i, double j) const;  ///< (I - k Laplace) answer

 private:
  struct Wave {
    double down, across;  // radians from one cell to the next
    double scale;         // the number by which the matrix multiplies the wave

    double operator()(double i, double j) const;
  };
  Wave wave(double down, double across) const;

  double k_;
  Wave slow_, fast_;
};

/// How two arrays of one distribution differ.
struct Difference {
  tridap::Index equal = 0;  ///< number of equal elements
  double distance = 0;      ///< |a - b| / |b| in the 2-norm
};

/// Compares dense row-major arrays of doubles, over all processes. **Collective.**
Difference difference(const tridap::DistArray& a, const tridap::DistArray& b, const Claims& claims);

}  // namespace examples
