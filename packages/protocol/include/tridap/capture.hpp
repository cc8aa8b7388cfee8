#pragma once

#include <tridap/gather_distribution.hpp>
#include <tridap/read.hpp>

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tridap {

/// What one process said of an array, as a capture holds it.
struct CapturedProcess {
  Index rank = 0;
  bool ranked = false;           ///< the capture says `rank`
  ReadArray read;                ///< its buffer is described only (Memory::Kind::nowhere)
  std::optional<Buffer> values;  ///< the elements, dense and row-major, where the capture holds them
  Value source;                  ///< the process's own dictionary, for what is to be passed on
  bool comparable = false;       ///< `read` holds all that the rules between processes need
};

/// A distributed array written down as JSON: `{"processes": [{"rank": 0, "__version__": "0.10.0", "dim_data": [...],
/// "buffer": {"dtype": "float64", "shape": [2, 3], "strides": [24, 8], "offset": 0, "data": [[...], ...]}}, ...]}`.
struct Capture {
  std::vector<CapturedProcess> processes;  ///< ascending by rank
  Report report;                           ///< what is wrong with the document outside of its processes
  Value::Dict extras;                      ///< keys beside "processes", to be passed on
  bool whole = true;                       ///< the ranks are 0 to N - 1, each once
};

/// Reads a capture; throws an Error of Rule::json_document for a text that read_json() does not read. What is JSON and
/// yet no capture is in the reports.
Capture read_capture(std::string_view text);

/// Checks a capture: every process alone, and, where it is `whole` and not `local`, all of them together.
Report check(const Capture& capture, bool local = false, const Reading& reading = {});

/// The Distribution of a whole capture; throws Error where there is none.
Distribution gather_distribution(const Capture& capture, const Reading& reading = {});

/// Writes a capture of a distribution: metadata only. Throws Error, before anything is written, where the version
/// cannot say it, or a local buffer has more bytes than 64 bits can say.
void write_capture(std::ostream& out, const Distribution& distribution, Version version, const ElementType& type);

/// The same array in another version; what is not dim_data or version is passed on. Throws Error where the capture is
/// wrong, or where the version cannot say it.
std::string convert_capture(const Capture& capture, Version version, const Reading& reading = {});

}  // namespace tridap
