#pragma once

#include <tridap/buffer.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace tridap {

/// The element type that a format of tridap/dap.h (PEP 3118, one element) names; nothing where it names none. Types of
/// one byte and opaque ones have no byte order to differ in: they come out as native.
///
/// "<d" is eight bytes of IEEE floating point; on a little-endian machine so are "d" and "=d", while ">d" is swapped.
std::optional<ElementType> parse_element_format(std::string_view format);

/// The format of an element type, with its byte order; nothing where none names it (a float of three bytes, a swapped
/// long double). `parse_element_format` reads back the same type.
std::optional<std::string> element_format(const ElementType& type);

}  // namespace tridap
