#include <tridap/distribution.hpp>

#include <algorithm>

namespace tridap {

Distribution::Distribution(std::vector<Axis> axes) : axes_(std::move(axes)) {
  std::optional<Index> product = 1;  // this allocates no memory, so it cannot fail on only some processes
  for (const Axis& axis : axes_)
    if (product) product = checked_multiply(*product, axis.proc_grid_size());
  if (!product)
    throw Error(
        Finding{Rule::grid_product, {}, {}, "", "the product of all 'proc_grid_size' does not fit 64 bits", "", ""});
  processes_ = *product;
}

std::vector<Index> Distribution::shape() const {
  std::vector<Index> shape;
  for (const Axis& axis : axes_) shape.push_back(axis.size());
  return shape;
}

std::vector<Index> Distribution::proc_grid_shape() const {
  std::vector<Index> shape;
  for (const Axis& axis : axes_) shape.push_back(axis.proc_grid_size());
  return shape;
}

Indices Distribution::coordinates(Index process) const {
  Indices coordinates(axes_.size());
  for (std::size_t i = axes_.size(); i-- > 0;) {
    coordinates[i] = process % axes_[i].proc_grid_size();
    process /= axes_[i].proc_grid_size();
  }
  return coordinates;
}

Index Distribution::process(const Indices& coordinates) const {
  Index process = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) process = process * axes_[i].proc_grid_size() + coordinates[i];
  return process;
}

std::vector<Range> Distribution::part(Index process, Part part) const {
  const Indices at = coordinates(process);
  std::vector<Range> box;
  for (std::size_t i = 0; i < axes_.size(); ++i) box.push_back(axes_[i].part(at[i], part));
  return box;
}

std::vector<Index> Distribution::local_shape(Index process) const {
  std::vector<Index> shape;
  for (const Range& range : part(process, Part::local)) shape.push_back(range.size());
  return shape;
}

Index Distribution::count(Index process, Part which) const {
  IndexList extents;  // which allocates nothing for the usual number of axes
  Index rest = process;
  for (std::size_t i = axes_.size(); i-- > 0; rest /= axes_[i].proc_grid_size())
    extents.push_back(axes_[i].part(rest % axes_[i].proc_grid_size(), which).size());
  const std::optional<Index> count = checked_product(extents);
  if (!count)
    throw Error(
        Finding{Rule::conversion, process, {}, "", "the number of local elements does not fit 64 bits", "", ""});
  return *count;
}

std::optional<Index> Distribution::owner(const Indices& global) const {
  Indices at;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const std::optional<Index> coordinate = axes_[i].owner(global[i]);
    if (!coordinate) return std::nullopt;
    at.push_back(*coordinate);
  }
  return process(at);
}

std::vector<Index> Distribution::owners(const Indices& global) const {
  std::vector<Index> found{0};  // row-major ravels of the axes so far, ascending
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    std::vector<Index> next;
    for (Index process : found)
      for (Index coordinate : axes_[i].owners(global[i]))
        next.push_back(process * axes_[i].proc_grid_size() + coordinate);
    found = std::move(next);
  }
  return found;
}

std::optional<Indices> Distribution::local_index(Index process, const Indices& global, Part part) const {
  const Indices at = coordinates(process);
  Indices local;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const std::optional<Index> index = axes_[i].local_index(at[i], global[i], part);
    if (!index) return std::nullopt;
    local.push_back(*index);
  }
  return local;
}

Indices Distribution::global_index(Index process, const Indices& local) const {
  const Indices at = coordinates(process);
  Indices global;
  for (std::size_t i = 0; i < axes_.size(); ++i) global.push_back(axes_[i].global_index(at[i], local[i]));
  return global;
}

DimData Distribution::dim_data(Index process, Version version) const {
  const Indices at = coordinates(process);
  DimData dimensions;
  for (std::size_t i = 0; i < axes_.size(); ++i)
    dimensions.push_back(axes_[i].dimension(at[i], version, static_cast<Index>(i)));
  return dimensions;
}

}  // namespace tridap
