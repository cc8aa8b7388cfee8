#include "solvable.hpp"
#include <tridap/c/given_rows.hpp>

#include <limits>
#include <vector>

using namespace tridap;
using namespace tridap::c;

namespace {

solvers::Csr csr_of(const GivenRows& given) {
  solvers::Csr csr;
  csr.count = given.count;
  csr.data = given.values;
  csr.columns = given.columns;
  csr.row_starts = given.row_starts;
  csr.order = given.order;
  return csr;
}

}  // namespace

int tridap_matrix_of_csr(tridap_distribution rows, const tridap_csr* csr, tridap_matrix* matrix) {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({rows.number}); }); status != TRIDAP_OK)
    return give<MatrixObject>(status, number_in(matrix), comm, nullptr);
  std::shared_ptr<DistributionObject> over;
  GivenRows given;
  return making_together<MatrixObject>(
      "tridap_matrix_of_csr", number_in(matrix), comm, mpi::Library::trilinos,
      [&] {
        need_kokkos();
        over = find<DistributionObject>(rows.number);
        given.read(*over, csr);
      },
      [&](MPI_Comm) {
        auto made = solvable_over<MatrixObject>(*over, csr->order, comm);
        made->content->matrix = solvers::make_matrix(made->content->rows, csr_of(given));
        made->content->op = made->content->matrix;
        return made;
      });
}

int tridap_matrix_update(tridap_matrix matrix, const tridap_csr* csr, tridap_receipt* receipt) {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({matrix.number}); }); status != TRIDAP_OK) return status;
  std::shared_ptr<MatrixObject> of;
  GivenRows given;
  return collectively(
      "tridap_matrix_update", comm, mpi::Library::trilinos,
      [&] {
        of = find<MatrixObject>(matrix.number);
        const Solvable& a = *of->content;
        if (a.matrix.is_null())
          refuse("an operator has no entries", "must be of tridap_matrix_of_csr", "pass a matrix");
        given.read(a.rows.distribution(), a.rows.process(), csr);
        if (order_of(csr->order) != a.order)
          refuse_key("order", std::to_string(static_cast<int>(csr->order)), "must be that of the matrix",
                     "give the rows in the order in which the matrix was made");
      },
      [&](MPI_Comm caller) {
        const mpi::Call call(caller, "tridap_matrix_update", mpi::Library::trilinos,
                             [&](mpi::Record& record) { record.add(of->content->serial); });
        need_same(call, 0, "matrices");
        call.run([&] {
          Solvable& a = *of->content;
          const Receipt done = solvers::update_values(a.rows, *a.matrix, csr_of(given));
          a.prepared = {};
          write_receipt(done, receipt);
        });
      });
}
