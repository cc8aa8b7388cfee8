#include "form.hpp"
#include <dap/compare.hpp>
#include <dap/globalarrays/import.hpp>
#include <dap/make.hpp>

#include <algorithm>
#include <utility>

namespace dap::globalarrays {

namespace {

using redistribute::Placed;

}  // namespace

Placed nearest_in(const Placed& placed, const ElementType& type, Index processes, bool leading) {
  std::variant<Form, Finding> answer = form_of(placed, type, processes, leading);
  if (const auto* why = std::get_if<Finding>(&answer)) throw Error(*why);
  return placed;
}

Finding with_nearest(Finding why_not, const Placed&, const ElementType&, Index, bool) { return why_not; }

Placed nearest(const Placed& placed, const ElementType& type, Index processes) {
  return nearest_in(placed, type, processes, true);
}

}  // namespace dap::globalarrays
