#pragma once

#include <tridap/report.hpp>

#include <optional>
#include <string>

namespace tridap {

/// The versions of the protocol that are read. They differ in what `start`, `stop` and `size` count if an axis is
/// padded (PROTOCOL, block.padding, block.periodic).
enum class Version {
  v0_9,   ///< communication padding is outside [start, stop); a periodic axis's edge padding does not count
  v0_10,  ///< communication padding is inside [start, stop); all edge padding is owned and counted
};

/// The text that is written for a version: "0.10.0".
const char* stamp(Version version);

/// The version that a `__version__` states. If it is not a version, or not one that is read, adds an error to `report`
/// and returns nullopt. The patch number is ignored and may be left out: "0.10" is "0.10.0". This holds wherever a
/// version is written.
std::optional<Version> read_version(const std::string& text, Report& report);

}  // namespace tridap
