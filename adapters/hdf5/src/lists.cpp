#include "lists.hpp"

#include "file.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/own_positions.hpp>
#include <tridap/internal/spread_lists.hpp>
#include <tridap/text.hpp>

#include <algorithm>

namespace tridap::hdf5 {

namespace {

constexpr std::size_t most_at_once = std::size_t{1} << 16;  // indices that pass through memory of our own

Handle integers_of(hid_t file, const AxisLayout& layout, Index axis) {
  const auto refuse_lists = [&](const std::string& what, const std::string& must) {
    refuse("the dataset '" + clean(layout.indices) + "' with the lists of the axis " + what, must,
           "save the array again, or remove its attribute 'dim_data'", axis);
  };
  bool there = false;
  {
    const QuietErrors errors;
    there = H5Oexists_by_name(file, layout.indices.c_str(), H5P_DEFAULT) > 0;
  }
  if (!there) refuse_lists("is missing", "must be in the file");
  Handle dataset = open_dataset(file, layout.indices);
  const Handle type = made("H5Dget_type", &H5Tclose, [&] { return H5Dget_type(dataset); });
  const Handle space = made("H5Dget_space", &H5Sclose, [&] { return H5Dget_space(dataset); });
  if (H5Tget_class(type) != H5T_INTEGER) refuse_lists("has other elements", "must have integers");
  hsize_t extent = 0;
  const bool is_line = H5Sget_simple_extent_ndims(space) == 1;
  if (is_line) call("H5Sget_simple_extent_dims", [&] { return H5Sget_simple_extent_dims(space, &extent, nullptr); });
  if (!is_line || extent != static_cast<hsize_t>(layout.total()))
    refuse_lists(is_line ? "has " + std::to_string(extent) + " indices" : "is no list",
                 "must have " + std::to_string(layout.total()) + ", as 'axis_bounds' says");
  return dataset;
}

// Writes one list after the other, many at once.
class ListWriter {
 public:
  explicit ListWriter(hid_t dataset) : dataset_(dataset) {
    space_ = made("H5Dget_space", &H5Sclose, [&] { return H5Dget_space(dataset_); });
  }
  void add(const std::vector<Index>& list) {
    for (std::size_t begin = 0; begin < list.size();) {
      const std::size_t end = std::min(list.size(), begin + most_at_once - piece_.size());
      piece_.insert(piece_.end(), list.begin() + static_cast<std::ptrdiff_t>(begin),
                    list.begin() + static_cast<std::ptrdiff_t>(end));
      begin = end;
      if (piece_.size() == most_at_once) flush();
    }
  }
  void flush() {
    if (piece_.empty()) return;
    const auto count = static_cast<hsize_t>(piece_.size());
    call("H5Sselect_hyperslab",
         [&] { return H5Sselect_hyperslab(space_, H5S_SELECT_SET, &done_, nullptr, &count, nullptr); });
    const Handle memory = made("H5Screate_simple", &H5Sclose, [&] { return H5Screate_simple(1, &count, nullptr); });
    call("H5Dwrite", [&] { return H5Dwrite(dataset_, H5T_NATIVE_INT64, memory, space_, H5P_DEFAULT, piece_.data()); });
    done_ += count;
    piece_.clear();
  }

 private:
  hid_t dataset_;
  Handle space_;
  std::vector<Index> piece_;
  hsize_t done_ = 0;
};

// A dataset of the right length that is in the file, or a new one.
Handle dataset_of(hid_t file, const AxisLayout& layout, Index axis) {
  const char* const name = layout.indices.c_str();
  const QuietErrors errors;
  if (H5Oexists_by_name(file, name, H5P_DEFAULT) > 0) {
    try {
      return integers_of(file, layout, axis);
    } catch (const Error&) {  // of another distribution
      call("H5Ldelete", [&] { return H5Ldelete(file, name, H5P_DEFAULT); });
    }
  }
  const Handle groups = made("H5Pcreate", &H5Pclose, [] { return H5Pcreate(H5P_LINK_CREATE); });
  call("H5Pset_create_intermediate_group", [&] { return H5Pset_create_intermediate_group(groups, 1); });
  const Handle list = made("H5Pcreate", &H5Pclose, [] { return H5Pcreate(H5P_DATASET_CREATE); });
  call("H5Pset_alloc_time", [&] { return H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY); });
  call("H5Pset_fill_time", [&] { return H5Pset_fill_time(list, H5D_FILL_TIME_NEVER); });
  call("H5Pset_obj_track_times", [&] { return H5Pset_obj_track_times(list, false); });
  const auto count = static_cast<hsize_t>(layout.total());
  const Handle space = made("H5Screate_simple", &H5Sclose, [&] { return H5Screate_simple(1, &count, nullptr); });
  return made("H5Dcreate", &H5Dclose,
              [&] { return H5Dcreate2(file, name, H5T_STD_I64LE, space, groups, list, H5P_DEFAULT); });
}

}  // namespace

bool is_name_of_lists(const std::string& name) {
  const std::string group = lists_group;
  return name.compare(0, group.size(), group) == 0 && (name.size() == group.size() || name[group.size()] == '/');
}

void name_lists(Layout& layout, const std::string& array) {
  for (std::size_t i = 0; i < layout.size(); ++i)
    if (layout[i].dist_type == 'u')
      layout[i].indices = "/" + std::string(lists_group) + "/" + array + "/" + std::to_string(i);
}

bool is_compact(const Axis& axis) {
  const auto extremes = axis.extremes();
  return axis.dist_type() == 'u' && extremes && ((*extremes)[0] < 0 || (*extremes)[1] >= axis.size());
}

PositionsOfAxes known_positions(const Distribution& distribution, MPI_Comm comm) {
  for (Index i = 0; i < distribution.ndim(); ++i)
    if (own_of(distribution.axis(i)) != nullptr && is_compact(distribution.axis(i)))
      return mpi::own_positions(distribution, comm);
  return nullptr;
}

void write_lists(hid_t file, const Layout& layout, const Distribution& distribution) {
  for (Index i = 0; i < distribution.ndim(); ++i) {
    const auto* const lists = distribution.axis(i).unstructured();
    if (lists == nullptr) continue;
    const Handle dataset = dataset_of(file, layout[static_cast<std::size_t>(i)], i);
    if (lists->own() != nullptr) continue;
    ListWriter writer(dataset);
    for (Index c = 0; c < lists->grid(); ++c) writer.add(lists->list(c));
    writer.flush();
  }
}

void need_lists(hid_t file, const AxisLayout& layout, Index axis) { integers_of(file, layout, axis); }

std::vector<Index> read_lists(hid_t file, const AxisLayout& layout, Index axis) {
  const Handle dataset = integers_of(file, layout, axis);
  std::vector<Index> all(static_cast<std::size_t>(layout.total()));
  if (!all.empty())
    call("H5Dread", [&] { return H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()); });
  return all;
}

}  // namespace tridap::hdf5
