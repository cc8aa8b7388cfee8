#include "support/known_answer.hpp"

#include <cmath>

namespace examples {

namespace {

const double half_turn = std::acos(-1.0);

}  // namespace

KnownAnswer::KnownAnswer(double rows, double cols, double k)
    : k_(k),
      slow_(wave(2 * half_turn / rows, 3 * half_turn / cols)),
      fast_(wave(9 * half_turn / rows, 14 * half_turn / cols)) {}

KnownAnswer::Wave KnownAnswer::wave(double down, double across) const {
  const double down_sine = std::sin(down / 2), across_sine = std::sin(across / 2);
  return {down, across, 1 + 4 * k_ * (down_sine * down_sine + across_sine * across_sine)};
}

double KnownAnswer::Wave::operator()(double i, double j) const {
  return std::cos(down * (i + 0.5)) * std::cos(across * (j + 0.5));
}

double KnownAnswer::answer(double i, double j) const { return slow_(i, j) + fast_(i, j); }

double KnownAnswer::right_hand_side(double i, double j) const {
  return slow_.scale * slow_(i, j) + fast_.scale * fast_(i, j);
}

Difference difference(const tridap::DistArray& a, const tridap::DistArray& b, const Claims& claims) {
  const auto* const x = static_cast<const double*>(a.buffer.data);
  const auto* const y = static_cast<const double*>(b.buffer.data);
  double equal = 0, apart = 0, all = 0;
  for (tridap::Index i = 0; i < tridap::element_count(b.buffer); ++i) {
    equal += x[i] == y[i] ? 1 : 0;
    apart += (x[i] - y[i]) * (x[i] - y[i]);
    all += y[i] * y[i];
  }
  equal = claims.sum(equal);
  apart = claims.sum(apart);
  return {static_cast<tridap::Index>(equal), std::sqrt(apart / claims.sum(all))};
}

}  // namespace examples
