#include "walk.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace tridap::redistribute {

namespace {

Index local(const RunPair& piece, End end) { return end == End::source ? piece.source : piece.target; }
Index local_step(const Section& section, End end) {
  return end == End::source ? section.source_step : section.target_step;
}

// Adds elements to a section; those that stand behind its last ones make these longer.
void add(AxisWalk::Section& section, Index step, Index offset, Index count) {
  if (!section.strands.empty()) {
    Strand& last = section.strands.back();
    if (last.offset + last.count * step == offset) {
      last.count += count;
      return;
    }
  }
  section.strands.push_back({offset, count});
}

// One strand that goes on in its next repetition is a longer one; so are sections that go on in the next one.
void merge(AxisWalk& walk) {
  for (AxisWalk::Section& section : walk.sections)
    if (section.strands.size() == 1 && section.strands[0].count * walk.step == section.step) {
      section.strands[0].count *= section.repeat;
      section.repeat = 1;
      section.step = 0;
    }
  std::vector<AxisWalk::Section> merged;
  for (AxisWalk::Section& section : walk.sections) {
    if (!merged.empty() && merged.back().repeat == 1 && section.repeat == 1) {
      for (const Strand& strand : section.strands) add(merged.back(), walk.step, strand.offset, strand.count);
    } else {
      merged.push_back(std::move(section));
    }
  }
  walk.sections = std::move(merged);
}

// The dense local buffer of a ravelled side, which its strides may part into rows.
class Ravelled {
 public:
  Ravelled(const Buffer& buffer, Order order) {
    for (std::size_t k = 0; k < buffer.shape.size(); ++k) {
      const std::size_t i = order == Order::row_major ? buffer.shape.size() - 1 - k : k;
      if (buffer.shape[i] == 1) continue;
      if (!shape_.empty() && strides_.back() * shape_.back() == buffer.strides[i]) {  // goes on in the next row
        shape_.back() *= buffer.shape[i];
      } else {
        shape_.push_back(buffer.shape[i]);
        strides_.push_back(buffer.strides[i]);
      }
    }
    if (shape_.empty()) {
      shape_.push_back(1);
      strides_.push_back(buffer.type.bytes);
    }
  }

  Index step() const { return strides_[0]; }
  // Calls visit(offset, count) for the rows of elements [first, first + length).
  template <class Visit>
  void rows(Index first, Index length, Visit&& visit) const {
    while (length > 0) {
      Index rest = first, offset = 0;
      for (std::size_t k = 0; k < shape_.size(); ++k) {
        offset += rest % shape_[k] * strides_[k];
        rest /= shape_[k];
      }
      const Index count = std::min(length, shape_[0] - first % shape_[0]);
      visit(offset, count);
      first += count;
      length -= count;
    }
  }

 private:
  std::vector<Index> shape_, strides_;  // innermost first
};

// The walks of one axis by peer; `rows(local, length, visit)` says where local indices stand.
template <class Rows>
std::vector<AxisWalk> walks(const AxisMoves& moves, End end, Index step, const Rows& rows) {
  std::vector<AxisWalk> all(moves.shares.size());
  for (AxisWalk& walk : all) walk.step = step;
  std::unordered_map<Index, std::size_t> by_peer;
  for (std::size_t k = 0; k < moves.shares.size(); ++k) by_peer.emplace(moves.shares[k].peer, k);
  for (const Section& section : moves.sections) {
    std::vector<bool> begun(all.size(), false);
    for (const RunPair& piece : section.pieces) {
      const std::size_t k = by_peer.find(piece.peer)->second;
      if (!begun[k]) all[k].sections.push_back({section.repeat, local_step(section, end) * step, {}});
      begun[k] = true;
      rows(local(piece, end), piece.length,
           [&](Index offset, Index count) { add(all[k].sections.back(), step, offset, count); });
    }
  }
  for (AxisWalk& walk : all) merge(walk);
  return all;
}

}  // namespace

const Strand* AxisWalk::single() const {
  return sections.size() == 1 && sections[0].repeat == 1 && sections[0].strands.size() == 1 ? &sections[0].strands[0]
                                                                                            : nullptr;
}

std::vector<std::vector<AxisWalk>> axis_walks(const PlanData& parts, const Buffer& buffer, End end) {
  const PlanSide& side = end == End::source ? parts.out : parts.in;
  std::vector<std::vector<AxisWalk>> axes;
  if (parts.mapping.ravel && !side.axes.empty()) {
    const Ravelled ravelled(buffer, *parts.mapping.ravel);
    axes.push_back(walks(side.axes[0], end, ravelled.step(),
                         [&](Index first, Index length, const auto& visit) { ravelled.rows(first, length, visit); }));
    return axes;
  }
  for (std::size_t i = 0; i < side.axes.size(); ++i) {
    const auto axis = end == End::source ? static_cast<std::size_t>(parts.source_axis(i)) : i;
    const Index step = buffer.strides[axis];
    axes.push_back(walks(side.axes[i], end, step,
                         [&](Index first, Index length, const auto& visit) { visit(first * step, length); }));
  }
  return axes;
}

Walk::Walk(std::vector<const AxisWalk*> axes, Index element_bytes, Index elements)
    : axes_(std::move(axes)), chunk_(element_bytes), bytes_(elements * element_bytes) {
  while (!axes_.empty()) {
    const Strand* const strand = axes_.back()->single();
    if (strand == nullptr || (strand->count > 1 && axes_.back()->step != chunk_)) return;
    offset_ += strand->offset;
    chunk_ *= strand->count;
    axes_.pop_back();
  }
}

void Cursor::restart(const Walk& walk) {
  walk_ = &walk;
  at_.assign(walk.axes_.size(), Position{});
  outer_ = walk.offset_;
  inside_ = 0;
  left_ = walk.bytes_;
  for (std::size_t axis = 0; axis + 1 < at_.size(); ++axis) outer_ += offset(axis);
}

void Cursor::carry() {
  outer_ = walk_->offset_;
  std::size_t axis = at_.size() - 1;
  while (axis-- > 0) {
    Position& at = at_[axis];
    if (++at.element < section(axis).strands[at.strand].count || next_strand(axis)) break;
  }
  for (std::size_t outer = 0; outer + 1 < at_.size(); ++outer) outer_ += this->offset(outer);
}

}  // namespace tridap::redistribute
