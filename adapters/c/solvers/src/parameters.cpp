#include "parameters.hpp"

#include <tridap/detail/refuse.hpp>

#include <Teuchos_XMLParameterListCoreHelpers.hpp>

#include <charconv>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace tridap::c {

namespace {

constexpr const char* form = "write for example \"Num Blocks=50; Orthogonalization=ICGS\"";

std::string trimmed(const std::string& text) {
  const char* const blanks = " \t\r";
  const auto first = text.find_first_not_of(blanks);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// The entries of a text; those between double quotes may contain separators.
std::vector<std::string> entries_of(const std::string& text) {
  std::vector<std::string> entries(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == ';' || c == '\n'))
      entries.emplace_back();
    else
      entries.back() += c;
  }
  return entries;
}

std::optional<Index> integer_in_text(const std::string& text) {
  Index number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::optional<double> number_in_text(const std::string& text) {
  if (text.find_first_not_of("0123456789+-.eEdD") != std::string::npos) return std::nullopt;
  std::string point = text;
  for (char& c : point)
    if (c == 'd' || c == 'D') c = 'e';  // as Fortran writes it
  std::istringstream stream(point);
  stream.imbue(std::locale::classic());
  double number = 0;
  if (!(stream >> number) || !stream.eof()) return std::nullopt;
  return number;
}

void set(Teuchos::ParameterList& list, const std::string& key, const std::string& value, const char* name) {
  if (value == "true" || value == "false") {
    list.set(key, value == "true");
  } else if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
    list.set(key, value.substr(1, value.size() - 2));
  } else if (const std::optional<Index> integer = integer_in_text(value)) {
    if (*integer < std::numeric_limits<int>::min() || *integer > std::numeric_limits<int>::max())
      refuse_key(name, value, "must fit 32 bits, as Trilinos' integers", "write a smaller number, or 1e10 for a real");
    list.set(key, static_cast<int>(*integer));
  } else if (const std::optional<double> number = number_in_text(value)) {
    list.set(key, *number);
  } else {
    list.set(key, value);
  }
}

Teuchos::ParameterList list_in_xml(const std::string& text, const char* name) {
  try {
    return *Teuchos::getParametersFromXmlString(text);
  } catch (const std::exception&) {
    refuse_key(name, "a text that begins with '<'", "must be a ParameterList of Teuchos in XML",
               "write for example <ParameterList><Parameter name=\"Num Blocks\" type=\"int\" value=\"50\"/>"
               "</ParameterList>");
  }
}

}  // namespace

Teuchos::ParameterList parameters_in(const char* text, const char* name) {
  Teuchos::ParameterList list(name);
  if (text == nullptr) return list;
  const std::string all = text;
  if (const auto first = all.find_first_not_of(" \t\r\n"); first != std::string::npos && all[first] == '<') {
    list.setParameters(list_in_xml(all, name));
    return list;
  }
  for (const std::string& entry : entries_of(all)) {
    if (trimmed(entry).empty()) continue;
    const auto sign = entry.find('=');
    if (sign == std::string::npos) refuse_key(name, "'" + trimmed(entry) + "'", "must be name=value", form);
    Teuchos::ParameterList* inner = &list;
    std::string key = trimmed(entry.substr(0, sign));
    for (auto slash = key.find('/'); slash != std::string::npos; slash = key.find('/')) {
      inner = &inner->sublist(trimmed(key.substr(0, slash)));
      key = trimmed(key.substr(slash + 1));
    }
    if (key.empty()) refuse_key(name, "'" + trimmed(entry) + "'", "must have a name before '='", form);
    set(*inner, key, trimmed(entry.substr(sign + 1)), name);
  }
  return list;
}

}  // namespace tridap::c
