#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

#pragma GCC visibility push(hidden)

namespace tridap::tool {

/// The program's exit status.
enum Status : int {
  fine = 0,        ///< valid, the same, done
  no = 1,          ///< invalid, different, not owned, or the version cannot describe the array
  unreadable = 2,  ///< unreadable or unusable capture, or wrong usage
};

/// Each adds one subcommand to the program. When the subcommand has run, `status` is its exit status.
void add_check(CLI::App& app, int& status);
void add_show(CLI::App& app, int& status);
void add_make(CLI::App& app, int& status);
void add_where(CLI::App& app, int& status);
void add_diff(CLI::App& app, int& status);
void add_convert(CLI::App& app, int& status);

}  // namespace tridap::tool

#pragma GCC visibility pop
