#pragma once

#include "support/claims.hpp"
#include "support/cube.hpp"
#include "support/solver.hpp"
#include <tridap/tpetra.hpp>

#include <Tpetra_CrsMatrix.hpp>

#include <array>
#include <vector>

namespace examples {

/// What stands in parts of the cubes, against what is known.
struct Findings {
  double apart = 0, all = 0;  ///< squares of the potential's distance from the known one, and of that
  double energy = 0;          ///< the integral of what stands there as its density
  double other = 0;           ///< points where that is not half of density times potential, to the last bit
};

/// The Hartree potential of a water molecule, `Laplace v = -4 pi rho`, on the inner points of a cube of 16 bohr. Each
/// atom is a Gaussian cloud of charge, so density, potential and energy are known. Atomic units.
///
/// Charges and geometry are those of TIP3P: W. L. Jorgensen and others, J. Chem. Phys. 79, 926, 1983.
class Hartree {
 public:
  using Vector = tridap::tpetra::Vector<double>;
  using Matrix = Tpetra::CrsMatrix<double>;

  /// `points`: along each side of the cube. Throws tridap::Error where the clouds would stand between them.
  explicit Hartree(tridap::Index points);

  double spacing() const { return spacing_; }                                 ///< from one point to the next
  double density(tridap::Index i, tridap::Index j, tridap::Index k) const;    ///< charge in a cubic bohr
  double potential(tridap::Index i, tridap::Index j, tridap::Index k) const;  ///< -1 and `points`: on the cube's faces
  double energy() const;  ///< half the integral of density*potential

  /// `-Laplace` times the square of the spacing, fourth-order in it, on 19 points: L. Collatz, The Numerical Treatment
  /// of Differential Equations, Springer, 1960. Symmetric and positive definite; `map`'s ids are row-major numbers of
  /// points. **Collective.**
  Teuchos::RCP<const Matrix> operator_on(const Teuchos::RCP<const tridap::tpetra::Map>& map) const;
  /// What the operator makes of the potential, from the density; on the cube's faces the potential is known.
  /// **Collective.**
  Teuchos::RCP<const Vector> right_hand_side(const Vector& density) const;
  /// Half of density times potential, at each point.
  Teuchos::RCP<const Vector> energy_density(const Vector& density, const Vector& potential) const;

  /// Parts of one process. Local.
  Findings judge(const CubeValues& density, const CubeValues& potential, const CubeValues& energy_density) const;
  /// Says what all processes found together, and what of it does not hold. **Collective.**
  void conclude(const Findings& here, const Solution& solution, const Claims& claims) const;

 private:
  struct Cloud {  // charge * (width / pi)^1.5 * exp(-width * r^2)
    double charge, width;
    std::array<double, 3> centre;
  };
  using Place = std::array<tridap::Index, 3>;
  Place place(tridap::Index id) const { return {id / (points_ * points_), id / points_ % points_, id % points_}; }
  double distance(const Cloud& cloud, const Place& at) const;
  /// A symmetric stencil: what a point counts for itself, and for those with which it shares a face, and an edge.
  struct Stencil {
    double centre, face, edge;
  };
  template <class Use>
  void around(const Place& at, const Stencil& stencil, Use&& use) const;  // use(place, weight), of the cube's faces too
  Teuchos::RCP<const Matrix> matrix(const Teuchos::RCP<const tridap::tpetra::Map>& map, const Stencil& stencil) const;
  bool inside(const Place& at) const;

  static const Stencil left, right;  // of `left v = right (4 pi rho)`
  tridap::Index points_;
  double spacing_;
  std::vector<Cloud> clouds_;
};

}  // namespace examples
