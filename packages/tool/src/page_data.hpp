#pragma once

#include <tridap/draw_html.hpp>

#pragma GCC visibility push(hidden)

namespace tridap::drawing {

/// How an array is distributed, as JSON for packages/tool/page/layout.js.
std::string page_array(const PageArray& array);

/// What moves from one array to another, as JSON for packages/tool/page/moves.js: {"axes": ...}, or {"why": ...} if
/// the page cannot show it.
std::string page_moves(const PageArray& source, const PageArray& target);

/// A number that JavaScript reads exactly: in quotes if a double may not hold it.
std::string page_number(Index number);

}  // namespace tridap::drawing

#pragma GCC visibility pop
