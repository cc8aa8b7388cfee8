#include "layout.hpp"

#include <tridap/detail/refuse.hpp>
#include <tridap/read.hpp>

#include <utility>
#include <vector>

namespace tridap::hdf5 {

std::string layout_text(const Distribution& distribution) {
  Value::List axes;
  for (Index i = 0; i < distribution.ndim(); ++i) {
    Value::List coordinates;
    for (Index c = 0; c < distribution.axis(i).proc_grid_size(); ++c)
      coordinates.push_back(to_value(distribution.axis(i).dimension(c)));
    axes.push_back({std::move(coordinates)});
  }
  return Value{std::move(axes)}.json();
}

Distribution read_layout(const std::string& version, const std::string& text) {
  const Value said = read_json(text);
  if (!said.list_size()) refuse("the attribute 'dim_data' is not a list", "", "save the array again");
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < *said.list_size(); ++i) {
    const Value of_axis = said.element(i);
    Buffer none;
    none.memory.kind = Memory::Kind::nowhere;
    if (const auto coordinates = of_axis.list_size()) none.shape.assign(*coordinates, 0);
    const ReadArray read = read_array(Value{version}, of_axis, none, Source::json);
    throw_if_wrong(read.report);
    const std::vector<Dimension> dimensions(read.array.dim_data.begin(), read.array.dim_data.end());
    Report report;
    const std::optional<Version> stamped = read_version(version, report);
    throw_if_wrong(report);
    axes.emplace_back(dimensions, static_cast<Index>(i), *stamped);
  }
  return Distribution(std::move(axes));
}

}  // namespace tridap::hdf5
