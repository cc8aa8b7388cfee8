#include "xdmf.hpp"

#include "attributes.hpp"
#include "file.hpp"
#include <tridap/check.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/hdf5/stored.hpp>
#include <tridap/internal/state.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

namespace tridap::hdf5 {

namespace {

constexpr Index most_times = 8000;  // an attribute of HDF5 has at most 64 KiB

void need_finite(const char* key, const std::optional<std::vector<double>>& given) {
  if (!given) return;
  for (const double number : *given)
    if (!std::isfinite(number)) refuse_key(key, number_text(number), "must be finite", "give numbers");
}

// The name of the XDMF file of an HDF5 file.
std::string name_beside(const std::string& path) {
  std::filesystem::path beside(path);
  const std::string file = beside.filename().string();
  if (clean(file) != file || file.find_first_of(":|") != std::string::npos)
    refuse_key("path", clean(path),
               "the name of a file that ParaView opens by XDMF has no ':', '|' or control characters",
               "give the file another name, or leave out xdmf");
  beside.replace_extension(".xdmf");
  if (beside.filename() == file)
    refuse_key("path", clean(path), "has the name of its XDMF file",
               "give the file the extension .h5, or leave out xdmf");
  return beside.string();
}

Field field_of(const std::string& path, const std::string& name) {
  const Stored stored = read_stored(path, name);
  Field field{stored.name, stored.shape, element_type(stored.type)};
  if (is_bfloat16(stored.type)) field.type = {ElementType::Kind::bfloat, 2, field.type.native_order};
  field.has_steps = stored.steps.has_value();
  if (!field.has_steps) return field;
  field.extent = *stored.steps;
  field.steps = stored.saved_steps.value_or(std::vector<Range>{{0, *stored.steps}});
  if (field.steps.empty() || field.steps.front().size() <= 0)
    refuse("'" + clean(name) + "' has no step", "", "save one, or leave it out");
  return field;
}

std::vector<double> read_times(hid_t file) {
  const Handle root = open_object(file, "/");
  return read_numbers(root, times_attribute);
}

std::string names_of(const std::vector<std::string>& names) {
  std::string all;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 10); ++i)
    all += (i > 0 ? ", '" : "'") + clean(names[i]) + "'";
  return all + (names.size() > 10 ? ", ..." : "");
}

}  // namespace

void need_options(const Xdmf& options) {
  need_finite("origin", options.origin);
  need_finite("spacing", options.spacing);
  const bool uniform = options.origin || options.spacing;
  if (options.coordinates.size() > 3)
    refuse_key("coordinates", std::to_string(options.coordinates.size()) + " names",
               "must be those of the two or three arrays of x, y and z, or of one, whose last axis has the three",
               "leave out the others");
  if (!options.coordinates.empty() && uniform)
    refuse("coordinates and origin or spacing are both given", "a grid is curvilinear or uniform",
           "leave out one of them");
  if (!options.coordinates.empty() && options.x_first)
    refuse("coordinates are given, and x_first is set", "the coordinates say which axis is x", "leave out x_first");
}

std::string text_of(const Xdmf& options) {
  std::string text;
  for (const auto* numbers : {&options.origin, &options.spacing}) {
    text += *numbers ? "given" : "none";
    for (const double number : numbers->value_or(std::vector<double>{})) text += " " + number_text(number, 17);
  }
  for (const std::string& name : options.coordinates) text += "\n" + name;
  return text + "\n" + std::to_string(static_cast<int>(options.centers)) + (options.vectors ? "v" : "") +
         (options.x_first ? "x" : "");
}

