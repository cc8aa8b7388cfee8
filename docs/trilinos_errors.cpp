// Shows the errors of docs/trilinos.md, and that its remedies help, by Trilinos alone:
//
//   cmake --build build/release --target run_trilinos_errors
//
// builds this program and runs it on four processes. It prints a line for each row of the page's tables, but for the
// error of Anasazi, which happens too seldom. It fails if a remedy does not help, or if Trilinos 13.2 has no such
// error.

#include <Amesos2.hpp>
#include <BelosLinearProblem.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Ifpack2_Factory.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Export.hpp>
#include <Tpetra_Import.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Trilinos_version.h>
#ifdef TRIDAP_HAVE_MUELU
#include <MueLu_CreateTpetraPreconditioner.hpp>
#endif

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

using Map = Tpetra::Map<>;
using Id = Map::global_ordinal_type;
using CrsMatrix = Tpetra::CrsMatrix<double>;
using MultiVector = Tpetra::MultiVector<double>;
using Operator = Tpetra::Operator<double>;
using Row = std::vector<std::pair<Id, double>>;  // columns and values
using Teuchos::ParameterList;
using Teuchos::RCP;
using Teuchos::rcp;

const auto unknown = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
bool failed = false;

auto world() { return Tpetra::getDefaultComm(); }

// `happens`: the user gets the error. `helped`: the page's remedy avoids it. `mended`: later versions may have no
// error.
void show(const char* what, bool happens, bool helped, bool mended = false) {
  const bool expected = happens || (mended && TRILINOS_MAJOR_MINOR_VERSION >= 130400);
  failed = failed || !expected || !helped;
  if (world()->getRank() == 0)
    std::printf("%-62s %-12s %s\n", what, happens ? "happens" : "does not", helped ? "remedy helps" : "REMEDY FAILS");
}

RCP<const CrsMatrix> matrix(Id rows, const std::function<Row(Id)>& row_of) {
  const RCP<const Map> map = rcp(new Map(static_cast<Tpetra::global_size_t>(rows), 0, world()));
  const Id first = map->getMinGlobalIndex(), last = map->getMaxGlobalIndex();
  std::vector<std::size_t> lengths;
  for (Id id = first; id <= last; ++id) lengths.push_back(row_of(id).size());
  const RCP<CrsMatrix> made = rcp(new CrsMatrix(map, Teuchos::ArrayView<const std::size_t>(lengths)));
  for (Id id = first; id <= last; ++id)
    for (const auto& [column, value] : row_of(id)) made->insertGlobalValues(id, 1, &value, &column);
  made->fillComplete();
  return made;
}

// The five-point difference on n x n points.
RCP<const CrsMatrix> poisson(Id n) {
  return matrix(n * n, [n](Id id) {
    Row row{{id, 4.0}};
    if (id % n > 0) row.emplace_back(id - 1, -1.0);
    if (id % n < n - 1) row.emplace_back(id + 1, -1.0);
    if (id >= n) row.emplace_back(id - n, -1.0);
    if (id < n * n - n) row.emplace_back(id + n, -1.0);
    return row;
  });
}

// The solution is 1 everywhere.
MultiVector right_hand_side(const CrsMatrix& a) {
  MultiVector one(a.getMap(), 1), b(a.getMap(), 1);
  one.putScalar(1);
  a.apply(one, b);
  return b;
}

double error_of(const MultiVector& x) {
  MultiVector off(x, Teuchos::Copy), one(x.getMap(), 1);
  one.putScalar(1);
  off.update(-1, one, 1);
  return off.getVector(0)->norm2() / one.getVector(0)->norm2();
}

// The iterations of conjugate gradients, 80 at most, and the error of the solution.
std::pair<int, double> cg(const RCP<const CrsMatrix>& a, const RCP<const Operator>& preconditioner) {
  MultiVector b = right_hand_side(*a), x(a->getMap(), 1);
  const auto problem =
      rcp(new Belos::LinearProblem<double, MultiVector, Operator>(a, Teuchos::rcpFromRef(x), Teuchos::rcpFromRef(b)));
  problem->setLeftPrec(preconditioner);
  problem->setProblem();
  const auto parameters = Teuchos::parameterList();
  parameters->set("Convergence Tolerance", 1e-10);
  parameters->set("Maximum Iterations", 80);
  Belos::PseudoBlockCGSolMgr<double, MultiVector, Operator> manager(problem, parameters);
  manager.solve();
  return {manager.getNumIters(), error_of(x)};
}

