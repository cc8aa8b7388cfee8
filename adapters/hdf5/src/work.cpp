#include "work.hpp"

#include <algorithm>
#include <utility>

namespace tridap::hdf5 {

namespace {

constexpr Index staged_at_once = Index{1} << 22;  // bytes
constexpr Index long_stretch = Index{1} << 16;    // bytes
constexpr std::size_t slabs_at_once = std::size_t{1} << 16;
// Stretches of all processes in one call: a process that collects them has about 100 bytes for each.
constexpr Index most_stretches = Index{1} << 17, least_stretches = Index{1} << 12;

// Whether several processes read the same elements.
bool overlaps(const Distribution& distribution) {
  for (Index i = 0; i < distribution.ndim(); ++i)
    if (distribution.axis(i).has_communication_padding() || distribution.axis(i).shares_indices()) return true;
  return false;
}

// Collective reads of Open MPI 4.1 give wrong values if several processes read the same bytes, as they do of chunks
// that are compressed.
Work::Mode mode_of(const Task& task, Direction direction, bool long_stretches) {
  if (direction == Direction::read && (task.chunked || task.in_other_files)) return Work::Mode::independent;
  if (direction == Direction::read && overlaps(task.distribution)) return Work::Mode::alone;
  return long_stretches && !task.chunked ? Work::Mode::alone : Work::Mode::exchange;
}

template <class Visit>
void for_each_slab(const std::vector<ListedPosition>& elements, Visit&& visit) {
  for (std::size_t i = 0; i < elements.size();) {
    const AxisSlab slab = slab_at(elements, i);
    visit(i, slab);
    i += static_cast<std::size_t>(slab.size());
  }
}

}  // namespace

Work::Work(const Task& task, Direction direction, Index rank)
    : shape_(task.distribution.shape()), element_bytes_(task.buffer.type.bytes) {
  add_axes(task, direction, rank);
  if (is_in_order()) form_ = memory_form(task.buffer);
  if (!form_) limits_.bytes = staged_at_once;
  limits_.stretches = std::max(least_stretches, most_stretches / task.distribution.processes());
  find_windows();
  bool long_ones = true;
  for (Window& window : windows_) {
    make_slabs(window);
    window.pieces = static_cast<Index>(pieces_.size());
    for (const Piece& piece : pieces_) {
      most_ = std::max(most_, element_count(piece));
      long_ones = long_ones && is_one_stretch(piece, shape_) && element_count(piece) * element_bytes_ >= long_stretch;
    }
  }
  mode = mode_of(task, direction, long_ones);
  if (windows_.size() > 1) make_slabs(windows_.front());
}

void Work::add_axes(const Task& task, Direction direction, Index rank) {
  if (task.range) {
    const Index begin = task.range->begin, size = task.range->size();
    axes_.emplace_back();
    if (size > 0) axes_.back().push_back({begin, size, 1, size, {0, size}});
    return;
  }
  const Part part = direction == Direction::write ? Part::owned : Part::local;
  const Indices at = task.distribution.coordinates(rank);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const Axis& axis = task.distribution.axis(static_cast<Index>(i));
    const KnownPositions* const known = task.positions ? &(*task.positions)[i] : nullptr;
    const bool is_long =
        axis.unstructured() != nullptr && !long_ && static_cast<std::size_t>(axis.count(at[i])) > slabs_at_once;
    axes_.push_back(is_long ? std::vector<AxisSlab>() : axis_slabs(axis, at[i], part, known));
    if (!is_long) continue;
    long_ = i;
    elements_ = listed_positions(axis, at[i], part, known);
  }
}

void Work::find_windows() {
  windows_.emplace_back();
  std::size_t slabs = 0;
  for_each_slab(elements_, [&](std::size_t first, const AxisSlab&) {
    if (slabs++ % slabs_at_once != 0 || first == 0) return;
    windows_.back().end = first;
    windows_.push_back({first, 0, 0});
  });
  windows_.back().end = elements_.size();
}

// Whether the elements are in the same order in the file and in the buffer.
bool Work::is_in_order() const {
  for (std::size_t i = 1; i < elements_.size(); ++i)
    if (elements_[i].local < elements_[i - 1].local) return false;
  for (const auto& axis : axes_)
    for (std::size_t i = 1; i < axis.size(); ++i)
      if (axis[i].local.begin < axis[i - 1].local.end) return false;
  return true;
}

void Work::make_slabs(const Window& window) {
  if (long_) {
    std::vector<AxisSlab>& slabs = axes_[*long_];
    slabs.clear();
    for (std::size_t i = window.begin; i < window.end; i += static_cast<std::size_t>(slabs.back().size()))
      slabs.push_back(slab_at(elements_, i));
  }
  pieces_ = pieces_of(axes_, shape_, element_bytes_, limits_);
}

Index Work::pieces() const {
  Index count = 0;
  for (const Window& window : windows_) count += window.pieces;
  return count;
}

Index Work::staging_bytes() const { return form_ ? 0 : most_ * element_bytes_; }

const Piece& Work::piece(Index number) {
  while (number >= before_ + windows_[open_].pieces) {
    before_ += windows_[open_].pieces;
    ++open_;
    if (number < before_ + windows_[open_].pieces) make_slabs(windows_[open_]);
  }
  return pieces_[static_cast<std::size_t>(number - before_)];
}

}  // namespace tridap::hdf5
