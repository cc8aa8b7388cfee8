#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tridap::tool {

/// What the program's exit status says.
enum Status : int {
  fine = 0,        ///< valid, the same, drawn, said
  no = 1,          ///< invalid, not the same, owned by nobody, cannot be said
  unreadable = 2,  ///< no capture that can be used for this, or wrong usage
};

/// Each adds one subcommand to the program's; what it came to is written to `status` when it runs.
void add_check(CLI::App& app, int& status);
void add_show(CLI::App& app, int& status);
void add_make(CLI::App& app, int& status);
void add_where(CLI::App& app, int& status);
void add_diff(CLI::App& app, int& status);
void add_convert(CLI::App& app, int& status);

}  // namespace tridap::tool
