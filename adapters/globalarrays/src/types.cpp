#include "types.hpp"

#include "ga.hpp"
#include "named.hpp"
#include <tridap/globalarrays/export.hpp>

#include <complex>
#include <map>
#include <vector>

namespace tridap::globalarrays {

namespace {

struct Known {
  int number;
  ElementType type;
};

// GA's own. Types of C that are one type have its first number.
const std::vector<Known>& built_in_types() {
  static const auto& types = *new std::vector<Known>{{C_INT, element_type<int>()},
                                                     {C_LONG, element_type<long>()},
                                                     {C_LONGLONG, element_type<long long>()},
                                                     {C_FLOAT, element_type<float>()},
                                                     {C_DBL, element_type<double>()},
                                                     {C_SCPL, element_type<std::complex<float>>()},
                                                     {C_DCPL, element_type<std::complex<double>>()}};
  return types;
}

// By GA's number. GA keeps them as long as the process lives, even if GA ends and begins again, and has room for
// 239.
std::map<int, ElementType>& registered() {
  static auto* const types = new std::map<int, ElementType>;
  return *types;
}

}  // namespace

std::optional<int> built_in(const ElementType& type) {
  for (const Known& known : built_in_types())
    if (known.type.is_like(type)) return known.number;
  return std::nullopt;
}

int ga_type(const ElementType& type) {
  if (const std::optional<int> known = built_in(type)) return *known;
  for (const auto& [number, other] : registered())
    if (other == type) return number;
  const int number = NGA_Register_type(static_cast<std::size_t>(type.bytes));
  if (number < 0)
    refuse("Global Arrays cannot register another type, " + type.name(), "",
           "deregister types of your own that are not used");
  registered()[number] = type;
  return number;
}

const ElementType* built_in_type(int number) {
  for (const Known& known : built_in_types())
    if (known.number == number) return &known.type;
  return nullptr;
}

const ElementType* element_type_of(int number) {
  if (const ElementType* const known = built_in_type(number)) return known;
  const auto found = registered().find(number);
  return found == registered().end() ? nullptr : &found->second;
}

void name_type(int number, const ElementType& type) {
  const ElementType* const known = element_type_of(number);
  if (known != nullptr && *known != type)
    refuse("GA's type " + std::to_string(number) + " is " + known->name() + ", not " + type.name(), "",
           "register another type for it");
  if (type.bytes < 1)
    refuse("the element type has " + std::to_string(type.bytes) + " bytes", "must have at least 1", "give its length");
  if (known == nullptr) registered()[number] = type;
}

}  // namespace tridap::globalarrays
