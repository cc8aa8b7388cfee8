#include "support/waves.hpp"

#include "support/arrays.hpp"

#include <cmath>

namespace examples {

std::vector<Option> WaveOptions::list() {
  return {{"--size", "points along each side of the square", &size},
          {"--steps", "number of time steps", &steps},
          {"--output", "picture of the waves before | after, PNG", &output}};
}

tridap::DistArray make_bump(const tridap::Distribution& distribution, const Claims& claims) {
  const auto points = static_cast<double>(distribution.shape()[0] - 2);  // without mirrors
  tridap::DistArray array = make_array(distribution, claims.process());
  fill(array, [&](double i, double j) {
    const double y = (i - 1) / points - 0.35, x = (j - 1) / points - 0.4;
    return std::exp(-800 * (x * x + y * y));
  });
  return array;
}

}  // namespace examples
