#pragma once

#include <tridap/distribution.hpp>

#include <string>
#include <vector>

namespace examples {

struct NamedDistribution {
  std::string name;
  tridap::Distribution distribution;
};

/// A small array of every kind the protocol knows, over `processes` processes: block, irregular and padded block,
/// cyclic, rotated block-cyclic, unstructured, and two axes of different kinds.
std::vector<NamedDistribution> every_kind(tridap::Index processes);

}  // namespace examples
