#include "solvers/solver_support.hpp"

// What docs/trilinos.md warns of, shown with Trilinos alone; and what is to be done there, shown to help.
#include <Amesos2.hpp>
#include <BelosLinearProblem.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Ifpack2_Factory.hpp>
#include <Tpetra_Export.hpp>
#include <Tpetra_Import.hpp>
#include <Trilinos_version.h>
#ifdef TRIDAP_HAVE_MUELU
#include <MueLu_CreateTpetraPreconditioner.hpp>
#endif

namespace {

using namespace solver_test;
using MultiVector = Tpetra::MultiVector<double>;
using Map = Tpetra::Map<>;

// Faults that a later Trilinos may have mended.
#define ONLY_WITH_TRILINOS_13_2_AND_SEVERAL_PROCESSES() \
  if (TRILINOS_MAJOR_MINOR_VERSION >= 130400 || processes() == 1) return

Teuchos::RCP<const CrsMatrix> poisson(Index n) {
  const tridap::DistArray part = stamped(oracle::Array({oracle::block(blocks(n, processes())), oracle::block({n})}));
  return matrix_of(ArrayMap(part, MPI_COMM_WORLD), laplace(n));
}

struct Outcome {
  int iterations = 0;
  double error = 0;  ///< |x - 1| / |1|
};

double error_of(const MultiVector& x) {
  MultiVector off(x, Teuchos::Copy), one(x.getMap(), 1);
  one.putScalar(1);
  off.update(-1, one, 1);
  return off.getVector(0)->norm2() / one.getVector(0)->norm2();
}

// The right-hand side whose answer is 1 everywhere.
MultiVector ones_image(const CrsMatrix& a) {
  MultiVector one(a.getMap(), 1), b(a.getMap(), 1);
  one.putScalar(1);
  a.apply(one, b);
  return b;
}

Outcome cg(const Teuchos::RCP<const CrsMatrix>& a, const Teuchos::RCP<const Operator>& preconditioner) {
  MultiVector b = ones_image(*a), x(a->getMap(), 1);
  using Problem = Belos::LinearProblem<double, MultiVector, Operator>;
  const auto problem = Teuchos::rcp(new Problem(a, Teuchos::rcpFromRef(x), Teuchos::rcpFromRef(b)));
  problem->setLeftPrec(preconditioner);
  problem->setProblem();
  const auto parameters = Teuchos::parameterList();
  parameters->set("Convergence Tolerance", 1e-10);
  parameters->set("Maximum Iterations", 80);
  Belos::PseudoBlockCGSolMgr<double, MultiVector, Operator> manager(problem, parameters);
  manager.solve();
  return {manager.getNumIters(), error_of(x)};
}

Teuchos::RCP<const Operator> ifpack(const std::string& kind, const Teuchos::RCP<const CrsMatrix>& a,
                                    const Teuchos::ParameterList& parameters) {
  const auto made = Ifpack2::Factory::create<Tpetra::RowMatrix<double>>(kind, a);
  made->setParameters(parameters);
  made->initialize();
  made->compute();
  return made;
}

#ifdef TRIDAP_HAVE_MUELU
Outcome with_muelu(Teuchos::ParameterList parameters) {
  const auto a = poisson(50);
  parameters.set("verbosity", "none");
  parameters.set("smoother: type", "CHEBYSHEV");
  const Teuchos::RCP<Operator> op = Teuchos::rcp_const_cast<CrsMatrix>(a);
  return cg(a, MueLu::CreateTpetraPreconditioner(op, parameters));
}

TEST(TrilinosTraps, MueLusDefaultCoarseSolverStallsConjugateGradients) {
  ONLY_WITH_TRILINOS_13_2_AND_SEVERAL_PROCESSES();
  const Outcome trap = with_muelu({});
  EXPECT_EQ(trap.iterations, 80);  // as many as it is given
  EXPECT_GT(trap.error, 1e-2);
}

TEST(TrilinosTraps, AnotherCoarseSolverThanMueLusDefaultConverges) {
  Teuchos::ParameterList parameters;
  parameters.set("coarse: type", "CHEBYSHEV");
  parameters.set("coarse: max size", 200);
  parameters.sublist("coarse: params").set("chebyshev: degree", 8);
  const Outcome outcome = with_muelu(parameters);
  EXPECT_LT(outcome.iterations, 30);
  EXPECT_LT(outcome.error, 1e-8);
}
#endif

// Row k of a matrix (-1, 4, -1) is coupled to the next row alone, by -3.9. The largest eigenvalue of D^-1 A is 1.98,
// and almost all others are below 1.5.
constexpr Index pair_rows = 40000;
Teuchos::RCP<const CrsMatrix> coupled_pair() {
  const tridap::DistArray part = stamped(oracle::Array({oracle::block(blocks(pair_rows, processes()))}));
  return matrix_of(ArrayMap(part, MPI_COMM_WORLD), [](Index id) {
    Row row{{id, 4.0}};
    for (const Index upper : {id - 1, id}) {  // the edges to the next rows
      const double beside = upper == pair_rows / 2 ? -3.9 : std::abs(upper - pair_rows / 2) == 1 ? -0.1 : -1;
      if (upper >= 0 && upper + 1 < pair_rows) row.push_back({upper == id ? id + 1 : upper, beside});
    }
    return row;
  });
}

// v . M v for the difference v of the two rows.
double of_the_pair(const CrsMatrix& a, const Operator& m) {
  MultiVector v(a.getMap(), 1), z(a.getMap(), 1);
  for (const Index offset : {0, 1})
    if (a.getMap()->isNodeGlobalElement(pair_rows / 2 + offset))
      v.replaceGlobalValue(pair_rows / 2 + offset, 0, offset == 0 ? 1.0 : -1.0);
  m.apply(v, z);
  return v.getVector(0)->dot(*z.getVector(0));
}

TEST(TrilinosTraps, AChebyshevPolynomialWithAnEstimatedEigenvalueIsIndefinite) {
  ONLY_WITH_TRILINOS_13_2_AND_SEVERAL_PROCESSES();
  const auto a = coupled_pair();
  Teuchos::ParameterList parameters;
  parameters.set("chebyshev: degree", 4);
  EXPECT_LT(of_the_pair(*a, *ifpack("CHEBYSHEV", a, parameters)), 0);
}

#ifdef TRIDAP_HAVE_MUELU
TEST(TrilinosTraps, BoundsOfTheEigenvaluesKeepMueLusSmootherDefinite) {
  const auto a = coupled_pair();
  const Teuchos::RCP<Operator> op = Teuchos::rcp_const_cast<CrsMatrix>(a);
  Teuchos::ParameterList parameters;
  parameters.set("verbosity", "none");
  parameters.set("smoother: type", "CHEBYSHEV");
  parameters.set("coarse: type", "CHEBYSHEV");
  parameters.set("coarse: max size", 200);
  parameters.sublist("coarse: params").set("chebyshev: degree", 8);
  parameters.sublist("smoother: params").set("chebyshev: degree", 2);
  Teuchos::ParameterList bounded = parameters;
  bounded.set("sa: calculate eigenvalue estimate", true);
  for (const char* part : {"smoother: params", "coarse: params"}) {
    Teuchos::ParameterList& of_part = bounded.sublist(part);
    of_part.set("chebyshev: use rowsumabs diagonal scaling", true);
    of_part.set("chebyshev: max eigenvalue", 0.91);
    of_part.set("chebyshev: boost factor", 1.1);
  }
  EXPECT_GT(of_the_pair(*a, *MueLu::CreateTpetraPreconditioner(op, bounded)), 0);
  ONLY_WITH_TRILINOS_13_2_AND_SEVERAL_PROCESSES();
  EXPECT_LT(of_the_pair(*a, *MueLu::CreateTpetraPreconditioner(op, parameters)), 0);
}
#endif

double direct(const std::string& trans, const Teuchos::RCP<const CrsMatrix>& a) {
  MultiVector b = ones_image(*a), x(a->getMap(), 1);
  const auto lu = Amesos2::create<CrsMatrix, MultiVector>("KLU2", a, Teuchos::rcpFromRef(x), Teuchos::rcpFromRef(b));
  Teuchos::ParameterList parameters("Amesos2");
  if (!trans.empty()) parameters.sublist("KLU2").set("Trans", trans);
  lu->setParameters(Teuchos::rcpFromRef(parameters));
  lu->solve();
  return error_of(x);
}

TEST(TrilinosTraps, KLU2IsWrongOnSeveralProcessesUnlessAskedForTheTranspose) {
  const auto a = poisson(20);  // which is its own transpose
  EXPECT_LT(direct(processes() == 1 ? "" : "TRANS", a), 1e-10);
  ONLY_WITH_TRILINOS_13_2_AND_SEVERAL_PROCESSES();
  EXPECT_GT(direct("", a), 1e-2);
}

TEST(TrilinosTraps, Ifpack2ReadsAMisspeltParameterWithoutAWord) {
  const auto a = poisson(8);
  Teuchos::ParameterList parameters;
  parameters.set("chebyshev: degre", 8);
  EXPECT_NO_THROW(ifpack("CHEBYSHEV", a, parameters));
  EXPECT_FALSE(parameters.getEntry("chebyshev: degre").isUsed());
  Teuchos::ParameterList spelt;
  spelt.set("chebyshev: degree", 8);
  ifpack("CHEBYSHEV", a, spelt);
  EXPECT_TRUE(spelt.getEntry("chebyshev: degree").isUsed());
}

// Ids 0 .. 2P on P processes, the last of each process's three being the first of the next.
Teuchos::RCP<const Map> overlapping() {
  const Index first = 2 * rank();
  std::vector<Map::global_ordinal_type> ids;
  for (Index id = first; id < first + 3; ++id) ids.push_back(id);
  return Teuchos::rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(), ids.data(), 3, 0, world()));
}

