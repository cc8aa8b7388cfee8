#include "names.hpp"

#include <tridap/detail/refuse.hpp>
#include <tridap/internal/misspelt.hpp>

#include <algorithm>
#include <cctype>

namespace tridap::solvers {

std::string upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string nearest(const std::string& name, const std::vector<std::string>& names) {
  const std::string wanted = upper_case(name);
  for (const std::string& other : names)  // "degree": "chebyshev: degree"
    if (wanted.size() > 2 && upper_case(other).find(wanted) != std::string::npos) return other;
  return misspelt(name, names);
}

void check_against(Teuchos::ParameterList& given, const Teuchos::ParameterList& valid,
                   const std::vector<std::string>& ours, const std::string& of) {
  std::vector<std::string> names;
  for (auto entry = valid.begin(); entry != valid.end(); ++entry)
    if (std::find(ours.begin(), ours.end(), valid.name(entry)) == ours.end()) names.push_back(valid.name(entry));
  for (auto entry = given.begin(); entry != given.end(); ++entry) {
    const std::string name = given.name(entry);
    if (std::find(ours.begin(), ours.end(), name) != ours.end())
      refuse("the parameter '" + name + "' is not taken", "",
             name.find("Output") == 0 || name == "Verbosity" ? "leave it out: solvers print nothing"
                                                             : "use tol and maxiter instead");
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      std::string all;
      for (const std::string& known : names) all += (all.empty() ? "'" : ", '") + known + "'";
      const std::string like = nearest(name, names);
      refuse("the parameter '" + name + "' is unknown", "must be one of " + all + " for " + of,
             like.empty() ? "leave it out" : "did you mean '" + like + "'?");
    }
    const Teuchos::ParameterEntry &value = entry->second, &expected = valid.getEntry(name);
    if (value.isType<int>() && expected.isType<double>()) {
      given.set(name, static_cast<double>(given.get<int>(name)));
    } else if (value.isList() != expected.isList() ||
               (!value.isList() && value.getAny(false).type() != expected.getAny(false).type())) {
      refuse("the parameter '" + name + "' is of type " + value.getAny(false).typeName(),
             "must be of type " + expected.getAny(false).typeName(), "see Belos' documentation");
    }
  }
}

}  // namespace tridap::solvers
