#include "parameters.hpp"
#include "solvable.hpp"
#include "together.hpp"
#include <tridap/internal/call.hpp>

#include <optional>

namespace tridap::python {

namespace {

using solvers::DirectSolver;
using solvers::Method;
using solvers::Options;
using solvers::Solution;

// The arguments of one solve on this process, checked.
struct Request {
  Options options;
  std::string preconditioner;           // empty: none
  std::shared_ptr<Solvable> operator_;  // the preconditioner, if it is a Matrix or a LinearOperator
  Teuchos::ParameterList preconditioner_parameters;
  std::string made_of;  // everything on which the preconditioner depends, as a string
  bool raise_on_failure = false;
};

Method method_named(const std::string& name) {
  if (name == "cg") return Method::cg;
  if (name == "gmres") return Method::gmres;
  if (name == "direct") return Method::direct;
  solvers::check_belos_method(name);
  return Method::belos;
}

void read_preconditioner(const Solvable& a, const py::dict& asked, Request& request) {
  const py::object named = asked["preconditioner"], options = asked["preconditioner_options"];
  if ((request.operator_ = solvable_in(named))) {
    request.preconditioner = "an operator";
    if (!solvers::have_same_rows(request.operator_->array_map, a.array_map))
      refuse_key("M", "an operator on other rows", "must have the rows of A", "make it with the distribution of A");
  } else if (!named.is_none()) {
    request.preconditioner = text_of(named);
    solvers::check_preconditioner(request.preconditioner);
  }
  request.preconditioner_parameters = parameters(options, "preconditioner_options");
  if ((request.preconditioner.empty() || request.operator_) && request.preconditioner_parameters.numParams() > 0)
    refuse_key("preconditioner_options", text_of(options),
               request.operator_ ? "but an operator takes none" : "but there is no preconditioner",
               "set preconditioner=, or leave them out");
}

// Throws Error for arguments that the method or A does not take.
void check_method(const Solvable& a, const py::dict& asked, const Request& request) {
  const bool direct = request.options.method == Method::direct;
  if (direct && !request.preconditioner.empty())
    refuse_key("preconditioner", "'" + request.preconditioner + "'", "but method 'direct' takes none", "pass None");
  if (direct && !asked["callback"].is_none())
    refuse_key("callback", "a function", "but method 'direct' has no iterations to call it after", "leave it out");
  if (direct && request.options.parameters.numParams() > 0)
    refuse_key("options", text_of(asked["options"]), "but method 'direct' takes none", "leave them out");
  if (a.matrix.is_null() && (direct || (!request.preconditioner.empty() && !request.operator_)))
    refuse_key(direct ? "method" : "preconditioner", direct ? "'direct'" : "'" + request.preconditioner + "'",
               "but a LinearOperator has no matrix", "pass a Matrix");
}

void check_arrays(const Solvable& a, const Array& b, const Array& x) {
  need_usable_memory(b, "b");
  need_usable_memory(x, "x");
  if (!py::reinterpret_borrow<py::array>(x.local()).writeable())
    refuse_key("x", "read-only", "but the answer is written to its memory", "give a writable array");
  if (!memory_order(x.array().buffer).is_unique)
    refuse_key("x", "an array whose elements share memory", "but each must have its own",
               "give an array without overlaps");
  need_float64(b, "b");
  need_float64(x, "x");
  vectors_axis(solver_array(b, "b", false), a.array_map);
  vectors_axis(solver_array(x, "x", true), a.array_map);
}

Request read_request(const Solvable& a, const py::dict& asked) {
  Request request;
  Options& options = request.options;
  const auto method = text_of(asked["method"]);
  options.method = method_named(method);
  options.name = method;
  for (const auto& [key, number] : {std::pair{"tol", &options.tol}, std::pair{"atol", &options.atol}}) {
    *number = number_of<double>(asked[key], key, "must be a number >= 0");
    if (!(*number >= 0)) refuse_key(key, text_of(asked[key]), "must be a number >= 0", "");
  }
  options.maxiter = number_of<int>(asked["maxiter"], "maxiter", "must be an integer from 0 to 2147483647");
  if (options.maxiter < 0) refuse_key("maxiter", text_of(asked["maxiter"]), "must be >= 0", "");
  options.parameters = parameters(asked["options"], "options");
  request.raise_on_failure = flag_of(asked["raise_on_failure"], "raise_on_failure");
  if (!asked["callback"].is_none()) need_callable(asked["callback"], "callback");
  read_preconditioner(a, asked, request);
  request.made_of = request.preconditioner + method + described(request.preconditioner_parameters);
  check_method(a, asked, request);
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

}  // namespace

py::dict solve_in_place(const Handle& handle, const py::object& read) {
  const std::shared_ptr<Solvable> a = handle.usable();
  py::object matvec = handle.matvec(), helpers_matvec;  // Python code that runs meanwhile may replace the operator
  const MPI_Comm comm = a->array_map.comm();
  py::dict asked;
  Request request;
  bool measures = false, asks = a->matrix.is_null() || is_alone(*a);
  const auto read_all = [&] {
    asked = read();
    measures = !asked["callback"].is_none() || !asked["progress"].is_none();
    if (const py::object helper = asked["preconditioner"]; py::isinstance<LinearOperator>(helper)) {
      helpers_matvec = value_in<LinearOperator>(helper).matvec();
      asks = true;
    }
    return Operands{asked["b"], asked["x"], asked["like"]};
  };
  const auto check = [&](const Array& b, const Array& x) {
    request = read_request(*a, asked);
    check_arrays(*a, b, x);
    return copy_policy(asked["copy"]);
  };
  enum { asking, made_of, raising, measuring };
  const auto compared = [&](mpi::Record& record) {
    for (const Index number :
         {Index{asks || measures}, same_number(request.made_of), Index{request.raise_on_failure}, Index{measures}})
      record.add(number);
  };
  Beginning begun(handle, {mpi::Library::trilinos, mpi::Library::petsc}, {"b", "x"}, read_all, check, compared);
  Options& options = request.options;
  options.watch = watch_of(a->raised, asked["callback"], asked["progress"]);
  options.watched = begun.any(asking);
  options.measured = begun.any(measuring);
  Solution solution;
  Index bytes_copied = 0;
  run_inside(comm, {a.get(), request.operator_.get()}, options.watched, &begun.to(), [&] {
    if (!begun.is_same(made_of))
      refuse("the processes have different methods or preconditioners", "", "give every process the same");
    if (!begun.is_same(raising))
      refuse("raise_on_failure is True on some processes only", "", "give every process the same");
    const auto [b, x] = begun.join();
    bytes_copied = b.receipt.bytes_copied + 2 * x.receipt.bytes_copied;
    prepare(*a, request);
    if (options.method == Method::direct) {
      solution = a->prepared->factors->solve(*b.vectors, *x.vectors, options.tol, options.atol);
    } else {
      const auto helper = request.operator_ ? request.operator_->op : a->prepared->preconditioner;
      solution = solvers::solve(a->op, helper, *b.vectors, *x.vectors, options);
    }
    x.write_back();
  });
  using namespace py::literals;
  return py::dict("x"_a = begun.target(), "iterations"_a = solution.iterations,
                  "residuals"_a = numpy_of(solution.residuals), "residual"_a = solution.residual,
                  "residual_of_each"_a = numpy_of(solution.each), "converged"_a = solution.converged,
                  "seconds"_a = solution.seconds, "bytes_copied"_a = bytes_copied);
}

}  // namespace tridap::python
