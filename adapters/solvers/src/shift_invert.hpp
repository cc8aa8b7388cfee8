#pragma once

#include <tridap/solvers/matrix.hpp>

#pragma GCC visibility push(hidden)

namespace tridap::solvers {

/// The operator (A - sigma M)^-1 M of two matrices on one map, by an LU factorization of A - sigma M; `m` is null for
/// the identity. Its eigenvalues are 1 / (w - sigma) for those of A x = w M x: the largest ones belong to the w nearest
/// to sigma. It throws the same Error on every process or on none, as making it does, if A - sigma M is singular or
/// nearly singular. **Collective.**
Teuchos::RCP<const Operator> shift_invert(const Teuchos::RCP<const CrsMatrix>& a,
                                          const Teuchos::RCP<const CrsMatrix>& m, double sigma);

}  // namespace tridap::solvers

#pragma GCC visibility pop
