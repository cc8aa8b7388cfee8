#include <tridap/internal/axis_texts.hpp>
#include <tridap/report.hpp>
#include <tridap/text.hpp>
#include <tridap/value.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace tridap {

namespace {

UnstructuredSpec lists_in(const std::string& file, const ReadFile& read) {
  const std::string content = read(file), must = ": must be a JSON list of lists of integers, one for each coordinate";
  const Value value = [&] {
    try {
      return read_json(content);
    } catch (const Error& error) {
      throw NoLists(clean(file) + ": " + error.what() + must);
    }
  }();
  UnstructuredSpec spec;
  const std::size_t count = value.list_size().value_or(0);
  if (count == 0) throw NoLists(clean(file) + must);
  for (std::size_t i = 0; i < count; ++i) {
    const Value list = value.element(i);
    const auto* indices = list.as<Value::Integers>();
    if (indices == nullptr)
      throw NoLists(clean(file) +
                    ": must be a JSON list of lists of integers that fit 64 bits, one for each coordinate, " +
                    "but holds " + list.text());
    spec.lists.push_back(*indices);
  }
  return spec;
}

}  // namespace

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

std::optional<Index> integer_in(const std::string& text) {
  Index value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || text.empty()) return std::nullopt;
  return value;
}

std::optional<std::string> axis_text(const Axis& axis) {
  if (axis.unstructured() != nullptr) return std::nullopt;
  const Index grid = axis.proc_grid_size();
  if (const auto* const cyclic = axis.cyclic()) {
    std::string text = "c";
    const Index first = axis.owner(0).value_or(0);
    if (cyclic->block_size() != 1 || first != 0) text += ":" + std::to_string(cyclic->block_size());
    if (first != 0) text += "@" + std::to_string(first);
    return text;
  }
  if (grid == 1) return "*";
  const Index length = axis.size() / grid + (axis.size() % grid != 0 ? 1 : 0);
  bool even = true;
  std::string starts;
  Index start = 0;
  for (Index c = 0; c < grid; ++c) {
    even = even && start == std::min(c * length, axis.size());
    starts += (c > 0 ? "," : ":") + std::to_string(start);
    start += axis.count(c);
  }
  return even ? "b" : "b" + starts;
}

AxisSpec axis_named(const std::string& text, const ReadFile& read) {
  const auto number = [&](const std::string& part) {
    if (const std::optional<Index> found = integer_in(part)) return *found;
    throw NotAnAxis(text, "'" + part + "' must be an integer that fits 64 bits");
  };
  if (text == "*" || text == "n") return whole();
  if (text == "b") return block();
  if (text == "c") return cyclic();
  const std::string rest = text.size() > 2 && text[1] == ':' ? text.substr(2) : "";
  if (!rest.empty() && text[0] == 'b') {
    std::vector<Index> starts;
    for (const std::string& part : split(rest, ',')) starts.push_back(number(part));
    return block_at(std::move(starts));
  }
  if (!rest.empty() && text[0] == 'u') return lists_in(rest, read);
  if (!rest.empty() && text[0] == 'c') {
    const std::vector<std::string> parts = split(rest, '@');
    if (parts.size() > 2) throw NotAnAxis(text, "an axis is c:k or c:k@src");
    return cyclic(number(parts[0]), parts.size() == 2 ? number(parts[1]) : 0);
  }
  throw NotAnAxis(text, "an axis is b, b:0,3,5 (the first index of each coordinate), c, c:k, c:k@src, u:FILE or *");
}

std::vector<AxisSpec> axes_named(const std::string& text, const ReadFile& read) {
  if (text.empty()) return {};
  std::vector<std::string> axes;
  for (const std::string& part : split(text, ',')) {
    const bool goes_on = !part.empty() && std::isdigit(static_cast<unsigned char>(part[0])) != 0;
    if (goes_on && !axes.empty() && axes.back().compare(0, 2, "b:") == 0)
      axes.back() += "," + part;
    else
      axes.push_back(part);
  }
  std::vector<AxisSpec> specs;
  for (const std::string& axis : axes) specs.push_back(axis_named(axis, read));
  return specs;
}

}  // namespace tridap
