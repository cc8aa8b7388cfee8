#include <tridap/internal/numbered.hpp>

namespace tridap::redistribute {

NumberedArray::NumberedArray(const Distribution& distribution, Order order)
    : of_(distribution), numbers_(distribution, order), order_(order) {
  const auto ndim = static_cast<std::size_t>(of_.ndim());
  for (std::size_t k = 0; k < ndim; ++k) axes_.push_back(order == Order::row_major ? k : ndim - 1 - k);
  for (Index i = 0; i < of_.ndim(); ++i) {
    shares_ = shares_ || of_.axis(i).shares_indices();
    const auto* lists = of_.axis(i).unstructured();
    gaps_ = gaps_ || lists != nullptr;
    spread_.push_back(lists != nullptr && lists->own() != nullptr);
  }
  at_.resize(ndim);
  local_.resize(ndim);
}

Index NumberedArray::dense(const Indices& coordinates, const Indices& local) const {
  Index at = 0;
  for (const std::size_t i : axes_) {
    const Axis& axis = of_.axis(static_cast<Index>(i));
    at = at * axis.part(coordinates[i], Part::local).size() + local[i];
  }
  return at;
}

NumberedArray::Found NumberedArray::find(Index number, Index most) const {
  if (number < 0 || number >= count()) return {};
  Indices global;
  if (gaps_) {
    const std::optional<Indices> found = numbers_.global_index(number);
    if (!found) return {};
    global = *found;
  }
  Index rest = number, process = 0;
  for (const std::size_t i : axes_) {
    const auto axis = static_cast<Index>(i);
    const Index weight = numbers_.weight(axis), index = gaps_ ? global[i] : rest / weight;
    rest -= gaps_ ? 0 : index * weight;
    const std::optional<Location> place = of_.axis(axis).locate(index);
    if (!place) return {};
    at_[i] = place->coordinate;
    local_[i] = place->local;
  }
  for (std::size_t i = 0; i < at_.size(); ++i)
    process = process * of_.axis(static_cast<Index>(i)).proc_grid_size() + at_[i];
  Index length = 1;
  // Where indices are shared, the next may have another owner; where lists are in a directory, its place is not known.
  if (!axes_.empty() && most > 1 && !shares_ && !spread_[axes_.back()]) {
    const std::size_t i = axes_.back();
    const Axis& axis = of_.axis(static_cast<Index>(i));
    const Index end = axis.part(at_[i], Part::owned).end;
    length = axis.run_from(at_[i], local_[i], end - local_[i] > most ? local_[i] + most : end).length;
  }
  return {process, dense(at_, local_), length};
}

std::vector<NumberedArray::Found> NumberedArray::find_all(Index number) const {
  std::vector<Found> all;
  if (number < 0 || number >= count()) return all;
  const std::optional<Indices> global = numbers_.global_index(number);
  if (!global) return all;
  for (const Index process : of_.owners(*global))
    all.push_back({process, dense(of_.coordinates(process), *of_.local_index(process, *global)), 1});
  return all;
}

void NumberedArray::add_indices(Index number, std::vector<std::vector<Index>>& of_axes) const {
  if (number < 0 || number >= count()) return;
  const Indices global = numbers_.indices(number);
  for (std::size_t i = 0; i < global.size(); ++i)
    if (spread_[i]) of_axes[i].push_back(global[i]);
}

ArrayRuns NumberedArray::runs(Index process, Part part) const {
  MemoryOrder memory;
  memory.reversed.assign(axes_.size(), false);
  for (const std::size_t i : axes_) memory.axes.push_back(static_cast<Index>(i));
  return ArrayRuns(of_, process, part, memory, order_);
}

}  // namespace tridap::redistribute
