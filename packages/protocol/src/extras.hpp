#pragma once

#include <tridap/dimension.hpp>
#include <tridap/report.hpp>
#include <tridap/value.hpp>

#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap {

/// True for a key of the protocol, of any dist_type.
bool is_protocol_key(const std::string& key);

/// The warning of an unknown key of a dimension. Its remedy names the optional key that it looks like, unless the
/// dimension has this one.
Finding unknown_key(const Extra& extra, const Dimension& dimension, Index axis);

/// The value of an unknown key: text if it is not JSON.
Value value_of(const Extra& extra);

/// The unknown keys with their values, for messages: "'colour': \"red\", 'unit': \"m\"", in the order of the keys.
std::string text_of(std::vector<Extra> extras);

/// A hash of the keys and values. The order of the keys, spaces, and how numbers are written do not matter: {"a": 1,
/// "b": 2} is {"b": 2.0, "a": 1}. It is 0 if there are no keys. Values that are not JSON are ignored.
Index digest_of(const std::vector<Extra>& extras);

}  // namespace tridap

#pragma GCC visibility pop
