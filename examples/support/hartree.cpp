#include "support/hartree.hpp"

#include <tridap/report.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

namespace examples {

namespace {

constexpr double side = 16;  // bohr
constexpr tridap::Index least_points = 16;
constexpr double order_limit = 0.03;  // largest relative error, divided by the fourth power of the spacing
const double pi = std::acos(-1.0);

}  // namespace

const Hartree::Stencil Hartree::left{4, -1.0 / 3, -1.0 / 6}, Hartree::right{1.0 / 2, 1.0 / 12, 0};

Hartree::Hartree(tridap::Index points) : points_(points), spacing_(side / static_cast<double>(points + 1)) {
  if (points < least_points)
    throw tridap::Error(tridap::Finding{tridap::Rule::process_failure,
                                        {},
                                        {},
                                        "--points",
                                        std::to_string(points),
                                        "too few to see the charge",
                                        "give " + std::to_string(least_points) + " or more"});
  constexpr double bond = 0.9572 / 0.529177210903;  // bohr
  const double half_angle = 104.52 / 2 * pi / 180, across = bond * std::sin(half_angle),
               down = bond * std::cos(half_angle);
  clouds_ = {
      {-0.834, 1.0, {0, 0, down / 2}}, {0.417, 1.2, {0, across, -down / 2}}, {0.417, 1.2, {0, -across, -down / 2}}};
}

double Hartree::distance(const Cloud& cloud, const Place& at) const {
  double squares = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double away = static_cast<double>(at[axis] + 1) * spacing_ - side / 2 - cloud.centre[axis];
    squares += away * away;
  }
  return std::sqrt(squares);
}

double Hartree::density(tridap::Index i, tridap::Index j, tridap::Index k) const {
  double sum = 0;
  for (const Cloud& cloud : clouds_) {
    const double r = distance(cloud, {i, j, k});
    sum += cloud.charge * std::pow(cloud.width / pi, 1.5) * std::exp(-cloud.width * r * r);
  }
  return sum;
}

namespace {

// erf(a r) / r, the potential of a cloud of charge 1 and width a^2.
double screened(double a, double r) { return r < 1e-8 ? 2 * a / std::sqrt(pi) : std::erf(a * r) / r; }

}  // namespace

double Hartree::potential(tridap::Index i, tridap::Index j, tridap::Index k) const {
  double sum = 0;
  for (const Cloud& cloud : clouds_) sum += cloud.charge * screened(std::sqrt(cloud.width), distance(cloud, {i, j, k}));
  return sum;
}

double Hartree::energy() const {
  double sum = 0;
  for (const Cloud& a : clouds_)
    for (const Cloud& b : clouds_) {
      const double apart = std::hypot(a.centre[0] - b.centre[0], a.centre[1] - b.centre[1], a.centre[2] - b.centre[2]);
      sum += a.charge * b.charge * screened(std::sqrt(a.width * b.width / (a.width + b.width)), apart);
    }
  return sum / 2;
}

Findings Hartree::judge(const CubeValues& charge, const CubeValues& found, const CubeValues& product) const {
  Findings findings;
  std::size_t at = 0;
  for (tridap::Index i = found.low[0]; i < found.high[0]; ++i)
    for (tridap::Index j = found.low[1]; j < found.high[1]; ++j)
      for (tridap::Index k = found.low[2]; k < found.high[2]; ++k, ++at) {
        const double known = potential(i, j, k), apart = found.values[at] - known;
        findings.apart += apart * apart;
        findings.all += known * known;
        findings.energy += product.values[at] * spacing_ * spacing_ * spacing_;
        findings.other += product.values[at] == 0.5 * charge.values[at] * found.values[at] ? 0 : 1;
      }
  return findings;
}

