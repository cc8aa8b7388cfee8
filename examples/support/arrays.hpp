#pragma once

#include <dap/dist_array.hpp>
#include <dap/make.hpp>

#include <functional>

namespace examples {

/// One process's part of an array of doubles: row-major, zero, in memory of its own.
dap::DistArray make_array(const dap::Distribution& distribution, dap::Index process);

/// Sets each element that is here, padding too, to `value(i, j)` of its global indices.
void fill(const dap::DistArray& array, const std::function<double(double i, double j)>& value);

/// What make_array() makes of two axes, but column-major: `gap` elements, each `filler`, stand after each column.
dap::DistArray make_columns(const dap::Distribution& distribution, dap::Index process, dap::Index gap, double filler);

/// Whether the space after each column of what make_columns() made still holds `filler`. Local.
bool gaps_hold(const dap::DistArray& columns, double filler);

}  // namespace examples
