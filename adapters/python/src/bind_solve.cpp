#include "array.hpp"
#include "bindings.hpp"
#include "comm.hpp"
#include "gil.hpp"
#include "native.hpp"
#include "operator.hpp"
#include "parameters.hpp"
#include "together.hpp"
#include "value.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/solvers/matrix.hpp>
#include <tridap/solvers/solve.hpp>
#include <tridap/solvers/vectors.hpp>

#include <pybind11/stl.h>

#include <limits>

namespace tridap::python {

namespace {

using namespace py::literals;
using solvers::CrsMatrix;
using solvers::Csr;
using solvers::DirectSolver;
using solvers::Integers;
using solvers::Method;
using solvers::Operator;
using solvers::Options;
using solvers::Solution;
using solvers::Watch;

// Data that is made once for a matrix, in the first solve that needs it.
struct Prepared {
  Teuchos::RCP<const Operator> preconditioner;
  std::string made_of;  // name, method and parameters
  std::unique_ptr<DirectSolver> factors;
};

/// The content of a `tridap.Matrix` or a `tridap.LinearOperator`, on the elements of a distributed array.
struct Solvable {
  tpetra::ArrayMap array_map;
  Teuchos::RCP<const CrsMatrix> matrix;  // null for an operator
  Teuchos::RCP<const Operator> op;
  std::shared_ptr<Raised> raised = std::make_shared<Raised>();
  std::shared_ptr<Prepared> prepared = std::make_shared<Prepared>();
};

/// The Python object of a Solvable. The thread inside of Trilinos releases its RCPs.
class Handle {
 public:
  Handle(std::shared_ptr<Solvable> solvable, py::object comm, py::object matvec = py::none())
      : solvable_(std::move(solvable)), comm_(std::move(comm)), matvec_(std::move(matvec)) {}
  Handle(Handle&&) = default;
  ~Handle() {
    if (solvable_) release_inside(std::move(solvable_));
  }
  const std::shared_ptr<Solvable>& solvable() const { return solvable_; }
  const py::object& comm() const { return comm_; }
  const py::object& matvec() const { return matvec_; }  // a solve holds a reference to it

  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(comm_.ptr());
    Py_VISIT(matvec_.ptr());
    return 0;
  }
  void clear() { comm_ = matvec_ = py::none(); }

 private:
  std::shared_ptr<Solvable> solvable_;
  py::object comm_, matvec_;
};

class Matrix : public Handle {
 public:
  static constexpr const char* name = "tridap.Matrix";
  using Handle::Handle;
};
class LinearOperator : public Handle {
 public:
  static constexpr const char* name = "tridap.LinearOperator";
  using Handle::Handle;
};

std::string text_of(py::handle object) { return py::cast<std::string>(py::str(object)); }

// Runs a step inside of Trilinos.
template <class Step>
auto inside(Step&& step) {
  const Native native;
  return std::forward<Step>(step)();
}

constexpr std::size_t longest_pickle = 1 << 20;  // bytes of an exception that other processes raise too

void broadcast(std::string& bytes, int from, MPI_Comm comm) {
  Index size = static_cast<Index>(bytes.size());
  mpi::must_succeed(MPI_Bcast(&size, 1, MPI_INT64_T, from, comm), "MPI_Bcast");
  bytes.resize(static_cast<std::size_t>(size));
  mpi::must_succeed(MPI_Bcast(bytes.data(), static_cast<int>(size), MPI_BYTE, from, comm), "MPI_Bcast");
}

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

// Raises an argument that is an exception: Python raised it while computing the argument on this process.
void raise_if_raised(py::handle argument) {
  if (PyExceptionInstance_Check(argument.ptr()) == 0) return;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(argument.ptr())), argument.ptr());
  throw py::error_already_set();
}

