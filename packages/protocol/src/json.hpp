#pragma once

#include <dap/value.hpp>

#include <nlohmann/json.hpp>

#include <string_view>

namespace dap {

/// Reads one JSON document: integers from their tokens, keys once, at most 64 levels deep. Throws Unreadable.
Value parse_json(std::string_view text);

nlohmann::ordered_json to_json(const Value& value);

/// One line, with everything that is no UTF-8 replaced.
std::string dump(const nlohmann::ordered_json& json);

}  // namespace dap
