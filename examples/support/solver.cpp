#include "support/solver.hpp"

#include "support/claims.hpp"

#include <Amesos2.hpp>
#include <BelosBlockCGSolMgr.hpp>
#include <BelosLinearProblem.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosPseudoBlockGmresSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Ifpack2_Factory.hpp>
#ifdef TRIDAP_HAVE_MUELU
#include <MueLu_CreateTpetraPreconditioner.hpp>
#endif

namespace examples {

namespace {

using Operator = Tpetra::Operator<double>;
using MultiVector = Solver::MultiVector;
using Problem = Belos::LinearProblem<double, MultiVector, Operator>;
using Manager = Belos::SolverManager<double, MultiVector, Operator>;

#ifdef TRIDAP_HAVE_MUELU
constexpr const char* multigrid_name = "MueLu";
#else
constexpr const char* multigrid_name = "Chebyshev";
#endif

Teuchos::RCP<const Operator> ifpack(const std::string& kind, const Teuchos::RCP<const Solver::Matrix>& matrix,
                                    const Teuchos::ParameterList& parameters) {
  const auto preconditioner = Ifpack2::Factory::create<Tpetra::RowMatrix<double> >(kind, matrix);
  preconditioner->setParameters(parameters);
  preconditioner->initialize();
  preconditioner->compute();
  return preconditioner;
}

Teuchos::RCP<const Operator> chebyshev(const Teuchos::RCP<const Solver::Matrix>& matrix) {
  Teuchos::ParameterList parameters;
  parameters.set("chebyshev: degree", 8);
  return ifpack("CHEBYSHEV", matrix, parameters);
}

Teuchos::RCP<const Operator> multigrid(const Teuchos::RCP<const Solver::Matrix>& matrix) {
#ifdef TRIDAP_HAVE_MUELU
  Teuchos::ParameterList parameters;
  parameters.set("verbosity", "none");
  parameters.set("smoother: type", "CHEBYSHEV");
  // The default is Amesos2's KLU2, with which CG on several processes gives a wrong solution (Trilinos 13.2): see
  // docs/trilinos.md.
  parameters.set("coarse: type", "CHEBYSHEV");
  const Teuchos::RCP<Operator> op = Teuchos::rcp_const_cast<Solver::Matrix>(matrix);
  return MueLu::CreateTpetraPreconditioner(op, parameters);
#else
  return chebyshev(matrix);
#endif
}

Teuchos::RCP<const Operator> incomplete_lu(const Teuchos::RCP<const Solver::Matrix>& matrix) {
  Teuchos::ParameterList parameters;
  parameters.set("fact: iluk level-of-fill", 1);
  return ifpack("RILUK", matrix, parameters);
}

Teuchos::RCP<Manager> belos(Method method, const Teuchos::RCP<Problem>& problem, int columns) {
  const auto parameters = Teuchos::parameterList();
  parameters->set("Convergence Tolerance", 1e-12);
  parameters->set("Maximum Iterations", 1000);
  if (method == Method::gmres) {
    parameters->set("Num Blocks", 100);  // iterations between restarts
    return Teuchos::rcp(new Belos::PseudoBlockGmresSolMgr<double, MultiVector, Operator>(problem, parameters));
  }
  if (method == Method::block_cg) {
    parameters->set("Block Size", columns);
    return Teuchos::rcp(new Belos::BlockCGSolMgr<double, MultiVector, Operator>(problem, parameters));
  }
  return Teuchos::rcp(new Belos::PseudoBlockCGSolMgr<double, MultiVector, Operator>(problem, parameters));
}

}  // namespace

Solver::Solver(Teuchos::RCP<const Matrix> matrix, Method method) : matrix_(std::move(matrix)), method_(method) {
  if (method_ == Method::gmres) preconditioner_ = incomplete_lu(matrix_);
  if (method_ == Method::cg) preconditioner_ = multigrid(matrix_);
  if (method_ == Method::block_cg)
    preconditioner_ = chebyshev(matrix_);  // MueLu requires the number of columns of its first use
}

std::string Solver::name() const {
  switch (method_) {
    case Method::cg:
      return std::string("CG + ") + multigrid_name;
    case Method::block_cg:
      return "block CG + Chebyshev";
    case Method::gmres:
      return "GMRES + RILUK";
    case Method::direct:
      return "KLU2";
  }
  return "";
}

Solution Solver::solve(const MultiVector& b, MultiVector& x) const {
  Solution solution;
  x.putScalar(0);
  if (method_ == Method::direct) {
    const auto lu =
        Amesos2::create<Matrix, MultiVector>("KLU2", matrix_, Teuchos::rcpFromRef(x), Teuchos::rcpFromRef(b));
    Teuchos::ParameterList parameters("Amesos2");
    // A is symmetric. On several processes the plain solve of Trilinos 13.2 is wrong, on any map; this one is correct.
    if (matrix_->getComm()->getSize() > 1) parameters.sublist("KLU2").set("Trans", "TRANS");
    lu->setParameters(Teuchos::rcpFromRef(parameters));
    lu->solve();
  } else {
    const auto problem = Teuchos::rcp(new Problem(matrix_, Teuchos::rcpFromRef(x), Teuchos::rcpFromRef(b)));
    if (method_ == Method::gmres)
      problem->setRightPrec(preconditioner_);
    else
      problem->setLeftPrec(preconditioner_);
    problem->setProblem();
    const auto manager = belos(method_, problem, static_cast<int>(b.getNumVectors()));
    manager->solve();
    solution.iterations = manager->getNumIters();
  }

  MultiVector residual(b.getMap(), b.getNumVectors());
  matrix_->apply(x, residual);
  residual.update(1, b, -1);
  std::vector<double> scales(b.getNumVectors());
  solution.residuals.resize(scales.size());
  residual.norm2(Teuchos::arrayViewFromVector(solution.residuals));
  b.norm2(Teuchos::arrayViewFromVector(scales));
  for (std::size_t column = 0; column < scales.size(); ++column) {
    if (scales[column] > 0) solution.residuals[column] /= scales[column];
    solution.residual = worst(solution.residual, solution.residuals[column]);
  }
  return solution;
}

}  // namespace examples
