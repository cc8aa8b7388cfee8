#pragma once

#include <tridap/solvers/solve.hpp>

#include <Teuchos_ParameterList.hpp>

#include <string>
#include <vector>

namespace tridap::solvers {

std::string upper_case(std::string text);

/// The name of `names` that a misspelt name probably means; empty: none is like it.
std::string nearest(const std::string& name, const std::vector<std::string>& names);

/// Throws Error if a parameter is not one of `valid`, or has another type. An int becomes a double where one is needed.
/// `ours`: names that other options set. Local.
void check_against(Teuchos::ParameterList& given, const Teuchos::ParameterList& valid,
                   const std::vector<std::string>& ours, const std::string& of);

/// Solves A x = b by the manager of Belos that `options.name` names. The arguments are checked, and each column of `b`
/// has the 2-norm in `scales`. **Collective**: throws the same Error on every process.
Solution solve_by_manager(const Teuchos::RCP<const Operator>& a, const Teuchos::RCP<const Operator>& preconditioner,
                          const MultiVector& b, MultiVector& x, const std::vector<double>& scales,
                          const Options& options, MPI_Comm comm);

}  // namespace tridap::solvers
