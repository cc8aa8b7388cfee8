#pragma once

#include "support/claims.hpp"
#include "support/cube.hpp"
#include <tridap/solvers/solve.hpp>
#include <tridap/tpetra.hpp>

#include <Tpetra_CrsMatrix.hpp>

#include <array>
#include <vector>

namespace examples {

/// The values in parts of the cubes, compared with the known ones.
struct Findings {
  double apart = 0, all = 0;  ///< sums of squares: of the potential's error, and of the known potential
  double energy = 0;          ///< the integral of the stored density of the energy
  double other = 0;           ///< number of points where it is not exactly half of density times potential
};

/// The Hartree potential of a water molecule, `Laplace v = -4 pi rho`, on the inner points of a cube of 16 bohr. Each
/// atom is a Gaussian cloud of charge, so density, potential and energy are known. Atomic units.
///
/// Charges and geometry are those of TIP3P: W. L. Jorgensen and others, J. Chem. Phys. 79, 926, 1983.
class Hartree {
 public:
  using Vector = tridap::tpetra::Vector<double>;
  using Matrix = Tpetra::CrsMatrix<double>;

  /// `points`: number along each side of the cube. Throws tridap::Error if they are too few to resolve the clouds.
  explicit Hartree(tridap::Index points);

  double spacing() const { return spacing_; }                               ///< distance between two points
  double density(tridap::Index i, tridap::Index j, tridap::Index k) const;  ///< charge per cubic bohr
  double potential(tridap::Index i, tridap::Index j,
                   tridap::Index k) const;  ///< indices -1 and `points` are on the cube's faces
  double energy() const;                    ///< half the integral of density*potential

  /// `-Laplace` times the square of the spacing, by a stencil of 19 points and order four: L. Collatz, The Numerical
  /// Treatment of Differential Equations, Springer, 1960. Symmetric and positive definite. The ids of `map` are
  /// row-major numbers of points. **Collective.**
  Teuchos::RCP<const Matrix> operator_on(const Teuchos::RCP<const tridap::tpetra::Map>& map) const;
  /// The right-hand side for the operator, from the density and the known potential on the cube's faces.
  /// **Collective.**
  Teuchos::RCP<const Vector> right_hand_side(const Vector& density) const;
  /// Half of density times potential, at each point.
  Teuchos::RCP<const Vector> energy_density(const Vector& density, const Vector& potential) const;

  /// Compares the parts of one process. Local.
  Findings judge(const CubeValues& density, const CubeValues& potential, const CubeValues& energy_density) const;
  /// Prints the results of all processes, and throws tridap::Error if they are wrong. **Collective.**
  void conclude(const Findings& here, const tridap::solvers::Solution& solution, const Claims& claims) const;

 private:
  struct Cloud {  // charge * (width / pi)^1.5 * exp(-width * r^2)
    double charge, width;
    std::array<double, 3> centre;
  };
  using Place = std::array<tridap::Index, 3>;
  Place place(tridap::Index id) const { return {id / (points_ * points_), id / points_ % points_, id % points_}; }
  double distance(const Cloud& cloud, const Place& at) const;
  /// The weights of a symmetric stencil: of the point itself, of its face neighbours and of its edge neighbours.
  struct Stencil {
    double centre, face, edge;
  };
  template <class Use>
  void around(const Place& at, const Stencil& stencil,
              Use&& use) const;  // calls use(place, weight), also for points on the cube's faces
  Teuchos::RCP<const Matrix> matrix(const Teuchos::RCP<const tridap::tpetra::Map>& map, const Stencil& stencil) const;
  bool inside(const Place& at) const;

  static const Stencil left, right;  // of `left v = right (4 pi rho)`
  tridap::Index points_;
  double spacing_;
  std::vector<Cloud> clouds_;
};

}  // namespace examples
