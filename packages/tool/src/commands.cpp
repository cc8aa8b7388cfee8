#include "commands.hpp"

#include "arguments.hpp"
#include "terminal.hpp"
#include <tridap/capture.hpp>
#include <tridap/compare.hpp>
#include <tridap/draw.hpp>
#include <tridap/draw_claims.hpp>
#include <tridap/draw_html.hpp>
#include <tridap/internal/number_texts.hpp>
#include <tridap/make.hpp>
#include <tridap/text.hpp>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

namespace tridap::tool {

namespace {

// Reads a capture. An error names the file.
Capture capture_in(const std::string& file) {
  const std::string text = read_file(file);
  try {
    return read_capture(text);
  } catch (const Error& error) {
    throw UnreadableFile(clean(file) + ": " + error.what());
  }
}

// The distribution of a valid capture. If the capture is invalid, prints why and returns nullopt.
std::optional<Distribution> distribution_in(const Capture& capture, const std::string& file, const Reading& reading) {
  try {
    return gather_distribution(capture, reading);
  } catch (const Error& error) {
    std::cerr << for_reader(clean(file) + ": invalid\n" + error.what(), STDERR_FILENO) << '\n';
    return std::nullopt;
  }
}

void print(const std::string& text) { std::cout << for_reader(text, STDOUT_FILENO) << '\n'; }

bool colourful(const std::string& when, int stream) {
  if (when != "auto") return when == "always";
  return isatty(stream) != 0 && std::getenv("NO_COLOR") == nullptr;
}

std::string json_text(const std::string& text) { return Value{text}.json(); }

void add_reading(CLI::App* command, Reading& reading) {
  command->add_flag(
      "--trust-extent", reading.trust_extent,
      "if the buffers' extents agree with the other version of the protocol, read that version, with a warning");
}

struct Check {
  std::vector<std::string> files;
  bool json = false, local = false;
  std::string colour = "auto";
  Reading reading;

  int run() const {
    int worst = fine;
    std::string list;
    for (const std::string& file : files) {
      std::string line;
      worst = std::max(worst, check_file(file, line));
      list += (list.empty() ? "" : ",\n ") + line;
    }
    if (json) std::cout << '[' << list << "]\n";
    return worst;
  }

  int check_file(const std::string& file, std::string& line) const {
    const std::string begin = "{\"file\": " + json_text(file) + ", \"status\": ";
    try {
      const Capture capture = capture_in(file);
      const Report report = tridap::check(capture, local, reading);
      line = begin + (report.ok() ? "\"valid\"" : "\"invalid\"") + ", \"report\": " + report.json() + "}";
      if (!json) print(file, capture, report);
      return report.ok() ? fine : no;
    } catch (const UnreadableFile& error) {
      line = begin + "\"unreadable\", \"why\": " + json_text(error.what()) + "}";
      if (!json) std::cerr << for_reader(error.what(), STDERR_FILENO) << '\n';
      return unreadable;
    }
  }

