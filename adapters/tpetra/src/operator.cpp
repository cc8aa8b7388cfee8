#include "block_maps.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/tpetra/node_memory.hpp>
#include <tridap/tpetra/operator.hpp>
#include <tridap/tpetra/scalar.hpp>

#include <Tpetra_Vector.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tridap::tpetra {

namespace {

using Dual = Vector<double>::dual_view_type;
constexpr bool on_host = detail::over_host<Dual::t_dev::memory_space>;

// A vector over host memory of the caller; on a device, a vector with a copy of it.
Vector<double> vector_over(const Teuchos::RCP<const Map>& map, void* data) {
  const std::size_t count = compat::local_count(*map);
  if constexpr (on_host) {
    const Dual::t_dev view(static_cast<double*>(data), count, 1);
    return Vector<double>(map, Dual(view, Kokkos::create_mirror_view(view)));
  } else {
    Vector<double> made(map, false);
    const auto host = made.getLocalViewHost(Tpetra::Access::OverwriteAll);
    std::copy_n(static_cast<const double*>(data), count, host.data());
    return made;
  }
}

class Imported : public Operator {
 public:
  Imported(LinearOperator op, Teuchos::RCP<const Map> range, Teuchos::RCP<const Map> domain, MPI_Comm comm)
      : op_(std::move(op)), range_(std::move(range)), domain_(std::move(domain)), comm_(comm) {}

  Teuchos::RCP<const Map> getDomainMap() const override { return domain_; }
  Teuchos::RCP<const Map> getRangeMap() const override { return range_; }

  void apply(const MultiVector<double>& x, MultiVector<double>& y, Teuchos::ETransp mode, double alpha,
             double beta) const override {
    if (mode != Teuchos::NO_TRANS)
      throw std::invalid_argument("an operator of which only the product is known has no transpose");
    const bool plain = alpha == 1 && beta == 0;
    MultiVector<double> made;
    if (!plain) made = MultiVector<double>(range_, y.getNumVectors());
    MultiVector<double>& product = plain ? y : made;
    for (std::size_t j = 0; j < x.getNumVectors(); ++j) apply_to(*x.getVector(j), *product.getVectorNonConst(j));
    if (!plain) y.update(alpha, made, beta);
  }

 private:
  void apply_to(const Vector<double>& x, Vector<double>& y) const {
    const auto from = x.getLocalViewHost(Tpetra::Access::ReadOnly);
    const auto to = y.getLocalViewHost(Tpetra::Access::OverwriteAll);
    mpi::collectively(comm_, [&] {
      const mpi::Callback user;
      op_.apply(block_vector(op_.column_bounds, op_.process, op_.type, from.data(), true),
                block_vector(op_.row_bounds, op_.process, op_.type, to.data(), false));
    });
  }

  LinearOperator op_;
  Teuchos::RCP<const Map> range_, domain_;
  MPI_Comm comm_;
};

}  // namespace

LinearOperator export_operator(const Teuchos::RCP<const Operator>& op) {
  if (op.is_null()) refuse("the operator is null", "", "give an operator");
  const Communicator comm(op->getRangeMap()->getComm());
  const detail::Collective call(comm, "export_operator");
  LinearOperator made;
  made.process = mpi::rank_of(comm.raw());
  made.row_bounds = gather_bounds(static_cast<Index>(compat::local_count(*op->getRangeMap())), comm.raw());
  made.column_bounds = gather_bounds(static_cast<Index>(compat::local_count(*op->getDomainMap())), comm.raw());
  made.type = element_type<double>();
  made.apply = [op](const DistArray& x, const DistArray& y) {
    const Vector<double> from = vector_over(op->getDomainMap(), x.buffer.data);
    Vector<double> to = vector_over(op->getRangeMap(), y.buffer.data);
    op->apply(from, to);
    if constexpr (!on_host) {
      const auto product = to.getLocalViewHost(Tpetra::Access::ReadOnly);
      std::copy_n(product.data(), product.extent(0), static_cast<double*>(y.buffer.data));
    }
  };
  return made;
}

Teuchos::RCP<const Operator> import_operator(const LinearOperator& op, const Teuchos::RCP<const Map>& range_map,
                                             const Teuchos::RCP<const Map>& domain_map) {
  const Communicator comm = detail::communicator_of(range_map, "rows");
  const detail::Collective call(comm, "import_operator");
  return mpi::collectively(comm.raw(), [&]() -> Teuchos::RCP<const Operator> {
    detail::communicator_of(domain_map, "columns");
    check(op, comm.raw());
    if (op.type != element_type<double>())
      refuse("the operator is for vectors of " + op.type.text(), "must be for float64", "use an operator of doubles");
    detail::need_count(*range_map, op.row_count(), "rows");
    detail::need_count(*domain_map, op.column_count(), "columns");
    return Teuchos::rcp(new Imported(op, range_map, domain_map, comm.raw()));
  });
}

Teuchos::RCP<const Operator> import_operator(const LinearOperator& op, const Communicator& comm) {
  const detail::Collective call(comm, "import_operator");
  mpi::collectively(comm.raw(), [&] { check(op, comm.raw()); });
  const Teuchos::RCP<const Map> range = detail::block_map(op.row_bounds, op.process, comm);
  const bool square = op.row_bounds == op.column_bounds;
  return import_operator(op, range, square ? range : detail::block_map(op.column_bounds, op.process, comm));
}

}  // namespace tridap::tpetra
