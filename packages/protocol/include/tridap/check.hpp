#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/report.hpp>
#include <tridap/version.hpp>

#include <optional>

namespace tridap {

/// Options for reading an array.
struct Reading {
  /// The `__version__` of an array can be wrong: older Trilinos stamped every export 0.9.0. If this is true and the
  /// extents of the buffers agree with the other version on every process, the array is read in that version, with a
  /// warning.
  bool trust_extent = false;
  /// If the lists of an unstructured axis have more indices than this, each process keeps its own list, and a directory
  /// that is spread over the processes answers where the other indices are: see UnstructuredKind. Else every process
  /// gets all lists. If the processes give different numbers, the smallest one is used. An axis over one process always
  /// has all lists. The default is that of the environment variable TRIDAP_MOST_LISTED, or else 1,000,000.
  Index most_listed = default_most_listed();

  static Index default_most_listed();
  /// Reading of arrays whose lists all processes need.
  static Reading with_all_lists();
};

/// Checks that the extents, strides, address and element type of a buffer describe memory.
Report check(const Buffer& buffer);

/// Checks one process's data against every rule that needs no other process. Does not throw for invalid data; throws
/// only std::bad_alloc.
Report check(const DistArray& array, const Reading& reading = {});

/// Checks one dimension alone, in one version of the protocol, and adds its violations to `report` with the axis number
/// `axis`. Returns the number of elements that the local buffer holds, communication padding included, or nullopt if
/// there is an error.
std::optional<Index> check_dimension(const Dimension& dimension, Index axis, Report& report,
                                     Version version = Version::v0_10);

}  // namespace tridap
