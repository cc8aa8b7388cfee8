#include "fan.hpp"

#include "copy.hpp"
#include <tridap/memory_order.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tridap::redistribute {

Fan::Fan(const PlanData& parts, const Buffer& near, End end, const std::vector<Reach>& reaches, Index far_bytes)
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
                      {},
                      {}};
      for (const RunPair& piece : section.pieces)
        fans.pieces.push_back({(out ? piece.source : piece.target) * walked.near_step,
                               out ? piece.target : piece.source, piece.length, moves[i].slot(piece.peer)});
      walked.sections.push_back(std::move(fans));
    }
    axes_.push_back(std::move(walked));
  }
  reach_.assign(entries, 0);
  strides_.assign(entries * ndim_, 0);
  is_fed_.assign(entries, false);
  for (std::size_t k = 0; k < reaches.size(); ++k) {
    std::size_t entry = 0;
    for (std::size_t i = 0; i < ndim_; ++i) entry += moves[i].slot(reaches[k].peers[i]) * weights[i];
    reach_[entry] = k + 1;
    is_fed_[entry] = reaches[k].strides.empty();
    only_fed_ = only_fed_ && is_fed_[entry];
    std::copy(reaches[k].strides.begin(), reaches[k].strides.end(),
              strides_.begin() + static_cast<std::ptrdiff_t>(entry * ndim_));
  }
  far_first_.assign(entries, 0);
  join();
  bases_.resize(entries);
  rows_.resize(axes_.empty() ? 1 : axes_.back().slots);
  fed_.resize(rows_.size());
  supplied_.resize(rows_.size());
  far_local_.resize(axes_.size());
  at_.resize(axes_.empty() ? 0 : axes_.size() - 1);
  row_bytes_.assign(axes_.empty() ? 0 : rows_.size(), 0);
  if (axes_.empty()) return;
  merge_fed();
  for (const FanSection& section : axes_.back().sections)
    for (const FanPiece& piece : section.pieces) row_bytes_[piece.slot] += piece.count * section.repeat * near_chunk_;
  plan_weave();
}

// Rows go side by side where they are long and made of runs in a row at both ends, which are long, too, or keep to the
// lines of the caches.
void Fan::plan_weave() {
  const FanAxis& inner = axes_.back();
  if (near_chunk_ != far_chunk_ || inner.near_step != near_chunk_) return;
  for (std::size_t entry = 0; entry < reach_.size(); ++entry)
    if (reach_[entry] != 0 && (is_fed_[entry] || stride(entry, inner.far_axis) != far_chunk_)) return;
  const auto in_lines = [&](Index bytes) { return bytes % static_cast<Index>(Weave::line) == 0; };
  for (const FanSection& section : inner.sections)
    for (const FanPiece& piece : section.pieces) {
      const Index bytes = piece.count * near_chunk_;
      if (bytes >= static_cast<Index>(Weave::ragged)) continue;
      if (bytes < static_cast<Index>(Weave::stretch)) return;
      const bool out = end_ == End::source;
      if (!in_lines(bytes) || !in_lines(out ? piece.far * far_chunk_ : piece.near) ||
          !in_lines(out ? section.far_step * far_chunk_ : section.near_step))
        return;
      long_runs_ = false;
    }
  if (std::accumulate(row_bytes_.begin(), row_bytes_.end(), Index{0}) < static_cast<Index>(Weave::apart)) return;
  weaves_ = true;
  woven_far_.resize(inner.slots);
}

// Whether what is written of a woven row begins with a line.
bool Fan::on_lines(std::size_t row) const {
  if (end_ == End::target) return Weave::to_line(woven_[row]) == 0;
  return std::all_of(woven_far_.begin(), woven_far_.end(),
                     [row](const auto& far) { return Weave::to_line(far[row]) == 0; });
}