void need_callable(py::handle object, const std::string& name) {
  if (PyCallable_Check(object.ptr()) == 0) refuse_key(name, text_of(object), "must be a function", "");
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

// The arguments of one solve on this process, checked.
struct Request {
  Options options;
  std::string preconditioner;           // empty: none
  std::shared_ptr<Solvable> operator_;  // the preconditioner, if it is a Matrix or a LinearOperator
  Teuchos::ParameterList preconditioner_parameters;
  std::string made_of;  // everything on which the preconditioner depends, as a string
  Copy copy = Copy::never;
  bool raise_on_failure = false;
};

Method method_named(const std::string& name) {
  if (name == "cg") return Method::cg;
  if (name == "gmres") return Method::gmres;
  if (name == "direct") return Method::direct;
  solvers::check_belos_method(name);
  return Method::belos;
}

// The arguments of one solve on this process, unchecked.
struct Asked {
  py::object method, preconditioner, tol, atol, maxiter, options, preconditioner_options, callback, progress, copy,
      raise_on_failure, wrong;
};

template <class Number>
Number number_of(py::handle object, const std::string& name, const std::string& must) {
  try {
    return py::cast<Number>(object);
  } catch (const py::cast_error&) {
    refuse_key(name, text_of(py::repr(object)), must, "");
  }
}

solvers::SolverArray solver_array(const Array& array, const std::string& name, bool writable) {
  return {array.array(), *array.distribution(), name, writable};
}

void need_float64(const Array& array, const std::string& name) {
  if (const std::string type = array.array().buffer.type.name(); type != "float64")
    refuse("the elements of " + name + " are " + type, "must be float64",
           "make an array of float64, and copy them to it");
}

std::shared_ptr<Solvable> solvable_in(const py::object& object) {
  if (py::isinstance<Matrix>(object)) return value_in<Matrix>(object).solvable();
  if (py::isinstance<LinearOperator>(object)) return value_in<LinearOperator>(object).solvable();
  return nullptr;
}

void read_preconditioner(const Solvable& a, const Asked& asked, Request& request) {
  if ((request.operator_ = solvable_in(asked.preconditioner))) {
    request.preconditioner = "an operator";
    if (!request.operator_->array_map.map()->locallySameAs(*a.array_map.map()))
      refuse_key("M", "an operator on other rows", "must have the rows of A", "make it with the distribution of A");
  } else if (!asked.preconditioner.is_none()) {
    request.preconditioner = text_of(asked.preconditioner);
  }
  request.preconditioner_parameters = parameters(asked.preconditioner_options, "preconditioner_options");
  if ((request.preconditioner.empty() || request.operator_) && request.preconditioner_parameters.numParams() > 0)
    refuse_key("preconditioner_options", text_of(asked.preconditioner_options),
               request.operator_ ? "but an operator takes none" : "but there is no preconditioner",
               "set preconditioner=, or leave them out");
}

Request read_request(const Solvable& a, const Array& b, const Array& x, const Asked& asked) {
  Request request;
  raise_if_raised(asked.wrong);
  const auto method = text_of(asked.method);
  request.options.method = method_named(method);
  request.options.name = method;
  request.options.tol = number_of<double>(asked.tol, "tol", "must be a number >= 0");
  request.options.atol = number_of<double>(asked.atol, "atol", "must be a number >= 0");
  request.options.maxiter = number_of<int>(asked.maxiter, "maxiter", "must be an integer from 0 to 2147483647");
  request.options.parameters = parameters(asked.options, "options");
  request.copy = copy_policy(asked.copy);
  request.raise_on_failure = flag_of(asked.raise_on_failure, "raise_on_failure");
  raise_if_raised(asked.progress);
  if (!asked.callback.is_none()) need_callable(asked.callback, "callback");
  read_preconditioner(a, asked, request);
  request.made_of = request.preconditioner + method + described(request.preconditioner_parameters);
  const bool direct = request.options.method == Method::direct;
  if (!(request.options.tol >= 0)) refuse_key("tol", text_of(asked.tol), "must be a number >= 0", "");
  if (!(request.options.atol >= 0)) refuse_key("atol", text_of(asked.atol), "must be a number >= 0", "");
  if (request.options.maxiter < 0) refuse_key("maxiter", text_of(asked.maxiter), "must be >= 0", "");
  if (direct && !request.preconditioner.empty())
    refuse_key("preconditioner", "'" + request.preconditioner + "'", "but method 'direct' takes none", "pass None");
  if (direct && !asked.callback.is_none())
    refuse_key("callback", "a function", "but method 'direct' has no iterations to call it after", "leave it out");
  if (direct && request.options.parameters.numParams() > 0)
    refuse_key("options", text_of(asked.options), "but method 'direct' takes none", "leave them out");
  if (a.matrix.is_null() && (direct || (!request.preconditioner.empty() && !request.operator_)))
    refuse_key(direct ? "method" : "preconditioner", direct ? "'direct'" : "'" + request.preconditioner + "'",
               "but a LinearOperator has no matrix", "pass a Matrix");
  if (!py::reinterpret_borrow<py::array>(x.local()).writeable())
    refuse_key("x", "read-only", "but the answer is written to its memory", "give a writable array");
  if (!memory_order(x.array().buffer).is_unique)
    refuse_key("x", "an array whose elements share memory", "but each must have its own",
               "give an array without overlaps");
  need_float64(b, "b");
  need_float64(x, "x");
  vectors_axis(solver_array(b, "b", false), a.array_map);
  vectors_axis(solver_array(x, "x", true), a.array_map);
  return request;
}

// Makes the preconditioner, or the factors, unless they exist. Called inside of Trilinos.
void prepare(Solvable& a, const Request& request) {
  Prepared& prepared = *a.prepared;
  if (request.options.method == Method::direct) {
    if (!prepared.factors) prepared.factors = std::make_unique<DirectSolver>(a.matrix);
    return;
  }
  if (request.operator_ || prepared.made_of == request.made_of) return;
  prepared.preconditioner = Teuchos::null;
  prepared.made_of.clear();
  if (!request.preconditioner.empty())
    prepared.preconditioner = solvers::make_preconditioner(request.preconditioner, preconditioned_as(request.options),
                                                           a.matrix, request.preconditioner_parameters);
  prepared.made_of = request.made_of;
}

// Calls Python once in each iteration: for signals, the callback, and the progress line.
Watch watch_of(const std::shared_ptr<Raised>& raised, py::handle callback, py::handle progress) {
  return [raised, callback, progress](int iteration, double residual) {
    const WithPython gil;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!callback.is_none() && iteration > 0) callback(iteration, residual);
      if (!progress.is_none()) progress(iteration, residual);
    } catch (py::error_already_set& error) {
      raised->keep(error);
    }
    return raised->any();
  };
}

