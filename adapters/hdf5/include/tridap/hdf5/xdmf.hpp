#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tridap::hdf5 {

/// What the numbers of a file mean in space: for the XDMF file beside it, a small file in XML that ParaView and VisIt
/// open. The arrays have one to three axes, of which the last is x, then y, then z.
///
/// Example: values of the cells of a grid of 200 x 100 squares of 30 m.
///
///     Xdmf cells;
///     cells.spacing = {{30, 30}};  // along y, along x
///     cells.centers = Xdmf::Centers::cells;
///     options.xdmf = cells;        // of SaveOptions
struct Xdmf {
  enum class Centers { points, cells };

  /// Of a uniform grid: where its first point is, and how far its points are from one another, one number for each axis
  /// of the arrays, in their order. Absent: 0, and 1.
  std::optional<std::vector<double>> origin = {}, spacing = {};
  /// Of a curvilinear grid: the names of the saved arrays with x, y and z of its points (two: z is 0), or of one array
  /// whose last axis has the three. Of coordinates that were saved in some steps only, a step has the latest ones.
  std::vector<std::string> coordinates = {};
  /// What the values are of. An axis has one cell less than points, and the arrays have the extents of the cells.
  Centers centers = Centers::points;
  bool vectors =
      false;  ///< the last axis has the two or three components of a vector, x first; the others are of space
  /// The first axis is x, then y, then z, as in Fortran. XDMF has x last: save() writes the coordinates of all points
  /// as one more array, `__points__`, of 24 bytes for each point. write_xdmf() uses that array.
  bool x_first = false;
};

/// Writes the XDMF file for datasets of an HDF5 file, whichever program wrote that, beside it: "run.xdmf" for "run.h5".
/// It shows the datasets of these names; all, if there are none. Of an array that was saved step by step it shows all
/// steps. It gets its name when it is complete. Returns the name. Local. Throws Error if ParaView cannot show one of
/// the datasets.
std::string write_xdmf(const std::string& path, const std::vector<std::string>& names = {}, const Xdmf& options = {});

}  // namespace tridap::hdf5
