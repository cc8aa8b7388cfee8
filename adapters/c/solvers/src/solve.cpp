#include "parameters.hpp"
#include "solvable.hpp"
#include <tridap/internal/digest.hpp>
#include <tridap/internal/fingerprint.hpp>
#include <tridap/internal/region.hpp>
#include <tridap/text.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

using namespace tridap;
using namespace tridap::c;
using solvers::Method;
using solvers::Solution;

namespace {

// An operator and the two arrays of a call.
struct OfTwo {
  std::shared_ptr<MatrixObject> object;
  std::shared_ptr<ArrayObject> from, to;
  Copy copy = Copy::never;
  std::optional<solvers::LocalVectors> local_from, local_to;

  static constexpr std::size_t numbers = 3;

  void find_all(tridap_matrix a, tridap_array source, tridap_array target, const char* name_of_target,
                tridap_copy policy) {
    object = find<MatrixObject>(a.number);
    from = find<ArrayObject>(source.number);
    to = find<ArrayObject>(target.number);
    need_one_communicator({object.get(), from.get(), to.get()});
    copy = copy_of(policy);
    need_writable(*to, name_of_target);
  }

  // What a record needs of them: inside of Trilinos.
  void bring(mpi::Record& record, const char* name_of_source, const char* name_of_target) {
    Solvable& a = *object->content;
    local_from.emplace(solver_array(*from, name_of_source, false), a.rows, copy, &a.copies);
    local_to.emplace(solver_array(*to, name_of_target, true), a.rows, copy, &a.copies);
    record.add(a.serial);
    record.add(fingerprint(*from->distribution));
    record.add(fingerprint(*to->distribution));
  }

  void compare(const mpi::Call& call, const char* arrays) const {
    need_same(call, 0, "matrices");
    need_same(call, 1, arrays);
    need_same(call, 2, arrays);
  }
};

void need_apart(const solvers::MultiVector& x, const solvers::MultiVector& y) {
  if (x.getNumVectors() != y.getNumVectors())
    refuse("x has " + std::to_string(x.getNumVectors()) + " vectors, y has " + std::to_string(y.getNumVectors()),
           "must be as many", "give y one vector for each of x");
  const auto of_x = x.getLocalViewHost(Tpetra::Access::ReadOnly), of_y = y.getLocalViewHost(Tpetra::Access::ReadOnly);
  if (of_x.size() > 0 && of_x.data() == of_y.data())
    refuse("y has the memory of x", "must have its own memory", "pass another array");
}

// The arguments of one solve on this process.
struct Request {
  OfTwo arrays;
  solvers::Options options;
  tridap_solve_options given{};
  std::shared_ptr<PreconditionerObject> helper;
  std::string preconditioner;  // by name; empty: none
  Teuchos::ParameterList preconditioner_parameters;
  std::string made_of;

  void read(tridap_matrix a, tridap_array b, tridap_array x, const tridap_solve_options* asked) {
    if (asked != nullptr) given = *asked;
    arrays.find_all(a, b, x, "x", given.copy);
    const std::string method = given.method == nullptr ? "cg" : given.method;
    options.method = method_named(method);
    options.name = method;
    options.tol = given.tol != 0 || given.atol > 0 ? or_zero(given.tol) : 1e-8;
    options.atol = given.atol;
    for (const auto& [key, number] : {std::pair{"tol", options.tol}, std::pair{"atol", options.atol}})
      if (!(number >= 0)) refuse_key(key, number_text(number), "must be a number >= 0", "pass one such as 1e-8");
    if (given.maxiter != 0) options.maxiter = or_zero(given.maxiter);
    if (options.maxiter < 0)
      refuse_key("maxiter", std::to_string(given.maxiter), "must be at least 0", "pass one such as 1000");
    options.parameters = parameters_in(given.parameters, "parameters");
    read_preconditioner();
    made_of = preconditioner + "\n" + method + "\n" +
              (given.preconditioner_parameters == nullptr ? "" : given.preconditioner_parameters);
    check_method();
    need_room(given.residuals, given.residual_size, "residuals");
    need_room(given.each, given.each_size, "each");
    if (given.watch != nullptr)
      options.watch = [this](int iteration, double residual) {
        const mpi::Callback outside;
        return given.watch(given.user, iteration, residual) != 0;
      };
  }