RCP<const Operator> chebyshev(const RCP<const CrsMatrix>& a, const ParameterList& parameters) {
  const auto made = Ifpack2::Factory::create<Tpetra::RowMatrix<double>>("CHEBYSHEV", a);
  made->setParameters(parameters);
  made->initialize();
  made->compute();
  return made;
}

#ifdef TRIDAP_HAVE_MUELU
// A smoother and a coarse solver by Chebyshev polynomials, whose largest eigenvalue is estimated, or has the page's
// bound.
ParameterList smoothed(bool bounded) {
  ParameterList parameters;
  parameters.set("coarse: type", "CHEBYSHEV");
  parameters.set("coarse: max size", 200);
  parameters.sublist("coarse: params").set("chebyshev: degree", 8);
  if (!bounded) return parameters;
  parameters.set("sa: calculate eigenvalue estimate", true);
  if (TRILINOS_MAJOR_MINOR_VERSION >= 170000) parameters.set("sa: use rowsumabs diagonal scaling", true);
  for (const char* part : {"smoother: params", "coarse: params"}) {
    ParameterList& of_part = parameters.sublist(part);
    of_part.set("chebyshev: use rowsumabs diagonal scaling", true);
    of_part.set("chebyshev: max eigenvalue", 0.91);
    of_part.set("chebyshev: boost factor", 1.1);
  }
  return parameters;
}

RCP<const Operator> muelu(const RCP<const CrsMatrix>& a, ParameterList parameters) {
  parameters.set("verbosity", "none");
  parameters.set("smoother: type", "CHEBYSHEV");
  const RCP<Operator> op = Teuchos::rcp_const_cast<CrsMatrix>(a);
  return MueLu::CreateTpetraPreconditioner(op, parameters);
}

void show_coarse_solver() {
  const auto a = poisson(50);
  const auto [iterations, error] = cg(a, muelu(a, {}));
  const auto [with_remedy, remedied] = cg(a, muelu(a, smoothed(false)));
  show("MueLu's default coarse solver: CG does not converge", iterations == 80 && error > 1e-2,
       with_remedy < 30 && remedied < 1e-8, true);
}
#endif

// Row k of a matrix (-1, 4, -1) is coupled to the next row alone, by -3.9. The largest eigenvalue of D^-1 A is 1.98,
// and almost all others are below 1.5.
constexpr Id pair_rows = 40000;
RCP<const CrsMatrix> coupled_pair() {
  return matrix(pair_rows, [](Id id) {
    Row row{{id, 4.0}};
    for (const Id upper : {id - 1, id}) {  // the edges to the next rows
      const Id off = std::abs(upper - pair_rows / 2);
      const double beside = off == 0 ? -3.9 : off == 1 ? -0.1 : -1;
      if (upper >= 0 && upper + 1 < pair_rows) row.emplace_back(upper == id ? id + 1 : upper, beside);
    }
    return row;
  });
}

// Whether v . M v is positive for the difference v of the two rows.
bool is_definite(const CrsMatrix& a, const Operator& m) {
  MultiVector v(a.getMap(), 1), z(a.getMap(), 1);
  for (const Id offset : {0, 1})
    if (a.getMap()->isNodeGlobalElement(pair_rows / 2 + offset))
      v.replaceGlobalValue(pair_rows / 2 + offset, 0, offset == 0 ? 1.0 : -1.0);
  m.apply(v, z);
  return v.getVector(0)->dot(*z.getVector(0)) > 0;
}

