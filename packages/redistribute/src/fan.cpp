#include "fan.hpp"

#include "copy.hpp"
#include <dap/memory_order.hpp>

#include <algorithm>
#include <utility>

namespace dap::redistribute {

Fan::Fan(const Plan::Parts& parts, const Buffer& near, End end, const std::vector<Reach>& reaches, Index far_bytes)
    : end_(end), near_chunk_(near.type.bytes), far_chunk_(far_bytes) {
  const std::vector<AxisMoves>& moves = end == End::source ? parts.out.axes : parts.in.axes;
  ndim_ = moves.size();
  std::vector<std::size_t> weights(ndim_, 1), by_near(ndim_);  // an axis of our buffer, as the axis of the target
  std::size_t entries = 1;
  for (std::size_t i = ndim_; i-- > 0;) {
    weights[i] = entries;
    entries *= moves[i].shares.size();
  }
  const auto near_axis = [&](std::size_t i) {
    return end == End::source ? static_cast<std::size_t>(parts.source_axis(i)) : i;
  };
  const auto far_axis = [&](std::size_t i) {
    return end == End::source ? i : static_cast<std::size_t>(parts.source_axis(i));
  };
  for (std::size_t i = 0; i < ndim_; ++i) by_near[near_axis(i)] = i;
  for (const Index axis : memory_order(near).axes) {
    const std::size_t i = by_near[static_cast<std::size_t>(axis)];
    FanAxis walked{near.strides[static_cast<std::size_t>(axis)], far_axis(i), weights[i], moves[i].shares.size(), {}};
    for (const Section& section : moves[i].sections) {
      const bool out = end == End::source;
      FanSection fans{section.repeat,
                      (out ? section.source_step : section.target_step) * walked.near_step,
                      out ? section.target_step : section.source_step,
                      {}};
      for (const Piece& piece : section.pieces)
        fans.pieces.push_back({(out ? piece.source : piece.target) * walked.near_step,
                               out ? piece.target : piece.source, piece.length, moves[i].slot(piece.peer)});
      walked.sections.push_back(std::move(fans));
    }
    axes_.push_back(std::move(walked));
  }
  reach_.assign(entries, 0);
  strides_.assign(entries * ndim_, 0);
  for (std::size_t k = 0; k < reaches.size(); ++k) {
    std::size_t entry = 0;
    for (std::size_t i = 0; i < ndim_; ++i) entry += moves[i].slot(reaches[k].peers[i]) * weights[i];
    reach_[entry] = k + 1;
    std::copy(reaches[k].strides.begin(), reaches[k].strides.end(),
              strides_.begin() + static_cast<std::ptrdiff_t>(entry * ndim_));
  }
  far_first_.assign(entries, 0);
  join();
  bases_.resize(entries);
  rows_.resize(axes_.empty() ? 1 : axes_.back().slots);
  far_local_.resize(axes_.size());
}

// Where the innermost axis is one piece that stands in a row on both sides, it becomes a part of the chunk.
void Fan::join() {
  while (!axes_.empty()) {
    const FanAxis& inner = axes_.back();
    if (inner.sections.size() != 1 || inner.sections[0].repeat != 1 || inner.sections[0].pieces.size() != 1) return;
    const FanPiece& piece = inner.sections[0].pieces[0];
    for (std::size_t entry = 0; entry < reach_.size(); ++entry)
      if (piece.count > 1 && reach_[entry] != 0 && stride(entry, inner.far_axis) != far_chunk_) return;
    if (piece.count > 1 && inner.near_step != near_chunk_) return;
    near_first_ += piece.near;
    for (std::size_t entry = 0; entry < reach_.size(); ++entry)
      far_first_[entry] += piece.far * stride(entry, inner.far_axis);
    near_chunk_ *= piece.count;
    far_chunk_ *= piece.count;
    chunk_ *= piece.count;
    axes_.pop_back();
  }
}

template <class Run>
void Fan::walk(std::size_t axis, std::byte* near, std::size_t entry, const Run& run) {
  if (axis + 1 >= axes_.size()) return row(near, entry, run);
  const FanAxis& along = axes_[axis];
  for (const FanSection& section : along.sections)
    for (Index k = 0; k < section.repeat; ++k)
      for (const FanPiece& piece : section.pieces) {
        std::byte* at = near + k * section.near_step + piece.near;
        far_local_[axis] = piece.far + k * section.far_step;
        for (Index e = 0; e < piece.count; ++e, at += along.near_step, ++far_local_[axis])
          walk(axis + 1, at, entry + piece.slot * along.weight, run);
      }
}

template <class Run>
void Fan::row(std::byte* near, std::size_t entry, const Run& run) {
  if (axes_.empty()) {
    if (bases_[entry] != nullptr) run(near, bases_[entry], Index{1}, Index{0}, Index{0});
    return;
  }
  const FanAxis& inner = axes_.back();
  for (std::size_t slot = 0; slot < inner.slots; ++slot) {
    const std::size_t at = entry + slot * inner.weight;
    rows_[slot] = bases_[at];
    if (bases_[at] == nullptr) continue;
    for (std::size_t axis = 0; axis + 1 < axes_.size(); ++axis)
      rows_[slot] += far_local_[axis] * stride(at, axes_[axis].far_axis);
  }
  for (const FanSection& section : inner.sections)
    for (Index k = 0; k < section.repeat; ++k)
      for (const FanPiece& piece : section.pieces) {
        if (rows_[piece.slot] == nullptr) continue;
        const Index step = stride(entry + piece.slot * inner.weight, inner.far_axis);
        run(near + k * section.near_step + piece.near, rows_[piece.slot] + (piece.far + k * section.far_step) * step,
            piece.count, inner.near_step, step);
      }
}

void Fan::run(std::byte* near, const std::vector<std::byte*>& far, Combine combine, const Scaling& scaling,
              bool stream) {
  for (std::size_t entry = 0; entry < reach_.size(); ++entry)
    bases_[entry] =
        reach_[entry] == 0 || far[reach_[entry] - 1] == nullptr ? nullptr : far[reach_[entry] - 1] + far_first_[entry];
  near += near_first_;
  const bool out = end_ == End::source;
  if (combine != nullptr) {
    const Index near_element = near_chunk_ / chunk_, far_element = far_chunk_ / chunk_;
    walk(0, near, 0, [&](std::byte* here, std::byte* there, Index count, Index step, Index there_step) {
      if (chunk_ == 1)
        return out ? combine(there, there_step, here, step, count, scaling)
                   : combine(here, step, there, there_step, count, scaling);
      for (Index e = 0; e < count; ++e, here += step, there += there_step)
        out ? combine(there, far_element, here, near_element, chunk_, scaling)
            : combine(here, near_element, there, far_element, chunk_, scaling);
    });
    return;
  }
  const auto copy = [&](auto kernel) {
    using Kernel = decltype(kernel);
    walk(0, near, 0, [&](std::byte* here, std::byte* there, Index count, Index step, Index there_step) {
      if (count == 1 || (step == near_chunk_ && there_step == near_chunk_)) {
        const auto bytes = static_cast<std::size_t>(near_chunk_ * count);
        return out ? Kernel::run(there, here, bytes) : Kernel::run(here, there, bytes);
      }
      for (Index e = 0; e < count; ++e, here += step, there += there_step)
        out ? Kernel::run(there, here, static_cast<std::size_t>(near_chunk_))
            : Kernel::run(here, there, static_cast<std::size_t>(near_chunk_));
    });
    Kernel::finish();
  };
  stream ? copy(StreamCopy{}) : copy(PlainCopy{});
}

}  // namespace dap::redistribute
