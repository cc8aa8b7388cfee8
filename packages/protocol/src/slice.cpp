#include <tridap/detail/refuse.hpp>
#include <tridap/slice.hpp>

#include <algorithm>
#include <limits>

namespace tridap {

namespace {

constexpr Index most_in_a_slice = Index{1} << 28;  // the longest list that a slice may become

Index modulo(Index value, Index divisor) { return (value % divisor + divisor) % divisor; }

// Slices one axis: selects `count` elements, `start`, `start + step`, and so on.
class AxisSlicer {
 public:
  AxisSlicer(const Axis& axis, Index number, Index start, Index step, Index count)
      : kept(static_cast<std::size_t>(axis.proc_grid_size())),
        axis_(axis),
        number_(number),
        start_(start),
        step_(step),
        count_(count) {}

  // The axis of the slice. Its elements are numbered from 0.
  Axis run() {
    if (axis_.dist_type() == 'u') return filtered();
    if (const auto kind = regular()) return with_kept(Axis(*kind));
    return by_stretches();
  }

  std::vector<Slice::Local> kept;
  bool became_unstructured = false;

 private:
  Index global(Index k) const { return start_ + k * step_; }

  // The result for a cyclic axis if it can be found without visiting its blocks.
  std::optional<Axis::Kind> regular() const {
    const auto* cyclic = axis_.cyclic();
    if (cyclic == nullptr || count_ < 2) return std::nullopt;
    const Index length = cyclic->block_size(), grid = cyclic->grid(), owner = cyclic->locate(start_)->coordinate;
    if (grid == 1) return all_on(owner);
    if (step_ % length == 0) {  // each element in a block of its own
      const Index turns = modulo(step_ / length, grid);
      if (turns == 0) return all_on(owner);
      return turns == 1 ? std::optional<Axis::Kind>(CyclicKind(count_, grid, 1, owner)) : std::nullopt;
    }
    const Index stride = step_ < 0 ? -step_ : step_;
    const Index passed = step_ > 0 ? start_ % length : length - 1 - start_ % length;  // of the first block
    const bool in_order = step_ > 0 || grid == 2;  // two coordinates alternate in both directions
    if (in_order && length % stride == 0 && passed < stride) return CyclicKind(count_, grid, length / stride, owner);
    return std::nullopt;
  }

  // Everything on one coordinate.
  Axis::Kind all_on(Index owner) const {
    std::vector<Index> bounds(static_cast<std::size_t>(axis_.proc_grid_size()) + 1, 0);
    std::fill(bounds.begin() + static_cast<std::ptrdiff_t>(owner) + 1, bounds.end(), count_);
    return BlockKind(std::move(bounds));
  }

  // Finds what each coordinate keeps from its first two elements, if the stride is constant.
  Axis with_kept(Axis part) {
    const auto local_of = [&](Index c, Index k) { return *axis_.local_index(c, global(part.global_index(c, k))); };
    for (Index c = 0; c < part.proc_grid_size(); ++c) {
      Slice::Local& local = kept[static_cast<std::size_t>(c)];
      local.count = part.count(c);
      if (local.count > 0) local.first = local_of(c, 0);
      if (local.count > 1) local.step = local_of(c, 1) - local.first;
    }
    return part;
  }

  // The number of selected elements, from the k-th one at `place` on, that are in the same block of a coordinate.
  Index stretch(Index k, const Location& place) const {
    const Index here = global(k);
    Index begin = 0, end = 0;
    if (const auto* block = axis_.block()) {
      begin = block->begin(place.coordinate);
      end = block->begin(place.coordinate + 1);
    } else {
      const Index length = axis_.cyclic()->block_size();
      begin = here - here % length;
      end = begin + std::min(length, axis_.size() - begin);
    }
    return std::min(count_ - k, (step_ > 0 ? end - 1 - here : begin - here) / step_ + 1);
  }