void show_eigenvalue() {
  const auto a = coupled_pair();
  ParameterList parameters;
  parameters.set("chebyshev: degree", 4);
  const bool happens = !is_definite(*a, *chebyshev(a, parameters));
#ifdef TRIDAP_HAVE_MUELU
  ParameterList estimated = smoothed(false), bounded = smoothed(true);
  for (ParameterList* each : {&estimated, &bounded}) each->sublist("smoother: params").set("chebyshev: degree", 2);
  show("Chebyshev's estimated eigenvalue: an indefinite smoother of MueLu", !is_definite(*a, *muelu(a, estimated)),
       is_definite(*a, *muelu(a, bounded)), true);
#endif
  parameters.set("chebyshev: max eigenvalue", 2.0);
  show("the same as a preconditioner of Ifpack2", happens, is_definite(*a, *chebyshev(a, parameters)), true);
}

double direct(const std::string& trans, const RCP<const CrsMatrix>& a) {
  MultiVector b = right_hand_side(*a), x(a->getMap(), 1);
  const auto lu = Amesos2::create<CrsMatrix, MultiVector>("KLU2", a, Teuchos::rcpFromRef(x), Teuchos::rcpFromRef(b));
  ParameterList parameters("Amesos2");
  if (!trans.empty()) parameters.sublist("KLU2").set("Trans", trans);
  lu->setParameters(Teuchos::rcpFromRef(parameters));
  lu->solve();
  return error_of(x);
}

void show_direct() {
  const auto a = poisson(20);  // which is its own transpose
  show("Amesos2's KLU2: a wrong solution", direct("", a) > 1e-2, direct("TRANS", a) < 1e-10, true);
}

void show_misspelt() {
  const auto a = poisson(8);
  ParameterList wrong, right;
  wrong.set("chebyshev: degre", 8);
  right.set("chebyshev: degree", 8);
  chebyshev(a, wrong);  // throws nothing
  chebyshev(a, right);
  show("Ifpack2 ignores a misspelt parameter", true,
       !wrong.getEntry("chebyshev: degre").isUsed() && right.getEntry("chebyshev: degree").isUsed());
}

// Ids 0 .. 2P on P processes: the last of each process's three is the first of the next one.
void show_add() {
  const Id first = 2 * static_cast<Id>(world()->getRank());
  const std::vector<Id> ids{first, first + 1, first + 2};
  const RCP<const Map> all = rcp(new Map(unknown, ids.data(), 3, 0, world()));
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
  show("Tpetra::ADD replaces what stays on its process", least_after(Tpetra::ADD) == 1,  // the 10 is gone
       least_after(Tpetra::ADD_ASSIGN) == 11);
}

void show_contiguous() {
  const Id first = 2 * static_cast<Id>(world()->getRank());
  const std::vector<Id> ids{first, first + 1};
  const Map listed(unknown, ids.data(), 2, 0, world()), counted(unknown, 2, 0, world());
  show("a map of the list 0, 1, 2, ... is not contiguous", !listed.isContiguous(), counted.isContiguous());
}

void show_nowhere() {
  const Id nowhere = 1000 + world()->getRank();
  const RCP<const Map> from = rcp(new Map(4 * static_cast<Tpetra::global_size_t>(world()->getSize()), 0, world()));
  const RCP<const Map> to = rcp(new Map(unknown, &nowhere, 1, 0, world()));
  const Tpetra::Import<> moves(from, to);
  MultiVector source(from, 1), target(to, 1);
  target.putScalar(7);
  target.doImport(source, moves, Tpetra::INSERT);
  show("an import of ids that are nowhere is no error", target.getLocalViewHost(Tpetra::Access::ReadOnly)(0, 0) == 7,
       !moves.isLocallyComplete());
}

}  // namespace

int main(int argc, char** argv) {
  const Tpetra::ScopeGuard guard(&argc, &argv);
  if (world()->getSize() == 1) return std::fputs("run this program on several processes\n", stderr), 2;
#ifdef TRIDAP_HAVE_MUELU
  show_coarse_solver();
#endif
  show_direct();
  show_eigenvalue();
  show_misspelt();
  show_add();
  show_contiguous();
  show_nowhere();
  return failed ? 1 : 0;
}
