#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace examples {

using Index = std::int64_t;

/// The meaning of a field's colours.
enum class Colors {
  terrain,  ///< elevation, from the lowest to the highest value of both fields
  waves,    ///< the height of water: blue below 0, white at 0, red above, to the largest height of both fields, in
            ///< proportion to the square root
};

/// Where lines are drawn between the parts of processes: the first row and the first column of each part except the
/// first one.
struct Borders {
  std::vector<Index> rows, cols;
};

/// Draws two elevation fields side by side as a PNG, with lines between processes. Both have the same colour scale, and
/// hillshade by a sun in the north-west, 45 degrees above the horizon.
///
/// The fields are row-major and dense, row 0 in the north. Elevations and the sides of a cell, `dx` (west to east) and
/// `dy` (south to north), are in metres. A panel has the proportions of the ground; the shorter side of a cell is 2
/// pixels. Example: 6 x 10 cells of 50 m x 100 m make panels 20 pixels wide and 24 high. The margins around and between
/// the panels are 12 pixels. The margin above is 30 pixels, with the captions "before" and "after". Below the panels
/// are 42 pixels with the colours of level ground, from the lowest to the highest value in metres. Numbers are left out
/// if there is no room for them.
///
/// The file is written completely or not at all. Throws std::runtime_error with the path and the reason if a field is
/// empty, not finite or too large for a picture, or the file cannot be written.
void write_before_after(const std::string& path, Index rows, Index cols, double dx, double dy, const double* before,
                        const double* after, Colors colors = Colors::terrain, const Borders& borders = {});

}  // namespace examples
