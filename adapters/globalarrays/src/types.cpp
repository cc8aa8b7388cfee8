#include "types.hpp"

#include "ga.hpp"
#include "named.hpp"
#include <tridap/globalarrays/export.hpp>

#include <map>

namespace tridap::globalarrays {

namespace {

using Kind = ElementType::Kind;

// By GA's number. GA keeps them as long as the process lives, even if GA ends and begins again, and has room for
// 239.
std::map<int, ElementType>& registered() {
  static auto* const types = new std::map<int, ElementType>;
  return *types;
}

}  // namespace

std::optional<int> built_in(const ElementType& type) {
  if (!type.native_order) return std::nullopt;
  const auto is = [&](Kind kind, Index bytes) { return type.kind == kind && type.bytes == bytes; };
  if (is(Kind::signed_integer, sizeof(int))) return C_INT;
  if (is(Kind::signed_integer, sizeof(long))) return C_LONG;
  if (is(Kind::signed_integer, sizeof(long long))) return C_LONGLONG;
  if (is(Kind::floating, sizeof(float))) return C_FLOAT;
  if (is(Kind::floating, sizeof(double))) return C_DBL;
  if (is(Kind::complex, 2 * sizeof(float))) return C_SCPL;
  if (is(Kind::complex, 2 * sizeof(double))) return C_DCPL;
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
  static const ElementType types[] = {element_type<int>(),
                                      element_type<long>(),
                                      element_type<float>(),
                                      element_type<double>(),
                                      element_type<std::complex<float>>(),
                                      element_type<std::complex<double>>(),
                                      element_type<long long>()};
  switch (number) {
    case C_INT:
      return &types[0];
    case C_LONG:
      return &types[1];
    case C_FLOAT:
      return &types[2];
    case C_DBL:
      return &types[3];
    case C_SCPL:
      return &types[4];
    case C_DCPL:
      return &types[5];
    case C_LONGLONG:
      return &types[6];
    default:
      return nullptr;
  }
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