  // What the processes compare of it.
  Index number() const {
    Digest digest;
    digest.add(made_of);
    digest.add(helper == nullptr ? Index{-1} : helper->content->serial);
    digest.add(static_cast<Index>(arrays.copy));
    return digest.value();
  }

 private:
  static Method method_named(const std::string& name) {
    if (name == "cg") return Method::cg;
    if (name == "gmres") return Method::gmres;
    if (name == "direct") return Method::direct;
    solvers::check_belos_method(name);
    return Method::belos;
  }

  static void need_room(const double* memory, std::int64_t size, const char* name) {
    if (size < 0) refuse_key(std::string(name) + "_size", std::to_string(size), "must be at least 0", "");
    if (size > 0) need(memory, name);
  }

  void read_preconditioner() {
    if (given.made.number != 0) helper = find<PreconditionerObject>(given.made.number);
    if (given.preconditioner != nullptr && *given.preconditioner != '\0') {
      preconditioner = given.preconditioner;
      solvers::check_preconditioner(preconditioner);
    }
    if (helper != nullptr && !preconditioner.empty())
      refuse_key("preconditioner", "'" + preconditioner + "'", "but there is one that was made, too",
                 "pass one of them");
    if (helper != nullptr) need_rows_of(*arrays.object->content, *helper->content, "made");
    preconditioner_parameters = parameters_in(given.preconditioner_parameters, "preconditioner_parameters");
    if (preconditioner.empty() && preconditioner_parameters.numParams() > 0)
      refuse_key("preconditioner_parameters", "'" + std::string(given.preconditioner_parameters) + "'",
                 "but there is no preconditioner that is made now", "set preconditioner, or leave them out");
  }

  void check_method() const {
    const bool has_helper = helper != nullptr || !preconditioner.empty();
    if (options.method == Method::direct) {
      if (has_helper)
        refuse_key("preconditioner", helper != nullptr ? "a handle" : "'" + preconditioner + "'",
                   "but method 'direct' takes none", "leave it out");
      if (given.watch != nullptr)
        refuse_key("watch", "a function", "but method 'direct' has no iterations to call it after", "leave it out");
      if (options.parameters.numParams() > 0)
        refuse_key("parameters", "'" + std::string(given.parameters) + "'", "but method 'direct' takes none",
                   "leave them out");
    }
    const bool by_entries = options.method == Method::direct || !preconditioner.empty();
    if (by_entries && arrays.object->content->matrix.is_null())
      refuse_key(options.method == Method::direct ? "method" : "preconditioner",
                 options.method == Method::direct ? "'direct'" : "'" + preconditioner + "'",
                 "but an operator of a function has no entries", "pass a matrix of tridap_matrix_of_csr");
  }
};

// Makes the preconditioner, or the factors, unless they exist. Inside of Trilinos.
void prepare_for(const Request& request) {
  Solvable& a = *request.arrays.object->content;
  Prepared& prepared = a.prepared;
  if (request.options.method == Method::direct) {
    if (!prepared.factors) prepared.factors = std::make_unique<solvers::DirectSolver>(a.matrix);
    return;
  }
  if (request.helper != nullptr || prepared.made_of == request.made_of) return;
  prepared.preconditioner = Teuchos::null;
  prepared.made_of.clear();
  if (!request.preconditioner.empty())
    prepared.preconditioner = solvers::make_preconditioner(request.preconditioner, preconditioned_as(request.options),
                                                           a.matrix, request.preconditioner_parameters);
  prepared.made_of = request.made_of;
}

void write_numbers(const std::vector<double>& numbers, double* to, std::int64_t size) {
  for (std::size_t i = 0; i < numbers.size() && static_cast<std::int64_t>(i) < size; ++i) to[i] = numbers[i];
}

void write_solution(const Request& request, const Solution& solution, const Receipt& receipt, tridap_solution* to) {
  write_numbers(solution.residuals, request.given.residuals, request.given.residual_size);
  write_numbers(solution.each, request.given.each, request.given.each_size);
  if (to == nullptr) return;
  to->converged = solution.converged ? 1 : 0;
  to->stopped = solution.stopped ? 1 : 0;
  to->iterations = solution.iterations;
  to->residual = solution.residual;
  to->residual_count = static_cast<std::int64_t>(solution.residuals.size());
  to->seconds = solution.seconds;
  write_receipt(receipt, &to->receipt);
}

}  // namespace

