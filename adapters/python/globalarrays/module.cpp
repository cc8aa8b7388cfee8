#include "module.hpp"

#include "../src/bindings.hpp"
#include "../src/comm.hpp"
#include "../src/errors.hpp"
#include "../src/gil.hpp"
#include "../src/memory.hpp"
#include <tridap/globalarrays/export.hpp>
#include <tridap/globalarrays/import.hpp>
#include <tridap/globalarrays/session.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/report.hpp>

#include <pybind11/stl.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tridap::python {

namespace {

namespace ga = tridap::globalarrays;
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

py::dtype dtype_of(const ElementType& type) {
  Buffer none;
  none.type = type;
  return array_of(none).dtype();
}

DistArray dist_array(const py::array& local, const Distribution& distribution, Index process) {
  DistArray array;
  array.buffer = buffer_with_its_owner(local);
  array.dim_data = distribution.dim_data(process);
  return array;
}

/// A local part, its distribution and its place there; None where this process has none.
py::object parts(const DistArray& array, const redistribute::PlacedDistribution& placed, Index rank) {
  const std::optional<Index> process = placed.process(rank);
  if (!process || array.dim_data.empty()) return py::none();
  return py::make_tuple(array_of(array.buffer), placed.distribution(), *process);
}

/// A Session that a `with` block ends.
class Block {
 public:
  explicit Block(Index allocator_doubles)
      : session_(std::make_unique<ga::Session>(ga::SessionOptions{allocator_doubles})) {}
  void close() {
    if (session_ != nullptr) session_->close();
  }
  /// Python's exceptions are none of C++: where the block is left by one, the Session shall see one, too.
  void leave(bool by_exception) {
    if (!by_exception) return session_.reset();
    try {
      const std::unique_ptr<ga::Session> left = std::move(session_);
      throw std::exception();
    } catch (const std::exception&) {
    }
  }

 private:
  std::unique_ptr<ga::Session> session_;
};

/// Throws Error where the processes of a communicator, None: of the group, do not hold the array's parts in order.
void need_order(const redistribute::PlacedDistribution& placed, Index process, MPI_Comm group, py::handle comm) {
  const MPI_Comm in = comm.is_none() ? group : comm_of(comm);
  const int processes = mpi::processes_of(in);
  const bool in_order = comm.is_none() ? placed.ranks().empty() : mpi::rank_of(in) == process;
  if (processes == placed.distribution().processes() && in_order) return;
  throw Error(Finding{Rule::grid_order,
                      {},
                      {},
                      "",
                      std::string(comm.is_none() ? "the processes of the array's group" : "those of the communicator") +
                          " do not hold the places of its grid in order",
                      "",
                      "pass comm=tridap.globalarrays.grid_communicator(array) on every process"});
}

py::object export_array(int handle, bool ghosts, bool outer, py::handle comm) {
  const ga::ExportOptions options{ghosts, outer};
  const ga::ExportedArray exported = ga::export_array(handle, options);
  const redistribute::PlacedDistribution placed = ga::placed(handle, options);
  const MPI_Comm group = ga::communicator(handle);
  py::object made = parts(exported.array, placed, mpi::rank_of(group));
  if (!made.is_none()) need_order(placed, *placed.process(mpi::rank_of(group)), group, comm);
  return made;
}

py::object import_array(const py::array& local, const Distribution& distribution, Index process, py::handle comm,
                        const std::string& copy, bool nearest) {
  const MPI_Comm in = comm_of(comm);
  const DistArray array = dist_array(local, distribution, process);
  const Copy policy = copy == "never" ? Copy::never : copy == "always" ? Copy::always : Copy::if_needed;
  ga::ImportedArray imported = [&] {
    const WithoutPython released;
    return on_all(in, [&] { return ga::import_array(array, in, policy, nearest ? ga::Fit::nearest : ga::Fit::exact); });
  }();
  return py::make_tuple(std::move(imported.array), imported.receipt);
}

ga::GlobalArray create(const Distribution& distribution, const py::dtype& dtype, py::handle comm) {
  const MPI_Comm in = comm_of(comm);
  const ElementType type = type_of(dtype);
  const WithoutPython released;
  return on_all(in, [&] { return ga::create(redistribute::PlacedDistribution(distribution), type, in); });
}

py::object allocate(const Distribution& distribution, const py::dtype& dtype, py::handle comm) {
  const MPI_Comm in = comm_of(comm);
  const ElementType type = type_of(dtype);
  const redistribute::PlacedDistribution placed(distribution);
  const DistArray made = [&] {
    const WithoutPython released;
    return on_all(in, [&] { return ga::allocate(placed, type, in); });
  }();
  return parts(made, placed, mpi::rank_of(in));
}

/// A communicator for mpi4py, by its number in Fortran.
py::object fortran_comm(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return py::none();
  return py::int_(static_cast<long long>(MPI_Comm_c2f(comm)));
}

void bind_session(py::module_& module) {
  py::class_<Block>(module, "Session", py::custom_type_setup(forbid_new))
      .def(
          "close", [](Block& b) { b.close(); }, py::call_guard<WithoutPython>())
      .def(
          "leave", [](Block& b, bool by_exception) { b.leave(by_exception); }, "by_exception"_a,
          py::call_guard<WithoutPython>());
  module.def(
      "begin",
      [](Index allocator_doubles) {
        need_mpi();
        const WithoutPython released;
        return std::make_unique<Block>(allocator_doubles);
      },
      "allocator_doubles"_a);
  module.def("collect", &ga::collect, py::call_guard<WithoutPython>());
  module.def("held", &ga::held);
}

void bind_arrays(py::module_& module) {
  py::class_<ga::GlobalArray>(module, "GlobalArray", py::custom_type_setup(forbid_new),
                              "A Global Array that was made here; kept as long as this is.")
      .def_property_readonly(
          "handle", [](const ga::GlobalArray& a) { return a.handle(); }, "GA's own number of it.")
      .def_property_readonly(
          "distribution", [](const ga::GlobalArray& a) { return a.placed().distribution(); },
          "Who owns what: the Distribution that it was made with.")
      .def_property_readonly(
          "dtype", [](const ga::GlobalArray& a) { return dtype_of(a.type()); }, "NumPy's element type.");
  module.def("export_array", &export_array);
  module.def("import_array", &import_array);
  module.def("create", &create);
  module.def("allocate", &allocate);
  module.def(
      "destroy",
      [](int handle, py::handle comm) {
        const MPI_Comm in = comm_of(comm);
        const WithoutPython released;
        return on_all(in, [&] { return ga::destroy(handle, in); });
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

}  // namespace tridap::python

PYBIND11_MODULE(_tridap_globalarrays, module) {
  module.doc() = "The compiled part of tridap.globalarrays: use that.";
  tridap::python::share_state_of_core();
  tridap::python::py::module_::import("tridap");  // whose types these functions take and give
  tridap::python::bind_session(module);
  tridap::python::bind_arrays(module);
}
