#pragma once

#include <tridap/buffer.hpp>
#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>

namespace on {

/// A process's part of a distribution, in row-major memory of its own that is 0.
inline tridap::DistArray part_of(const tridap::Distribution& distribution, tridap::Index process,
                                 const tridap::ElementType& type = tridap::element_type<double>()) {
  tridap::DistArray part;
  part.dim_data = distribution.dim_data(process);
  part.buffer = tridap::allocate(type, distribution.local_shape(process));
  return part;
}

}  // namespace on
