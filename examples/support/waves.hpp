#pragma once

#include "support/claims.hpp"
#include "support/options.hpp"
#include <tridap/dist_array.hpp>
#include <tridap/make.hpp>

#include <string>
#include <vector>

namespace examples {

/// The options of the waves.
struct WaveOptions {
  int size = 200, steps = 300;
  std::string output = "halo.png";

  std::vector<Option> list();
};

/// One process's part of an array with one mirror at each edge, padding included: a smooth bump of height 1, slightly
/// off the middle.
tridap::DistArray make_bump(const tridap::Distribution& distribution, const Claims& claims);

}  // namespace examples
