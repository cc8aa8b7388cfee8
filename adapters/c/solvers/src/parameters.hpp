#pragma once

#include <Teuchos_ParameterList.hpp>

#pragma GCC visibility push(hidden)

namespace tridap::c {

/// The parameter list that a text of tridap_solve_options describes; empty for NULL. `name` is that of the argument.
/// Throws Error if the text is wrong. Local.
Teuchos::ParameterList parameters_in(const char* text, const char* name);

}  // namespace tridap::c

#pragma GCC visibility pop
