#pragma once

#include <tridap/distribution.hpp>

#include <optional>

#pragma GCC visibility push(hidden)

namespace tridap::scalapack {

/// How ScaLAPACK distributes rows or columns: in blocks of `length`, the first one on process `first`.
struct Blocks {
  Index length = 1, first = 0;
};

/// How ScaLAPACK would describe an axis; nothing: it cannot.
std::optional<Blocks> blocks_of(const Axis& axis);
/// Throws Error with the reason and the nearest distribution, if ScaLAPACK cannot use a distribution.
void check_usable(const Distribution& distribution);

}  // namespace tridap::scalapack

#pragma GCC visibility pop
