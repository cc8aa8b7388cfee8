#include "comm.hpp"
#include "parameters.hpp"
#include "solvable.hpp"
#include "together.hpp"
#include "value.hpp"

#include <pybind11/stl.h>

#include <array>
#include <optional>

namespace tridap::python {

namespace {

using namespace py::literals;
using solvers::Csr;
using solvers::Integers;
using solvers::Method;

Integers integers_of(const py::array& array, const char* name) {
  const py::dtype type = array.dtype();
  if (type.kind() != 'i' || (type.itemsize() != 4 && type.itemsize() != 8) || array.ndim() != 1 ||
      (array.flags() & py::array::c_style) == 0 || type.byteorder() == '>')
    throw Error(Finding{Rule::conversion,
                        {},
                        {},
                        name,
                        text_of(type),
                        "must be a contiguous one-dimensional array of int32 or int64",
                        ""});
  return {array.data(), static_cast<int>(type.itemsize()), array.size()};
}

const double* doubles_of(const py::array& array, const char* name) {
  if (!py::isinstance<py::array_t<double>>(array) || array.ndim() != 1 || (array.flags() & py::array::c_style) == 0)
    throw Error(Finding{Rule::conversion,
                        {},
                        {},
                        name,
                        text_of(array.dtype()),
                        "must be a contiguous one-dimensional array of float64",
                        ""});
  return static_cast<const double*>(array.data());
}

std::optional<std::array<Index, 2>> shape_of(const py::object& shape) {
  if (shape.is_none()) return std::nullopt;
  const Value value = to_value(shape);
  const auto* numbers = value.as<Value::Integers>();
  if (numbers == nullptr || numbers->size() != 2)
    refuse_key("shape", value.text(), "must be two integers: this process's rows, and all columns", "");
  return std::array<Index, 2>{(*numbers)[0], (*numbers)[1]};
}

Index at(const Integers& integers, Index i) {
  if (integers.bytes == 4) return static_cast<const std::int32_t*>(integers.data)[i];
  return static_cast<const std::int64_t*>(integers.data)[i];
}

// Converts flat numbers of elements from the array's own numbering to that of its Distribution. They differ because an
// array of 0.9 leaves out the mirrors of a periodic axis. Both are row-major.
class OwnNumbers {
 public:
  OwnNumbers(const Array& array, const FlatNumbers& numbers) : shift_(array.shift()), all_(numbers.count()) {
    Index outside = all_;
    for (std::size_t i = 0; i < shift_.size(); ++i) {
      const Index weight = numbers.weight(static_cast<Index>(i));
      const Index extent = weight == 0 ? 0 : outside / weight;  // of an unstructured axis: the span of its indices
      extents_.push_back(array.distribution()->axis(static_cast<Index>(i)).dist_type() == 'u'
                             ? extent
                             : array.array().dim_data[i].size);
      weights_.push_back(weight);
      count_ *= extents_.back();
      outside = weight;
    }
  }
  bool are_the_same() const { return count_ == all_; }

  // Returns `csr` with the columns and the shape of the Distribution; `columns` holds the new columns. Throws Error if
  // a number belongs to no element.
  Csr renumbered(Csr csr, std::vector<Index>& columns) const {
    for (Index k = 0; k < csr.columns.count; ++k) columns.push_back(number(at(csr.columns, k)));
    csr.columns = {columns.data(), sizeof(Index), csr.columns.count};
    if (!csr.shape) return csr;
    if ((*csr.shape)[1] != count_)
      refuse("the matrix has " + std::to_string((*csr.shape)[1]) + " columns",
             "must have " + std::to_string(count_) + ", as many as the whole array has elements",
             "columns are global: a column is the row-major number of an element in the whole array");
    (*csr.shape)[1] = all_;
    return csr;
  }

 private:
  Index number(Index own) const {
    if (own < 0 || own >= count_)
      refuse(
          "a row has column " + std::to_string(own),
          "must be the number of an element that some process has, at least 0 and less than " + std::to_string(count_),
          "columns are global: a column is the row-major number of an element in the whole array");
    Index number = 0;
    for (std::size_t i = shift_.size(); i-- > 0; own /= extents_[i])
      number += (own % extents_[i] + shift_[i]) * weights_[i];
    return number;
  }

