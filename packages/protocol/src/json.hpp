#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

#pragma GCC visibility push(hidden)

namespace tridap {

inline constexpr std::size_t deepest_json = 64;  ///< levels of lists and dictionaries that read_json() reads

/// One line of JSON text. Bytes that are not UTF-8 are replaced.
std::string dump(const nlohmann::ordered_json& json);

}  // namespace tridap

#pragma GCC visibility pop
