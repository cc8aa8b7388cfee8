#include "grid.hpp"

#include "../src/comm.hpp"
#include "../src/errors.hpp"
#include "../src/gil.hpp"
#include "../src/memory.hpp"
#include "../src/part.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/scalapack/array.hpp>

#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tridap::python {

namespace {

namespace sl = tridap::scalapack;

std::unique_ptr<Grid> make(py::handle comm, Index nprow, Index npcol, bool column_major) {
  const MPI_Comm in = comm_of(comm);
  const WithoutPython released;
  return on_all(in, [&] {
    return std::make_unique<Grid>(
        sl::ProcessGrid(in, nprow, npcol, column_major ? Order::column_major : Order::row_major));
  });
}

std::unique_ptr<Grid> make_of_context(py::handle comm, int context) {
  const MPI_Comm in = comm_of(comm);
  const WithoutPython released;
  return on_all(in, [&] { return std::make_unique<Grid>(sl::ProcessGrid::of_context(context, in)); });
}

// The part has LLD_ elements from one column to the next: its memory must reach to the last one.
void check_memory(const py::array& local, const sl::Desc& desc, const Buffer& part) {
  const Index rows = part.shape[0], columns = part.shape[1], lld = desc[8];
  if ((local.flags() & py::array::f_style) == 0)
    refuse("the local matrix is not contiguous in column-major order", "must be, as in Fortran",
           "pass an array of order='F' with LLD_ rows");
  if (local.ndim() == 2 && columns > 0 && rows > 0 && local.shape(0) != lld)
    refuse("the local matrix has " + std::to_string(local.shape(0)) + " rows",
           "must have those of LLD_, " + std::to_string(lld), "pass an array of LLD_ rows");
  const Index needed = rows > 0 && columns > 0 ? lld * (columns - 1) + rows : 0;
  if (local.size() < needed)
    refuse("the local matrix has " + std::to_string(local.size()) + " elements",
           "must have at least " + std::to_string(needed), "pass all columns of this process");
}

// The local part, the distribution and this process's place in it; None if it is not in the grid.
py::object export_array(const Grid& self, const sl::Desc& desc, const py::array& local) {
  const sl::ProcessGrid& grid = self.get();
  Buffer memory = buffer_of(local);
  sl::ExportedArray exported = sl::export_array(desc, memory.data, memory.type, grid, memory.owner);
  if (!grid.place()) return py::none();
  check_memory(local, desc, exported.array.buffer);
  exported.array.buffer.read_only = memory.read_only;
  const Distribution distribution = sl::placed(desc, grid).distribution();
  const Index process = distribution.process({(*grid.place())[0], (*grid.place())[1]});
  return py::make_tuple(array_of(exported.array.buffer), distribution, process);
}

// The descriptor, the matrix of this process, whether it is the transpose, the local part and its distribution, and the
// receipt. `part` is None on a process that is not in the grid, which has no local part.
py::object import_array(const Grid& self, const std::optional<py::tuple>& part, bool move) {
  const sl::ProcessGrid& grid = self.get();
  DistArray array;
  if (part)
    array = part_of(py::cast<py::array>((*part)[0]), py::cast<const Distribution&>((*part)[1]),
                    py::cast<Index>((*part)[2]));
  sl::ImportedMatrix made;
  std::optional<Distribution> distribution;
  {
    const WithoutPython released;
    made = on_all(grid.comm(), [&] { return sl::import_array(array, grid, move ? sl::Fit::nearest : sl::Fit::exact); });
    if (grid.place()) distribution.emplace(mpi::gather_distribution(made.array, grid.row_major_comm()));
  }
  if (!distribution)
    return py::make_tuple(made.desc, py::none(), made.transposed, py::none(), py::none(), 0, made.receipt);
  const Index process = distribution->process({(*grid.place())[0], (*grid.place())[1]});
  const py::array local = array_of(made.array.buffer);
  const py::object matrix = made.transposed ? local.attr("T") : py::object(local);
  return py::make_tuple(made.desc, matrix, made.transposed, local, *distribution, process, made.receipt);
}

}  // namespace

const scalapack::ProcessGrid& Grid::get() const {
  if (!grid_) throw py::value_error("the process grid is closed");
  return *grid_;
}

void Grid::close() {
  if (!grid_) return;
  const WithoutPython released;
  grid_->close();
  grid_.reset();
}

void bind_grid(py::module_& module) {
  py::class_<Grid>(module, "Grid")
      .def_property_readonly("closed", [](const Grid& self) { return self.is_closed(); })
      .def_property_readonly("context", [](const Grid& self) { return self.get().context(); })
      .def_property_readonly("transposed_context", [](const Grid& self) { return self.get().transposed_context(); })
      .def_property_readonly("nprow", [](const Grid& self) { return self.get().nprow(); })
      .def_property_readonly("npcol", [](const Grid& self) { return self.get().npcol(); })
      .def_property_readonly("place",
                             [](const Grid& self) -> py::object {
                               const auto place = self.get().place();
                               return place ? py::object(py::make_tuple((*place)[0], (*place)[1])) : py::none();
                             })
      .def_property_readonly("ranks", [](const Grid& self) { return py::tuple(py::cast(self.get().ranks())); })
      .def("close", [](Grid& self) { self.close(); })
      .def("export_array", &export_array)
      .def("import_array", &import_array);
  module.def("make_grid", &make);
  module.def("grid_of_context", &make_of_context);
}

}  // namespace tridap::python
