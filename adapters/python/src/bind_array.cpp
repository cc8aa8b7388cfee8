#include "array.hpp"
#include "bindings.hpp"
#include "comm.hpp"
#include "device.hpp"
#include "gil.hpp"
#include "text_argument.hpp"
#include <tridap/compare.hpp>

#include <pybind11/stl.h>

namespace tridap::python {

namespace {

using namespace py::literals;

constexpr const char* array_text =
    R"(This process's part of a checked distributed array, in the memory of its producer.

asarray() makes one from any object with __distarray__; empty(), zeros() and from_function() make new ones. It is itself
an object with __distarray__, and offers its local part by `local` and __dlpack__, without a copy. The part is read-only if
the memory is. It keeps the memory alive. An array on one process also offers it by the buffer protocol and __array__, as
numpy.asarray asks for it; an array on more processes refuses this, unless set_option(array="local") was called.

Operators and NumPy's elementwise functions compute on the local parts, padding included, and do not communicate; the
operands are DistArrays with one distribution, and scalars. sum(), dot(), norm() and the like are collective, and return the
same NumPy scalar on every process. x[...] is a part of the array, over the same memory.)";

constexpr const char* asarray_text = R"(asarray(obj, comm=None, copy=None) -> DistArray

A DistArray over the memory of any object with __distarray__, or of the dictionary that it returns. It keeps the memory
alive. A DistArray that already fits is returned as it is.

Args:
    obj: the object. Its `buffer` offers the buffer protocol, DLPack, or NumPy's array interface, with any strides. An object
        without __distarray__ may also have __partitioned__, with one box for each process, or be a mpi4py_fft.DistArray, a
        petsc4py.PETSc.Vec (see tridap.petsc), a DTensor of PyTorch (tridap.torch) or a jax.Array (tridap.jax).
    comm: None: this process's data is checked, and nothing communicates. An mpi4py communicator: the array is checked
        with every process's part, and has the whole Distribution; the call is collective.
    copy: None or False: never copy, raise with the reason if a copy is needed; "if_needed": copy an object that offers
        no memory; True: always copy.

Raises:
    ProtocolError: with every violation; with `comm`, the same on every process.)";

Array over_given(py::object local, const Distribution& distribution, Index process, py::object comm,
                 const py::object& receipt) {
  if (device_part_behind(local) == nullptr && !py::isinstance<py::array>(local))
    throw py::type_error("local must be a NumPy array or a DevicePart");
  return over(std::move(local), std::make_shared<const Distribution>(distribution), process, std::move(comm),
              receipt.is_none() ? Receipt() : py::cast<const Receipt&>(receipt));
}

std::vector<Index> global_shape(const Array& array) {
  std::vector<Index> shape;
  for (const Dimension& dimension : array.array().dim_data) shape.push_back(dimension.size);
  return shape;
}

py::tuple global_index(const Array& array, const py::args& local) {
  return tuple_of(array.global_index(indices_of(local, array.array().buffer.shape, "local index")));
}

std::vector<Index> any_extents(const Array& array) { return std::vector<Index>(array.array().dim_data.size(), -1); }

std::string shown_array(const Array& array) {
  std::string text = "<tridap.DistArray: " + py::cast<std::string>(py::str(tuple_of(global_shape(array)))) + " " +
                     utf8_text(py::str(array.dtype()));
  if (const Memory& memory = array.array().buffer.memory; is_on_device(memory)) text += " on " + device_name(memory);
  if (array.is_whole()) text += ", " + describe(*array.distribution());
  return text + ", " + std::to_string(element_count(array.array().buffer)) + " elements here>";
}

std::optional<Index> owner(const Array& array, const py::args& global) {
  const auto found = array.in_distribution(indices_of(global, any_extents(array), "global index"));
  return found ? array.distribution()->owner(*found) : std::nullopt;
}

// That of an element whose indices this process knows: it knows all of its own elements.
std::optional<Index> known_owner(const Array& array, const py::args& global) {
  const auto found = array.in_distribution(indices_of(global, any_extents(array), "global index"));
  if (!found) return std::nullopt;
  const Distribution& all = *array.distribution();
  for (Index i = 0; i < all.ndim(); ++i) {
    const auto* lists = all.axis(i).unstructured();
    if (lists != nullptr && !lists->knows((*found)[static_cast<std::size_t>(i)])) return std::nullopt;
  }
  return all.owner(*found);
}

