#pragma once

#include <cstdint>
#include <string>

namespace examples {

using Index = std::int64_t;

/// The shape of an ESRI ASCII grid and its place on the WGS 84 ellipsoid; row 0 is the northernmost, column 0 the
/// westernmost. Lengths follow J. P. Snyder, Map Projections: A Working Manual, USGS Professional Paper 1395, 1987.
struct GridHeader {
  Index rows = 0, cols = 0;
  double west = 0, south = 0;  ///< outer edges of the westernmost and southernmost cells, degrees
  double cellsize = 0;         ///< degrees, in both directions
  double nodata = -9999;       ///< the value of a cell without data

  double middle_latitude() const;  ///< degrees
  double cell_width() const;       ///< metres west to east at the middle latitude, equation (4-21)
  double cell_height() const;      ///< metres south to north at the middle latitude, equation (4-19)
};

/// A rectangle of cells as two half-open ranges of global indices; either may be empty.
struct Window {
  Index row_begin = 0, row_end = 0, col_begin = 0, col_end = 0;
};

/// Reads the header only. Throws std::runtime_error with the file, the line, what was found and what was expected.
GridHeader read_header(const std::string& path);

/// Reads one window into `out`, row-major and dense: (row_end - row_begin) * (col_end - col_begin) doubles.
///
/// Checks the whole file for any window: it must have the shape of `header`, and every value must be finite. A cell
/// without data is an error only if the window contains it. Throws like read_header(); `out` may then be partly
/// written.
void read_window(const std::string& path, const GridHeader& header, const Window& window, double* out);

/// Writes rows * cols values, row-major, with 17 significant digits, so that reading gives the same doubles.
/// Throws std::runtime_error if a value is not finite or the file cannot be written.
void write_grid(const std::string& path, const GridHeader& header, const double* values);

}  // namespace examples
