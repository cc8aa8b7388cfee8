#include "foreign_step.hpp"
#include "operators.hpp"
#include <tridap/solvers/solve.hpp>

#include <Ifpack2_Factory.hpp>
#ifdef TRIDAP_HAVE_MUELU
#include <MueLu_CreateTpetraPreconditioner.hpp>
#endif

#include <sstream>
#include <stdexcept>

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

/// The names of parameters that were given and not read: Ifpack2 reports few parameters that it does not know.
std::string unread(const Teuchos::ParameterList& given, const Teuchos::ParameterList& parameters) {
  std::string names;
  for (auto entry = given.begin(); entry != given.end(); ++entry) {
    const std::string& name = given.name(entry);
    if (!parameters.getEntry(name).isUsed()) names += (names.empty() ? "'" : ", '") + name + "'";
  }
  return names;
}

Teuchos::RCP<const Operator> ifpack2(Method method, const Teuchos::RCP<const CrsMatrix>& matrix,
                                     const Teuchos::ParameterList& given) {
  const bool cg = method == Method::cg;
  Teuchos::ParameterList wanted = unread_copy(given);
  std::string kind = cg ? "CHEBYSHEV" : "RILUK";
  if (!given.isParameter("type")) {
    if (cg && !given.isParameter("chebyshev: degree")) wanted.set("chebyshev: degree", 4);
  } else if (given.isType<std::string>("type")) {
    kind = wanted.get<std::string>("type");
    wanted.remove("type");
  } else {
    throw std::invalid_argument("'type' is not a string");
  }
  Teuchos::ParameterList parameters = wanted;
  const auto preconditioner = Ifpack2::Factory::create<Tpetra::RowMatrix<double>>(kind, matrix);
  preconditioner->setParameters(parameters);
  if (const std::string names = unread(wanted, parameters); !names.empty())
    throw std::invalid_argument(kind + " did not read " + names);
  preconditioner->initialize();
  preconditioner->compute();
  return Teuchos::rcp(new Made(preconditioner));
}

#ifdef TRIDAP_HAVE_MUELU
Teuchos::RCP<const Operator> muelu(Method method, const Teuchos::RCP<const CrsMatrix>& matrix,
                                   const Teuchos::ParameterList& given) {
  Teuchos::ParameterList parameters;
  parameters.set("verbosity", "none");
  // The default coarse solver, Amesos2's KLU2, is wrong on several processes (Trilinos 13.2; docs/trilinos.md). A
  // smoother replaces it, which needs a small coarse grid and more sweeps there.
  parameters.set("coarse: max size", 200);
  const bool cg = method == Method::cg;
  for (const std::string part : {"smoother", "coarse"}) {
    if (given.isParameter(part + ": type")) continue;
    parameters.set(part + ": type", cg ? "CHEBYSHEV" : "RELAXATION");
    if (given.isParameter(part + ": params")) continue;
    Teuchos::ParameterList& of_part = parameters.sublist(part + ": params");
    if (cg) {
      of_part.set("chebyshev: degree", part == "coarse" ? 8 : 2);
    } else {
      of_part.set("relaxation: type", "Symmetric Gauss-Seidel");
      of_part.set("relaxation: sweeps", part == "coarse" ? 4 : 1);
    }
  }
  parameters.setParameters(given);
  MueLu::VerboseObject::SetDefaultVerbLevel(MueLu::None);  // before it reads "verbosity": it prints what is misspelt
  const Teuchos::RCP<Operator> op = Teuchos::rcp_const_cast<CrsMatrix>(matrix);  // it is only read
  return Teuchos::rcp(new Made(MueLu::CreateTpetraPreconditioner(op, parameters)));
}
#endif

}  // namespace

Teuchos::RCP<const Operator> make_preconditioner(const std::string& name, Method method,
                                                 const Teuchos::RCP<const CrsMatrix>& matrix,
                                                 const Teuchos::ParameterList& parameters) {
  if (matrix.is_null()) refuse("the matrix is null", "", "make one with make_matrix()");
  const MPI_Comm comm = comm_of(*matrix->getMap());
  std::ostringstream said;
  said << name << '\n' << static_cast<int>(method) << '\n' << parameters;
  expect_the_same(comm, said.str(), "preconditioners or parameters");
  if (name != "muelu" && name != "ifpack2")
    refuse("the preconditioner is '" + name + "'", "must be 'muelu' or 'ifpack2'", "name one of them, or use none");
  if (matrix->getGlobalNumRows() == 0) return Teuchos::null;
  Teuchos::RCP<const Operator> made;
  if (name == "ifpack2") {
    foreign_step(comm, "Ifpack2", "see the preconditioner's parameters in Ifpack2's documentation",
                 [&] { made = ifpack2(method, matrix, parameters); });
    return made;
  }
#ifdef TRIDAP_HAVE_MUELU
  foreign_step(comm, "MueLu", "see the preconditioner's parameters in MueLu's documentation",
               [&] { made = muelu(method, matrix, parameters); });
#else
  refuse("this build has no MueLu", "", "use the preconditioner 'ifpack2', or build with a Trilinos that has MueLu");
#endif
  return made;
}

}  // namespace tridap::solvers