Task points_of(const std::vector<Task>& arrays, const Xdmf& options, MPI_Comm comm) {
  std::vector<Index> shape;
  for (const Task& task : arrays) {
    std::vector<Index> own = task.distribution.shape();
    if (task.name == points_name)
      refuse_key("name", "'" + task.name + "'", "is that of the coordinates, since x_first is set",
                 "give the array another name");
    need_field({task.name, own, element_type(task.type)}, options);
    if (options.vectors) own.pop_back();
    if (!shape.empty() && own != shape)
      refuse(
          "'" + clean(task.name) + "' has another shape than '" + clean(arrays.front().name) + "', and x_first is set",
          "arrays with the same points must have one shape", "save them in files of their own");
    shape = std::move(own);
  }
  const std::size_t axes = shape.size();
  for (const auto* given : {&options.origin, &options.spacing})
    if (*given && (*given)->size() != axes)
      refuse_key(given == &options.origin ? "origin" : "spacing", std::to_string((*given)->size()) + " numbers",
                 "must be " + std::to_string(axes), "give one for each axis of space of the arrays, in their order");
  for (Index& extent : shape) extent += options.centers == Xdmf::Centers::cells ? 1 : 0;
  shape.push_back(3);
  std::vector<AxisSpec> specs(axes, block());
  specs.push_back(whole());
  const Index rank = mpi::rank_of(comm);
  const auto layout = Distribution::make(shape, specs, default_grid(mpi::processes_of(comm), specs));
  const Buffer buffer = mpi::collectively(
      comm, [&] { return allocate(tridap::element_type<double>(), IndexList(layout.local_shape(rank))); });
  const Indices here = layout.coordinates(rank);
  std::array<std::vector<double>, 3> at{{{0}, {0}, {0}}};  // by axis and local index
  for (std::size_t i = 0; i < axes; ++i) {
    at[i].clear();
    const double first = options.origin ? (*options.origin)[i] : 0, apart = options.spacing ? (*options.spacing)[i] : 1;
    layout.axis(static_cast<Index>(i)).for_each(here[i], Part::owned, [&](Index, Index global) {
      at[i].push_back(first + static_cast<double>(global) * apart);
    });
  }
  auto* out = static_cast<double*>(buffer.data);
  for (const double x : at[0])
    for (const double y : at[1])
      for (const double z : at[2])
        for (const double number : {x, y, z}) *out++ = number;
  return {points_name, buffer, layout, datatype(buffer.type), arrays.front().step};
}

std::unique_ptr<mpi::NewFile> begin_xdmf(const std::string& path, const std::string& source,
                                         std::vector<std::string> names, const Xdmf& given) {
  need_options(given);
  const std::string beside = name_beside(path);
  Xdmf options = given;
  const std::vector<std::string> all = dataset_names(source);
  const auto has = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  if (options.x_first) {
    if (!has(all, points_name))
      refuse("x_first is set, and the file has no array '" + std::string(points_name) + "'",
             "it must have the coordinates of the points", "save the file so, or give the names of coordinates");
    options.coordinates = {points_name};
    options.origin = options.spacing = std::nullopt;
  }
  for (const std::string& name : options.coordinates)
    if (!has(all, name))
      refuse_key("coordinates", "'" + clean(name) + "'", "must be names of saved arrays: " + names_of(all),
                 "give the names of some, or save it");
  if (names.empty()) names = all;
  std::vector<Field> fields, coordinates;
  for (const std::string& name : names)
    if (!has(options.coordinates, name) && name != points_name) fields.push_back(field_of(source, name));
  for (const std::string& name : options.coordinates) coordinates.push_back(field_of(source, name));
  if (fields.empty()) refuse("there is no array to show by XDMF but coordinates", "", "give the names of others");
  std::vector<double> times;
  {
    const Handle file = open_alone(source);
    times = read_times(file);
  }
  auto file = std::make_unique<mpi::NewFile>(beside);
  file->write(xdmf_text(std::filesystem::path(path).filename().string(), fields, coordinates, times, options));
  return file;
}

std::string write_xdmf(const std::string& path, const std::vector<std::string>& names, const Xdmf& options) {
  const mpi::Inside inside(mpi::Library::hdf5);
  begin_xdmf(path, path, names, options)->complete();
  return name_beside(path);
}

void need_time(double time, std::optional<Index> step) {
  if (!step)
    refuse_key("time", number_text(time), "is that of a step",
               "give step, too, or save it as an attribute (in Python attrs={'time': time})");
  if (!std::isfinite(time)) refuse_key("time", number_text(time), "must be finite", "give a number");
  if (*step >= most_times)
    refuse_key("time", number_text(time), "a file can have the times of the steps below " + std::to_string(most_times),
               "leave out time, or begin another file");
}

void write_time(hid_t file, Index step, std::optional<double> time) {
  const Handle root = open_object(file, "/");
  std::vector<double> times = read_numbers(root, times_attribute);
  const auto at = static_cast<std::size_t>(step);
  if (!time && (at >= times.size() || std::isnan(times[at]))) return;
  times.resize(std::max(times.size(), at + 1), std::numeric_limits<double>::quiet_NaN());
  times[at] = time.value_or(std::numeric_limits<double>::quiet_NaN());
  write_attribute(root, {times_attribute, row_major(times.data(), {static_cast<Index>(times.size())})});
}

}  // namespace tridap::hdf5
