#pragma once

#include <tridap/report.hpp>

#include <string>

namespace tridap::globalarrays {

/// The Error of a refusal: the fault with its value, and the remedy.
inline Error refused(const std::string& fault, const std::string& remedy) {
  return Error(Finding{Rule::conversion, {}, {}, "", fault, "", remedy});
}

/// A Global Array in a message.
inline std::string named(int handle) { return "Global Array " + std::to_string(handle); }

}  // namespace tridap::globalarrays
