#include <tridap/runs.hpp>

namespace tridap {

ArrayRuns::ArrayRuns(const Distribution& distribution, Index process, Part part)
    : ArrayRuns(distribution, process, part, row_major_order(distribution.ndim())) {}

ArrayRuns::ArrayRuns(const Distribution& distribution, Index process, Part part, const MemoryOrder& order,
                     Order numbering)
    : distribution_(distribution), numbers_(distribution, numbering) {
  more_ = distribution.count(process, part) > 0;
  if (!more_) return;
  const Indices coordinates = distribution.coordinates(process);
  const std::vector<Index> extents = distribution.local_shape(process);
  const std::vector<Range> box = distribution.part(process, part);
  Index stride = 1;
  bool inside = true;  // of the rows
  for (std::size_t k = order.axes.size(); k-- > 0;) {
    const Index axis = order.axes[k];
    const auto i = static_cast<std::size_t>(axis);
    Way way{axis, coordinates[i], box[i], order.reversed[i], 0, stride, 0};
    way.below = way.reversed ? extents[i] - box[i].end : box[i].begin;
    stride *= extents[i];
    if (inside) {
      joined_ = numbers_.weight(axis) == inner_;
      inside = (joined_ ? length(way) : 1) == extents[i];
    }
    if (inside) {  // it is a part of the rows of the next outer axis
      first_ += numbers_.number(axis, distribution.axis(axis).global_index(way.coordinate, way.local()));
      inner_ *= extents[i];
    } else {
      ways_.insert(ways_.begin(), way);
    }
  }
  ahead_ = piece();
}

std::optional<Run> ArrayRuns::next() {
  std::optional<Run> run = ahead_;
  if (!run) return run;
  // A run can only continue at the end of a row. Rows that are consecutive as a whole were joined before.
  while ((ahead_ = piece()) && ahead_->global == run->global + run->length && ahead_->local == run->local + run->length)
    run->length += ahead_->length;
  return run;
}

Index ArrayRuns::length(const Way& way) const {
  const Axis& axis = distribution_.axis(way.axis);
  if (!way.reversed) return axis.run_from(way.coordinate, way.local(), way.box.end).length;
  const Index local = way.local(), global = axis.global_index(way.coordinate, local);
  Index length = 1;
  while (length <= local - way.box.begin &&
         checked_add(global, length) == axis.global_index(way.coordinate, local - length))
    ++length;
  return length;
}

std::optional<Run> ArrayRuns::piece() {
  if (!more_) return std::nullopt;
  Run run{first_, 0, inner_};
  for (const Way& way : ways_) {
    run.global += numbers_.number(way.axis, distribution_.axis(way.axis).global_index(way.coordinate, way.local()));
    run.local += (way.below + way.step) * way.stride;
  }
  Index steps = 1;
  if (joined_ && !ways_.empty()) steps = length(ways_.back());
  run.length *= steps;
  std::size_t i = ways_.size();
  for (; i-- > 0; steps = 1) {
    ways_[i].step += steps;
    if (ways_[i].step < ways_[i].box.size()) return run;
    ways_[i].step = 0;
  }
  more_ = false;
  return run;
}

}  // namespace tridap
