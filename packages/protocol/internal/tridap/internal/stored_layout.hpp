#pragma once

#include <tridap/distribution.hpp>
#include <tridap/make.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

/// How an array on disk states its distribution: in attributes of HDF5 and of zarr.
namespace tridap::stored_layout {

/// The names of the attributes.
inline constexpr const char* version_attribute = "__version__";
inline constexpr const char* dim_data_attribute = "dim_data";
inline constexpr const char* bounds_attribute = "axis_bounds";
inline constexpr const char* padding_attribute = "axis_padding";

/// What a file says of one axis, for all its coordinates. A structure may be wrong; axis_of() checks it.
struct AxisLayout {
  char dist_type = 'b';
  Index size = 0, proc_grid_size = 1;
  bool periodic = false;
  Index block_size = 1;  ///< blocks: the length of every share except the last ones, if there are no bounds; cyclic
  Index first = 0;       ///< cyclic: the coordinate of index 0
  bool one_to_one = false;
  std::array<Index, 2> extremes{0, -1};  ///< lists: the smallest and the largest index
  std::string indices;                   ///< lists: the dataset that has them, one after the other
  /// One more than coordinates: where the share of each begins and ends, or its list in the dataset. Empty for equal
  /// blocks, and cyclic axes.
  std::vector<Index> bounds;
  std::vector<Index> padding;               ///< blocks: two widths for each coordinate; empty without padding
  std::optional<std::vector<Index>> lists;  ///< the content of the dataset, where it was read

  Index total() const { return bounds.empty() ? 0 : bounds.back(); }  ///< the length of all lists
  /// Lists with an index that cannot be a position in the file: it is negative, or not below the size. The positions
  /// of such an axis are those among the sorted indices; see Distribution::slabs().
  bool is_compact() const { return total() > 0 && (extremes[0] < 0 || extremes[1] >= size); }
};

using Layout = std::vector<AxisLayout>;

/// The layout of a distribution, without the lists.
Layout layout_of(const Distribution& distribution);

/// What the attribute `dim_data` says: JSON, with a dictionary for each axis. Bounds, padding and lists are not in it.
std::string layout_text(const Layout& layout);
/// The layout of such a text. Throws Error if it is not one.
Layout read_layout(const std::string& text);

/// Throws Error unless bounds and padding fit the axes. Then the numbers of the coordinates are known to be right for
/// lists, which axis_of() checks.
void need_bounds(const Layout& layout);
/// One axis, after need_bounds(). It has its lists. Throws Error if the file describes none.
Axis axis_of(const AxisLayout& layout, Index axis);
/// Axes of the same kinds for any number of processes: blocks in place of lists.
std::vector<AxisSpec> specs_of(const Layout& layout);

/// Axes of these kinds over any number of processes. Padding is left out if it does not fit them; blocks if there are
/// no specs, or if they do not fit at all.
Distribution default_of(const std::vector<Index>& shape, std::vector<AxisSpec> specs, Index processes);
/// Where the share of each coordinate of a block axis begins, and its end: one number more than coordinates.
std::vector<Index> borders_of(const AxisLayout& layout);

/// Whether the attribute `dim_data` has the older form: for each axis the dictionaries of all coordinates.
bool has_dictionaries(const std::string& text);
/// The Distribution of a text of the older form. Throws Error if it is not one.
Distribution read_dictionaries(const std::string& version, const std::string& text);

}  // namespace tridap::stored_layout