int tridap_multiply(tridap_matrix a, tridap_array x, tridap_array y, tridap_copy copy, tridap_receipt* receipt) {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({a.number, x.number, y.number}); }); status != TRIDAP_OK)
    return status;
  OfTwo of;
  return collectively(
      "tridap_multiply", comm, mpi::Library::trilinos, [&] { of.find_all(a, x, y, "y", copy); },
      [&](MPI_Comm caller) {
        const mpi::Call call(caller, "tridap_multiply", mpi::Library::trilinos, [&](mpi::Record& record) {
          of.bring(record, "x", "y");
          record.add(static_cast<Index>(of.copy));
        });
        of.compare(call, "arrays");
        need_same(call, OfTwo::numbers, "values of copy");
        call.run([&] {
          const solvers::Vectors from = of.local_from->join(), to = of.local_to->join();
          const Solvable& by = *of.object->content;
          mpi::collectively(call.comm(), [&] { need_apart(*from.vectors, *to.vectors); });
          if (by.matrix.is_null())
            mpi::collectively(call.comm(), [&] { by.op->apply(*from.vectors, *to.vectors); });
          else
            by.op->apply(*from.vectors, *to.vectors);
          to.write_back();
          write_receipt(receipt_of(&from.receipt, &to.receipt), receipt);
        });
      });
}

int tridap_solve(tridap_matrix a, tridap_array b, tridap_array x, const tridap_solve_options* options,
                 tridap_solution* solution) {
  const mpi::Region region("tridap::solvers::solve");
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({a.number, b.number, x.number}); }); status != TRIDAP_OK)
    return status;
  Request request;
  return collectively(
      "tridap_solve", comm, mpi::Library::trilinos, [&] { request.read(a, b, x, options); },
      [&](MPI_Comm caller) {
        const mpi::Call call(caller, "tridap_solve", mpi::Library::trilinos, [&](mpi::Record& record) {
          request.arrays.bring(record, "b", "x");
          record.add(request.number());
          record.add(request.given.watch != nullptr ? 1 : 0);
        });
        request.arrays.compare(call, "arrays");
        need_same(call, OfTwo::numbers, "methods, preconditioners or values of copy");
        call.run([&] {
          request.options.watched = request.options.measured = call.largest(OfTwo::numbers + 1) != 0;
          const solvers::Vectors from = request.arrays.local_from->join(), to = request.arrays.local_to->join();
          prepare_for(request);
          const Solvable& by = *request.arrays.object->content;
          Solution found;
          if (request.options.method == Method::direct) {
            found = by.prepared.factors->solve(*from.vectors, *to.vectors, request.options.tol, request.options.atol);
          } else {
            const auto& helper = request.helper != nullptr ? request.helper->content->op : by.prepared.preconditioner;
            found = solvers::solve(by.op, helper, *from.vectors, *to.vectors, request.options);
          }
          to.write_back();
          write_solution(request, found, receipt_of(&from.receipt, &to.receipt), solution);
        });
      });
}
