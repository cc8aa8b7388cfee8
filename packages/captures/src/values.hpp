#pragma once

#include <tridap/report.hpp>
#include <tridap/value.hpp>

#include <optional>

#pragma GCC visibility push(hidden)

namespace tridap {

/// Reads the values of a described buffer from nested lists, row-major, into contiguous row-major memory. Adds an error
/// to `report` if the lists do not agree with the shape or a value does not fit the element type. Returns nullopt after
/// an error, and for element types that are only described (float16, bfloat16, opaque).
std::optional<Buffer> read_values(const Value& data, const Buffer& described, Report& report);

}  // namespace tridap

#pragma GCC visibility pop
