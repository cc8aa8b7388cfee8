#pragma once

#include <dap/value.hpp>

#include <nlohmann/json.hpp>

namespace dap {

nlohmann::ordered_json to_json(const Value& value);

/// One line, with everything that is no UTF-8 replaced.
std::string dump(const nlohmann::ordered_json& json);

}  // namespace dap
