#pragma once

#include <tridap/c_array.hpp>

#pragma GCC visibility push(hidden)

namespace tridap {

/// Returns nullopt if the major version of `c` is known, so that its members may be read.
std::optional<Finding> unknown_major(const dap_array& c);

/// Reads an array of a known major version without copying. Every pointer is checked before it is used. Violations are
/// added to `report`. The buffer and the indices share the ownership of `owner`. The result is only valid if the report
/// is ok.
DistArray read_c(const dap_array& c, const std::shared_ptr<void>& owner, Report& report);

/// Adds to `report` the violations of tridap/dap.h in the indices and in the extras of one axis.
void check_indices_for_c(const Buffer& indices, Index axis, Report& report);
void check_extras_for_c(const std::vector<Extra>& extras, Index axis, Report& report);

/// A finding about a key of a C object, with the remedy to read tridap/dap.h.
Finding c_finding(std::optional<Index> axis, std::string key, std::string value, std::string must);

}  // namespace tridap

#pragma GCC visibility pop