TEST(TrilinosTraps, AddOverwritesWhatStaysOnItsProcess) {
  const auto all = overlapping();
  const auto once = Tpetra::createOneToOne(all);
  MultiVector from(all, 1), to(once, 1);
  from.putScalar(1);
  const Tpetra::Export<> moves(all, once);
  const auto least_after = [&](Tpetra::CombineMode mode) {
    to.putScalar(10);
    to.doExport(from, moves, mode);
    const auto view = to.getLocalViewHost(Tpetra::Access::ReadOnly);
    double least = 100;
    for (std::size_t i = 0; i < view.extent(0); ++i) least = std::min(least, view(i, 0));
    return least;
  };
  EXPECT_EQ(least_after(Tpetra::ADD), 1);  // the 10 is gone
  EXPECT_EQ(least_after(Tpetra::ADD_ASSIGN), 11);
}

TEST(TrilinosTraps, AMapOfAListIsNeverContiguous) {
  const std::vector<Map::global_ordinal_type> ids{2 * rank(), 2 * rank() + 1};
  const Map listed(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(), ids.data(), 2, 0, world());
  EXPECT_FALSE(listed.isContiguous());
}

TEST(TrilinosTraps, AnImportOfIdsThatAreNowhereIsNoError) {
  const Map::global_ordinal_type nowhere = 1000 + rank();
  const auto from = Teuchos::rcp(new Map(4 * static_cast<Tpetra::global_size_t>(processes()), 0, world()));
  const auto to =
      Teuchos::rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(), &nowhere, 1, 0, world()));
  const Tpetra::Import<> moves(from, to);
  EXPECT_FALSE(moves.isLocallyComplete());
  MultiVector source(from, 1), target(to, 1);
  target.putScalar(7);
  target.doImport(source, moves, Tpetra::INSERT);
  EXPECT_EQ(target.getLocalViewHost(Tpetra::Access::ReadOnly)(0, 0), 7);
}

}  // namespace
