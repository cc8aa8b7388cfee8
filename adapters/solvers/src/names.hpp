#pragma once

#include <Teuchos_ParameterList.hpp>

#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::solvers {

std::string upper_case(std::string text);

/// The name of `names` that a misspelt name probably means; empty: none is like it.
std::string nearest(const std::string& name, const std::vector<std::string>& names);

/// Throws Error if a parameter is not one of `valid`, or has another type. An int becomes a double where one is needed.
/// `ours`: names that other options set. Local.
void check_against(Teuchos::ParameterList& given, const Teuchos::ParameterList& valid,
                   const std::vector<std::string>& ours, const std::string& of);

}  // namespace tridap::solvers

#pragma GCC visibility pop
