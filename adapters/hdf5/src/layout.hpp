#pragma once

#include <tridap/distribution.hpp>
#include <tridap/report.hpp>

#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::hdf5 {

/// The names of a dataset's attributes.
inline constexpr const char* version_attribute = "__version__";
inline constexpr const char* dim_data_attribute = "dim_data";
inline constexpr const char* steps_attribute = "saved_steps";

/// The dimensions of all coordinates of each axis, in 0.10, as JSON: a list for each axis, with a dictionary for each
/// coordinate.
std::string layout_text(const Distribution& distribution);

/// The Distribution of such a text. Throws Error if it is not one.
Distribution read_layout(const std::string& version, const std::string& text);

/// The steps that were saved, as JSON: half-open ranges in ascending order, such as [[0, 3], [5, 6]].
std::string steps_text(const std::vector<Range>& steps);

/// The steps of such a text, of a dataset that has `count` steps. Those behind the last range count as saved: another
/// program appended them. Throws Error if it is not such a text.
std::vector<Range> read_steps(const std::string& text, Index count);

/// The same steps and one more.
std::vector<Range> with_step(const std::vector<Range>& steps, Index step);

}  // namespace tridap::hdf5

#pragma GCC visibility pop
