#include "parameters.hpp"
#include "solvable.hpp"
#include "together.hpp"
#include <tridap/internal/call.hpp>
#include <tridap/internal/mpi_collectives.hpp>

#include <optional>

namespace tridap::python {

namespace {

using solvers::DirectSolver;
using solvers::Method;
using solvers::Options;
using solvers::Solution;
using solvers::Watch;

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

void read_preconditioner(const Solvable& a, const Asked& asked, Request& request) {
  if ((request.operator_ = solvable_in(asked.preconditioner))) {
    request.preconditioner = "an operator";
    if (!request.operator_->array_map.map()->locallySameAs(*a.array_map.map()))
      refuse_key("M", "an operator on other rows", "must have the rows of A", "make it with the distribution of A");
  } else if (!asked.preconditioner.is_none()) {
    request.preconditioner = text_of(asked.preconditioner);
    solvers::check_preconditioner(request.preconditioner);
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

}  // namespace

py::dict solve_in_place(const Handle& handle, Asked asked) {
  const std::shared_ptr<Solvable> a = handle.usable();
  const py::object matvec = handle.matvec();  // Python code that runs meanwhile may replace the operator
  const py::object helpers_matvec = py::isinstance<LinearOperator>(asked.preconditioner)
                                        ? value_in<LinearOperator>(asked.preconditioner).matvec()
                                        : py::none();
  const MPI_Comm comm = a->array_map.comm();
  const bool makes_x = asked.x.is_none();
  const bool measures = !asked.callback.is_none() || !asked.progress.is_none();
  const bool asks = measures || a->matrix.is_null() || py::isinstance<LinearOperator>(asked.preconditioner);
  Request request;
  const Array *b = nullptr, *x = nullptr;
  const auto read = [&] {
    b = array_behind(asked.b);
    x = array_behind(asked.x);
    request = read_request(*a, *b, *x, asked);
  };
  std::optional<solvers::LocalVectors> local_b, local_x;
  const auto import_local = [&](auto& local, const Array& array, const char* name) {
    local.emplace(solver_array(array, name, &array == x), a->array_map, request.copy, &a->copies);
  };
  const auto prepare_vectors = [&] {
    import_local(local_b, *b, "b");
    import_local(local_x, *x, "x");
  };
  int size = 0;
  mpi::must_succeed(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  enum { asking, made_of, raising, measuring };
  const auto compared = [&](mpi::Record& record) {
    record.add(asks || size == 1 ? 1 : 0);
    record.add(same_number(request.made_of));
    record.add(request.raise_on_failure ? 1 : 0);
    record.add(measures ? 1 : 0);
  };
  const auto read_all = [&] {
    if (makes_x) asked.x = asked.like(asked.b);
    read();
  };
  Beginning begun(handle, {mpi::Library::trilinos, mpi::Library::petsc}, {asked.b, makes_x ? asked.b : asked.x},
                  read_all, prepare_vectors, compared);
  if (!begun.is_ready()) {
    asked.b = asarray(asked.b, handle.comm(), py::none());
    together(comm, [&] {
      if (makes_x) asked.x = asked.like(asked.b);
      return true;
    });
    asked.x = asarray(asked.x, handle.comm(), py::none());
    begun.agree(read);
  }
  request.options.watch = watch_of(a->raised, asked.callback, asked.progress);
  request.options.watched = begun.any(asking);
  request.options.measured = begun.any(measuring);

  std::optional<Error> error;
  std::optional<py::error_already_set> raised;
  Solution solution;
  Receipt of_b, of_x;
  const auto solve_system = [&] {
    if (!begun.is_same(made_of))
      refuse("the processes have different methods or preconditioners", "", "give every process the same");
    if (!begun.is_same(raising))
      refuse("raise_on_failure is True on some processes only", "", "give every process the same");
    const auto import = [&](auto& local, const Array& array, const char* name) {
      if (begun.is_ready()) return local->join();
      return import_vectors(solver_array(array, name, &array == x), a->array_map, request.copy, &a->copies);
    };
    const auto vb = import(local_b, *b, "b"), vx = import(local_x, *x, "x");
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
  };
  {
    const WithoutPython released;
    try {
      begun.call().run(solve_system);
    } catch (const Error& wrong) {
      error = wrong;
    } catch (const std::exception& wrong) {  // what Python raised is still taken below
      error = Error(Finding{Rule::process_failure, {}, {}, "", wrong.what(), "", ""});
    }
    raised = taken(*a->raised);  // while no other thread can be inside of Trilinos
    if (request.operator_ && !raised) raised = taken(*request.operator_->raised);
  }
  x->changed();
  if (request.options.watched) raise_together(comm, std::move(raised));  // nothing else calls Python
  if (error) on_all(comm, [&] { throw Error(*error); });

  py::dict result;
  result["x"] = asked.x;
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

}  // namespace tridap::python
