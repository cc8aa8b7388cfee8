#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/value.hpp>

#include <string>

namespace tridap {

/// The text of a capture is `capture_begin`, the entries of all processes with `capture_between` between them, and
/// `capture_end`.
inline constexpr const char* capture_begin = "{\"processes\": [\n  ";
inline constexpr const char* capture_between = ",\n  ";
inline constexpr const char* capture_end = "\n]}\n";

/// The keys of one process's array: "__version__", "dim_data" and "buffer", without elements. The array may break any
/// rule. If `indices` cannot be read, its value is the buffer itself.
Value described(const DistArray& array);

/// The type, shape and strides of a buffer, which may break any rule.
Value described(const Buffer& buffer);

/// One process's entry in a capture, as JSON in one line: its rank, and the keys of a dictionary. read_capture() reads
/// it whatever the dictionary holds. A buffer of integers becomes a list. What JSON or a capture cannot hold becomes
/// text: other buffers, and lists that are nested too deeply. Of two equal keys the first one is kept.
std::string capture_entry(Index rank, const Value& dictionary);

}  // namespace tridap
