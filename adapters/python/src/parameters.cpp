#include "parameters.hpp"

#include "value.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/report.hpp>

#include <algorithm>
#include <limits>
#include <locale>
#include <sstream>

namespace tridap::python {

namespace {

// Adds the entries in the order of their names, so that equal dicts become equal lists on all processes.
void add(Teuchos::ParameterList& list, Value::Dict dict, const std::string& path) {
  std::sort(dict.begin(), dict.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
  for (const Entry& entry : dict) {
    const std::string name = path + "[" + entry.key + "]";
    if (!entry.text)
      refuse_key(name, entry.key, "must have names that are text", "give a bool, int, float, str or dict");
    const Value& value = entry.value;
    if (const auto* inner = value.as<Value::Dict>()) {
      add(list.sublist(entry.key), *inner, name);
    } else if (const auto* flag = value.as<bool>()) {
      list.set(entry.key, *flag);
    } else if (const auto* number = value.as<double>()) {
      list.set(entry.key, *number);
    } else if (const auto* text = value.as<std::string>()) {
      list.set(entry.key, *text);
    } else if (const auto* integer = value.as<Index>()) {  // Trilinos' integers are int
      if (*integer < std::numeric_limits<int>::min() || *integer > std::numeric_limits<int>::max())
        refuse_key(name, value.text(), "must fit 32 bits, as Trilinos' integers",
                   "give a bool, int, float, str or dict");
      list.set(entry.key, static_cast<int>(*integer));
    } else {
      refuse_key(name, value.text(), "is nothing that a parameter list holds", "give a bool, int, float, str or dict");
    }
  }
}

}  // namespace

Teuchos::ParameterList parameters(const py::object& dict, const std::string& name) {
  const Value value = to_value(dict);
  Teuchos::ParameterList list(name);
  if (const auto* entries = value.as<Value::Dict>())
    add(list, *entries, name);
  else if (!value.is_null())
    refuse_key(name, value.text(), "must be a dict", "give a bool, int, float, str or dict");
  return list;
}

std::string described(const Teuchos::ParameterList& list) {
  std::string all;
  for (auto i = list.begin(); i != list.end(); ++i) {
    const Teuchos::ParameterEntry& entry = list.entry(i);
    std::ostringstream text;
    text.imbue(std::locale::classic());
    if (entry.isList())
      text << "{" << described(Teuchos::getValue<Teuchos::ParameterList>(entry)) << "}";
    else
      text << std::hexfloat << entry.getAny(false).typeName() << " " << entry.getAny(false);
    all += list.name(i) + "=" + text.str() + "\n";
  }
  return all;
}

}  // namespace tridap::python
