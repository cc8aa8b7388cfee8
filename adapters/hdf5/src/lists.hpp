#pragma once

#include "layout.hpp"
#include <tridap/flat_numbers.hpp>

#include <hdf5.h>
#include <mpi.h>

#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::hdf5 {

/// The group of a file with the datasets of lists: "__dim_data__/NAME/AXIS" has the lists of one axis of the array
/// NAME, one after the other.
inline constexpr const char* lists_group = "__dim_data__";

/// Whether a dataset with this name has lists, and no array.
bool is_name_of_lists(const std::string& name);
/// Gives each unstructured axis the name of its dataset.
void name_lists(Layout& layout, const std::string& array);

/// Whether positions in the file are not the indices themselves; see Distribution::slabs().
bool is_compact(const Axis& axis);
/// Where this process's own elements are in a file, along compact axes that are in the directory form; null: there are
/// none. **Collective** if there are some, on every process. Throws the same Error on every process or on none.
PositionsOfAxes known_positions(const Distribution& distribution, MPI_Comm comm);

/// Makes the datasets of the lists, or keeps those of the right length, and writes the lists of `distribution` that
/// this process has all. Local, on rank 0 alone.
void write_lists(hid_t file, const Layout& layout, const Distribution& distribution);

/// Throws Error unless the dataset of the lists of an axis has as many integers as they have. Local.
void need_lists(hid_t file, const AxisLayout& layout, Index axis);
/// All lists of an axis. Local.
std::vector<Index> read_lists(hid_t file, const AxisLayout& layout, Index axis);

}  // namespace tridap::hdf5

#pragma GCC visibility pop
