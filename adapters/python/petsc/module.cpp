// The compiled part of tridap.petsc.

#include "../src/bindings.hpp"
#include "../src/comm.hpp"
#include "../src/gil.hpp"
#include "../src/memory.hpp"
#include "../src/part.hpp"
#include "petsc4py.hpp"
#include <tridap/petsc.hpp>

#include <optional>
#include <string>
#include <utility>

namespace tridap::python {

namespace {

namespace pt = tridap::petsc;
using namespace py::literals;

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

// The local part, the distribution, this process's place in it, the receipt and the shift.
py::object export_array(py::handle object, py::handle dm_object, bool read_only) {
  const Vec vec = vec_of(object);
  pt::ExportedArray exported;
  std::optional<Distribution> distribution;
  MPI_Comm comm = MPI_COMM_NULL;
  if (dm_object.is_none()) {
    exported = pt::export_array(vec, {read_only});
    distribution.emplace(pt::distribution_of(vec));
    comm = PetscObjectComm(reinterpret_cast<PetscObject>(vec));
  } else {
    const DM dm = dm_of(dm_object);
    exported = pt::export_array(dm, vec, {read_only});
    distribution.emplace(pt::distribution_of(dm, vec));
    comm = PetscObjectComm(reinterpret_cast<PetscObject>(dm));
  }
  py::list shift;
  for (std::size_t i = 0; i < exported.array.dim_data.size(); ++i) shift.append(exported.shift[i]);
  return py::make_tuple(array_of(exported.array.buffer), *distribution, rank_in(comm), exported.receipt,
                        py::tuple(shift));
}

py::object import_array(const py::array& local, const Distribution& distribution, Index process, py::handle comm,
                        py::handle dm_object, py::handle copy) {
  const DistArray array = part_of(local, distribution, process);
  pt::ImportedVec made;
  if (!dm_object.is_none()) {
    const DM dm = dm_of(dm_object);
    const WithoutPython released;
    made = pt::import_array(dm, array);
  } else {
    const MPI_Comm in = comm_of(comm);
    const Copy policy = copy_policy(copy);
    const WithoutPython released;
    made = pt::import_array(array, in, policy);
  }
  return py::make_tuple(object_of(made.vec), made.receipt);
}

Receipt place_array(py::handle object, const py::array& local, const Distribution& distribution, Index process) {
  const Vec vec = vec_of(object);
  const DistArray array = part_of(local, distribution, process);
  const WithoutPython released;
  return pt::place_array(vec, array);
}

py::object ordering(const py::array& local, const Distribution& distribution, Index process, py::handle comm,
                    py::handle copy) {
  const DistArray array = part_of(local, distribution, process);
  const MPI_Comm in = comm_of(comm);
  const Copy policy = copy_policy(copy);
  const AO made = [&] {
    const WithoutPython released;
    return pt::make_ordering(array, in, policy);
  }();
  return object_of(made);
}

pt::DmdaOptions options_of(std::optional<Index> width, bool star, bool dof) {
  return {width, star ? DMDA_STENCIL_STAR : DMDA_STENCIL_BOX, dof};
}

py::object create_dmda(const Distribution& distribution, py::handle comm, std::optional<Index> width, bool star,
                       bool dof) {
  const MPI_Comm in = comm_of(comm);
  const DM made = [&] {
    const WithoutPython released;
    return pt::create_dmda(distribution, in, options_of(width, star, dof));
  }();
  return object_of(made);
}

}  // namespace

}  // namespace tridap::python

PYBIND11_MODULE(_petsc, module) {
  namespace here = tridap::python;
  module.doc() = "The compiled part of tridap.petsc: use that.";
  here::py::module_::import("tridap");  // whose types these functions take and give
  module.def("export_array", &here::export_array);
  module.def("import_array", &here::import_array);
  module.def("place_array", &here::place_array);
  module.def("reset_array", [](here::py::handle vec) { tridap::petsc::reset_array(here::vec_of(vec)); });
  module.def("ordering", &here::ordering);
  module.def("create_dmda", &here::create_dmda);
  module.def("nearest",
             [](const tridap::Distribution& distribution, std::optional<tridap::Index> width, bool star, bool dof) {
               return tridap::petsc::nearest(distribution, here::options_of(width, star, dof));
             });
  module.def("collect", &tridap::petsc::collect, here::py::call_guard<here::WithoutPython>());
  module.def("held", [] {
    const tridap::petsc::Held held = tridap::petsc::held();
    return here::py::make_tuple(held.exports, held.waiting);
  });
}
