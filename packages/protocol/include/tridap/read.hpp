#pragma once

#include <tridap/check.hpp>
#include <tridap/dist_array.hpp>
#include <tridap/value.hpp>

namespace tridap {

/// Where a producer's values come from. This decides which forms `indices` may have.
enum class Source {
  json,    ///< a plain list of integers
  object,  ///< a Python object: any integer buffer; a plain list in 0.9 only
};

/// The result of reading one process's values.
struct ReadArray {
  /// An axis that could not be read is represented by one whole block, so that the other axes can be checked. It keeps
  /// its place in the process grid if that could be read.
  DistArray array;
  /// Violations in the values themselves: missing keys, wrong types, dist_type, unknown keys. check() finds the others.
  Report report;
};

/// Reads the values that `__distarray__` returns: `version` is a text, `dim_data` a sequence of dictionaries. `buffer`
/// becomes the local buffer of the result; an empty dictionary gets its extent from it. Does not throw for any values;
/// throws only std::bad_alloc.
ReadArray read_array(const Value& version, const Value& dim_data, Buffer buffer, Source source);

/// A dimension as a dictionary, with the keys in the protocol's order. The dictionary has the version that the
/// dimension is written in (see Distribution::dim_data).
Value to_value(const Dimension& dimension);

}  // namespace tridap
