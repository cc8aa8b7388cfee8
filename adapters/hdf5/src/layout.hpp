#pragma once

#include <tridap/distribution.hpp>
#include <tridap/report.hpp>

#include <optional>
#include <string>

#pragma GCC visibility push(hidden)

namespace tridap::hdf5 {

/// The names of a dataset's attributes.
inline constexpr const char* version_attribute = "__version__";
inline constexpr const char* dim_data_attribute = "dim_data";

/// The dimensions of all coordinates of each axis, in 0.10, as JSON: a list for each axis, with a dictionary for each
/// coordinate.
std::string layout_text(const Distribution& distribution);

/// The Distribution of such a text. Throws Error if it is not one.
Distribution read_layout(const std::string& version, const std::string& text);

}  // namespace tridap::hdf5

#pragma GCC visibility pop
