#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/make.hpp>

#include <functional>

namespace examples {

/// One process's part of an array of doubles: row-major, zero, in new memory.
tridap::DistArray make_array(const tridap::Distribution& distribution, tridap::Index process);

/// Sets each local element, padding included, to `value(i, j)` of its global indices.
void fill(const tridap::DistArray& array, const std::function<double(double i, double j)>& value);

/// Like make_array() for two axes, but column-major, with `gap` elements of value `filler` after each column.
tridap::DistArray make_columns(const tridap::Distribution& distribution, tridap::Index process, tridap::Index gap,
                               double filler);

/// Whether the elements after each column of an array from make_columns() still are `filler`. Local.
bool gaps_hold(const tridap::DistArray& columns, double filler);

}  // namespace examples
