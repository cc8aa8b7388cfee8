#include "part.hpp"

#include "memory.hpp"

#include <utility>

namespace tridap::python {

Buffer buffer_with_its_owner(const py::array& local) {
  Buffer buffer = buffer_of(local);
  if (auto owner = owner_behind(local)) buffer.owner = std::move(owner);
  return buffer;
}

DistArray part_of(const py::array& local, const Distribution& distribution, Index process) {
  DistArray array;
  array.buffer = buffer_with_its_owner(local);
  array.dim_data = distribution.dim_data(process);
  return array;
}

}  // namespace tridap::python
