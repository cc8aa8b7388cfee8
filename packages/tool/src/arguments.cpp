#include "arguments.hpp"

#include <tridap/capture.hpp>
#include <tridap/text.hpp>
#include <tridap/value.hpp>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

namespace tridap::tool {

namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::optional<Index> number(const std::string& text) {
  Index value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || text.empty()) return std::nullopt;
  return value;
}

Index number_of(const std::string& text, const std::string& what) {
  const std::optional<Index> value = number(text);
  if (!value) throw WrongUsage(what + ": '" + text + "' must be an integer that fits 64 bits");
  return *value;
}

std::vector<Index> numbers(const std::string& text, char at, const std::string& what) {
  std::vector<Index> all;
  if (text.empty()) return all;
  for (const std::string& part : split(text, at)) all.push_back(number_of(part, what));
  return all;
}

Value json_in(const std::string& file) {
  const std::string text = read_file(file);
  try {
    return read_json(text);
  } catch (const Error& error) {
    throw UnreadableFile(clean(file) + ": " + error.what());
  }
}

UnstructuredSpec lists_in(const std::string& file) {
  const Value value = json_in(file);
  UnstructuredSpec spec;
  const auto count = value.list_size();
  for (std::size_t i = 0; count && i < *count; ++i) {
    const Value list = value.element(i);
    const auto* indices = list.as<Value::Integers>();
    if (indices == nullptr)
      throw WrongUsage(file + ": must be a JSON list of lists of integers, one for each coordinate, but holds " +
                       list.text());
    spec.lists.push_back(*indices);
  }
  if (!count || *count == 0)
    throw WrongUsage(file + ": must be a JSON list of lists of integers, one for each coordinate");
  return spec;
}

AxisSpec spec_of(const std::string& text) {
  const std::string what = "--dist " + text;
  const std::string rest = text.size() > 2 ? text.substr(2) : "";
  if (text == "*") return whole();
  if (text == "b") return block();
  if (text == "c") return cyclic();
  if (rest.empty() || text[1] != ':')
    throw WrongUsage(what +
                     ": an axis is b, b:0,3,5 (the first index of each coordinate), c, c:k, c:k@src, u:FILE or *");
  if (text[0] == 'b') return block_at(numbers(rest, ',', what));
  if (text[0] == 'u') return lists_in(rest);
  if (text[0] != 'c') throw WrongUsage(what + ": an axis is b, c, u or *");
  const std::vector<std::string> parts = split(rest, '@');
  if (parts.size() > 2) throw WrongUsage(what + ": an axis is c:k or c:k@src");
  return cyclic(number_of(parts[0], what), parts.size() == 2 ? number_of(parts[1], what) : 0);
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
  std::vector<AxisSpec> specs;
  if (text.empty()) return specs;
  std::vector<std::string> axes;
  for (const std::string& part : split(text, ',')) {
    const bool goes_on = !part.empty() && std::isdigit(static_cast<unsigned char>(part[0])) != 0;
    if (goes_on && !axes.empty() && axes.back().compare(0, 2, "b:") == 0)
      axes.back() += "," + part;
    else
      axes.push_back(part);
  }
  for (const std::string& axis : axes) specs.push_back(spec_of(axis));
  return specs;
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
