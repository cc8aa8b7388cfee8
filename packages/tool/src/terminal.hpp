#pragma once

#include <tridap/index.hpp>

#include <optional>
#include <string>

#pragma GCC visibility push(hidden)

namespace tridap::tool {

/// The size of a terminal in characters.
struct TerminalSize {
  Index columns = 80;
  std::optional<Index> lines;  ///< nullopt: it is not known
};

/// The terminal that a stream (STDOUT_FILENO, STDERR_FILENO) writes to: as the terminal says, else as the environment
/// variable COLUMNS says, else 80 columns. nullopt: the stream writes to no terminal.
std::optional<TerminalSize> terminal_of(int stream);

/// Text that a reader reads: in a terminal no line is longer than a line of the terminal, elsewhere nothing changes.
std::string for_reader(const std::string& text, int stream);

}  // namespace tridap::tool

#pragma GCC visibility pop