  // Visits the ranges of selected elements with one owner. If their owners are in the order of the coordinates, the
  // result is a block axis. If they go round the grid and have the same length, it is a cyclic axis.
  Axis by_stretches() {
    const Index grid = axis_.proc_grid_size();
    bool block = true, cyclic = true;
    Index first = 0, owner = 0, length = 0, block_size = 0, seen = 0;  // of the cyclic axis, and of the stretch
    for (Index k = 0, many = 0; k < count_; k += many) {
      const Location place = *axis_.locate(global(k));
      many = stretch(k, place);
      keep(place.coordinate, place.local, step_, many);
      if (k == 0) {
        first = owner = place.coordinate;
      } else if (place.coordinate != owner) {
        if (block_size == 0) block_size = length;
        block = block && place.coordinate > owner;
        cyclic = cyclic && length == block_size && place.coordinate == (owner + 1) % grid;
        owner = place.coordinate;
        length = 0;
      }
      length += many;
      if (++seen > most_in_a_slice || (!block && !cyclic && count_ > most_in_a_slice)) too_many();
    }
    if (block) {
      std::vector<Index> bounds{0};
      for (const Slice::Local& local : kept) bounds.push_back(bounds.back() + local.count);
      return Axis(BlockKind(std::move(bounds)));
    }
    if (cyclic && length <= block_size) return Axis(CyclicKind(count_, grid, block_size, first));
    return listed();
  }

  [[noreturn]] void too_many() const {
    refuse("the slice becomes unstructured, and its " + std::to_string(count_) + " indices are too many to list", "",
           "slice by whole blocks", number_);
  }

  Axis listed() {
    if (count_ > most_in_a_slice) too_many();
    became_unstructured = true;
    std::vector<std::vector<Index>> lists(kept.size());
    for (Index k = 0, many = 0; k < count_; k += many) {
      const Location place = *axis_.locate(global(k));
      many = stretch(k, place);
      std::vector<Index>& list = lists[static_cast<std::size_t>(place.coordinate)];
      for (Index i = 0; i < many; ++i) list.push_back(k + i);
    }
    return Axis(UnstructuredKind(std::move(lists), true));
  }

  // For an unstructured axis: the selected indices of each coordinate, in the order of its list.
  Axis filtered() {
    const auto& from = *axis_.unstructured();
    std::vector<std::vector<Index>> lists(kept.size());
    for (Index c = 0; c < from.grid(); ++c)
      axis_.for_each(c, Part::owned, [&](Index local, Index index) {
        const auto k = number_of(index);
        if (!k) return;
        keep(c, local, 1, 1);
        lists[static_cast<std::size_t>(c)].push_back(*k);
      });
    return Axis(UnstructuredKind(std::move(lists), from.one_to_one()));
  }

  std::optional<Index> number_of(Index index) const {
    if (count_ == 0 || index < std::min(start_, global(count_ - 1)) || index > std::max(start_, global(count_ - 1)))
      return std::nullopt;
    return (index - start_) % step_ == 0 ? std::optional<Index>((index - start_) / step_) : std::nullopt;
  }

  // Coordinate c also keeps `many` elements from local index `local` on, `step` apart.
  void keep(Index c, Index local, Index step, Index many) {
    Slice::Local& all = kept[static_cast<std::size_t>(c)];
    if (all.count == 0) all = {local, step, 0};
    if (all.count == 1) all.step = local - all.first;
    const bool joins = all.count == 0 || local - all.step == all.first + (all.count - 1) * all.step;
    if (!joins || (many > 1 && step != all.step))
      refuse("coordinate " + std::to_string(c) + " keeps the local indices " + std::to_string(all.first) + ", " +
                 std::to_string(all.first + all.step) + ", ... and " + std::to_string(local) +
                 ", which have no constant stride",
             "", "slice with a step that divides block_size, or copy the elements", number_);
    all.count += many;
    if (all.count == 1) all.step = 1;
  }