// Raises on every process if any process raised. A process raises its own exception if it has one, and otherwise the
// exception of the lowest rank that has one.
void raise_together(MPI_Comm comm, std::optional<py::error_already_set> own) {
  const Index rank = mpi::rank_of(comm);
  std::string bytes;
  Index from = 0;
  if (own) {
    try {
      bytes = py::cast<std::string>(py::bytes(py::module_::import("pickle").attr("dumps")(own->value())));
    } catch (py::error_already_set&) {  // its text is raised instead
    }
  }
  if (bytes.size() > longest_pickle) bytes.clear();
  std::string text = own ? "process " + std::to_string(rank) + " raised " + one_line(*own) : "";
  {
    const Native native;
    const auto spread = mpi::min_max({own ? rank : std::numeric_limits<Index>::max()}, comm);
    from = spread.front().smallest;
    if (from != std::numeric_limits<Index>::max()) {
      broadcast(bytes, static_cast<int>(from), comm);
      broadcast(text, static_cast<int>(from), comm);
    }
  }
  if (own) throw std::move(*own);
  if (from == std::numeric_limits<Index>::max()) return;
  py::object error;
  try {
    if (!bytes.empty()) error = py::module_::import("pickle").attr("loads")(py::bytes(bytes));
  } catch (py::error_already_set&) {  // its text is raised instead
  }
  if (!error || PyExceptionInstance_Check(error.ptr()) == 0)
    error = py::reinterpret_borrow<py::object>(PyExc_RuntimeError)(text);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw py::error_already_set();
}

std::optional<py::error_already_set> taken(Raised& raised) {  // called inside of Trilinos
  const WithPython gil;
  return raised.take();
}

