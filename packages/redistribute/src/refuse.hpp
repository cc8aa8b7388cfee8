#pragma once

#include <tridap/report.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace tridap::redistribute {

/// Throws what cannot be redistributed: the fault, what it must be, the remedy and the axis, the latter three where
/// known.
[[noreturn]] inline void refuse(std::string fault, std::string must, std::string remedy = "",
                                std::optional<Index> axis = {}) {
  throw Error(Finding{Rule::conversion, {}, axis, "", std::move(fault), std::move(must), std::move(remedy)});
}

/// A number that is at least 0 as a position in a container.
inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace tridap::redistribute
