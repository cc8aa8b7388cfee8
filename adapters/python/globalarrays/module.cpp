#include "module.hpp"

#include "../src/comm.hpp"
#include "../src/gil.hpp"
#include "../src/memory.hpp"
#include <dap/globalarrays/export.hpp>
#include <dap/globalarrays/import.hpp>
#include <dap/globalarrays/session.hpp>
#include <dap/report.hpp>

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace dap::python {

namespace {

namespace ga = dap::globalarrays;
using namespace py::literals;

/// What keeps an array's memory: that of C++ which NumPy holds for it, else NumPy's.
Buffer buffer_with_its_owner(const py::array& array) {
  Buffer buffer = buffer_of(array);
  if (auto owner = owner_behind(array)) buffer.owner = std::move(owner);
  return buffer;
}

ElementType type_of(const py::dtype& dtype) {
  const auto name = py::cast<std::string>(dtype.attr("str"));
  const std::optional<ElementType> type = element_type(name);
  if (!type) throw py::type_error("a Global Array has no elements of dtype " + name);
  return *type;
}

DistArray dist_array(const py::array& local, const Distribution& distribution, Index process) {
  DistArray array;
  array.buffer = buffer_with_its_owner(local);
  array.dim_data = distribution.dim_data(process);
  return array;
}

/// A local part, its distribution and its place there; None where this process has none.
py::object parts(const DistArray& array, const redistribute::Placed& placed, int rank) {
  const std::optional<Index> process = placed.process(rank);
  if (!process || array.dim_data.empty()) return py::none();
  return py::make_tuple(array_of(array.buffer), placed.distribution, *process);
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

py::object export_array(int handle, bool ghosts, bool outer) {
  const ga::ExportOptions options{ghosts, outer};
  const ga::ExportedArray exported = ga::export_array(handle, options);
  return parts(exported.array, ga::placed(handle, options), rank_in(ga::communicator(handle)));
}

py::object import_array(const py::array& local, const Distribution& distribution, Index process, py::handle comm,
                        const std::string& copy, bool nearest) {
  const MPI_Comm in = comm_of(comm);
  const DistArray array = dist_array(local, distribution, process);
  const Copy policy = copy == "never" ? Copy::never : copy == "always" ? Copy::always : Copy::if_needed;
  ga::ImportedArray imported = [&] {
    const WithoutPython released;
    return ga::import_array(array, in, policy, nearest ? ga::Fit::nearest : ga::Fit::exact);
  }();
  return py::make_tuple(std::move(imported.array), imported.receipt);
}

ga::GlobalArray create(const Distribution& distribution, const py::dtype& dtype, py::handle comm) {
  const MPI_Comm in = comm_of(comm);
  const ElementType type = type_of(dtype);
  const WithoutPython released;
  return ga::create(redistribute::Placed(distribution), type, in);
}

py::object allocate(const Distribution& distribution, const py::dtype& dtype, py::handle comm) {
  const MPI_Comm in = comm_of(comm);
  const ElementType type = type_of(dtype);
  const redistribute::Placed placed(distribution);
  const DistArray made = [&] {
    const WithoutPython released;
    return ga::allocate(placed, type, in);
  }();
  return parts(made, placed, rank_in(in));
}

/// A communicator for mpi4py, by its number in Fortran.
py::object fortran_comm(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return py::none();
  return py::int_(static_cast<long long>(MPI_Comm_c2f(comm)));
}

void bind_session(py::module_& module) {
  py::class_<ga::Session>(module, "Session")
      .def(py::init([](Index allocator_doubles) {
             need_mpi();
             const WithoutPython released;
             return std::make_unique<ga::Session>(ga::SessionOptions{allocator_doubles});
           }),
           "allocator_doubles"_a)
      .def("close", &ga::Session::close, py::call_guard<WithoutPython>());
  module.def("collect", &ga::collect, py::call_guard<WithoutPython>());
  module.def("held", &ga::held);
}

void bind_arrays(py::module_& module) {
  py::class_<ga::GlobalArray>(module, "GlobalArray", "A Global Array that was made here; kept as long as this is.")
      .def_property_readonly("handle", &ga::GlobalArray::handle, "GA's own number of it.")
      .def_property_readonly(
          "distribution", [](const ga::GlobalArray& a) { return a.placed().distribution; },
          "Who owns what: the Distribution that it was made with.")
      .def_property_readonly(
          "dtype", [](const ga::GlobalArray& a) { return py::dtype(a.type().name()); }, "NumPy's element type.");
  module.def("export_array", &export_array);
  module.def("import_array", &import_array);
  module.def("create", &create);
  module.def("allocate", &allocate);
  module.def(
      "destroy",
      [](int handle, py::handle comm) {
        const MPI_Comm in = comm_of(comm);
        const WithoutPython released;
        return ga::destroy(handle, in);
      },
      "handle"_a, "comm"_a);
  module.def("is_there", [](const py::array& local) {
    DistArray array;
    array.buffer = buffer_with_its_owner(local);
    return ga::is_there(array);
  });
  module.def("communicator", [](int handle) { return fortran_comm(ga::communicator(handle)); });
  module.def("grid_communicator", [](int handle) {
    const MPI_Comm grid = [&] {
      const WithoutPython released;
      return ga::grid_communicator(handle);
    }();
    return fortran_comm(grid);
  });
}

}  // namespace

}  // namespace dap::python

PYBIND11_MODULE(_tridap_globalarrays, module) {
  module.doc() = "The compiled part of tridap.globalarrays: use that.";
  dap::python::py::module_::import("tridap");  // whose types these functions take and give
  dap::python::bind_session(module);
  dap::python::bind_arrays(module);
}
