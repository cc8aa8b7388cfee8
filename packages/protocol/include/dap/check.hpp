#pragma once

#include <dap/dist_array.hpp>
#include <dap/report.hpp>

#include <optional>

namespace dap {

inline constexpr const char* protocol_version = "0.10.0";  ///< what this library writes

/// Checks that a buffer describes memory: extents, strides, address and element type.
Report check(const Buffer& buffer);

/// Checks one process's data against every rule that needs no other process. Throws for no data, however wrong, but
/// std::bad_alloc where memory ends.
Report check(const DistArray& array);

/// Checks one dimension alone and adds what is wrong to `report`, under `axis`. Returns the number of elements that the
/// local buffer holds (0.10: communication padding included), or nothing where an error was found.
std::optional<Index> check_dimension(const Dimension& dimension, Index axis, Report& report);

}  // namespace dap
