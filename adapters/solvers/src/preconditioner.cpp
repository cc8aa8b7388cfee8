#include "foreign_step.hpp"
#include "names.hpp"
#include "operators.hpp"
#include <tridap/internal/typed.hpp>
#include <tridap/solvers/solve.hpp>
#include <tridap/tpetra/compat.hpp>

#include <Ifpack2_AdditiveSchwarz.hpp>
#include <Ifpack2_Factory.hpp>
#include <Ifpack2_Parameters.hpp>
#ifdef TRIDAP_HAVE_MUELU
#include <MueLu_CreateTpetraPreconditioner.hpp>
#endif

#include <tridap/internal/region.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace tridap::solvers {

namespace {

/// A copy of a list, in which no parameter is marked as read.
Teuchos::ParameterList unread_copy(const Teuchos::ParameterList& given) {
  Teuchos::ParameterList copy;
  for (auto entry = given.begin(); entry != given.end(); ++entry) {
    if (entry->second.isList())
      copy.sublist(given.name(entry)) = unread_copy(Teuchos::getValue<Teuchos::ParameterList>(entry->second));
    else
      copy.setEntry(given.name(entry), Teuchos::ParameterEntry(entry->second.getAny(false)));
  }
  return copy;
}

using RowMatrix = Tpetra::RowMatrix<double>;
using Ifpack2Operator = Ifpack2::Preconditioner<double>;

std::vector<std::string> names_of(const Teuchos::ParameterList& list) {
  std::vector<std::string> names;
  for (auto entry = list.begin(); entry != list.end(); ++entry) names.push_back(list.name(entry));
  return names;
}

/// Throws if parameters were not read: Ifpack2 reports few parameters that it does not know.
void need_read(const std::string& kind, const std::vector<std::string>& unread, const std::vector<std::string>& known) {
  std::string text;
  for (const std::string& name : unread) text += (text.empty() ? "'" : ", '") + name + "'";
  if (text.empty()) return;
  const std::string like = nearest(unread.front(), known);
  throw std::invalid_argument(kind + " did not read " + text + (like.empty() ? "" : "; did you mean '" + like + "'?"));
}

constexpr const char *max_eigenvalue = "chebyshev: max eigenvalue",
                     *inverse_diagonal = "chebyshev: operator inv diagonal",
                     *row_sums = "chebyshev: use rowsumabs diagonal scaling", *boost_factor = "chebyshev: boost factor";
#ifdef TRIDAP_HAVE_MUELU
constexpr const char* row_sums_of_prolongator = "sa: use rowsumabs diagonal scaling";
#endif

/// Sets the largest eigenvalue of D^-1 A, where D has the sums of the absolute values of the rows of A. It is at most 1
/// if A is symmetric (Gershgorin's circle theorem), so that a Chebyshev polynomial is positive definite if A is.
/// Ifpack2 and MueLu estimate it by ten steps of the power method, which may find too little; then the polynomial may
/// be indefinite.
void bound_eigenvalues(Teuchos::ParameterList& parameters) {
  // The polynomial is for eigenvalues up to the product. If the first number is 1, Ifpack2 takes A for D.
  parameters.set(max_eigenvalue, 0.91);
  parameters.set(boost_factor, 1.1);
  parameters.set("chebyshev: assume matrix does not change", true);  // else it estimates, and does not use the result
}

/// Whether the caller decides which eigenvalues a Chebyshev polynomial is for.
bool has_eigenvalues(const Teuchos::ParameterList& given) {
  const auto is_given = [&](const char* name) { return given.isParameter(name); };
  return is_given(max_eigenvalue) || is_given(inverse_diagonal) || is_given(row_sums) || is_given(boost_factor);
}

/// 1 / the sum of the absolute values of each row; 1 for a row of zeros.
Teuchos::RCP<const Vector> inverse_row_sums(const CrsMatrix& matrix) {
  const auto inverse = Teuchos::rcp(new Vector(matrix.getRowMap()));
  const auto local = matrix.getLocalMatrixHost();
  const auto values = inverse->getLocalViewHost(Tpetra::Access::OverwriteAll);
  for (std::size_t row = 0; row < values.extent(0); ++row) {
    double sum = 0;
    for (auto k = local.graph.row_map(row); k < local.graph.row_map(row + 1); ++k) sum += std::abs(local.values(k));
    values(row, 0) = sum > 0 ? 1 / sum : 1;
  }
  return inverse;
}

/// A preconditioner of Ifpack2 with its parameters, each of which it knows. Those of additive Schwarz are not marked as
/// read, and those of its inner preconditioner are checked with one on the whole matrix.
Teuchos::RCP<Ifpack2Operator> with_parameters(const std::string& kind, const Teuchos::RCP<const CrsMatrix>& matrix,
                                              const Teuchos::ParameterList& given) {
  const auto made = Ifpack2::Factory::create<RowMatrix>(kind, matrix);
  const Teuchos::ParameterList wanted = unread_copy(given);
  Teuchos::ParameterList parameters = wanted;
  std::vector<std::string> unread;
  if (const auto schwarz = Teuchos::rcp_dynamic_cast<Ifpack2::AdditiveSchwarz<RowMatrix>>(made); !schwarz.is_null()) {
    std::vector<std::string> known = names_of(*schwarz->getValidParameters());
    for (const char* more : {"inner preconditioner name", "inner preconditioner parameters", "schwarz: overlap level"})
      known.push_back(more);
    for (const std::string& name : names_of(wanted))
      if (std::find(known.begin(), known.end(), name) == known.end()) unread.push_back(name);
    need_read(kind, unread, known);
    if (tridap::tpetra::compat::is_13_2 && matrix->getComm()->getSize() > 1 &&
        parameters.get("schwarz: overlap level", 0) > 0)
      throw std::invalid_argument(
          "with an overlap, Trilinos 13.2 makes a matrix that its own debug check (TPETRA_DEBUG=1) finds to be "
          "inconsistent; leave out 'schwarz: overlap level'");
    with_parameters(parameters.get<std::string>("inner preconditioner name"), matrix,
                    parameters.sublist("inner preconditioner parameters"));
    schwarz->setParameters(parameters);
    return made;
  }
  made->setParameters(parameters);
  for (const std::string& name : names_of(wanted))
    if (!parameters.getEntry(name).isUsed()) unread.push_back(name);
  Teuchos::ParameterList known;
  Ifpack2::getValidParameters(known);
  need_read(kind, unread, names_of(known));
  return made;
}

/// `kind` is a name of Ifpack2, or "ifpack2": then the parameter "type" is the name, or there is a default.
Teuchos::RCP<const Operator> ifpack2(std::string kind, Method method, const Teuchos::RCP<const CrsMatrix>& matrix,
                                     const Teuchos::ParameterList& given) {
  const bool symmetric = method == Method::cg;
  Teuchos::ParameterList wanted = given;
  if (kind == "ifpack2") {
    kind = symmetric ? "CHEBYSHEV" : "RILUK";
    if (given.isType<std::string>("type"))
      kind = given.get<std::string>("type");
    else if (given.isParameter("type"))
      throw std::invalid_argument("'type' is not a string");
    else if (symmetric && !given.isParameter("chebyshev: degree"))
      wanted.set("chebyshev: degree", 4);
    wanted.remove("type", false);
  }
  if (upper_case(kind) == "SCHWARZ") {
    const auto set = [&](const char* name, const auto& value) {
      if (!wanted.isParameter(name)) wanted.set(name, value);
    };
    // Values of the overlap are added, which keeps the matrix symmetric. The default, to ignore them, does not.
    set("schwarz: combine mode", std::string(symmetric ? "ADD" : "ZERO"));
    if (!wanted.isParameter("subdomain solver name")) set("inner preconditioner name", std::string("RILUK"));
  }
  if (upper_case(kind) == "CHEBYSHEV" && !has_eigenvalues(wanted)) {
    bound_eigenvalues(wanted);
    wanted.set(inverse_diagonal, inverse_row_sums(*matrix));
  }
  const auto preconditioner = with_parameters(kind, matrix, wanted);
  preconditioner->initialize();
  preconditioner->compute();
  return Teuchos::rcp(new Made(preconditioner));
}

#ifdef TRIDAP_HAVE_MUELU
/// Whether no row of any process is coupled to another one. **Collective.**
bool is_diagonal(const CrsMatrix& matrix) {
  const auto local = matrix.getLocalMatrixHost();
  const Tpetra::Map<>&rows = *matrix.getRowMap(), &columns = *matrix.getColMap();
  int coupled = 0;
  for (std::size_t row = 0; coupled == 0 && row + 1 < local.graph.row_map.extent(0); ++row)
    for (auto k = local.graph.row_map(row); k < local.graph.row_map(row + 1); ++k)
      if (local.values(k) != 0 &&
          columns.getGlobalElement(local.graph.entries(k)) != rows.getGlobalElement(static_cast<int>(row)))
        coupled = 1;
  return mpi::reduced(coupled, MPI_MAX, comm_of(rows)) == 0;
}

/// Lets the prolongator scale as the smoother does, where the parameters do not say how: from Trilinos 17 on, MueLu
/// refuses two ways. `before`: how it scales on the levels that say nothing.
void scale_alike(Teuchos::ParameterList& parameters, bool before = false) {
  const bool has_params = parameters.isSublist("smoother: params");
  if (!parameters.isParameter(row_sums_of_prolongator) && (has_params || parameters.isParameter("smoother: type"))) {
    const bool sums = has_params && parameters.sublist("smoother: params").isType<bool>(row_sums) &&
                      parameters.sublist("smoother: params").get<bool>(row_sums);
    if (sums != before) parameters.set(row_sums_of_prolongator, sums);
  }
  if (parameters.isType<bool>(row_sums_of_prolongator)) before = parameters.get<bool>(row_sums_of_prolongator);
  for (const std::string& name : names_of(parameters))
    if (name.rfind("level ", 0) == 0 && parameters.isSublist(name)) scale_alike(parameters.sublist(name), before);
}

/// While it lives, MueLu prints nothing, unless its parameter "verbosity" says otherwise.
class QuietMueLu {
 public:
  QuietMueLu() { MueLu::VerboseObject::SetDefaultVerbLevel(MueLu::None); }
  ~QuietMueLu() { MueLu::VerboseObject::SetDefaultVerbLevel(before_); }
  QuietMueLu(const QuietMueLu&) = delete;

