#include "solvable.hpp"
#include "together.hpp"
#include <tridap/internal/call.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/make.hpp>
#include <tridap/solvers/eigen.hpp>
#include <tridap/text.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace tridap::python {

namespace {

using solvers::EigenMethod;
using solvers::EigenOptions;
using solvers::EigenSolution;
using solvers::Which;

struct EigenRequest {
  EigenOptions options;
  std::shared_ptr<Solvable> mass, helper;  // null: none
};

// One of several names, by its place among them.
template <std::size_t count>
std::size_t named(const std::string& key, py::handle object, const char* const (&names)[count]) {
  const std::string text = text_of(object);
  std::string all;
  for (std::size_t i = 0; i < count; ++i) {
    if (text == names[i]) return i;
    all += (i == 0 ? "'" : i + 1 == count ? " or '" : ", '") + std::string(names[i]) + "'";
  }
  refuse_key(key, "'" + text + "'", "must be " + all, "");
}

std::shared_ptr<Solvable> operator_on(const Solvable& a, const py::object& object, const std::string& key) {
  if (object.is_none()) return nullptr;
  const std::shared_ptr<Solvable> found = solvable_in(object);
  if (!found) refuse_key(key, text_of(object), "must be a Matrix or a LinearOperator, or None", "");
  if (!solvers::have_same_rows(found->array_map, a.array_map))
    refuse_key(key, "an operator on other rows", "must have the rows of A", "make it with the distribution of A");
  return found;
}

// The shift, for which the matrices are needed.
double read_sigma(const Solvable& a, const EigenRequest& request, py::handle sigma) {
  const auto value = number_of<double>(sigma, "sigma", "must be a real number, or None");
  if (a.matrix.is_null())
    refuse_key("sigma", text_of(sigma), "but A is an operator without a matrix, which cannot be factored",
               "pass a Matrix, or leave sigma out");
  if (request.mass && request.mass->matrix.is_null())
    refuse_key("sigma", text_of(sigma), "but M is an operator without a matrix, which cannot be factored",
               "pass a Matrix as M, or leave sigma out");
  return value;
}

void check_start(const Solvable& a, const Array& start) {
  need_float64(start, "v0");
  if (vectors_axis(solver_array(start, "v0", false), a.array_map))
    refuse_key("v0", "an array with one axis more than the rows", "must have the axes of the rows",
               "pass several vectors as X");
}

// Stores the start vector as the first guess of the first eigenvector. Called inside of Trilinos. **Collective.**
void take_start(Solvable& a, const Array& start, solvers::MultiVector& x) {
  const auto vectors = import_vectors(solver_array(start, "v0", false), a.array_map, Copy::if_needed, &a.copies);
  const double norm = vectors.vectors->getVector(0)->norm2();
  if (!(norm > 0) || !std::isfinite(norm))
    refuse("the norm of v0 is " + number_text(norm), "must be finite and not 0", "give another start vector");
  x.getVectorNonConst(0)->update(1, *vectors.vectors->getVector(0), 0);
}

EigenRequest read_eigen_request(const Solvable& a, const Array& x, const Array* start, const py::dict& asked) {
  EigenRequest request;
  EigenOptions& options = request.options;
  options.which = static_cast<Which>(named("which", asked["which"], {"SA", "LA", "LM", "SM"}));
  options.method = static_cast<EigenMethod>(named("method", asked["method"], {"lobpcg", "krylov schur"}));
  options.tol = number_of<double>(asked["tol"], "tol", "must be a number >= 0");
  options.maxiter = number_of<int>(asked["maxiter"], "maxiter", "must be an integer from 1 to 2147483647");
  request.mass = operator_on(a, asked["M"], "M");
  request.helper = operator_on(a, asked["preconditioner"], "preconditioner");
  if (const py::object sigma = asked["sigma"]; !sigma.is_none()) options.sigma = read_sigma(a, request, sigma);
  if (start != nullptr) check_start(a, *start);
  need_usable_memory(x, "X");
  if (!py::reinterpret_borrow<py::array>(x.local()).writeable())
    refuse_key("X", "read-only", "but the eigenvectors are written to its memory", "give a writable array");
  need_float64(x, "X");
  if (!vectors_axis(solver_array(x, "X", true), a.array_map))
    refuse_key("X", "an array with the axes of the rows", "must have one axis more, for the eigenvectors",
               "pass None: eigsh makes one");
  return request;
}

}  // namespace

py::dict eigsh_in_place(const Handle& handle, const Array& x, const Array* start, const py::dict& asked) {
  const std::shared_ptr<Solvable> a = handle.usable();
  const py::object matvec = handle.matvec();
  const MPI_Comm comm = a->array_map.comm();
  EigenRequest request = together(comm, [&] { return read_eigen_request(*a, x, start, asked); });
  request.options.watch = watch_of(a->raised, py::none(), py::none());
  EigenSolution solution;
  run_inside(comm, {a.get(), request.mass.get(), request.helper.get()}, true, &x, [&] {
    const bool asks = a->matrix.is_null() || (request.mass && request.mass->matrix.is_null());
    request.options.watched = mpi::min_max({asks || is_alone(*a) ? 1 : 0}, comm).front().largest == 1;
    const auto vectors = import_vectors(solver_array(x, "X", true), a->array_map, Copy::if_needed, &a->copies);
    if (start != nullptr) take_start(*a, *start, *vectors.vectors);
    const auto op = [](const std::shared_ptr<Solvable>& of) {
      return of ? of->op : Teuchos::RCP<const solvers::Operator>();
    };
    solution =
        solvers::find_eigenvalues(a->op, op(request.mass), op(request.helper), *vectors.vectors, request.options);
    vectors.write_back();
  });
  py::dict result;
  result["values"] = numpy_of(solution.values);
  result["residuals"] = numpy_of(solution.residuals);
  result["converged"] = solution.converged;
  result["iterations"] = solution.iterations;
  return result;
}

Distribution with_vectors(const Distribution& rows, Index count) {
  std::vector<Axis> axes;
  for (Index i = 0; i < rows.ndim(); ++i) axes.push_back(rows.axis(i));
  axes.push_back(Distribution::make({count}, {whole()}, {1}).axis(0));
  return Distribution(std::move(axes));
}

}  // namespace tridap::python
