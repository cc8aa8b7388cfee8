#include "solvable.hpp"

#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace tridap::c {

namespace {

class UserOperator final : public solvers::Operator {
 public:
  using MultiVector = solvers::MultiVector;
  using Map = tpetra::Map;

  UserOperator(Teuchos::RCP<const Map> map, tridap_apply function, void* user)
      : map_(std::move(map)), apply_(function), user_(user) {}

  Teuchos::RCP<const Map> getDomainMap() const override { return map_; }
  Teuchos::RCP<const Map> getRangeMap() const override { return map_; }

  void apply(const MultiVector& x, MultiVector& y, Teuchos::ETransp mode, double alpha, double beta) const override {
    if (mode != Teuchos::NO_TRANS)
      throw std::invalid_argument("an operator of a function has no transpose: take another method");
    const bool plain = alpha == 1 && beta == 0;
    MultiVector made;
    if (!plain) made = MultiVector(y.getMap(), y.getNumVectors());
    MultiVector& product = plain ? y : made;
    product.putScalar(std::numeric_limits<double>::quiet_NaN());  // unfilled elements must not look like an answer
    for (std::size_t j = 0; j < x.getNumVectors(); ++j) multiply(*x.getVector(j), *product.getVectorNonConst(j));
    if (!plain) y.update(alpha, made, beta);
  }

 private:
  void multiply(const solvers::Vector& x, solvers::Vector& y) const {
    const auto from = x.getLocalViewHost(Tpetra::Access::ReadOnly);
    const auto to = y.getLocalViewHost(Tpetra::Access::OverwriteAll);
    const mpi::Callback outside;
    if (const int status = apply_(user_, from.data(), to.data()); status != 0)
      throw std::runtime_error("the function of the operator returned " + std::to_string(status));
  }

  Teuchos::RCP<const Map> map_;
  tridap_apply apply_;
  void* user_;
};

// Makes a handle of a function.
template <class Made>
int of_function(const char* name, tridap_distribution rows, tridap_order order, tridap_apply apply, void* user,
                std::uint64_t* number) noexcept {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({rows.number}); }); status != TRIDAP_OK)
    return give<Made>(status, number, comm, nullptr);
  std::shared_ptr<DistributionObject> over;
  return making_together<Made>(
      name, number, comm, mpi::Library::trilinos,
      [&] {
        need_kokkos();
        over = find<DistributionObject>(rows.number);
        if (apply == nullptr) refuse("apply is NULL", "must be a function", "pass the function of the product");
        if (order != TRIDAP_ROW_MAJOR && order != TRIDAP_COLUMN_MAJOR)
          refuse_key("order", std::to_string(static_cast<int>(order)), "must be one of tridap_order",
                     "pass TRIDAP_ROW_MAJOR");
      },
      [&](MPI_Comm) {
        auto made = solvable_over<Made>(*over, order, comm);
        made->content->op = Teuchos::rcp(new UserOperator(made->content->rows.map(), apply, user));
        return made;
      });
}

}  // namespace

}  // namespace tridap::c

using namespace tridap::c;

int tridap_operator_of(tridap_distribution rows, tridap_order order, tridap_apply apply, void* user,
                       tridap_matrix* matrix) {
  return of_function<MatrixObject>("tridap_operator_of", rows, order, apply, user, number_in(matrix));
}

int tridap_preconditioner_of(tridap_distribution rows, tridap_order order, tridap_apply apply, void* user,
                             tridap_preconditioner* preconditioner) {
  return of_function<PreconditionerObject>("tridap_preconditioner_of", rows, order, apply, user,
                                           number_in(preconditioner));
}
