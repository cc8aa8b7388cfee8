#pragma once

#include <tridap/make.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::tool {

/// A wrong command line. The program ends with status 2.
class WrongUsage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file that cannot be read or written, or is not a JSON document. The program ends with status 2.
class UnreadableFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "5x9", and "" for no axes.
std::vector<Index> read_extents(const std::string& text, const std::string& option);

/// "3,4", "-2"; "" for no axes.
std::vector<Index> read_index(const std::string& text);

/// "b,c:2,*": see axes_named().
std::vector<AxisSpec> read_specs(const std::string& text);

bool is_block(const AxisSpec& spec);

/// Sets the padding of block axes: "1,1" for all of them, or for each axis "1,1x0,0x2,2". The widths are those of every
/// buffer's lower and upper end. Throws Error if they differ at a border between two processes.
void set_padding(std::vector<AxisSpec>& specs, const std::vector<Index>& grid, const std::string& text);

/// ":,:,3": for each axis a colon if it is shown, or its fixed index.
std::vector<std::optional<Index>> read_section(const std::string& text);

/// The content of a file; "-" is the standard input. Throws UnreadableFile, which names the file.
std::string read_file(const std::string& name);

}  // namespace tridap::tool

#pragma GCC visibility pop