 private:
  MueLu::VerbLevel before_ = MueLu::VerboseObject::GetDefaultVerbLevel();
};

Teuchos::RCP<const Operator> muelu(Method method, const Teuchos::RCP<const CrsMatrix>& matrix,
                                   const Teuchos::ParameterList& given, const Multigrid& multigrid) {
  Teuchos::ParameterList parameters;
  parameters.set("verbosity", "none");
  // The default coarse solver of Trilinos 13.2, Amesos2's KLU2, is wrong on several processes (docs/trilinos.md). A
  // smoother replaces it, which needs a small coarse grid and more sweeps there.
  std::vector<std::string> smoothed = {"smoother"};
  if (tridap::tpetra::compat::is_13_2) {
    parameters.set("coarse: max size", 200);
    smoothed.emplace_back("coarse");
  }
  if (is_diagonal(*matrix)) parameters.set("max levels", 1);  // the next grid would be empty, which MueLu refuses
  const bool cg = method == Method::cg;
  const bool one_scaling = tridap::tpetra::compat::muelu_has_one_scaling;
  const bool may_scale =
      !one_scaling || !given.isType<bool>(row_sums_of_prolongator) || given.get<bool>(row_sums_of_prolongator);
  for (const std::string& part : smoothed) {
    if (given.isParameter(part + ": type")) continue;
    parameters.set(part + ": type", cg ? "CHEBYSHEV" : "RELAXATION");
    const std::string name = part + ": params";
    const bool chosen = given.isParameter(name);
    if (cg && may_scale && !(given.isSublist(name) && has_eigenvalues(given.sublist(name)))) {
      bound_eigenvalues(parameters.sublist(name));
      parameters.sublist(name).set(row_sums, true);
      parameters.set("sa: calculate eigenvalue estimate", true);  // else the prolongator takes the smoother's bound
    }
    if (chosen) continue;
    Teuchos::ParameterList& of_part = parameters.sublist(name);
    if (cg) {
      of_part.set("chebyshev: degree", part == "coarse" ? 8 : 2);
    } else {
      of_part.set("relaxation: type", "Symmetric Gauss-Seidel");
      of_part.set("relaxation: sweeps", part == "coarse" ? 4 : 1);
    }
  }
  parameters.setParameters(given);
  if (one_scaling) scale_alike(parameters);
  const auto set = [&](const char* name, const Teuchos::RCP<const MultiVector>& vectors) {  // a copy, which MueLu keeps
    if (!vectors.is_null())
      parameters.sublist("user data").set(name, Teuchos::rcp(new MultiVector(*vectors, Teuchos::Copy)));
  };
  set("Coordinates", multigrid.coordinates);
  set("Nullspace", multigrid.nullspace);
  const QuietMueLu quiet;  // MueLu prints what is misspelt before it reads "verbosity"
  const Teuchos::RCP<Operator> op = Teuchos::rcp_const_cast<CrsMatrix>(matrix);  // it is only read
  return Teuchos::rcp(new Made(MueLu::CreateTpetraPreconditioner(op, parameters)));
}
#endif

}  // namespace