py::object local_index(const Array& array, const py::args& global) {
  const auto wanted = array.in_distribution(indices_of(global, any_extents(array), "global index"));
  const auto found = wanted ? array.distribution()->local_index(array.process(), *wanted) : std::nullopt;
  return found ? py::object(tuple_of(*found)) : py::none();
}

void bind_description(py::class_<Array>& type) {
  const auto property = property_of(type);
  property("local",
           "The local part with all its padding, a NumPy view of the shared memory; in memory of a GPU an object for "
           "cupy.from_dlpack, torch.from_dlpack and the like.",
           [](const Array& a) { return a.part(Part::local); });
  property("owned", "The local part without communication padding, a NumPy view. Boundary padding is owned.",
           [](const Array& a) { return a.part(Part::owned); });
  property("interior", "The owned part without the edges of periodic axes, which mirror the other end: a NumPy view.",
           [](const Array& a) { return a.part(Part::interior); });
  property("shape",
           "The number of elements along each axis of the whole array: `size` of each axis, as the producer counts it.",
           [](const Array& a) { return tuple_of(global_shape(a)); });
  property("ndim", "How many axes there are.", [](const Array& a) { return a.array().ndim(); });
  property("dtype", "The element type, NumPy's.", [](const Array& a) { return a.dtype(); });
  property("dim_data", "The dim_data of __distarray__, one dict for each axis, of version 0.10 and in its numbering.",
           [](const Array& a) { return a.dim_data(Version::v0_10); });
  property("version", "The version of the protocol that the producer used, such as \"0.10.0\".",
           [](const Array& a) { return a.array().version; });
  property("comm", "The mpi4py communicator of the processes, or None.", [](const Array& a) { return a.comm(); });
  property("process", "This process's rank: the row-major number of its coordinates in the process grid.",
           [](const Array& a) { return a.process(); });
  property("is_whole", "Whether the parts of all processes are known: it was made with comm=, or has one process.",
           [](const Array& a) { return a.is_whole(); });
  property(
      "distribution",
      "The Distribution over all processes, of version 0.10 and in its numbering. ProtocolError if only this process's "
      "part is known.",
      [](const Array& a) { return *a.distribution(); });
  property("_shift", "By axis: the global indices of `distribution` less the array's own.",
           [](const Array& a) { return tuple_of(a.shift()); });
  property("_layout", "A number that tells distributions and element types apart.",
           [](const Array& a) { return a.layout(); });
  property("receipt", "What asarray(), or the function that computed the array, did: shared or copied, bytes, seconds.",
           [](const Array& a) -> const Receipt& { return a.receipt(); });
}

}  // namespace

void bind_array(py::module_& module) {
  py::class_<Array> type(module, "DistArray", py::custom_type_setup(set_array_slots), array_text);
  bind_description(type);
  type.def("__repr__", &shown_array)
      .def("global_index", &global_index, R"(global_index(*local) -> tuple of int

The global index of a local one, counted in `local`. IndexError if there is none.)")
      .def("owner", &owner, R"(owner(*index) -> int or None

The process that owns a global index: the lowest if several processes do, None if no process does. ProtocolError if only
this process's part is known.)")
      .def("_known_owner", &known_owner)
      .def("local_index", &local_index, R"(local_index(*index) -> tuple of int or None

The local index in `local` of a global index that this process owns; None if it does not own it.)");
  bind_array_calls(type);
  bind_array_memory(module, type);
  bind_compute(module, type);
  module.def(
      "asarray",
      [](py::object object, py::object comm, py::object copy) {
        return asarray(std::move(object), std::move(comm), std::move(copy), true);
      },
      "obj"_a, "comm"_a = py::none(), "copy"_a = py::none(), asarray_text);
  module.def("_asarray", [](py::object object, py::object comm) {
    return asarray(std::move(object), std::move(comm), py::none());
  });
  module.def("_over", &over_given, "local"_a, "distribution"_a, "process"_a, "comm"_a, "receipt"_a = py::none());
  module.def("_version", [](const Text& name) { return stamp(version_named(name)); });
  module.def("_duplicate", [](const py::object& comm) {
    const MPI_Comm handle = comm_of(comm);
    const WithoutPython released;
    mpi::ours(handle);
  });
  module.def("_watch", [](const Array& array, const py::object& watcher) { array.watch(watcher); });
  module.def("_replace_local", [](Array& array, py::object local) { array.replace_local(std::move(local)); });
  module.def("_changed", [](const Array& array) { array.changed(); });
  module.def("_same_memory", [](py::object made, const Array& array) {
    py::cast<Array&>(made).share_watchers(array);
    return made;
  });
}

}  // namespace tridap::python
