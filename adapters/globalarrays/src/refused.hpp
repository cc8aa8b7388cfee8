#pragma once

#include <dap/report.hpp>

#include <string>

namespace dap::globalarrays {

inline Error refused(const std::string& fault, const std::string& remedy) {
  return Error(Finding{Rule::conversion, {}, {}, "", fault, "", remedy});
}

}  // namespace dap::globalarrays
