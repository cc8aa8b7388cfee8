#pragma once

#include <tridap/solvers/solve.hpp>

#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::solvers {

/// Solves A x = b by the manager of Belos that `options.name` names. The arguments are checked, and each column of `b`
/// has the 2-norm in `scales`. **Collective**: throws the same Error on every process.
Solution solve_by_manager(const Teuchos::RCP<const Operator>& a, const Teuchos::RCP<const Operator>& preconditioner,
                          const MultiVector& b, MultiVector& x, const std::vector<double>& scales,
                          const Options& options, MPI_Comm comm);

}  // namespace tridap::solvers

#pragma GCC visibility pop
