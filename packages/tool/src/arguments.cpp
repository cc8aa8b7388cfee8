#include "arguments.hpp"

#include <tridap/internal/axis_texts.hpp>
#include <tridap/report.hpp>
#include <tridap/text.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

namespace tridap::tool {

namespace {

Index number_of(const std::string& text, const std::string& what) {
  const std::optional<Index> value = integer_in(text);
  if (!value) throw WrongUsage(what + ": '" + text + "' must be an integer that fits 64 bits");
  return *value;
}

std::vector<Index> numbers(const std::string& text, char at, const std::string& what) {
  std::vector<Index> all;
  if (text.empty()) return all;
  for (const std::string& part : split(text, at)) all.push_back(number_of(part, what));
  return all;
}

}  // namespace

std::vector<Index> read_extents(const std::string& text, const std::string& option) {
  if (text.find(',') != std::string::npos) {
    std::string crossed = text;
    std::replace(crossed.begin(), crossed.end(), ',', 'x');
    throw WrongUsage(option + ": '" + text + "' has commas: write " + crossed);
  }
  return numbers(text, 'x', option);
}

std::vector<Index> read_index(const std::string& text) { return numbers(text, ',', "the index"); }

std::vector<AxisSpec> read_specs(const std::string& text) {
  try {
    return axes_named(text, read_file);
  } catch (const NotAnAxis& error) {
    throw WrongUsage("--dist " + error.axis() + ": " + error.what());
  } catch (const NoLists& error) {
    throw UnreadableFile(error.what());
  }
}

bool is_block(const AxisSpec& spec) { return std::holds_alternative<BlockSpec>(spec); }

void set_padding(std::vector<AxisSpec>& specs, const std::vector<Index>& grid, const std::string& text) {
  const std::vector<std::string> pairs = split(text, 'x');
  if (pairs.size() != 1 && pairs.size() != specs.size())
    throw WrongUsage("--padding " + text + ": give one pair of widths, or one for each of the " +
                     std::to_string(specs.size()) + " axes");
  if (std::none_of(specs.begin(), specs.end(), is_block))
    throw WrongUsage("--padding " + text + " needs a block axis, but --dist has none");
  for (std::size_t axis = 0; axis < specs.size(); ++axis) {
    const std::vector<Index> widths = numbers(pairs[pairs.size() == 1 ? 0 : axis], ',', "--padding " + text);
    if (widths.size() != 2) throw WrongUsage("--padding " + text + ": a pair of widths is two numbers, such as 1,1");
    auto* block = std::get_if<BlockSpec>(&specs[axis]);
    if (block == nullptr) {
      if (pairs.size() == 1 || (widths[0] == 0 && widths[1] == 0)) continue;
      throw WrongUsage("--padding " + text + ": axis " + std::to_string(axis) +
                       " is not a block axis: write 0,0 for it");
    }
    if (widths[0] != widths[1] && grid[axis] > 1)
      throw Error(Finding{Rule::block_padding_neighbour,
                          {},
                          static_cast<Index>(axis),
                          "padding",
                          "(" + std::to_string(widths[0]) + ", " + std::to_string(widths[1]) + ")",
                          "but the upper padding of a buffer must be as wide as the lower padding of the next one",
                          "give both the same width, or use one process along the axis"});
    block->edges = {widths[0], widths[1]};
    block->padding = grid[axis] > 1 ? widths[0] : 0;
  }
}

std::vector<std::optional<Index>> read_section(const std::string& text) {
  std::vector<std::optional<Index>> section;
  for (const std::string& part : split(text, ',')) {
    if (part == ":")
      section.emplace_back();
    else
      section.emplace_back(number_of(part, "--slice " + text));
  }
  return section;
}

std::string read_file(const std::string& name) {
  if (name == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  errno = 0;
  try {
    std::ifstream in(name, std::ios::binary);
    if (in) return {std::istreambuf_iterator<char>(in), {}};
  } catch (const std::ios_base::failure&) {  // thrown if the name is a folder
  }
  throw UnreadableFile(clean(name) + ": " + (errno != 0 ? std::strerror(errno) : "cannot be read"));
}

}  // namespace tridap::tool
