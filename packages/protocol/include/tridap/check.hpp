#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/report.hpp>
#include <tridap/version.hpp>

#include <optional>

namespace tridap {

/// How an array is read.
struct Reading {
  /// Stamps lie (older Trilinos stamped every export 0.9.0): where the buffers' extents are those of the other version
  /// on every process, follow the extents, with a warning.
  bool trust_extent = false;
};

/// Checks that a buffer describes memory: extents, strides, address and element type.
Report check(const Buffer& buffer);

/// Checks one process's data against every rule that needs no other process. Throws for no data, however wrong, but
/// std::bad_alloc where memory ends.
Report check(const DistArray& array, const Reading& reading = {});

/// Checks one dimension alone, in one version of the protocol, and adds what is wrong to `report`, under `axis`.
/// Returns the number of elements that the local buffer holds (communication padding included), or nothing where an
/// error was found.
std::optional<Index> check_dimension(const Dimension& dimension, Index axis, Report& report,
                                     Version version = Version::v0_10);

}  // namespace tridap
