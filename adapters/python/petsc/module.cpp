// The compiled part of tridap.petsc.

#include "../src/bindings.hpp"
#include "../src/comm.hpp"
#include "../src/errors.hpp"
#include "../src/gil.hpp"
#include "../src/matrix_rows.hpp"
#include "../src/memory.hpp"
#include "../src/part.hpp"
#include "petsc4py.hpp"
#include "watch.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/memory_order.hpp>
#include <tridap/petsc.hpp>
#include <tridap/petsc/compat.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

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
    const WithoutPython released;
    exported = pt::export_array(vec, {read_only});
    distribution.emplace(pt::distribution_of(vec));
    comm = PetscObjectComm(reinterpret_cast<PetscObject>(vec));
  } else {
    const DM dm = dm_of(dm_object);
    const WithoutPython released;
    exported = pt::export_array(dm, vec, {read_only});
    distribution.emplace(pt::distribution_of(dm, vec));
    comm = PetscObjectComm(reinterpret_cast<PetscObject>(dm));
  }
  if (const Memory& memory = exported.array.buffer.memory; !memory.is_on_host())
    refuse("the elements of the Vec are in the memory of " + memory.name(), "must be in memory of the host",
           "vec.bindToCPU(True) copies them there");
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
    made = on_all(in, [&] { return pt::import_array(array, in, policy); });
  }
  return py::make_tuple(object_of(made.vec), made.receipt);
}

// The local buffer and the ids of the ghosts.
py::object export_ghosted(py::handle object) {
  const Vec vec = vec_of(object);
  const GhostedArray array = [&] {
    const WithoutPython released;
    return pt::export_ghosted(vec);
  }();
  return py::make_tuple(array_of(array.local()),
                        py::array_t<Index>(static_cast<py::ssize_t>(array.ghosts().size()), array.ghosts().data()));
}

py::object import_ghosted(const py::array& local, const Distribution& distribution, Index process,
                          const py::array_t<Index>& ghosts, py::handle comm) {
  const MPI_Comm in = comm_of(comm);
  const Buffer buffer = buffer_with_its_owner(local);
  const std::vector<Index> ids(ghosts.data(), ghosts.data() + ghosts.size());
  const pt::ImportedVec made = [&] {
    const WithoutPython released;
    return on_all(
        in, [&] { return pt::import_ghosted(make_ghosted(buffer, distribution.dim_data(process), ids, in), in); });
  }();
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
    return on_all(in, [&] { return pt::make_ordering(array, in, policy); });
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
    return on_all(in, [&] { return pt::create_dmda(distribution, in, options_of(width, star, dof)); });
  }();
  return object_of(made);
}

MatrixRows export_matrix(py::handle object) {
  const Mat mat = mat_of(object);
  pt::ExportedMatrix exported = [&] {
    const WithoutPython released;
    return pt::export_matrix(mat);
  }();
  return {std::move(exported.rows), std::move(exported.receipt)};
}

py::object import_matrix(py::handle given, py::handle comm) {
  const SparseRows& rows = value_in<MatrixRows>(given).rows;
  const MPI_Comm in = comm_of(comm);
  const pt::ImportedMat made = [&] {
    const WithoutPython released;
    return on_all(in, [&] { return pt::import_matrix(rows, in); });
  }();
  return py::make_tuple(object_of(made.mat), made.receipt);
}

Receipt update_values(py::handle object, py::handle given) {
  const Mat mat = mat_of(object);
  const SparseRows& rows = value_in<MatrixRows>(given).rows;
  const WithoutPython released;
  return pt::update_values(mat, rows);
}

// The product with a Mat, over the memory of NumPy arrays that are dense in some order.
class Product {
 public:
  explicit Product(py::handle mat)
      : op_([of = mat_of(mat)] {
          const WithoutPython released;
          return pt::export_operator(of);
        }()) {}

  const LinearOperator& op() const { return op_; }
  void multiply(const py::array& x, const py::array& y) const {
    const DistArray from = vector_over(x, op_.column_bounds, op_.column_count(), true);
    const DistArray to = vector_over(y, op_.row_bounds, op_.row_count(), false);
    try {
      const WithoutPython released;
      op_.apply(from, to);
    } catch (const Error&) {
      if (PyErr_Occurred() != nullptr) throw py::error_already_set();  // what the function of a shell raised
      throw;
    }
  }

