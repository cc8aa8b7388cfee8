#pragma once

#include <tridap/gather_distribution.hpp>
#include <tridap/read.hpp>

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tridap {

/// One process's description of an array, as a capture holds it.
struct CapturedProcess {
  Index rank = 0;
  bool ranked = false;           ///< the capture states `rank`
  ReadArray read;                ///< its buffer is only described (Memory::Kind::nowhere)
  std::optional<Buffer> values;  ///< the elements, contiguous and row-major, if the capture holds them
  Value source;                  ///< the process's own dictionary, whose other keys are passed on
  bool comparable = false;       ///< `read` holds everything that the rules between processes need
};

/// A distributed array written down as JSON: `{"processes": [{"rank": 0, "__version__": "0.10.0", "dim_data": [...],
/// "buffer": {"dtype": "float64", "shape": [2, 3], "strides": [24, 8], "offset": 0, "data": [[...], ...]}}, ...]}`. A
/// buffer of opaque elements may have a "description" (see ElementType), and one in other memory than the host's its
/// "memory", such as "cuda:0". mpi::write_capture() writes the capture of a
/// running program's array.
struct Capture {
  std::vector<CapturedProcess> processes;  ///< ascending by rank
  Report report;                           ///< errors of the document outside of its processes
  Value::Dict extras;                      ///< keys other than "processes"; they are passed on
  bool whole = true;                       ///< the ranks are 0 to N - 1, each once
};

/// Reads a capture. Throws an Error of Rule::json_document if read_json() cannot read the text. If the text is JSON but
/// not a capture, the reports say why.
Capture read_capture(std::string_view text);

/// Checks every process of a capture alone. If the capture is `whole` and `local` is false, also checks all processes
/// together.
Report check(const Capture& capture, bool local = false, const Reading& reading = {});

/// The Distribution of a whole capture. Throws Error if the capture is not valid.
Distribution gather_distribution(const Capture& capture, const Reading& reading = {});

/// Writes a capture of a distribution, without elements. Throws Error, before anything is written, if the version
/// cannot describe the distribution, or if the size of a local buffer in bytes does not fit 64 bits.
void write_capture(std::ostream& out, const Distribution& distribution, Version version, const ElementType& type);

/// The same array in another version of the protocol. Everything except dim_data and the version is passed on. Throws
/// Error if the capture is not valid, or if the version cannot describe the array.
std::string convert_capture(const Capture& capture, Version version, const Reading& reading = {});

}  // namespace tridap
