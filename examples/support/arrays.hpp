#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/make.hpp>

#include <functional>

namespace examples {

/// One process's part of an array of doubles: row-major, zero, in memory of its own.
tridap::DistArray make_array(const tridap::Distribution& distribution, tridap::Index process);

/// Sets each element that is here, padding too, to `value(i, j)` of its global indices.
void fill(const tridap::DistArray& array, const std::function<double(double i, double j)>& value);

/// What make_array() makes of two axes, but column-major: `gap` elements, each `filler`, stand after each column.
tridap::DistArray make_columns(const tridap::Distribution& distribution, tridap::Index process, tridap::Index gap,
                               double filler);

/// Whether the space after each column of what make_columns() made still holds `filler`. Local.
bool gaps_hold(const tridap::DistArray& columns, double filler);

}  // namespace examples
