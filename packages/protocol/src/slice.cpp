#include <dap/slice.hpp>

#include <algorithm>
#include <limits>

namespace dap {

namespace {

constexpr Index most_listed = Index{1} << 28;  // indices that an axis is turned into a list of

std::string text(Index value) { return std::to_string(value); }

Index modulo(Index value, Index divisor) { return (value % divisor + divisor) % divisor; }

[[noreturn]] void refuse(Index axis, const std::string& why, const std::string& remedy) {
  throw Error(Finding{Rule::conversion, {}, axis, "", why, "", remedy});
}

// One axis, of which every `step`-th element from `start` on is taken.
class AxisSlicer {
 public:
  AxisSlicer(const Axis& axis, Index number, Index start, Index step, Index count)
      : axis_(axis), number_(number), start_(start), step_(step), count_(count) {}

  // The axis that the part has; its elements are numbered from 0.
  Axis run() {
    if (axis_.dist_type() == 'u') return filtered();
    std::optional<Axis::Kind> kind;
    if (const auto* block = std::get_if<BlockKind>(&axis_.kind()))
      kind = of_block(*block);
    else
      kind = of_cyclic(std::get<CyclicKind>(axis_.kind()));
    if (!kind) return listed();
    const Axis part(*kind);
    for (Index c = 0; c < part.proc_grid_size(); ++c) {
      const Index count = part.count(c);
      Slice::Local local{0, 1, count};
      if (count > 0) local.first = local_of(c, part.global_index(c, 0));
      if (count > 1) local.step = local_of(c, part.global_index(c, 1)) - local.first;
      kept.push_back(local);
    }
    return part;
  }

  std::vector<Slice::Local> kept;
  bool became_unstructured = false;

 private:
  Index global(Index k) const { return start_ + k * step_; }
  Index local_of(Index c, Index k) const { return *axis_.local_index(c, global(k)); }

  // Everything on one coordinate.
  Axis::Kind all_on(Index owner) const {
    std::vector<Index> bounds(static_cast<std::size_t>(axis_.proc_grid_size()) + 1, 0);
    std::fill(bounds.begin() + static_cast<std::ptrdiff_t>(owner) + 1, bounds.end(), count_);
    return BlockKind(std::move(bounds));
  }

  std::optional<Axis::Kind> of_block(const BlockKind& block) const {
    if (count_ == 0) return all_on(0);
    const Index first = block.locate(start_)->coordinate, last = block.locate(global(count_ - 1))->coordinate;
    if (first == last) return all_on(first);
    if (step_ < 0) return std::nullopt;  // the later coordinates come first
    std::vector<Index> bounds{0};
    for (Index c = 0; c < block.grid(); ++c) {  // how many of the elements stand before the end of c's share
      const Index before = block.begin(c + 1) - start_;
      bounds.push_back(before <= 0 ? 0 : std::min(count_, (before - 1) / step_ + 1));
    }
    return BlockKind(std::move(bounds));
  }

  std::optional<Axis::Kind> of_cyclic(const CyclicKind& cyclic) const {
    if (count_ == 0) return CyclicKind(0, cyclic.grid(), cyclic.block_size(), 0);
    const Index length = cyclic.block_size(), grid = cyclic.grid(), owner = cyclic.locate(start_)->coordinate;
    const Index last = global(count_ - 1);
    if (grid == 1 || start_ / length == last / length) return all_on(owner);
    if (step_ % length == 0) {  // each element in a block of its own
      const Index turns = modulo(step_ / length, grid);
      if (turns == 0) return all_on(owner);
      if (turns == 1) return CyclicKind(count_, grid, 1, owner);
      return std::nullopt;
    }
    const Index stride = step_ < 0 ? -step_ : step_;
    const Index passed = step_ > 0 ? start_ % length : length - 1 - start_ % length;  // of the first block
    const bool in_order = step_ > 0 || grid == 2;  // two coordinates take turns in either direction
    if (in_order && length % stride == 0 && passed < stride) return CyclicKind(count_, grid, length / stride, owner);
    return std::nullopt;
  }

