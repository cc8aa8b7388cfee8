#include "part.hpp"

#include "memory.hpp"

#include <utility>

namespace tridap::python {

DistArray part_of(const py::array& local, const Distribution& distribution, Index process) {
  DistArray array;
  array.buffer = buffer_of(local);
  if (auto owner = owner_behind(local)) array.buffer.owner = std::move(owner);
  array.dim_data = distribution.dim_data(process);
  return array;
}

}  // namespace tridap::python
