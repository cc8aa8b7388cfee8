#include "support/solver.hpp"

#include <BelosLinearProblem.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#ifdef TRIDAP_HAVE_MUELU
#include <MueLu_CreateTpetraPreconditioner.hpp>
#else
#include <Ifpack2_Factory.hpp>
#endif

namespace examples {

namespace {

using Operator = Tpetra::Operator<double>;
using MultiVector = Tpetra::MultiVector<double>;

Teuchos::RCP<const Operator> make_preconditioner(const Teuchos::RCP<const Solver::Matrix>& matrix) {
#ifdef TRIDAP_HAVE_MUELU
  Teuchos::ParameterList parameters;
  parameters.set("verbosity", "none");
  parameters.set("smoother: type", "CHEBYSHEV");
  parameters.set("coarse: type", "CHEBYSHEV");  // the default direct solver stalls CG on several processes
  const Teuchos::RCP<Operator> op = Teuchos::rcp_const_cast<Solver::Matrix>(matrix);
  return MueLu::CreateTpetraPreconditioner(op, parameters);
#else
  const auto preconditioner = Ifpack2::Factory::create<Tpetra::RowMatrix<double> >("CHEBYSHEV", matrix);
  Teuchos::ParameterList parameters;
  parameters.set("chebyshev: degree", 8);
  preconditioner->setParameters(parameters);
  preconditioner->initialize();
  preconditioner->compute();
  return preconditioner;
#endif
}

}  // namespace

Solver::Solver(Teuchos::RCP<const Matrix> matrix) : matrix_(std::move(matrix)) {
  preconditioner_ = make_preconditioner(matrix_);
}

Solution Solver::solve(const Vector& b, Vector& x) const {
  x.putScalar(0);
  const auto problem = Teuchos::rcp(
      new Belos::LinearProblem<double, MultiVector, Operator>(matrix_, Teuchos::rcpFromRef(x), Teuchos::rcpFromRef(b)));
  problem->setLeftPrec(preconditioner_);
  problem->setProblem();
  const auto parameters = Teuchos::parameterList();
  parameters->set("Convergence Tolerance", 1e-12);
  parameters->set("Maximum Iterations", 1000);
  Belos::PseudoBlockCGSolMgr<double, MultiVector, Operator> cg(problem, parameters);
  cg.solve();

  Vector residual(b.getMap());
  matrix_->apply(x, residual);
  residual.update(1, b, -1);
  const double scale = b.norm2();
  return {cg.getNumIters(), scale > 0 ? residual.norm2() / scale : residual.norm2()};
}

}  // namespace examples
