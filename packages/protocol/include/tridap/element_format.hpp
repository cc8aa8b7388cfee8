#pragma once

#include <tridap/buffer.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace tridap {

/// The element type that a format of tridap/dap.h (PEP 3118, one element) names. Returns nullopt if it names none.
/// Types of one byte and opaque types have no byte order: the result is native.
///
/// "<d" is an IEEE floating-point number of eight bytes. On a little-endian machine "d" and "=d" are the same, and ">d"
/// is swapped.
std::optional<ElementType> parse_element_format(std::string_view format);

/// The format of an element type, with its byte order. Returns nullopt if no format names it (a float of three bytes, a
/// swapped long double). `parse_element_format` gives the same type back.
std::optional<std::string> element_format(const ElementType& type);

}  // namespace tridap