  Indices shift_;
  std::vector<Index> extents_, weights_;  // the array's own extents, and the weights of the Distribution's numbers
  Index count_ = 1, all_;
};

Matrix make(const Array& rows, const py::object& data, const py::object& columns, const py::object& row_starts,
            const py::object& comm, const py::object& shape) {
  const MPI_Comm handle = comm_of(comm);
  const auto given = together(handle, [&] {
    raise_if_raised(data);
    return Csr{doubles_of(data, "data"), py::cast<py::array>(data).size(), integers_of(columns, "indices"),
               integers_of(row_starts, "indptr"), shape_of(shape)};
  });
  need_kokkos();
  return {inside([&] {
            const tpetra::ArrayMap array_map(rows.array(), handle);
            std::vector<Index> kept;
            const Csr csr = mpi::collectively(handle, [&] {
              const OwnNumbers own(rows, array_map.numbers());
              return own.are_the_same() ? given : own.renumbered(given, kept);
            });
            const auto matrix = solvers::make_matrix(array_map, csr);
            return std::make_shared<Solvable>(Solvable{array_map, matrix, matrix});
          }),
          comm};
}

LinearOperator make_operator(const Array& rows, const py::object& matvec, const py::object& comm) {
  const MPI_Comm handle = comm_of(comm);
  together(handle, [&] {
    need_callable(matvec, "matvec");
    return true;
  });
  need_kokkos();
  return {inside([&] {
            auto raised = std::make_shared<Raised>();
            const tpetra::ArrayMap array_map(rows.array(), handle);
            const auto op = Teuchos::rcp(new PythonOperator(array_map, matvec, raised));
            return std::make_shared<Solvable>(Solvable{array_map, Teuchos::null, op, raised});
          }),
          comm, matvec};
}

// Vectors over the elements of an array, or null for None. Called inside of Trilinos; collective.
Teuchos::RCP<const solvers::MultiVector> vectors_of(const Array* array, const char* name,
                                                    const tpetra::ArrayMap& rows) {
  if (array == nullptr) return Teuchos::null;
  return import_vectors(solver_array(*array, name, false), rows, Copy::if_needed).vectors;
}

// A preconditioner that is made now. `coordinates` and `nullspace` are Arrays or None on all processes alike.
Preconditioner make_helper(const Matrix& a, const py::object& name, const py::object& symmetric,
                           const py::object& options, const py::object& coordinates, const py::object& nullspace) {
  const std::shared_ptr<Solvable> of = a.solvable();
  const MPI_Comm comm = of->array_map.comm();
  const Array *points = array_behind(coordinates), *kernel = array_behind(nullspace);
  struct Wanted {
    std::string name;
    Method method;
    Teuchos::ParameterList parameters;
  };
  const Wanted wanted = together(comm, [&] {
    solvers::check_preconditioner(text_of(name));
    for (const auto& [array, key] : {std::pair{points, "coordinates"}, std::pair{kernel, "nullspace"}}) {
      if (array == nullptr) continue;
      need_float64(*array, key);
      vectors_axis(solver_array(*array, key, false), of->array_map);
    }
    return Wanted{text_of(name), flag_of(symmetric, "symmetric") ? Method::cg : Method::gmres,
                  parameters(options, "options")};
  });
  return {inside([&] {
            const auto made = solvers::make_preconditioner(
                wanted.name, wanted.method, of->matrix, wanted.parameters,
                {vectors_of(points, "coordinates", of->array_map), vectors_of(kernel, "nullspace", of->array_map)});
            return std::make_shared<Solvable>(Solvable{of->array_map, Teuchos::null, made});
          }),
          a.comm()};
}

template <class T>
void bind_rows(py::class_<T>& type) {
  type.def_property_readonly(
          "comm", [](const py::object& a) { return made<T>(a).comm(); }, "The mpi4py communicator of its processes.")
      .def_property_readonly(
          "distribution", [](const py::object& a) { return made<T>(a).solvable()->array_map.distribution(); },
          "The Distribution of its rows.");
}

template <class T>
void bind_handle(py::class_<T>& type) {
  bind_rows(type);
  type.def("_eigsh", [](const py::object& a, const Array& x, py::object mass, py::object preconditioner,
                        py::object which, py::object method, py::object tol, py::object maxiter, py::object sigma,
                        const py::object& start, py::object wrong) {
    return eigsh_in_place(made<T>(a), x, array_behind(start),
                          {mass, preconditioner, which, method, tol, maxiter, sigma, wrong});
  });
  type.def("_solve", [](const py::object& a, const Array& b, const Array& x, py::object method,
                        py::object preconditioner, py::object tol, py::object maxiter, py::object options,
                        py::object preconditioner_options, py::object callback, py::object progress, py::object copy,
                        py::object raise_on_failure, py::object atol, py::object wrong) {
    return solve_in_place(made<T>(a), b, x,
                          {method, preconditioner, tol, atol, maxiter, options, preconditioner_options, callback,
                           progress, copy, raise_on_failure, wrong});
  });
}

}  // namespace

void bind_solve(py::module_& module) {
  py::class_<Matrix> matrix(module, "_Matrix", py::custom_type_setup(let_collect<Matrix>));
  matrix.def(py::init(&make), "rows"_a, "data"_a, "indices"_a, "indptr"_a, "comm"_a, "shape"_a);
  bind_handle(matrix);
  py::class_<LinearOperator> op(module, "_LinearOperator", py::custom_type_setup(let_collect<LinearOperator>));
  op.def(py::init(&make_operator), "rows"_a, "matvec"_a, "comm"_a);
  bind_handle(op);
  py::class_<Preconditioner> helper(module, "_Preconditioner", py::custom_type_setup(let_collect<Preconditioner>));
  helper.def(py::init([](const py::object& a, const py::object& name, const py::object& symmetric,
                         const py::object& options, const py::object& coordinates, const py::object& nullspace) {
               return make_helper(made<Matrix>(a), name, symmetric, options, coordinates, nullspace);
             }),
             "A"_a, "name"_a, "symmetric"_a, "options"_a, "coordinates"_a, "nullspace"_a);
  bind_rows(helper);
  bind_multiply(matrix, op);
  module.def("_with_vectors", &with_vectors);
}

}  // namespace tridap::python
