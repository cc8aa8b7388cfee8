// The command-line tool `tridap`: checks, draws, makes, queries, compares and converts captures of distributed arrays.
#include "arguments.hpp"
#include "commands.hpp"
#include <tridap/report.hpp>
#include <tridap/text.hpp>
#include <tridap/value.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <iostream>
#include <numeric>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
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

// How many letters differ between two words: Levenshtein's distance.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t before = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = before + (a[i] == b[j] ? 0 : 1);
      before = row[j + 1];
      row[j + 1] = std::min({replaced, before + 1, row[j] + 1});
    }
  }
  return row.back();
}

// Why the first word is no command, with the nearest one; empty: it is one, or an option.
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  const std::string given = argv[1];
  std::string nearest, all;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == given) return "";
    all += (all.empty() ? "" : ", ") + command->get_name();
    if (nearest.empty() || distance(given, command->get_name()) < distance(given, nearest))
      nearest = command->get_name();
  }
  const bool is_near = 2 * distance(given, nearest) <= given.size();
  return "tridap: '" + given + "' is no command, must be one of " + all +
         (is_near ? ": did you mean '" + nearest + "'?" : "");
}

// Prints an error. Its lines may contain words of the command line, so they are made safe for a terminal.
int failed(const std::string& why, int status) {
  std::istringstream lines(why);
  for (std::string line; std::getline(lines, line);) std::cerr << tridap::clean(line) << '\n';
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Distributed arrays, as the Distributed Array Protocol describes them: check, draw, make, query, compare "
      "and convert captures.",
      "tridap");
  app.set_version_flag("--version", "tridap " TRIDAP_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 success, 1 invalid or a negative answer, 2 unreadable file or wrong usage. More: `tridap COMMAND "
      "--help` and `man tridap`.");
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
