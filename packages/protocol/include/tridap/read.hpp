#pragma once

#include <tridap/check.hpp>
#include <tridap/dist_array.hpp>
#include <tridap/value.hpp>

namespace tridap {

/// Where a producer's values come from, which decides how `indices` may look.
enum class Source {
  json,    ///< a plain list of integers
  object,  ///< a Python object: any integer buffer; a plain list in 0.9 only
};

/// What reading one process's values made of them.
struct ReadArray {
  /// An axis that could not be read stands here as one whole block, at its place in the process grid where that could
  /// be read, so that the others can be checked.
  DistArray array;
  /// What was wrong with the values themselves: missing keys, types, dist_type, unknown keys. The rest is check()'s.
  Report report;
};

/// Reads what `__distarray__` says: `version` a text, `dim_data` a sequence of dictionaries. `buffer` is the local
/// buffer that an empty dictionary refers to; it is taken over. Whatever the values are, nothing throws but
/// std::bad_alloc.
ReadArray read_array(const Value& version, const Value& dim_data, Buffer buffer, Source source);

/// A dimension as the dictionary that a version of the protocol has for it, in the protocol's own order of keys. The
/// dimension must be of that version (Distribution::dim_data gives it).
Value to_value(const Dimension& dimension);

}  // namespace tridap
