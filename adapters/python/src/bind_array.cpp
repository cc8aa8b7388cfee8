#include "array.hpp"
#include "bindings.hpp"
#include "comm.hpp"
#include "errors.hpp"

#include <dap/local_part.hpp>
#include <dap/redistribute/padding.hpp>

#include <pybind11/stl.h>

namespace dap::python {

namespace {

// The type's own slots: the buffer protocol is NumPy's, on the local part, and the garbage collector sees what is held.
void set_slots(PyHeapTypeObject* heap) {
  forbid_new(heap);
  PyTypeObject& type = heap->ht_type;
  heap->as_buffer.bf_getbuffer = [](PyObject* self, Py_buffer* view, int flags) {
    const auto& array = py::cast<const Array&>(py::handle(self));
    return PyObject_GetBuffer(array.local().ptr(), view, flags);
  };
  type.tp_as_buffer = &heap->as_buffer;
  type.tp_flags |= Py_TPFLAGS_HAVE_GC;
  type.tp_traverse = [](PyObject* self, visitproc visit, void* arg) {
#if PY_VERSION_HEX >= 0x03090000
    Py_VISIT(Py_TYPE(self));
#endif
    return holds_value(self) ? py::cast<const Array&>(py::handle(self)).traverse(visit, arg) : 0;
  };
  type.tp_clear = [](PyObject* self) {
    if (holds_value(self)) py::cast<Array&>(py::handle(self)).clear();
    return 0;
  };
}

std::vector<Index> global_shape(const Array& array) {
  std::vector<Index> shape;
  for (const Dimension& dimension : array.array().dim_data) shape.push_back(dimension.size);
  return shape;
}

py::tuple tuple_of(const std::vector<Index>& numbers) { return py::tuple(py::cast(numbers)); }

py::tuple global_index(const Array& array, const py::args& local) {
  const Indices indices = indices_of(local, array.array().buffer.shape, "local index");
  if (array.is_whole()) return tuple_of(array.distribution()->global_index(array.process(), indices));
  const std::vector<Dimension> dims = array.in(Version::v0_10).dim_data;
  Indices global;
  for (std::size_t i = 0; i < dims.size(); ++i) global.push_back(dap::global_index(dims[i], indices[i]));
  return tuple_of(global);
}

std::vector<Index> any_extents(const Array& array) { return std::vector<Index>(array.array().dim_data.size(), -1); }

void update_padding(const Array& array) {
  if (!array.is_whole() || array.comm().is_none()) {
    if (array.is_whole() && array.distribution()->processes() == 1) {
      dap::redistribute::PaddingUpdate(array.array().buffer, *array.distribution(), MPI_COMM_SELF).update();
      return;
    }
    throw Error(Finding{Rule::conversion, {}, {}, "", "update_padding needs the other processes", "",
                        "make the array with comm="});
  }
  const MPI_Comm comm = comm_of(array.comm());
  const py::gil_scoped_release released;
  dap::redistribute::PaddingUpdate(array.array().buffer, *array.distribution(), comm).update();
}

py::object numpy_protocol(const Array& array, const py::object& dtype, const py::object& copy) {
  py::object local = array.view(Part::local);
  const bool same = dtype.is_none() || py::dtype::from_args(dtype).equal(local.attr("dtype"));
  if (same && copy.ptr() != Py_True) return local;
  if (!same && copy.ptr() == Py_False)
    throw py::value_error("copy=False, but the elements are " + py::cast<std::string>(py::str(local.attr("dtype"))));
  const py::object type = dtype.is_none() ? local.attr("dtype") : dtype;
  return py::module_::import("numpy").attr("array")(local, type);
}

}  // namespace

bool holds_value(PyObject* self) {
  const auto held = reinterpret_cast<py::detail::instance*>(self)->get_value_and_holder();
  return held.inst != nullptr && held.vh != nullptr && held.value_ptr() != nullptr;
}

void forbid_new(PyHeapTypeObject* heap) {
  heap->ht_type.tp_new = [](PyTypeObject* type, PyObject*, PyObject*) -> PyObject* {
    PyErr_Format(PyExc_TypeError, "%s: no constructor defined, functions of tridap make it", type->tp_name);
    return nullptr;
  };
}

py::object dlpack_of(const py::array& array, const py::kwargs& how) {
  if (how.contains("copy") && how["copy"].ptr() == Py_True)
    throw py::buffer_error("copy=True, but __dlpack__ never copies: copy .local first");
  if (how.contains("stream") && !how["stream"].is_none())
    throw py::buffer_error("host memory has no stream: pass stream=None");
  if (how.contains("dl_device") && !how["dl_device"].is_none() && !py::object(how["dl_device"]).equal(py::make_tuple(1, 0)))
    throw py::buffer_error("dl_device is " + py::cast<std::string>(py::str(how["dl_device"])) +
                           ", but the elements are on the host, (1, 0), and __dlpack__ never copies");
  return array.attr("__dlpack__")();
}

void bind_array(py::module_& module) {
  using namespace py::literals;
  py::class_<Array>(module, "DistArray", py::custom_type_setup(set_slots))
      .def_property_readonly("local", [](const Array& a) { return a.view(Part::local); })
      .def_property_readonly("owned", [](const Array& a) { return a.view(Part::owned); })
      .def_property_readonly("interior", [](const Array& a) { return a.view(Part::interior); })
      .def_property_readonly("shape", [](const Array& a) { return tuple_of(global_shape(a)); })
      .def_property_readonly("ndim", [](const Array& a) { return a.array().ndim(); })
      .def_property_readonly("dtype", [](const Array& a) { return a.local().attr("dtype"); })
      .def_property_readonly("dim_data", [](const Array& a) { return a.dim_data(Version::v0_10); })
      .def_property_readonly("version", [](const Array& a) { return a.array().version; })
      .def_property_readonly("comm", &Array::comm)
      .def_property_readonly("process", &Array::process)
      .def_property_readonly("is_whole", &Array::is_whole)
      .def_property_readonly("distribution", [](const Array& a) { return *a.distribution(); })
      .def_property_readonly("receipt", &Array::receipt)
      .def("global_index", &global_index)
      .def("owner",
           [](const Array& a, const py::args& global) {
             return a.distribution()->owner(indices_of(global, any_extents(a), "global index"));
           })
      .def("local_index",
           [](const Array& a, const py::args& global) -> py::object {
             const auto found =
                 a.distribution()->local_index(a.process(), indices_of(global, any_extents(a), "global index"));
             return found ? py::object(tuple_of(*found)) : py::none();
           })
      .def("update_padding", &update_padding)
      .def("__distarray__", [](const Array& a) { return a.describe(Version::v0_10); })
      .def("_describe", [](const Array& a, const std::string& v) { return a.describe(version_named(v)); }, "version"_a)
      .def("__array__", &numpy_protocol, "dtype"_a = py::none(), "copy"_a = py::none())
      .def("__dlpack__", [](const Array& a, const py::kwargs& how) { return dlpack_of(a.view(Part::local), how); })
      .def("__dlpack_device__", [](const Array&) { return py::make_tuple(1, 0); });

  module.def("asarray", &asarray, "obj"_a, "comm"_a = py::none(), "copy"_a = py::none());
  module.def("_over", [](py::array local, const Distribution& distribution, Index process, py::object comm) {
    return over(std::move(local), std::make_shared<const Distribution>(distribution), process, std::move(comm));
  });
}

}  // namespace dap::python
