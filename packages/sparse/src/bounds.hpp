#pragma once

#include <tridap/sparse/sparse_rows.hpp>

#pragma GCC visibility push(hidden)

namespace tridap {

/// Throws Error if `bounds` are not ascending bounds of the processes of `comm`, or `process` is not this one. `what`
/// is "rows" or "columns". Local.
void need_bounds(const Bounds& bounds, const char* what, Index process, MPI_Comm comm);

}  // namespace tridap

#pragma GCC visibility pop
