#include "array.hpp"
#include "bindings.hpp"
#include "comm.hpp"
#include "device.hpp"
#include "gil.hpp"
#include "memory.hpp"
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/fingerprint.hpp>
#include <tridap/internal/gather_agreed.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/padding.hpp>
#include <tridap/redistribute/relabel.hpp>

#include <pybind11/stl.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace tridap::python {

namespace {

using namespace py::literals;
using redistribute::PlacedDistribution;

// The elements as a NumPy array with the type of `array`, which may know more of it than the buffer's: on the process
// `root`, None on others; without a root on every process. The call has begun. Collective.
py::object gather(const Array& array, std::optional<int> root) {
  const MPI_Comm comm = comm_of(array.comm());
  const DistArray& part = array.array();
  const DistArray whole = [&] {
    const std::shared_ptr<std::mutex> lock = lock_of(comm);
    const WithoutPython released;
    const std::lock_guard<std::mutex> alone(*lock);
    return mpi::or_end_job(root ? "x.gather()" : "x.allgather()", mpi::ours(comm), [&] {
      return redistribute::gather_agreed(part, *array.distribution(), mpi::ours(comm), root);
    });
  }();
  if (root && *root != mpi::rank_of(comm)) return py::none();
  const Buffer& buffer = whole.buffer;
  const py::array memory = array_of(buffer);
  return py::array(py::reinterpret_borrow<py::dtype>(array.dtype()),
                   std::vector<py::ssize_t>(buffer.shape.begin(), buffer.shape.end()),
                   std::vector<py::ssize_t>(buffer.strides.begin(), buffer.strides.end()), memory.data(), memory);
}

// Moves the whole array of the process `root`, None on others, into `part`. The call has begun. Collective.
void scatter(const Array* whole, const Array& part, int root) {
  const MPI_Comm comm = comm_of(part.comm());
  const std::shared_ptr<std::mutex> lock = lock_of(comm);
  const WithoutPython released;
  const std::lock_guard<std::mutex> alone(*lock);
  mpi::or_end_job("tridap.scatter()", mpi::ours(comm), [&] {
    redistribute::scatter_agreed(part.array().buffer.type, *part.distribution(), mpi::ours(comm), root, {}, [&] {
      DistArray elements;  // whose dictionaries have blocks in place of lists
      if (whole != nullptr) elements.buffer = whole->array().buffer;
      return std::pair(std::move(elements), part.array());
    });
  });
}

// As redistribute::whole_of(), with a block for each list.
Distribution whole_of(const Distribution& distribution) {
  std::vector<Axis> axes;
  for (const Index count : redistribute::whole_shape(distribution))
    axes.emplace_back(BlockKind(count, 1, std::max<Index>(count, 1)));
  return Distribution(std::move(axes));
}

py::tuple relabel(const Distribution& source, std::vector<Index> source_ranks, const Distribution& target, Index bytes,
                  Index processes, std::vector<Index> axes, Index most_pairs) {
  const redistribute::Relabelling found = [&] {
    const WithoutPython released;
    redistribute::Mapping mapping;
    mapping.axes = std::move(axes);
    return redistribute::relabel({source, std::move(source_ranks)}, {target}, bytes, processes, mapping, most_pairs);
  }();
  return py::make_tuple(tuple_of(found.ranks), found.bytes_kept, found.bytes_kept_before, found.most_bytes_kept,
                        found.exact);
}

}  // namespace

void bind_gather(py::module_& module) {
  module.def("_interior_of", [](const Distribution& d) { return interior_of(d); });
  module.def("_whole_of", &whole_of);
  module.def("_fingerprint", [](const Distribution& d) { return fingerprint(d); });
  module.def("_gather", &gather);
  module.def("_scatter", &scatter);
  module.def("_relabel", &relabel);
  module.def("_is_read_only", [](const py::object& part) { return buffer_of_part(part).read_only; });
  module.def("_read_only", [](const py::object& part) { return read_only_part(part); });
  module.def("_array_over", [](const py::object& object) { return part_over(object); });
}

}  // namespace tridap::python
