#pragma once

#include <CLI/CLI.hpp>

#include <string>

#pragma GCC visibility push(hidden)

namespace tridap::tool {

/// Writes what --help prints, in lines of the terminal's width, and of 80 columns elsewhere. The text is the same with
/// each version of CLI11.
class HelpText : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const override;
};

/// What --version prints: the version, and below it what the command was built with.
std::string version_text();

}  // namespace tridap::tool

#pragma GCC visibility pop
