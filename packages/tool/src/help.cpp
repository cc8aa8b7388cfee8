#include "help.hpp"

#include "terminal.hpp"
#include <tridap/internal/axis_texts.hpp>
#include <tridap/internal/text_lines.hpp>
#include <tridap/library.hpp>

#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <vector>

namespace tridap::tool {

namespace {

// The columns of a help text. Longer lines than 100 are hard to read.
Index columns_of_help() {
  const auto terminal = terminal_of(STDOUT_FILENO);
  return std::clamp<Index>(terminal ? terminal->columns : 80, 40, 100);
}

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// A list of terms, each with its description beside it, or below it if the term is long.
class Terms {
 public:
  Terms(const std::string& title, Index begin, Index columns)
      : title_(title), begin_(std::min(begin, columns / 3)), columns_(columns) {}

  void add(const std::string& term, const std::string& description) {
    text_ += "  " + term;
    Index at = 2 + characters(term);
    for (const std::string& line : wrapped(description, columns_ - begin_)) {
      if (at + 2 > begin_) {  // no room beside what stands there
        text_ += "\n";
        at = 0;
      }
      text_ += std::string(static_cast<std::size_t>(begin_ - at), ' ') + line;
      at = columns_;
    }
    text_ += "\n";
  }
  std::string text() const { return text_.empty() ? "" : "\n" + title_ + ":\n" + text_; }

 private:
  std::string title_, text_;
  Index begin_, columns_;
};

// "--colour, --color WHEN", "FILE..."
std::string term_of(const CLI::Option& option) {
  std::string names = option.get_positional() ? option.get_name(true) : option.get_name(false, true);
  for (std::size_t at = names.find(','); at != std::string::npos; at = names.find(',', at + 2))
    names.insert(at + 1, " ");
  if (option.get_positional()) return names + (option.get_expected_max() > 2 ? "..." : "");
  return names + (option.get_option_text().empty() ? "" : " " + option.get_option_text());
}

std::string description_of(const CLI::Option& option) {
  const std::string initial = option.get_default_str();
  return option.get_description() + (initial.empty() ? "" : " (default: " + initial + ")");
}

// "Usage: tridap make --shape EXTENTS --dist AXES [OPTIONS]"
std::string usage_of(const CLI::App& command, const std::string& name) {
  std::string options, files;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional())
      files += " " + term_of(*option);
    else if (option->get_required())
      options += " " + term_of(*option);
  }
  const bool commands = !command.get_subcommands([](const CLI::App*) { return true; }).empty();
  return "Usage: " + name + options + " [OPTIONS]" + files + (commands ? " COMMAND" : "");
}

}  // namespace

std::string HelpText::make_help(const CLI::App* command, std::string name, CLI::AppFormatMode /*mode*/) const {
  const Index columns = columns_of_help();
  Terms files("Arguments", 26, columns), options("Options", 26, columns), commands("Commands", 12, columns);
  for (const CLI::Option* option : command->get_options())
    (option->get_positional() ? files : options).add(term_of(*option), description_of(*option));
  for (const CLI::App* other : command->get_subcommands([](const CLI::App*) { return true; }))
    commands.add(other->get_name(), other->get_description());
  return joined_lines(wrapped(command->get_description(), columns)) + "\n" +
         joined_lines(wrapped(usage_of(*command, name), columns, 7)) + commands.text() + files.text() + options.text() +
         (command->get_footer().empty() ? "" : "\n" + joined_lines(wrapped(command->get_footer(), columns)));
}

std::string version_text() {
  const Index columns = columns_of_help(), begin = 16;
  std::string text = std::string("tridap ") + library_version();
  std::istringstream built(library_build());
  for (std::string fact; std::getline(built, fact);) {  // "name: what"
    const std::size_t colon = std::min(fact.find(": "), fact.size());
    std::string before = fact.substr(0, colon);
    before.resize(static_cast<std::size_t>(begin), ' ');
    for (const std::string& line : wrapped(fact.substr(std::min(colon + 2, fact.size())), columns - begin)) {
      text += "\n" + before + line;
      before.assign(static_cast<std::size_t>(begin), ' ');
    }
  }
  return text;
}

}  // namespace tridap::tool
