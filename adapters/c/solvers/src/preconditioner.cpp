#include "parameters.hpp"
#include "solvable.hpp"
#include <tridap/internal/fingerprint.hpp>

#include <string>

using namespace tridap;
using namespace tridap::c;

namespace {

struct Wanted {
  std::shared_ptr<MatrixObject> of;
  std::string name;
  tridap_preconditioner_options options{};
  Teuchos::ParameterList parameters;
  std::shared_ptr<ArrayObject> coordinates, nullspace;  // null: unknown

  void read(tridap_matrix a, const char* named, const tridap_preconditioner_options* given) {
    of = find<MatrixObject>(a.number);
    if (given != nullptr) options = *given;
    name = need(named, "name");
    if (of->content->matrix.is_null())
      refuse("an operator has no entries", "must be of tridap_matrix_of_csr", "pass a matrix");
    solvers::check_preconditioner(name);
    parameters = parameters_in(options.parameters, "parameters");
    if (options.coordinates.number != 0) coordinates = find<ArrayObject>(options.coordinates.number);
    if (options.nullspace.number != 0) nullspace = find<ArrayObject>(options.nullspace.number);
  }

  static Index number_of_array(const std::shared_ptr<ArrayObject>& array) {
    return array == nullptr ? -1 : fingerprint(*array->distribution);
  }

  Teuchos::RCP<const solvers::MultiVector> vectors(const std::shared_ptr<ArrayObject>& array, const char* key) const {
    if (array == nullptr) return Teuchos::null;
    Solvable& a = *of->content;
    return import_vectors(solver_array(*array, key, false), a.rows, Copy::always, nullptr).vectors;
  }
};

}  // namespace

int tridap_preconditioner_make(tridap_matrix a, const char* name, const tridap_preconditioner_options* options,
                               tridap_preconditioner* preconditioner) {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({a.number}); }); status != TRIDAP_OK)
    return give<PreconditionerObject>(status, number_in(preconditioner), comm, nullptr);
  Wanted wanted;
  return making_together<PreconditionerObject>(
      "tridap_preconditioner_make", number_in(preconditioner), comm, mpi::Library::trilinos,
      [&] { wanted.read(a, name, options); },
      [&](MPI_Comm caller) {
        const mpi::Call call(caller, "tridap_preconditioner_make", mpi::Library::trilinos, [&](mpi::Record& record) {
          record.add(wanted.of->content->serial);
          record.add(mpi::number_of_call((wanted.name + (wanted.options.unsymmetric != 0 ? "\n1" : "\n0")).c_str()));
          record.add(Wanted::number_of_array(wanted.coordinates));
          record.add(Wanted::number_of_array(wanted.nullspace));
        });
        need_same(call, 0, "matrices");
        need_same(call, 1, "preconditioners");
        need_same(call, 2, "coordinates");
        need_same(call, 3, "nullspaces");
        return call.run([&] {
          Solvable& of = *wanted.of->content;
          const auto method = wanted.options.unsymmetric != 0 ? solvers::Method::gmres : solvers::Method::cg;
          auto made = std::make_shared<Solvable>(
              of, solvers::make_preconditioner(wanted.name, method, of.matrix, wanted.parameters,
                                               {wanted.vectors(wanted.coordinates, "coordinates"),
                                                wanted.vectors(wanted.nullspace, "nullspace")}));
          made->serial = next_serial(comm);
          return std::make_shared<PreconditionerObject>(std::move(made));
        });
      });
}
