#pragma once

#include <tridap/dimension.hpp>

#include <string>
#include <vector>

namespace tridap {

/// The unknown keys with their values, for messages: "'colour': \"red\", 'unit': \"m\"", in the order of the keys.
std::string text_of(std::vector<Extra> extras);

/// A number that is the same for equal keys with equal values, whatever the order of keys, the spacing and the spelling
/// of numbers: {"a": 1, "b": 2} is {"b": 2.0, "a": 1}. 0 for none. Values that JSON cannot say do not count.
Index digest_of(const std::vector<Extra>& extras);

}  // namespace tridap
