// The command-line tool `dap`: checks, draws, makes, asks, compares and converts captures of distributed arrays.
#include "arguments.hpp"
#include "commands.hpp"
#include <dap/report.hpp>
#include <dap/value.hpp>

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <regex>
#include <string>
#include <vector>

namespace {

// An index may be negative, and is no option: "where FILE -2,3".
std::vector<std::string> words(int argc, char** argv) {
  std::vector<std::string> all(argv + 1, argv + argc);
  static const std::regex index("-[0-9]+(,-?[0-9]+)*");
  const bool where = !all.empty() && all[0] == "where";
  for (std::size_t i = 1; where && i < all.size(); ++i)
    if (all[i] == "--")
      break;
    else if (std::regex_match(all[i], index)) {
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(i), "--");
      break;
    }
  return {all.rbegin(), all.rend()};  // as the parser takes them
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Distributed arrays, as the Distributed Array Protocol describes them: check, draw, make, ask, compare "
      "and convert captures.",
      "dap");
  app.set_version_flag("--version", "dap " TRIDAP_VERSION);
  app.require_subcommand(1);
  app.footer("Exit status: 0 yes, 1 no, 2 unreadable or wrong usage. `dap COMMAND --help` tells more; man dap, all.");
  int status = dap::tool::fine;
  for (auto* add : {dap::tool::add_check, dap::tool::add_show, dap::tool::add_make, dap::tool::add_where,
                    dap::tool::add_diff, dap::tool::add_convert})
    add(app, status);
  try {
    app.parse(words(argc, argv));
  } catch (const CLI::ParseError& error) {
    status = app.exit(error) == 0 ? dap::tool::fine : dap::tool::unreadable;  // --help, --version, or wrong usage
  } catch (const dap::tool::WrongUsage& error) {
    std::cerr << "dap: " << error.what() << '\n';
    return dap::tool::unreadable;
  } catch (const dap::Error& error) {
    std::cerr << "dap: " << error.what() << '\n';
    return dap::tool::no;
  } catch (const std::exception& error) {
    std::cerr << "dap: " << error.what() << '\n';
    return dap::tool::unreadable;
  }
  std::cout.flush();
  if (!std::cout) {
    std::cerr << "dap: the output could not be written\n";
    return dap::tool::unreadable;
  }
  return status;
}
