#pragma once

/// All of TriDAP::solvers.
#include <tridap/solvers/copy_memory.hpp>  // IWYU pragma: export
#include <tridap/solvers/eigen.hpp>        // IWYU pragma: export
#include <tridap/solvers/matrix.hpp>       // IWYU pragma: export
#include <tridap/solvers/solve.hpp>        // IWYU pragma: export
#include <tridap/solvers/vectors.hpp>      // IWYU pragma: export
