#pragma once

#include "plan_data.hpp"
#include <tridap/buffer.hpp>

#include <cstddef>
#include <vector>

namespace tridap::redistribute {

/// Elements of an axis that are `step` bytes apart in a buffer.
struct Strand {
  Index offset = 0, count = 0;  ///< bytes from the buffer's first element; elements
};

/// The elements that this process shares with one peer along one axis, at their places in our buffer: sections in
/// order, each of them repeated.
struct AxisWalk {
  struct Section {
    Index repeat = 1, step = 0;  ///< bytes from one repetition to the next
    std::vector<Strand> strands;
  };
  Index step = 0;  ///< bytes from one element to the next
  std::vector<Section> sections;

  /// The only strand where there is one alone; null otherwise.
  const Strand* single() const;
};

enum class End { source, target };

/// The axes of one side in a buffer: for each the walks by peer, in the order of AxisMoves::shares.
std::vector<std::vector<AxisWalk>> axis_walks(const PlanData& parts, const Buffer& buffer, End end);

/// All that moves between us and one process, in our buffer, in an order that both ends know: a product of axes.
class Walk {
 public:
  /// `axes`: outermost first; they must outlive this. `element_bytes`: of one element in the buffer.
  Walk(std::vector<const AxisWalk*> axes, Index element_bytes, Index elements);

  Index bytes() const { return bytes_; }  ///< of elements

 private:
  friend class Cursor;
  std::vector<const AxisWalk*> axes_;  // outermost first; those inside stand in a row and are one chunk
  Index offset_ = 0, chunk_ = 0;  // of the first chunk; bytes that stand in a row in each element of the innermost axis
  Index bytes_ = 0;
};

/// A place in a Walk, which moves on by any number of bytes.
class Cursor {
 public:
  Cursor() = default;
  explicit Cursor(const Walk& walk) { restart(walk); }
  void restart(const Walk& walk);  ///< at its beginning

  Index left() const { return left_; }  ///< bytes

  /// Moves on by `bytes` (at most what is left), and calls move(offset, length, step, count) for what stands there:
  /// `count` times `length` bytes, `step` bytes apart.
  template <class Move>
  void advance(Index bytes, Move&& move);

 private:
  struct Position {
    std::size_t section = 0;
    Index repetition = 0;
    std::size_t strand = 0;
    Index element = 0;
  };
  const AxisWalk::Section& section(std::size_t axis) const { return walk_->axes_[axis]->sections[at_[axis].section]; }
  Index offset(std::size_t axis) const {
    const Position& at = at_[axis];
    const AxisWalk::Section& here = section(axis);
    return at.repetition * here.step + here.strands[at.strand].offset + at.element * walk_->axes_[axis]->step;
  }
  bool next_strand(std::size_t axis);  // false: the axis begins again
  void carry();                        // the innermost axis has ended

  const Walk* walk_ = nullptr;
  std::vector<Position> at_;
  Index outer_ = 0;   // offset of all axes but the innermost one
  Index inside_ = 0;  // bytes of the chunk that are behind us
  Index left_ = 0;
};

inline bool Cursor::next_strand(std::size_t axis) {
  Position& at = at_[axis];
  at.element = 0;
  const std::vector<AxisWalk::Section>& sections = walk_->axes_[axis]->sections;
  if (++at.strand < sections[at.section].strands.size()) return true;
  at.strand = 0;
  if (++at.repetition < sections[at.section].repeat) return true;
  at.repetition = 0;
  if (++at.section < sections.size()) return true;
  at.section = 0;
  return false;
}

template <class Move>
void Cursor::advance(Index bytes, Move&& move) {
  left_ -= bytes;
  const Index chunk = walk_->chunk_;
  if (walk_->axes_.empty()) {
    move(walk_->offset_ + inside_, bytes, Index{0}, Index{1});
    inside_ += bytes;
    return;
  }
  const std::size_t inner = walk_->axes_.size() - 1;
  const Index step = walk_->axes_[inner]->step;
  Position& at = at_[inner];
  while (bytes > 0) {
    const AxisWalk::Section& here = section(inner);
    const Strand& strand = here.strands[at.strand];
    const Index begin = outer_ + at.repetition * here.step + strand.offset + at.element * step + inside_;
    const Index left = (strand.count - at.element) * chunk - inside_;
    Index moved = left < bytes ? left : bytes;
    if (step == chunk) {
      move(begin, moved, Index{0}, Index{1});
    } else if (inside_ == 0 && moved >= chunk) {
      moved -= moved % chunk;
      move(begin, chunk, step, moved / chunk);
    } else {
      if (moved > chunk - inside_) moved = chunk - inside_;
      move(begin, moved, Index{0}, Index{1});
    }
    bytes -= moved;
    inside_ += moved;
    at.element += inside_ / chunk;
    inside_ %= chunk;
    if (at.element == strand.count && !next_strand(inner)) carry();
  }
}

}  // namespace tridap::redistribute
