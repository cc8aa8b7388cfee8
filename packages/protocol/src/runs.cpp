#include <dap/runs.hpp>

namespace dap {

ArrayRuns::ArrayRuns(const Distribution& distribution, Index process, Part part)
    : distribution_(distribution),
      numbers_(distribution),
      coordinates_(distribution.coordinates(process)),
      box_(distribution.part(process, part)) {
  const std::vector<Index> shape = distribution.local_shape(process);
  local_weight_ = row_major_strides(shape, 1);
  run_axis_ = shape.size();
  while (run_axis_ > 1) {  // an inner axis that is held whole and in order belongs to the run of the axis outside it
    const std::size_t i = run_axis_ - 1;
    const Axis& axis = distribution.axis(static_cast<Index>(i));
    const bool whole = axis.size() > 0 && axis.size() == shape[i] && box_[i].size() == shape[i] &&
                       axis.run_from(coordinates_[i], 0, shape[i]) == Run{axis.extremes()->front(), 0, shape[i]};
    if (!whole) break;
    inner_ *= shape[i];
    --run_axis_;
  }
  if (distribution.count(process, part) == 0) return;
  at_.emplace();
  for (std::size_t i = 0; i < run_axis_; ++i) at_->push_back(box_[i].begin);
}

std::optional<Run> ArrayRuns::next() {
  if (!at_) return std::nullopt;
  if (run_axis_ == 0) {  // no axes: one element
    at_.reset();
    return Run{0, 0, 1};
  }
  const std::size_t last = run_axis_ - 1;
  const Run run =
      distribution_.axis(static_cast<Index>(last)).run_from(coordinates_[last], (*at_)[last], box_[last].end);
  Indices global;
  Index local = 0;
  for (std::size_t i = 0; i < box_.size(); ++i) {
    const Index at = i < run_axis_ ? (*at_)[i] : 0;
    global.push_back(distribution_.axis(static_cast<Index>(i)).global_index(coordinates_[i], at));
    local += at * local_weight_[i];
  }
  (*at_)[last] += run.length;
  for (std::size_t i = last; (*at_)[i] == box_[i].end;) {
    if (i == 0) {
      at_.reset();
      break;
    }
    (*at_)[i] = box_[i].begin;
    ++(*at_)[--i];
  }
  return Run{numbers_.number(global), local, run.length * inner_};
}

}  // namespace dap
