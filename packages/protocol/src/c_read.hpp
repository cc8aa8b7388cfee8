#pragma once

#include <tridap/c_array.hpp>

namespace tridap {

/// Nothing where `c` has a major version that we know, and all of it may be read.
std::optional<Finding> unknown_major(const dap_array& c);

/// What an array of a known major says, without copying; every pointer is checked before it is followed, and whatever
/// is wrong goes to `report`. Buffer and indices keep `owner`. Only where the report stays ok, the result means
/// anything.
DistArray read_c(const dap_array& c, const std::shared_ptr<void>& owner, Report& report);

/// Adds to `report` what tridap/dap.h forbids in the description of indices and among the extras of one axis.
void check_indices_for_c(const Buffer& indices, Index axis, Report& report);
void check_extras_for_c(const std::vector<Extra>& extras, Index axis, Report& report);

/// "dim_data" or whatever was wrong in a C object, with our remedy.
Finding c_finding(std::optional<Index> axis, std::string key, std::string value, std::string must);

}  // namespace tridap
