#pragma once

#include <tridap/buffer.hpp>
#include <tridap/dimension.hpp>

#include <string>

namespace tridap {

/// One process's part of a distributed array, as `__distarray__` returns it.
struct DistArray {
  std::string version = "0.10.0";  ///< `__version__`
  Buffer buffer;                   ///< `buffer`
  DimData dim_data;                ///< `dim_data`: one for each axis

  Index ndim() const { return static_cast<Index>(dim_data.size()); }
};

}  // namespace tridap