  const Axis& axis_;
  Index number_, start_, step_, count_;
};

// The number of elements in a slice. Refuses bounds outside of the axis.
Index count_of(const Axis& a, Index axis, Index start, Index stop, Index step) {
  if (step == 0) refuse("the step is 0", "", "give a positive or a negative step", axis);
  const Index lowest = step > 0 ? 0 : -1;  // backwards, `stop` is one before the last selected element
  const auto within = [](Index bound, Index low, Index high) { return low <= bound && bound <= high; };
  if (a.dist_type() == 'u') {  // any number can be an index
    const Index most = Index{1} << 62;
    if (!within(start, -most, most - 1) || !within(stop, -most, most - 1))
      refuse("the bounds " + std::to_string(start) + " and " + std::to_string(stop) + " do not fit 62 bits", "",
             "give bounds of at most 62 bits", axis);
  } else if (!within(start, lowest, lowest + a.size()) || !within(stop, lowest, lowest + a.size())) {
    refuse("the slice from " + std::to_string(start) + " to " + std::to_string(stop) + " is not within [0, " +
               std::to_string(a.size()) + ")",
           "", "give bounds within the axis", axis);
  }
  if (step > 0) return stop > start ? (stop - start - 1) / step + 1 : 0;
  return start > stop ? (stop + 1 - start) / step + 1 : 0;
}

}  // namespace

Slice slice(const Distribution& distribution, Index axis, Index start, Index stop, Index step) {
  if (axis < 0 || axis >= distribution.ndim())
    refuse("the array has " + std::to_string(distribution.ndim()) + " axes", "", "give an axis, counted from 0", axis);
  const Axis& whole = distribution.axis(axis);
  if (whole.proc_grid_size() > most_in_a_slice)
    refuse(std::to_string(whole.proc_grid_size()) + " coordinates are too many to list what each of them keeps", "",
           "slice a distribution over fewer coordinates", axis);
  const Index count = count_of(whole, axis, start, stop, step);
  std::vector<Axis> axes;
  for (Index i = 0; i < distribution.ndim(); ++i) axes.push_back(distribution.axis(i));

  std::vector<std::string> changes;
  std::vector<Slice::Local> kept;
  if (whole.dist_type() != 'u' && start == 0 && step == 1 && count == whole.size()) {  // everything, padding too
    for (Index c = 0; c < whole.proc_grid_size(); ++c) kept.push_back({0, 1, whole.part(c, Part::local).size()});
  } else {
    AxisSlicer slicer(whole, axis, start, step, count);
    axes[static_cast<std::size_t>(axis)] = slicer.run();
    kept = std::move(slicer.kept);
    if (slicer.became_unstructured) changes.push_back("axis " + std::to_string(axis) + " became unstructured");
    if (whole.has_communication_padding())
      changes.push_back("the padding of axis " + std::to_string(axis) + " is left out");
    if (whole.periodic()) changes.push_back("axis " + std::to_string(axis) + " is no longer periodic");
  }
  return {Distribution(std::move(axes)), std::move(changes), axis, std::move(kept)};
}

DistArray Slice::of(const DistArray& array, Index process) const {
  DistArray part;
  part.buffer = array.buffer;
  part.dim_data = distribution.dim_data(process);
  for (std::size_t i = 0; i < part.dim_data.size(); ++i) part.dim_data[i].extras = array.dim_data[i].extras;
  const auto i = static_cast<std::size_t>(axis);
  const Local& local = kept[static_cast<std::size_t>(distribution.coordinates(process)[i])];
  part.buffer.shape[i] = local.count;
  if (local.count > 1) part.buffer.strides[i] = array.buffer.strides[i] * local.step;
  if (element_count(part.buffer) > 0)
    part.buffer.data = static_cast<std::byte*>(array.buffer.data) + local.first * array.buffer.strides[i];
  return part;
}

}  // namespace tridap
