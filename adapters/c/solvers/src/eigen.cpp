#include "solvable.hpp"
#include <tridap/internal/digest.hpp>
#include <tridap/internal/fingerprint.hpp>
#include <tridap/internal/region.hpp>
#include <tridap/solvers/eigen.hpp>
#include <tridap/text.hpp>

#include <optional>
#include <string>

using namespace tridap;
using namespace tridap::c;
using solvers::EigenMethod;
using solvers::Which;

namespace {

struct EigenRequest {
  std::shared_ptr<MatrixObject> a, mass;         // the second is null for the identity
  std::shared_ptr<PreconditionerObject> helper;  // null: none
  std::shared_ptr<ArrayObject> x;
  Copy copy = Copy::never;
  solvers::EigenOptions options;
  std::optional<solvers::LocalVectors> local;

  void read(tridap_matrix of, tridap_matrix m, tridap_array vectors, const tridap_eigen_options* asked,
            const double* values) {
    const tridap_eigen_options given = asked == nullptr ? tridap_eigen_options{} : *asked;
    a = find<MatrixObject>(of.number);
    x = find<ArrayObject>(vectors.number);
    need(values, "values");
    if (m.number != 0) {
      mass = find<MatrixObject>(m.number);
      need_rows_of(*a->content, *mass->content, "M");
    }
    if (given.preconditioner.number != 0) {
      helper = find<PreconditionerObject>(given.preconditioner.number);
      need_rows_of(*a->content, *helper->content, "preconditioner");
    }
    copy = copy_of(given.copy);
    need_writable(*x, "x");
    options.method = method_named(given.method == nullptr ? "lobpcg" : given.method);
    options.which = which_named(given.which == nullptr ? "SA" : given.which);
    if (given.tol != 0) options.tol = or_zero(given.tol);
    if (given.maxiter != 0) options.maxiter = or_zero(given.maxiter);
    if (given.sigma != nullptr) read_sigma(*given.sigma);
    const auto axis = solvers::vectors_axis(solver_array(*x, "x", true), a->content->rows);
    if (!axis)
      refuse_key("x", "an array with the axes of the rows", "must have one axis more, for the eigenvectors",
                 "make it of a distribution with one axis '*' more");
    const Index wanted = x->array.buffer.shape[static_cast<std::size_t>(*axis)];
    if (given.room > 0 && given.room < wanted)
      refuse_key("values", "memory for " + std::to_string(given.room) + " numbers",
                 "must have room for one of each of the " + std::to_string(wanted) + " vectors", "pass longer lists");
  }

  Index number() const {
    Digest digest;
    digest.add(mass == nullptr ? Index{-1} : mass->content->serial);
    digest.add(helper == nullptr ? Index{-1} : helper->content->serial);
    digest.add(static_cast<Index>(copy));
    return digest.value();
  }

 private:
  static EigenMethod method_named(const std::string& name) {
    if (name == "lobpcg") return EigenMethod::lobpcg;
    if (name == "krylov schur") return EigenMethod::krylov_schur;
    refuse_key("method", "'" + name + "'", "must be 'lobpcg' or 'krylov schur'", "take one of them");
  }

  static Which which_named(const std::string& name) {
    if (name == "SA") return Which::smallest;
    if (name == "LA") return Which::largest;
    if (name == "LM") return Which::largest_magnitude;
    if (name == "SM") return Which::smallest_magnitude;
    refuse_key("which", "'" + name + "'", "must be 'SA', 'LA', 'LM' or 'SM'", "take one of them");
  }

  void read_sigma(double sigma) {
    if (a->content->matrix.is_null() || (mass != nullptr && mass->content->matrix.is_null()))
      refuse_key("sigma", number_text(sigma), "but an operator of a function has no entries, which are factored",
                 "pass matrices of tridap_matrix_of_csr, or leave sigma out");
    options.sigma = sigma;
  }
};

}  // namespace

int tridap_eigenvalues(tridap_matrix a, tridap_matrix m, tridap_array x, const tridap_eigen_options* options,
                       double* values, double* residuals, tridap_eigen_solution* solution) {
  const mpi::Region region("tridap::solvers::find_eigenvalues");
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({a.number, x.number}); }); status != TRIDAP_OK) return status;
  EigenRequest request;
  return collectively(
      "tridap_eigenvalues", comm, mpi::Library::trilinos, [&] { request.read(a, m, x, options, values); },
      [&](MPI_Comm caller) {
        const mpi::Call call(caller, "tridap_eigenvalues", mpi::Library::trilinos, [&](mpi::Record& record) {
          Solvable& by = *request.a->content;
          request.local.emplace(solver_array(*request.x, "x", true), by.rows, request.copy, &by.copies);
          record.add(by.serial);
          record.add(fingerprint(*request.x->distribution));
          record.add(request.number());
        });
        need_same(call, 0, "matrices");
        need_same(call, 1, "arrays");
        need_same(call, 2, "matrices M, preconditioners or values of copy");
        call.run([&] {
          const solvers::Vectors vectors = request.local->join();
          const Teuchos::RCP<const solvers::Operator> none;
          const auto found = solvers::find_eigenvalues(
              request.a->content->op, request.mass == nullptr ? none : request.mass->content->op,
              request.helper == nullptr ? none : request.helper->content->op, *vectors.vectors, request.options);
          vectors.write_back();
          for (std::size_t i = 0; i < found.values.size(); ++i) {
            values[i] = found.values[i];
            if (residuals != nullptr) residuals[i] = found.residuals[i];
          }
          if (solution == nullptr) return;
          solution->converged = found.converged ? 1 : 0;
          solution->iterations = found.iterations;
          solution->count = static_cast<std::int64_t>(found.values.size());
          solution->seconds = found.seconds;
          write_receipt(receipt_of(nullptr, &vectors.receipt), &solution->receipt);
        });
      });
}
