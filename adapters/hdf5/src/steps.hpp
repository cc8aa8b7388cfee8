#pragma once

#include <tridap/index.hpp>

#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::hdf5 {

inline constexpr const char* steps_attribute = "saved_steps";

/// The steps that were saved, as JSON: half-open ranges in ascending order, such as [[0, 3], [5, 6]].
std::string steps_text(const std::vector<Range>& steps);

/// The steps of such a text, of a dataset that has `count` steps. Those behind the last range count as saved: another
/// program appended them. Throws Error if it is not such a text.
std::vector<Range> read_steps(const std::string& text, Index count);

/// The same steps and one more.
std::vector<Range> with_step(const std::vector<Range>& steps, Index step);

}  // namespace tridap::hdf5

#pragma GCC visibility pop
