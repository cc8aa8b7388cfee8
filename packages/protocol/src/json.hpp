#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace tridap {

/// One line, with everything that is no UTF-8 replaced.
std::string dump(const nlohmann::ordered_json& json);

}  // namespace tridap
