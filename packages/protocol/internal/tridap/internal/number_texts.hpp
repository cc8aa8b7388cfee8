#pragma once

#include <tridap/index.hpp>

#include <string>

namespace tridap {

/// "1 element", "2 elements".
inline std::string counted(Index count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

/// Numbers joined by `between`.
template <class Numbers>
std::string joined(const Numbers& numbers, const std::string& between = ", ") {
  std::string text;
  for (const auto number : numbers) text += (text.empty() ? "" : between) + std::to_string(number);
  return text;
}

/// Numbers as Python writes a tuple: "(3, 4)", "(3,)".
template <class Numbers>
std::string tuple_text(const Numbers& numbers) {
  return "(" + joined(numbers) + (numbers.size() == 1 ? ",)" : ")");
}

}  // namespace tridap
