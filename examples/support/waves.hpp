#pragma once

#include "support/claims.hpp"
#include "support/options.hpp"
#include <tridap/dist_array.hpp>
#include <tridap/make.hpp>

#include <string>
#include <vector>

namespace examples {

/// What the command line of the waves says.
struct WaveOptions {
  int size = 200, steps = 300;
  std::string output = "halo.png";

  std::vector<Option> list();
};

/// One process's part of an array with one mirror at each edge: a smooth bump of height 1, a bit off the middle, in its
/// padding too.
tridap::DistArray make_bump(const tridap::Distribution& distribution, const Claims& claims);

}  // namespace examples
