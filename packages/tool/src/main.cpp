// The command-line tool `tridap`: checks, draws, makes, queries, compares and converts captures of distributed arrays.
#include "arguments.hpp"
#include "commands.hpp"
#include "help.hpp"
#include "terminal.hpp"
#include <tridap/internal/misspelt.hpp>
#include <tridap/report.hpp>
#include <tridap/text.hpp>
#include <tridap/value.hpp>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <exception>
#include <iostream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

// An index may be negative; it is not an option: "where FILE -2,3".
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

// Why the first word is no command, with the nearest one; empty: it is one, or an option.
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  const std::string given = argv[1];
  std::vector<std::string> commands;
  std::string all;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == given) return "";
    all += (all.empty() ? "" : ", ") + command->get_name();
    commands.push_back(command->get_name());
  }
  const std::string nearest = tridap::misspelt(given, commands);
  return "tridap: '" + given + "' is no command, must be one of " + all +
         (nearest.empty() ? "" : ": did you mean '" + nearest + "'?");
}

// Prints an error. Its lines may contain words of the command line, so they are made safe for a terminal.
int failed(const std::string& why, int status) {
  std::istringstream lines(why);
  for (std::string line; std::getline(lines, line);)
    std::cerr << tridap::tool::for_reader(tridap::clean(line), STDERR_FILENO) << '\n';
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Distributed arrays, as the Distributed Array Protocol describes them: check, draw, make, query, compare "
      "and convert captures.",
      "tridap");
  app.formatter(std::make_shared<tridap::tool::HelpText>());
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", tridap::tool::version_text(),
                       "print the version and what the command is built with");
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 success, 1 invalid or a negative answer, 2 unreadable file or wrong usage. More: `tridap COMMAND "
      "--help` and `man tridap`");
  int status = tridap::tool::fine;
  for (auto* add : {tridap::tool::add_check, tridap::tool::add_show, tridap::tool::add_make, tridap::tool::add_where,
                    tridap::tool::add_diff, tridap::tool::add_convert})
    add(app, status);
  if (const std::string why = unknown_command(app, argc, argv); !why.empty())
    return failed(why, tridap::tool::unreadable);
  try {
    app.parse(words(argc, argv));
  } catch (const CLI::ParseError& error) {  // --help, --version, or wrong usage
    std::ostringstream why;
    status = app.exit(error, std::cout, why) == 0 ? tridap::tool::fine : failed(why.str(), tridap::tool::unreadable);
  } catch (const tridap::Error& error) {
    return failed(std::string("tridap: ") + error.what(), tridap::tool::no);
  } catch (const std::exception& error) {
    return failed(std::string("tridap: ") + error.what(), tridap::tool::unreadable);
  }
  std::cout.flush();
  if (!std::cout) {
    std::cerr << "tridap: the output could not be written\n";
    return tridap::tool::unreadable;
  }
  return status;
}