void Hartree::conclude(const Findings& here, const tridap::solvers::Solution& solution, const Claims& claims) const {
  const double apart = std::sqrt(claims.sum(here.apart) / claims.sum(here.all)), energy_found = claims.sum(here.energy);
  const double other = claims.sum(here.other);
  claims.say("potential %.1e from the known one", apart);
  claims.say("energy    %.6f hartree, %.6f is known", energy_found, energy());
  claims.say("arrays    density and potential: %s", claims.copies().c_str());
  const double limit = order_limit * std::pow(spacing_, 4);
  claims.require(solution.residual <= 1e-10, "the residual is too large");
  claims.require(apart <= limit, "the potential is not the known one");
  claims.require(std::fabs(energy_found - energy()) <= limit * energy(), "the energy is not the known one");
  claims.require(other == 0, "the density of the energy does not match the two arrays");
  claims.require_no_copies();
}

template <class Use>
void Hartree::around(const Place& at, const Stencil& stencil, Use&& use) const {
  for (tridap::Index i = -1; i <= 1; ++i)
    for (tridap::Index j = -1; j <= 1; ++j)
      for (tridap::Index k = -1; k <= 1; ++k) {
        const double weights[] = {stencil.centre, stencil.face, stencil.edge, 0};
        const double weight = weights[std::abs(i) + std::abs(j) + std::abs(k)];
        if (weight != 0) use(Place{at[0] + i, at[1] + j, at[2] + k}, weight);
      }
}

bool Hartree::inside(const Place& at) const {
  return std::all_of(at.begin(), at.end(), [&](tridap::Index i) { return 0 <= i && i < points_; });
}

Teuchos::RCP<const Hartree::Matrix> Hartree::matrix(const Teuchos::RCP<const tridap::tpetra::Map>& map,
                                                    const Stencil& stencil) const {
  using Id = tridap::tpetra::Map::global_ordinal_type;
  const auto points = tridap::tpetra::compat::local_ids(*map);
  std::vector<std::size_t> lengths;
  for (const Id id : points) {
    lengths.push_back(0);
    around(place(id), stencil, [&](const Place& at, double) { lengths.back() += inside(at) ? 1 : 0; });
  }
  const auto made = Teuchos::rcp(new Matrix(map, Teuchos::ArrayView<const std::size_t>(lengths)));
  std::vector<Id> ids;
  std::vector<double> values;
  for (const Id id : points) {
    ids.clear();
    values.clear();
    around(place(id), stencil, [&](const Place& at, double weight) {
      if (!inside(at)) return;
      ids.push_back(static_cast<Id>((at[0] * points_ + at[1]) * points_ + at[2]));
      values.push_back(weight);
    });
    made->insertGlobalValues(id, Teuchos::ArrayView<const Id>(ids), Teuchos::ArrayView<const double>(values));
  }
  made->fillComplete();
  return made;
}

Teuchos::RCP<const Hartree::Matrix> Hartree::operator_on(const Teuchos::RCP<const tridap::tpetra::Map>& map) const {
  return matrix(map, left);
}

Teuchos::RCP<const Hartree::Vector> Hartree::right_hand_side(const Vector& density) const {
  const auto made = Teuchos::rcp(new Vector(density.getMap()));
  matrix(density.getMap(), right)->apply(density, *made);
  made->scale(4 * pi * spacing_ * spacing_);
  const auto ids = tridap::tpetra::compat::local_ids(*density.getMap());
  const auto values = made->getDataNonConst();
  for (Teuchos_Ordinal here = 0; here < ids.size(); ++here)
    around(place(ids[here]), left, [&](const Place& at, double weight) {
      if (!inside(at)) values[here] -= weight * potential(at[0], at[1], at[2]);
    });
  return made;
}

Teuchos::RCP<const Hartree::Vector> Hartree::energy_density(const Vector& density, const Vector& potential) const {
  const auto made = Teuchos::rcp(new Vector(density.getMap()));
  made->elementWiseMultiply(0.5, density, potential, 0);
  return made;
}

}  // namespace examples