// Copies some of the woven rows side by side.
void Fan::weave(std::size_t first, std::size_t count) {
  const bool out = end_ == End::source;
  std::array<std::byte*, Weave::most> to;
  std::array<const std::byte*, Weave::most> from;
  for (const FanSection& section : axes_.back().sections)
    for (Index k = 0; k < section.repeat; ++k)
      for (const FanPiece& piece : section.pieces) {
        const Index near = piece.near + k * section.near_step, far = (piece.far + k * section.far_step) * far_chunk_;
        std::size_t runs = 0;
        for (std::size_t row = first; row < first + count; ++row) {
          std::byte* const far_row = woven_far_[piece.slot][row];
          if (far_row == nullptr) continue;
          to[runs] = out ? far_row + far : woven_[row] + near;
          from[runs++] = out ? woven_[row] + near : far_row + far;
        }
        const auto bytes = static_cast<std::size_t>(piece.count * near_chunk_);
        runs == 1 ? Weave::run(to[0], from[0], bytes) : Weave::run(to.data(), from.data(), runs, bytes);
      }
}

void Fan::copy_rows(std::byte* near) {
  const FanAxis& inner = axes_.back();
  for (restart(); more_;) {
    std::size_t count = 0;
    bool together = true;
    for (; more_ && count < Weave::most; more_ = next_row(), ++count) {
      const Row row = find_row(near);
      woven_[count] = row.near;
      for (std::size_t slot = 0; slot < inner.slots; ++slot)
        woven_far_[slot][count] = far_row(row.entry + slot * inner.weight);
      together = together && (long_runs_ || on_lines(count));
    }
    if (together)
      weave(0, count);
    else
      for (std::size_t k = 0; k < count; ++k) weave(k, 1);
  }
}