 private:
  DistArray vector_over(const py::array& array, const Bounds& bounds, Index count, bool read_only) const {
    const Buffer buffer = buffer_of(array);
    if (buffer.type != op_.type || element_count(buffer) != count || !memory_order(buffer).is_contiguous ||
        (buffer.read_only && !read_only))
      refuse("the array is of " + buffer.type.text() + " with " + std::to_string(element_count(buffer)) + " elements",
             "must have " + std::to_string(count) + " contiguous elements of " + op_.type.name(),
             "give an array of the rows of the operator");
    return block_vector(bounds, op_.process, op_.type, memory_order(buffer).data, read_only);
  }

  LinearOperator op_;
};

// A shell Mat that calls `context.mult(x, y)` of Python. Mats of petsc4py's own type python end the program if PETSc
// destroys them after the interpreter's end, and petsc4py leaves them to PETSc's end.
struct Context {
  py::handle object;
  std::shared_ptr<void> owner;  // keeps the object
};

py::object shared(Vec vec) {
  PetscObjectReference(reinterpret_cast<PetscObject>(vec));
  return object_of(vec);
}

using petsc::compat::raised_in_python;

PetscErrorCode multiply(Mat mat, Vec x, Vec y) {
  Context* context = nullptr;
  PetscCall(MatShellGetContext(mat, &context));
  const WithPython gil;
  try {
    context->object.attr("mult")(shared(x), shared(y));
  } catch (py::error_already_set& error) {
    const std::string text = one_line(error);
    error.restore();
    PetscError(PETSC_COMM_SELF, __LINE__, "multiply", __FILE__, raised_in_python, PETSC_ERROR_INITIAL, "%s",
               text.c_str());
    return raised_in_python;
  }
  return 0;
}

void forget(void* context) { delete static_cast<Context*>(context); }

// Called on all processes together, with arguments that were checked.
py::object make_shell(const py::object& context, PetscInt count, py::handle comm) {
  auto kept = std::make_unique<Context>(Context{context, keep(context)});
  Mat mat = nullptr;
  const MPI_Comm in = comm_of(comm);
  {
    const WithoutPython released;
    if (MatCreateShell(in, count, count, PETSC_DETERMINE, PETSC_DETERMINE, kept.get(), &mat) != 0 ||
        MatShellSetContextDestroy(mat, petsc::compat::destroyer<forget>) != 0)
      throw std::runtime_error("PETSc made no shell Mat");
  }
  kept.release();
  if (MatShellSetOperation(mat, MATOP_MULT, reinterpret_cast<void (*)(void)>(multiply)) != 0)
    throw std::runtime_error("PETSc made no shell Mat");
  return object_of(mat);
}

}  // namespace

}  // namespace tridap::python

PYBIND11_MODULE(_petsc, module) {
  namespace here = tridap::python;
  module.doc() = "The compiled part of tridap.petsc: use that.";
  here::share_state_of_core();
  here::py::module_::import("tridap");  // whose types these functions take and give
  module.def("export_array", &here::export_array);
  module.def("import_array", &here::import_array);
  module.def("export_ghosted", &here::export_ghosted);
  module.def("import_ghosted", &here::import_ghosted);
  module.def("place_array", &here::place_array);
  module.def("reset_array", [](here::py::handle object) {
    const Vec vec = here::vec_of(object);
    const here::WithoutPython released;
    tridap::petsc::reset_array(vec);
  });
  here::py::class_<here::WatchedVec, std::shared_ptr<here::WatchedVec>>(module, "WatchedVec")
      .def("__call__", &here::WatchedVec::changed);
  module.def("watch", [](here::py::handle vec) { return here::watch(here::vec_of(vec)); });
  module.def("ordering", &here::ordering);
  module.def("create_dmda", &here::create_dmda);
  module.def("nearest",
             [](const tridap::Distribution& distribution, std::optional<tridap::Index> width, bool star, bool dof) {
               return tridap::petsc::nearest(distribution, here::options_of(width, star, dof));
             });
  module.def("export_matrix", &here::export_matrix);
  module.def("import_matrix", &here::import_matrix);
  module.def("update_values", &here::update_values);
  module.def("make_shell", &here::make_shell);
  here::py::class_<here::Product>(module, "Product")
      .def(here::py::init<here::py::handle>())
      .def("__call__", &here::Product::multiply)
      .def_property_readonly("row_bounds",
                             [](const here::Product& product) { return here::tuple_of(product.op().row_bounds); })
      .def_property_readonly("column_bounds",
                             [](const here::Product& product) { return here::tuple_of(product.op().column_bounds); });
  module.def("collect", &tridap::petsc::collect, here::py::call_guard<here::WithoutPython>());
  module.def("held", [] {
    const tridap::petsc::Held held = tridap::petsc::held();
    return here::py::make_tuple(held.exports, held.waiting);
  });
}
