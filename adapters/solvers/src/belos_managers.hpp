#pragma once

#include <tridap/solvers/matrix.hpp>

#include <BelosSolverFactory_Tpetra.hpp>

#pragma GCC visibility push(hidden)

namespace tridap::solvers {

using Factory = Belos::SolverFactory<double, MultiVector, Operator>;

/// Belos's factory, which knows its managers.
Factory belos_factory();

}  // namespace tridap::solvers

#pragma GCC visibility pop
