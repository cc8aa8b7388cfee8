#pragma once

#include <tridap/compare.hpp>

#pragma GCC visibility push(hidden)

namespace tridap {

/// compare() of distributions of which one has such an axis. An axis is compared with that of the same number: where
/// the indices of the others are is not known here, so no other factors of the process grid are tried.
Comparison compare_digests(const Distribution& here, const Distribution& there);

}  // namespace tridap

#pragma GCC visibility pop
