#pragma once

#include <tridap/report.hpp>

#include <optional>
#include <string>
#include <utility>

namespace tridap {

/// Why a conversion is refused: the fault with its value, the condition that must hold (may be empty), and the remedy.
inline Finding refusal(std::string fault, std::string must, std::string remedy, std::optional<Index> axis = {},
                       Rule rule = Rule::conversion) {
  return {rule, {}, axis, "", std::move(fault), std::move(must), std::move(remedy)};
}

/// Throws an Error with one refusal().
[[noreturn]] inline void refuse(std::string fault, std::string must, std::string remedy, std::optional<Index> axis = {},
                                Rule rule = Rule::conversion) {
  throw Error(refusal(std::move(fault), std::move(must), std::move(remedy), axis, rule));
}

/// Does the same for the value of a named argument or key.
[[noreturn]] inline void refuse_key(std::string key, std::string value, std::string must, std::string remedy) {
  throw Error(Finding{Rule::conversion, {}, {}, std::move(key), std::move(value), std::move(must), std::move(remedy)});
}

}  // namespace tridap
