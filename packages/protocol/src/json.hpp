#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace tridap {

/// One line of JSON text. Bytes that are not UTF-8 are replaced.
std::string dump(const nlohmann::ordered_json& json);

}  // namespace tridap