// Where the innermost axis is one piece that stands in a row on both sides, it becomes a part of the chunk.
void Fan::join() {
  while (!axes_.empty()) {
    const FanAxis& inner = axes_.back();
    if (inner.sections.size() != 1 || inner.sections[0].repeat != 1 || inner.sections[0].pieces.size() != 1) return;
    const FanPiece& piece = inner.sections[0].pieces[0];
    for (std::size_t entry = 0; entry < reach_.size(); ++entry)
      if (piece.count > 1 && reach_[entry] != 0 && !is_fed_[entry] && stride(entry, inner.far_axis) != far_chunk_)
        return;
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

Index Fan::mean_run() const {
  Index bytes = 0, runs = 0;
  if (axes_.empty()) return 0;
  for (const FanSection& section : axes_.back().sections)
    runs += section.fed_repeat * static_cast<Index>(section.fed.size());
  for (const Index of_slot : row_bytes_) bytes += of_slot;
  return runs == 0 ? 0 : bytes / runs;
}

Index Fan::longest_stay(const FanAxis& axis) {
  Index longest = 0, here = 0;
  std::size_t at = axis.slots;
  const auto go_on = [&](std::size_t slot, Index count) {
    here = slot == at ? here + count : count;
    at = slot;
    longest = std::max(longest, here);
  };
  for (const FanSection& section : axis.sections) {
    if (section.pieces.empty()) continue;
    const std::size_t first = section.pieces.front().slot;
    const bool one = std::all_of(section.pieces.begin(), section.pieces.end(),
                                 [&](const FanPiece& piece) { return piece.slot == first; });
    for (const FanPiece& piece : section.pieces) go_on(piece.slot, piece.count * (one ? section.repeat : 1));
  }
  return longest;
}

Index Fan::stretch() const {
  Index longest = 0, bytes = widest();
  for (std::size_t i = axes_.empty() ? 0 : axes_.size() - 1; i-- > 0;) {
    if (axes_[i].slots > 1) longest = std::max(longest, bytes * longest_stay(axes_[i]));
    Index extent = 0;
    for (const FanSection& section : axes_[i].sections)
      for (const FanPiece& piece : section.pieces) extent += section.repeat * piece.count;
    bytes *= extent;
  }
  return longest;
}

Index Fan::widest() const { return row_bytes_.empty() ? 0 : *std::max_element(row_bytes_.begin(), row_bytes_.end()); }

void Fan::restart() {
  std::fill(at_.begin(), at_.end(), Position{});
  inside_ = {};
  more_ = true;
}

bool Fan::next_row() {
  for (std::size_t axis = at_.size(); axis-- > 0;) {
    Position& at = at_[axis];
    const std::vector<FanSection>& sections = axes_[axis].sections;
    const FanSection& section = sections[at.section];
    if (++at.element < section.pieces[at.piece].count) return true;
    at.element = 0;
    if (++at.piece < section.pieces.size()) return true;
    at.piece = 0;
    if (++at.repetition < section.repeat) return true;
    at.repetition = 0;
    if (++at.section < sections.size()) return true;
    at.section = 0;
  }
  return false;
}

Fan::Row Fan::find_row(std::byte* near) {
  Row row{near, 0};
  for (std::size_t axis = 0; axis < at_.size(); ++axis) {
    const Position& at = at_[axis];
    const FanSection& section = axes_[axis].sections[at.section];
    const FanPiece& piece = section.pieces[at.piece];
    row.near += at.repetition * section.near_step + piece.near + at.element * axes_[axis].near_step;
    row.entry += piece.slot * axes_[axis].weight;
    far_local_[axis] = piece.far + at.repetition * section.far_step + at.element;
  }
  return row;
}

// Where the row begins in the far buffer of an entry; null: not reached.
std::byte* Fan::far_row(std::size_t entry) const {
  std::byte* far = bases_[entry];
  if (far == nullptr) return far;
  for (std::size_t axis = 0; axis < at_.size(); ++axis) far += far_local_[axis] * stride(entry, axes_[axis].far_axis);
  return far;
}

template <class Run>
void Fan::rows(std::byte* near, const Run& run) {
  for (restart(); more_; more_ = next_row()) {
    const Row row = find_row(near);
    if (axes_.empty()) {
      if (bases_[0] != nullptr) run(row.near, bases_[0], Index{1}, Index{0}, Index{0});
      continue;
    }
    const FanAxis& inner = axes_.back();
    for (std::size_t slot = 0; slot < inner.slots; ++slot) rows_[slot] = far_row(row.entry + slot * inner.weight);
    for (const FanSection& section : inner.sections)
      for (Index k = 0; k < section.repeat; ++k)
        for (const FanPiece& piece : section.pieces) {
          if (rows_[piece.slot] == nullptr) continue;
          const Index step = stride(row.entry + piece.slot * inner.weight, inner.far_axis);
          run(row.near + k * section.near_step + piece.near,
              rows_[piece.slot] + (piece.far + k * section.far_step) * step, piece.count, inner.near_step, step);
        }
  }
}

bool Fan::find_room(const Row& row, std::vector<Feed>& feeds, const std::function<bool(std::size_t, Index)>& room) {
  const FanAxis& inner = axes_.back();
  for (std::size_t slot = 0; slot < inner.slots; ++slot) {
    const std::size_t entry = row.entry + slot * inner.weight;
    fed_[slot] = nullptr;
    if (!is_fed_[entry]) continue;
    const std::size_t k = reach_[entry] - 1;
    if (feeds[k].end - feeds[k].next < row_bytes_[slot] && !room(k, row_bytes_[slot])) return false;
    fed_[slot] = &feeds[k];
  }
  return true;
}

Index Fan::reached_bytes(const Row& row) const {
  const FanAxis& inner = axes_.back();
  Index bytes = 0;
  for (std::size_t slot = 0; slot < inner.slots; ++slot)
    if (reach_[row.entry + slot * inner.weight] != 0) bytes += row_bytes_[slot];
  return bytes;
}

// Where the row is in `own`, by slot; null where that is not its reach.
void Fan::find_own(const Row& row, std::byte* own) {
  const FanAxis& inner = axes_.back();
  for (std::size_t slot = 0; slot < inner.slots; ++slot) {
    const std::size_t entry = row.entry + slot * inner.weight;
    bases_[entry] = reach_[entry] == 0 || is_fed_[entry] ? nullptr : own + far_first_[entry];
    rows_[slot] = far_row(entry);
  }
}

void Fan::feed_row(const Row& row, std::byte* own) {
  const FanAxis& inner = axes_.back();
  find_own(row, own);
  const bool none_own =
      std::all_of(rows_.begin(), rows_.end(), [](const std::byte* own_row) { return own_row == nullptr; });
  for (const FanSection& section : inner.sections)
    for (Index k = 0; k < (none_own ? section.fed_repeat : section.repeat); ++k)
      for (const FanPiece& piece : none_own ? section.fed : section.pieces) {
        const std::byte* const from = row.near + k * section.near_step + piece.near;
        if (Feed* const feed = fed_[piece.slot]) {
          feed->cached ? put<CachedCopy>(feed->next, near_chunk_, from, piece.count)
                       : put<StreamCopy>(feed->next, near_chunk_, from, piece.count);
          feed->next += piece.count * near_chunk_;
        } else if (std::byte* const to = rows_[piece.slot]) {
          const Index to_step = stride(row.entry + piece.slot * inner.weight, inner.far_axis);
          put<StreamCopy>(to + (piece.far + k * section.far_step) * to_step, to_step, from, piece.count);
        }
      }
}

void Fan::merge_fed() {
  FanAxis& inner = axes_.back();
  for (FanSection& section : inner.sections) {
    for (const FanPiece& piece : section.pieces) {
      if (!section.fed.empty()) {
        FanPiece& last = section.fed.back();
        if (last.slot == piece.slot && last.near + last.count * inner.near_step == piece.near) {
          last.count += piece.count;
          continue;
        }
      }
      section.fed.push_back(piece);
    }
    section.fed_repeat = section.repeat;
    if (section.fed.size() != 1 || section.fed[0].count * inner.near_step != section.near_step) continue;
    section.fed[0].count *= section.repeat;  // each repetition goes on where the one before it ends
    section.fed_repeat = 1;
  }
}

template <class Kernel>
void Fan::put(std::byte* to, Index to_step, const std::byte* from, Index count) const {
  const Index step = axes_.back().near_step;
  const auto bytes = static_cast<std::size_t>(near_chunk_);
  if (step == near_chunk_ && to_step == near_chunk_)
    return Kernel::run(to, from, bytes * static_cast<std::size_t>(count));
  for (; count > 0; --count, from += step, to += to_step) Kernel::run(to, from, bytes);
}

// A run from where elements are `step` bytes apart.
void Fan::take(std::byte* to, const std::byte* from, Index step, Index count) const {
  const auto bytes = static_cast<std::size_t>(near_chunk_);
  if (step == near_chunk_) return StreamCopy::run(to, from, bytes * static_cast<std::size_t>(count));
  for (; count > 0; --count, from += step, to += near_chunk_) StreamCopy::run(to, from, bytes);
}

bool Fan::feed(std::byte* near, std::byte* own, std::vector<Feed>& feeds,
               const std::function<bool(std::size_t, Index)>& room, Index* bytes) {
  while (more_ && *bytes > 0) {
    const Row row = find_row(near + near_first_);
    if (!find_room(row, feeds, room)) return false;
    feed_row(row, own);
    *bytes -= reached_bytes(row);
    more_ = next_row();
  }
  return !more_;
}

// What is fed alone goes by longer runs: it stands in a row at the other end.
inline const std::vector<Fan::FanPiece>& Fan::runs(const FanSection& section) const {
  return only_fed_ ? section.fed : section.pieces;
}

inline bool Fan::next_run() {
  const std::vector<FanSection>& sections = axes_.back().sections;
  const FanSection& section = sections[inside_.section];
  inside_.element = 0;
  if (++inside_.piece < runs(section).size()) return true;
  inside_.piece = 0;
  if (++inside_.repetition < (only_fed_ ? section.fed_repeat : section.repeat)) return true;
  inside_.repetition = 0;
  if (++inside_.section < sections.size()) return true;
  inside_.section = 0;
  return false;
}

// The rest of the run where we are; false: a supply has no more.
inline bool Fan::drain_run(const Row& row, std::vector<Supply>& supplies,
                           const std::function<bool(std::size_t)>& more) {
  const FanAxis& inner = axes_.back();
  const FanSection& section = inner.sections[inside_.section];
  const FanPiece& run = runs(section)[inside_.piece];
  std::byte* const to = row.near + inside_.repetition * section.near_step + run.near;
  const Index bytes = run.count * near_chunk_;
  if (std::byte* const from = rows_[run.slot]) {
    const Index step = stride(row.entry + run.slot * inner.weight, inner.far_axis);
    take(to, from + (run.far + inside_.repetition * section.far_step) * step, step, run.count);
  } else if (Supply* const supply = supplied_[run.slot]) {
    while (inside_.element < bytes) {
      if (supply->next == supply->end && !more(static_cast<std::size_t>(supply - supplies.data()))) return false;
      const Index now = std::min<Index>(bytes - inside_.element, supply->end - supply->next);
      StreamCopy::run(to + inside_.element, supply->next, static_cast<std::size_t>(now));
      supply->next += now;
      inside_.element += now;
    }
  }
  return true;
}

bool Fan::drain(std::byte* near, std::byte* own, std::vector<Supply>& supplies,
                const std::function<bool(std::size_t)>& more, Index* bytes) {
  const FanAxis& inner = axes_.back();
  while (more_ && *bytes > 0) {
    const Row row = find_row(near + near_first_);
    find_own(row, own);
    for (std::size_t slot = 0; slot < inner.slots; ++slot) {
      const std::size_t entry = row.entry + slot * inner.weight;
      supplied_[slot] = is_fed_[entry] ? &supplies[reach_[entry] - 1] : nullptr;
    }
    do {
      if (!drain_run(row, supplies, more)) return false;
    } while (next_run());
    *bytes -= reached_bytes(row);
    more_ = next_row();
  }
  return !more_;
}

void Fan::run(std::byte* near, const std::vector<std::byte*>& far, Combine combine, const Scaling& scaling) {
  for (std::size_t entry = 0; entry < reach_.size(); ++entry)
    bases_[entry] =
        reach_[entry] == 0 || far[reach_[entry] - 1] == nullptr ? nullptr : far[reach_[entry] - 1] + far_first_[entry];
  near += near_first_;
  const bool out = end_ == End::source;
  if (combine != nullptr) {
    const Index near_element = near_chunk_ / chunk_, far_element = far_chunk_ / chunk_;
    rows(near, [&](std::byte* here, std::byte* there, Index count, Index step, Index there_step) {
      if (chunk_ == 1)
        return out ? combine(there, there_step, here, step, count, scaling)
                   : combine(here, step, there, there_step, count, scaling);
      for (Index e = 0; e < count; ++e, here += step, there += there_step)
        out ? combine(there, far_element, here, near_element, chunk_, scaling)
            : combine(here, near_element, there, far_element, chunk_, scaling);
    });
    return;
  }
  if (weaves_) {
    copy_rows(near);
    return StreamCopy::finish();
  }
  rows(near, [&](std::byte* here, std::byte* there, Index count, Index step, Index there_step) {
    if (count == 1 || (step == near_chunk_ && there_step == near_chunk_)) {
      const auto bytes = static_cast<std::size_t>(near_chunk_ * count);
      return out ? Weave::run(there, here, bytes) : Weave::run(here, there, bytes);
    }
    const auto bytes = static_cast<std::size_t>(near_chunk_);
    for (Index e = 0; e < count; ++e, here += step, there += there_step)
      out ? StreamCopy::run(there, here, bytes) : StreamCopy::run(here, there, bytes);
  });
  StreamCopy::finish();
}

}  // namespace tridap::redistribute
