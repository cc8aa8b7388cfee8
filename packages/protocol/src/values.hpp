#pragma once

#include <tridap/report.hpp>
#include <tridap/value.hpp>

#include <optional>

namespace tridap {

/// The logical values of a described buffer, given as lists nested row-major, as dense row-major memory. What does not
/// nest as the shape says, or does not fit the element type, goes to `report`. Nothing where there was such, or where
/// elements of this type are only described (float16, opaque).
std::optional<Buffer> read_values(const Value& data, const Buffer& described, Report& report);

}  // namespace tridap