  // The same by listing every element.
  Axis listed() {
    if (count_ > most_listed)
      refuse(number_, "the slice becomes unstructured, and its " + text(count_) + " indices are too many to list",
             "slice by whole blocks");
    became_unstructured = true;
    std::vector<std::vector<Index>> lists(static_cast<std::size_t>(axis_.proc_grid_size()));
    kept.resize(lists.size());
    for (Index k = 0; k < count_; ++k) {
      const Place place = *axis_.locate(global(k));
      keep(place.coordinate, place.local);
      lists[static_cast<std::size_t>(place.coordinate)].push_back(k);
    }
    return Axis(UnstructuredKind(std::move(lists), true));
  }

  // Of an unstructured axis, what each coordinate lists among the elements, in its own order.
  Axis filtered() {
    const auto& from = std::get<UnstructuredKind>(axis_.kind());
    std::vector<std::vector<Index>> lists(static_cast<std::size_t>(from.grid()));
    kept.resize(lists.size());
    for (Index c = 0; c < from.grid(); ++c)
      axis_.for_each(c, Part::owned, [&](Index local, Index index) {
        const auto k = number_of(index);
        if (!k) return;
        keep(c, local);
        lists[static_cast<std::size_t>(c)].push_back(*k);
      });
    return Axis(UnstructuredKind(std::move(lists), from.one_to_one()));
  }

  std::optional<Index> number_of(Index index) const {
    if (count_ == 0 || index < std::min(start_, global(count_ - 1)) || index > std::max(start_, global(count_ - 1)))
      return std::nullopt;
    return (index - start_) % step_ == 0 ? std::optional<Index>((index - start_) / step_) : std::nullopt;
  }

  void keep(Index c, Index local) {
    Slice::Local& all = kept[static_cast<std::size_t>(c)];
    if (all.count == 0) all.first = local;
    if (all.count == 1) all.step = local - all.first;
    if (all.count > 1 && local != all.first + all.count * all.step)
      refuse(number_,
             "what coordinate " + text(c) + " keeps stands at local indices " + text(all.first) + ", " +
                 text(all.first + all.step) + ", ... and " + text(local) + ", not evenly in its memory",
             "slice with a step that divides block_size, or copy the elements");
    ++all.count;
  }

  const Axis& axis_;
  Index number_, start_, step_, count_;
};

// How many elements a slice takes; refuses bounds that are outside.
Index count_of(const Axis& a, Index axis, Index start, Index stop, Index step) {
  if (step == 0) refuse(axis, "a step of 0", "step forwards or backwards");
  if (a.dist_type() == 'u') {  // any numbers are indices
    if (step == std::numeric_limits<Index>::min() || !checked_add(stop, step < 0 ? 1 : -1) ||
        !checked_add(step > 0 ? stop : start, -1) || start / 2 < std::numeric_limits<Index>::min() / 4 ||
        start / 2 > std::numeric_limits<Index>::max() / 4 || stop / 2 < std::numeric_limits<Index>::min() / 4 ||
        stop / 2 > std::numeric_limits<Index>::max() / 4)
      refuse(axis, "the bounds " + text(start) + " and " + text(stop) + " are beyond 62 bits", "");
  } else {
    const Index lowest = step > 0 ? 0 : -1;
    if (start < 0 || start > a.size() || stop < lowest || stop > a.size() ||
        (step < 0 && start == a.size() && start > 0))
      refuse(axis, "the slice from " + text(start) + " to " + text(stop) + " leaves [0, " + text(a.size()) + ")",
             "give bounds within the axis");
  }
  if (step > 0) return stop > start ? (stop - start - 1) / step + 1 : 0;
  return start > stop ? (start - stop -
                         1) / (step == std::numeric_limits<Index>::min() ? std::numeric_limits<Index>::max() : -step) +
                            1
                      : 0;
}

}  // namespace

Slice slice(const Distribution& distribution, Index axis, Index start, Index stop, Index step) {
  if (axis < 0 || axis >= distribution.ndim())
    refuse(axis, "the array has " + text(distribution.ndim()) + " axes", "name one of them, counted from 0");
  const Axis& whole = distribution.axis(axis);
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
    if (slicer.became_unstructured) changes.push_back("axis " + text(axis) + " became unstructured");
    if (whole.has_communication_padding()) changes.push_back("the padding of axis " + text(axis) + " is left out");
    if (whole.periodic()) changes.push_back("axis " + text(axis) + " is no longer periodic");
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

}  // namespace dap