const char* default_preconditioner() {
#ifdef TRIDAP_HAVE_MUELU
  return "muelu";
#else
  return "ifpack2";
#endif
}

void check_preconditioner(const std::string& name) {
  const std::string upper = upper_case(name);
  if (name == "muelu" || name == "ifpack2" || upper == "SCHWARZ") return;
  if (upper != "HYPRE" && Ifpack2::Factory::isSupported<RowMatrix>(name)) return;
  const std::string like =
      nearest(name, {"muelu", "ifpack2", "schwarz", "relaxation", "chebyshev", "riluk", "ilut", "diagonal",
                     "block relaxation", "tridi relaxation", "banded relaxation", "dense"});
  refuse_key("preconditioner", "'" + name + "'",
             "must be 'muelu', 'ifpack2', 'schwarz' or another name of Ifpack2, such as 'relaxation' and 'riluk'",
             like.empty() ? "name one of them, or use none" : "did you mean '" + like + "'?");
}

Teuchos::RCP<const Operator> make_preconditioner(const std::string& name, Method method,
                                                 const Teuchos::RCP<const CrsMatrix>& matrix,
                                                 const Teuchos::ParameterList& parameters, const Multigrid& multigrid) {
  const mpi::Region region("tridap::solvers::make_preconditioner");
  if (matrix.is_null()) refuse("the matrix is null", "", "make one with make_matrix()");
  const MPI_Comm comm = comm_of(*matrix->getMap());
  const bool points = !multigrid.coordinates.is_null(), kernel = !multigrid.nullspace.is_null();
  const mpi::Call call(comm, "make_preconditioner", mpi::Library::trilinos, [&](mpi::Record& record) {
    if (points) check_vectors(*multigrid.coordinates, *matrix->getMap(), "coordinates");
    if (kernel) check_vectors(*multigrid.nullspace, *matrix->getMap(), "nullspace");
    record.add(number_of(name, static_cast<int>(method), points, kernel, parameters));
  });
  return call.run([&] {
    need_the_same(call, "preconditioners or parameters");
    check_preconditioner(name);
    if (name != "muelu" && (points || kernel))
      refuse("coordinates or a nullspace are given for '" + name + "'", "are of use for 'muelu' only",
             "leave them out");
    Teuchos::RCP<const Operator> made;
    if (matrix->getGlobalNumRows() == 0) return made;
    if (name != "muelu") {
      foreign_step(comm, "Ifpack2", "see the preconditioner's parameters in Ifpack2's documentation",
                   [&] { made = ifpack2(name, method, matrix, parameters); });
      return made;
    }
#ifdef TRIDAP_HAVE_MUELU
    foreign_step(comm, "MueLu", "see the preconditioner's parameters in MueLu's documentation",
                 [&] { made = muelu(method, matrix, parameters, multigrid); });
#else
    refuse("this build has no MueLu", "", "use the preconditioner 'ifpack2', or build with a Trilinos that has MueLu");
#endif
    return made;
  });
}

}  // namespace tridap::solvers
