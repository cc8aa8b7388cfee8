#pragma once

#include <tridap/distribution.hpp>

#include <string>

#pragma GCC visibility push(hidden)

namespace tridap::scalapack {

/// The line of Python that moves a matrix to another distribution in blocks: `A = A.redistribute("c:8,c:8", grid=(2,
/// 2))`. The name of the matrix is that of the argument of the Python function.
std::string python_line(const std::string& name, const Distribution& to);

}  // namespace tridap::scalapack

#pragma GCC visibility pop