py::dict solve_in_place(const Handle& handle, const Array& b, const Array& x, const Asked& asked) {
  const std::shared_ptr<Solvable> a = handle.solvable();
  const py::object matvec = handle.matvec();  // Python code that runs meanwhile may replace the operator
  const py::object helpers_matvec = py::isinstance<LinearOperator>(asked.preconditioner)
                                        ? value_in<LinearOperator>(asked.preconditioner).matvec()
                                        : py::none();
  const MPI_Comm comm = a->array_map.comm();
  Request request = together(comm, [&] { return read_request(*a, b, x, asked); });
  request.options.watch = watch_of(a->raised, asked.callback, asked.progress);
  const bool measures = !asked.callback.is_none() || !asked.progress.is_none();
  const bool asks = measures || a->matrix.is_null() || (request.operator_ && request.operator_->matrix.is_null());

  std::optional<Error> error;
  std::optional<py::error_already_set> raised;
  Solution solution;
  Receipt of_b, of_x;
  {
    const Native native;
    try {
      int size = 0;
      mpi::must_succeed(MPI_Comm_size(comm, &size), "MPI_Comm_size");
      const auto said = mpi::min_max(
          {asks || size == 1 ? 1 : 0, same_number(request.made_of), request.raise_on_failure ? 1 : 0, measures ? 1 : 0},
          comm);
      if (!said[1].is_same())
        throw Error(Finding{Rule::conversion,
                            {},
                            {},
                            "",
                            "the processes have different methods or preconditioners",
                            "",
                            "give every process the same"});
      if (!said[2].is_same())
        refuse("raise_on_failure is True on some processes only", "", "give every process the same");
      request.options.watched = said[0].largest == 1;
      request.options.measured = said[3].largest == 1;
      const auto vb = import_vectors(solver_array(b, "b", false), a->array_map, request.copy);
      const auto vx = import_vectors(solver_array(x, "x", true), a->array_map, request.copy);
      of_b = vb.receipt;
      of_x = vx.receipt;
      prepare(*a, request);
      const Options& options = request.options;
      if (options.method == Method::direct) {
        solution = a->prepared->factors->solve(*vb.vectors, *vx.vectors, options.tol, options.atol);
      } else {
        const auto helper = request.operator_ ? request.operator_->op : a->prepared->preconditioner;
        solution = solvers::solve(a->op, helper, *vb.vectors, *vx.vectors, options);
      }
      vx.write_back();
    } catch (const Error& wrong) {
      error = wrong;
    } catch (const std::exception& wrong) {  // for example, out of memory; what Python raised is still taken below
      error = Error(Finding{Rule::process_failure, {}, {}, "", wrong.what(), "", ""});
    }
    raised = taken(*a->raised);  // while no other thread can be inside of Trilinos
    if (request.operator_ && !raised) raised = taken(*request.operator_->raised);
  }
  raise_together(comm, std::move(raised));
  if (error) throw Error(*error);

  py::dict result;
  result["iterations"] = solution.iterations;
  result["residuals"] =
      py::array_t<double>(static_cast<py::ssize_t>(solution.residuals.size()), solution.residuals.data());
  result["residual"] = solution.residual;
  result["residual_of_each"] =
      py::array_t<double>(static_cast<py::ssize_t>(solution.each.size()), solution.each.data());
  result["converged"] = solution.converged;
  result["raise_on_failure"] = request.raise_on_failure;
  result["seconds"] = solution.seconds;
  result["bytes_copied"] = of_b.bytes_copied + 2 * of_x.bytes_copied;
  return result;
}

// The C++ value of an object; TypeError if it is not a T, or not initialised.
template <class T>
const T& made(const py::object& self) {
  if (!py::isinstance<T>(self))
    throw py::type_error(std::string("this must be a ") + T::name + ", not a " + Py_TYPE(self.ptr())->tp_name);
  return value_in<T>(self);
}

template <class T>
void bind_handle(py::class_<T>& type) {
  type.def_property_readonly(
          "comm", [](const py::object& a) { return made<T>(a).comm(); }, "The mpi4py communicator of its processes.")
      .def_property_readonly(
          "distribution", [](const py::object& a) { return made<T>(a).solvable()->array_map.distribution(); },
          "The Distribution of its rows.")
      .def("_solve", [](const py::object& a, const Array& b, const Array& x, py::object method,
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
}

}  // namespace tridap::python