  void print(const std::string& file, const Capture& capture, const Report& report) const {
    const bool colours = colourful(colour, STDOUT_FILENO);
    const auto paint = [colours](const char* code, const std::string& text) {
      return colours ? std::string("\033[") + code + "m" + text + "\033[0m" : text;
    };
    std::string text = clean(file) + ": ";
    if (!report.ok())
      text += paint("1;31", "invalid") + ", " + counted(report.errors(), "error", "errors");
    else
      text += paint("1;32", "valid") + (local ? ", each process alone" : "");
    if (report.warnings() > 0) text += ", " + counted(report.warnings(), "warning", "warnings");
    if (report.ok() && !local) text += ": " + describe(gather_distribution(capture, reading));
    if (!report.text().empty()) text += "\n" + report.text();
    tool::print(text);
  }
};

// Writes a file that the user has named.
void write_file(const std::string& name, const std::string& text) {
  std::ofstream out(name, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw UnreadableFile(clean(name) + ": cannot be written");
}

// Throws WrongUsage if a page would replace a file that is no page, such as a capture: `show --html a.json b.json`.
void need_page_or_nothing(const std::string& name) {
  if (!std::filesystem::is_regular_file(name) || std::filesystem::file_size(name) == 0) return;
  std::string begin(14, '\0');
  std::ifstream(name, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  std::transform(begin.begin(), begin.end(), begin.begin(), [](unsigned char c) { return std::tolower(c); });
  if (begin != "<!doctype html")
    throw WrongUsage("--html " + name +
                     ": this file exists and is no HTML page, so it is not replaced: give the page another name, such "
                     "as page.html, before the captures");
}

struct Show {
  std::vector<std::string> files;
  std::string section, svg, html, colour = "auto";
  Index columns = 0, lines = 0;
  Reading reading;

  int run() const {
    if (!html.empty()) return write_page();
    if (files.size() > 1)
      throw WrongUsage("show takes one capture, but " + std::to_string(files.size()) +
                       " are given: two are shown by --html, and compared by diff");
    const std::string& file = files.front();
    const Capture capture = capture_in(file);
    const auto distribution = distribution_in(capture, file, reading);
    if (!distribution) return draw_what_is_stated(capture, file);
    try {
      return draw(*distribution, file, section.empty() ? Section{} : read_section(section));
    } catch (const Error& error) {  // the slice does not fit the array
      throw WrongUsage("--slice " + section + ": " + error.what());
    }
  }

  int write_page() const {
    if (files.size() > 2)
      throw WrongUsage("--html takes one or two captures, but " + std::to_string(files.size()) + " are given");
    if (!section.empty() || !svg.empty())
      throw WrongUsage("--html takes no --slice and no --svg: the page has sliders for the axes that it does not draw");
    need_page_or_nothing(html);
    std::vector<PageArray> arrays;
    std::vector<PageCapture> captures;  // shown if one of them is invalid
    for (const std::string& file : files) {
      captures.push_back({file, capture_in(file), reading});
      const Capture& capture = captures.back().capture;
      const auto distribution = distribution_in(capture, file, reading);
      if (distribution) arrays.push_back({file, *distribution, capture.processes.front().read.array.buffer.type});
    }
    if (arrays.size() < files.size()) {
      write_file(html, draw_claims_html(captures));
      return no;
    }
    write_file(html, arrays.size() == 1 ? draw_html(arrays[0]) : draw_html(arrays[0], arrays[1]));
    return fine;
  }

  int draw_what_is_stated(const Capture& capture, const std::string& file) const {
    if (!svg.empty()) {
      SvgStyle style;
      style.title = file;
      write_file(svg, draw_claims_svg(capture, style));
    } else {
      std::cout << draw_claims(capture, text_style(file));
    }
    return no;
  }

  int draw(const Distribution& distribution, const std::string& file, const Section& shown) const {
    if (!svg.empty()) {
      SvgStyle style;
      style.title = file;
      style.section = shown;
      write_file(svg, draw_svg(distribution, style));
      return fine;
    }
    TextStyle style = text_style(file);
    style.section = shown;
    std::cout << draw_text(distribution, style);
    return fine;
  }

  TextStyle text_style(const std::string& file) const {
    TextStyle style;
    style.title = file;
    style.colour = colourful(colour, STDOUT_FILENO);
    if (const auto terminal = terminal_of(STDOUT_FILENO)) {
      style.columns = std::max<Index>(terminal->columns, 40);
      if (terminal->lines) style.lines = std::max<Index>(*terminal->lines, 20);
    }
    if (columns > 0) style.columns = columns;
    if (lines > 0) style.lines = lines;
    return style;
  }
};

struct Make {
  static constexpr Index most_processes = Index{1} << 24;
  std::string shape, dist, grid, padding, version = "0.10.0", dtype = "float64";
  Index processes = 0;
  bool periodic = false;

  int run() const {
    std::vector<AxisSpec> specs = read_specs(dist);
    std::vector<Index> places = read_extents(grid, "--grid");
    if (processes > 0 && !grid.empty()) throw WrongUsage("give --grid or --processes, not both");
    if (grid.empty()) places = default_grid(std::max<Index>(processes, 1), specs);
    const std::vector<Index> extents = read_extents(shape, "--shape");
    if (extents.size() != specs.size())
      throw WrongUsage("--shape " + shape + " has " + std::to_string(extents.size()) + " axes, but --dist " + dist +
                       " has " + std::to_string(specs.size()));
    if (places.size() != specs.size())
      throw WrongUsage("--grid " + grid + " has " + std::to_string(places.size()) + " axes, but --dist " + dist +
                       " has " + std::to_string(specs.size()));
    std::vector<Index> sized = places;
    for (Index& extent : sized) extent = std::max<Index>(extent, 1);
    if (checked_product(sized).value_or(most_processes + 1) > most_processes)
      throw WrongUsage("--grid " + grid + ": these are more than " + std::to_string(most_processes) +
                       " processes, which a capture would list: give a smaller grid");
    if (periodic && std::none_of(specs.begin(), specs.end(), is_block))
      throw WrongUsage("--periodic needs a block axis, but --dist " + dist + " has none");
    if (!padding.empty()) set_padding(specs, places, padding);
    for (AxisSpec& spec : specs)
      if (auto* block = std::get_if<BlockSpec>(&spec)) block->periodic = periodic;
    Report report;
    const std::optional<Version> written = read_version(version, report);
    if (!written) throw WrongUsage("--version " + version + ": must be 0.9 or 0.10");
    const std::optional<ElementType> type = element_type(dtype);
    if (!type) throw WrongUsage("--dtype " + dtype + ": must be NumPy's name of an element type, such as float64");
    const Distribution made = Distribution::make(extents, specs, places);
    write_capture(std::cout, made, *written, *type);
    return fine;
  }
};

struct Where {
  std::string file, index;
  Reading reading;

  int run() const {
    const Indices global = read_index(index);
    const Capture capture = capture_in(file);
    const auto distribution = distribution_in(capture, file, reading);
    if (!distribution) return print_claims(capture, global);
    if (static_cast<Index>(global.size()) != distribution->ndim())
      throw WrongUsage("the index " + tuple_text(global) + " has " + std::to_string(global.size()) +
                       " axes, but the array has " + std::to_string(distribution->ndim()));
    const std::vector<Index> owners = distribution->owners(global);
    if (owners.empty()) print("no process owns " + tuple_text(global));
    for (const Index process : owners)
      print("process " + std::to_string(process) + " at " + tuple_text(distribution->coordinates(process)) +
            ", local index " + tuple_text(*distribution->local_index(process, global)));
    return owners.empty() ? no : fine;
  }

  // What each process of an invalid capture states about the index.
  static int print_claims(const Capture& capture, const Indices& global) {
    const std::vector<Claim> claims = claims_of(capture, global);
    const Index owners = std::count_if(claims.begin(), claims.end(), [](const Claim& claim) { return !claim.padding; });
    if (owners == 0)
      print("gap: no process owns " + tuple_text(global));
    else if (owners == 1)
      print("1 process owns " + tuple_text(global) + ", but the array is invalid");
    else
      print("overlap: " + std::to_string(owners) + " processes own " + tuple_text(global));
    for (const Claim& claim : claims)
      print("process " + std::to_string(claim.process) + ", local index " + tuple_text(claim.local) +
            (claim.padding ? ", communication padding" : ""));
    return unreadable;
  }
};

struct Diff {
  std::string here, there;
  Reading reading;

  int run() const {
    const Capture first = capture_in(here), second = capture_in(there);
    const auto a = distribution_in(first, here, reading), b = distribution_in(second, there, reading);
    if (!a || !b) return unreadable;
    const Comparison comparison = compare(*a, *b);
    if (comparison.same_owners)
      print("the same owners: " + describe(*a));
    else
      print(comparison.difference + "\nhere:  " + describe(*a) + "\nthere: " + describe(*b));
    if (comparison.same_owners && !comparison.same_places) print(comparison.difference);
    return comparison.same_owners ? fine : no;
  }
};

struct Convert {
  std::string file, to;
  Reading reading;

  int run() const {
    Report report;
    const std::optional<Version> version = read_version(to, report);
    if (!version) throw WrongUsage("--to " + to + ": must be 0.9 or 0.10");
    std::cout << convert_capture(capture_in(file), *version, reading);
    return fine;
  }
};

// Adds a subcommand and the struct that holds its options. The struct lives as long as the parser.
template <class Command>
std::pair<CLI::App*, std::shared_ptr<Command>> subcommand(CLI::App& app, const char* name, const char* what,
                                                          int& status) {
  auto command = std::make_shared<Command>();
  CLI::App* const sub = app.add_subcommand(name, what);
  sub->callback([command, &status] { status = command->run(); });
  return {sub, command};
}

const char* const capture_file = "a capture (JSON file); - for the standard input";

void add_colour(CLI::App* sub, std::string& colour) {
  sub->add_option("--colour,--color", colour, "auto, always or never")
      ->option_text("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
}

}  // namespace

void add_check(CLI::App& app, int& status) {
  auto [sub, command] = subcommand<Check>(app, "check", "Check captures against all rules of the protocol", status);
  sub->footer("Exit status: 0 valid, 1 invalid, 2 unreadable");
  sub->add_option("FILE", command->files, capture_file)->required();
  sub->add_flag("--json", command->json, "print a JSON list with one report for each file");
  sub->add_flag("--local", command->local, "the file holds only some of the processes: check each one alone");
  add_colour(sub, command->colour);
  add_reading(sub, command->reading);
}

void add_show(CLI::App& app, int& status) {
  auto [sub, command] = subcommand<Show>(
      app, "show", "Draw which process owns which elements, in the terminal, as a picture or as a page", status);
  sub->add_option("FILE", command->files, std::string(capture_file) + "; with --html one or two")->required();
  sub->footer("Exit status: 0 drawn, 1 invalid: what each process states is drawn, 2 unreadable, or wrong usage");
  sub->add_option("--slice", command->section,
                  "the part of an n-D array to draw: \":,:,3\" fixes the last axis at index 3")
      ->option_text("SLICE");
  sub->add_option("--svg", command->svg, "write an SVG picture to this file instead")->option_text("OUT");
  sub->add_option("--html", command->html,
                  "write a page for a browser to this file instead; of two captures it also shows what moves from the "
                  "first to the second")
      ->option_text("OUT");
  sub->add_option("--columns", command->columns, "characters in a line")->option_text("N")->check(CLI::Range(60, 1000));
  sub->add_option("--lines", command->lines, "lines of the drawing")->option_text("N")->check(CLI::Range(20, 10000));
  add_colour(sub, command->colour);
  add_reading(sub, command->reading);
}

void add_make(CLI::App& app, int& status) {
  auto [sub, command] = subcommand<Make>(app, "make", "Print the capture of a distribution", status);
  sub->footer("Exit status: 0 done, 1 there is no such distribution, 2 unreadable lists, or wrong usage");
  sub->add_option("--shape", command->shape, "the global extents: 5x9; \"\" for an array without axes")
      ->option_text("EXTENTS")
      ->required();
  sub->add_option(
         "--dist", command->dist,
         "for each axis b, b:0,3,5 (the first index of each coordinate), c, c:k, c:k@src, u:FILE (a JSON list of "
         "lists) or *, joined by commas")
      ->option_text("AXES")
      ->required();
  sub->add_option("--grid", command->grid, "the process grid: 2x2 (default: as square as --processes allows)")
      ->option_text("EXTENTS");
  sub->add_option("--processes", command->processes, "number of processes (default: 1)")
      ->option_text("N")
      ->check(CLI::Range(Index{1}, Make::most_processes));
  sub->add_option("--padding", command->padding,
                  "lower and upper widths of padded block axes: 1,1, or for each axis 1,1x0,0")
      ->option_text("L,R");
  sub->add_flag("--periodic", command->periodic, "the block axes are periodic");
  sub->add_option("--version", command->version, "of the protocol: 0.10 or 0.9")
      ->option_text("VERSION")
      ->capture_default_str();
  sub->add_option("--dtype", command->dtype, "NumPy's name of the element type")
      ->option_text("TYPE")
      ->capture_default_str();
}

void add_where(CLI::App& app, int& status) {
  auto [sub, command] = subcommand<Where>(app, "where", "Print the process and the local index of an element", status);
  sub->footer("Exit status: 0 a process owns it, 1 no process owns it, 2 invalid or unreadable");
  sub->add_option("FILE", command->file, capture_file)->required();
  sub->add_option("INDEX", command->index, "the global index: 3,4")->required();
  add_reading(sub, command->reading);
}

void add_diff(CLI::App& app, int& status) {
  auto [sub, command] = subcommand<Diff>(app, "diff", "Compare the owners of all elements of two captures", status);
  sub->footer("Exit status: 0 the same, 1 different, 2 invalid or unreadable");
  sub->add_option("FILE1", command->here, capture_file)->required();
  sub->add_option("FILE2", command->there, capture_file)->required();
  add_reading(sub, command->reading);
}

void add_convert(CLI::App& app, int& status) {
  auto [sub, command] =
      subcommand<Convert>(app, "convert", "Print the same array in another version of the protocol", status);
  sub->footer("Exit status: 0 done, 1 invalid, or the version cannot describe the array, 2 unreadable");
  sub->add_option("FILE", command->file, capture_file)->required();
  sub->add_option("--to", command->to, "0.9 or 0.10")->option_text("VERSION")->required();
  add_reading(sub, command->reading);
}

}  // namespace tridap::tool
