#pragma once

#include <cstdint>
#include <string>

namespace examples {

using Index = std::int64_t;

/// What a field's colours say.
enum class Colors {
  terrain,  ///< elevation, from the lowest to the highest value of both fields
  waves,    ///< the height of water: blue below 0, white at 0, red above, to the largest height of both fields, in
            ///< proportion to the square root
};

/// Draws two elevation fields side by side as a PNG: hillshade under a sun in the north-west, 45 degrees high, over
/// colours on one scale for both.
///
/// The fields are row-major and dense, row 0 in the north; elevations and a cell's sides `dx` (west to east) and `dy`
/// (south to north) are metres. A panel keeps the ground's proportions, the shorter side of a cell being 2 pixels: 6 x
/// 10 cells of 50 m x 100 m make panels 20 pixels wide and 24 high. The margins round and between the panels are 12
/// pixels, the one above 30, with the captions "before" and "after".
///
/// The file appears whole or not at all. Throws std::runtime_error with the path and the reason where a field is empty,
/// not finite or too large for a picture, or the file cannot be written.
void write_before_after(const std::string& path, Index rows, Index cols, double dx, double dy, const double* before,
                        const double* after, Colors colors = Colors::terrain);

}  // namespace examples
