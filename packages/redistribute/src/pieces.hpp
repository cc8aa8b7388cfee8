#pragma once

#include <tridap/buffer.hpp>
#include <tridap/internal/axis_pieces.hpp>
#include <tridap/internal/plan_data.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// The pieces of each axis (by axis of the target) in our buffer at `end`, of all coordinates of the other end
/// together, except those that `served[axis][peer]` leaves out.
std::vector<AxisPieces> axis_pieces(const PlanData& parts, const Buffer& buffer, End end,
                                    const std::vector<std::vector<bool>>& served);
/// The same for each coordinate alone, in the order of AxisMoves::shares. The other buffers are not accessed, so that
/// pieces that are contiguous here are one.
std::vector<std::vector<AxisPieces>> axis_pieces_by_peer(const PlanData& parts, const Buffer& buffer, End end);

/// A buffer of another process, or our own buffer at the other end.
struct PeerBuffer {
  bool accessed = false;  ///< otherwise its elements travel in slots, or not at all
  IndexList strides;      ///< bytes, by axis of Pieces
};

/// The elements that this process shares with one process or with several, as they stand in our buffer: a product of
/// axes. Both ends know the order of the elements of each process.
class Pieces {
 public:
  /// `axes`: outermost first; they must outlive this. `here_bytes`, `there_bytes`: length of an element at the two
  /// ends. `peers`: for each combination of the axes' coordinates, the last axis first in turn.
  Pieces(std::vector<const AxisPieces*> axes, Index here_bytes, Index there_bytes, std::vector<PeerBuffer> peers);

  Index elements() const { return elements_; }
  Index here_bytes() const { return here_bytes_; }
  Index there_bytes() const { return there_bytes_; }
  /// Lets a Cursor visit some elements of the last axis but one together, where that is possible: a run is then a
  /// matrix, for transpose(). Whoever visits must take whole runs. `in_order`: they are packed in the order of the
  /// elements.
  void join_rows(bool in_order);

 private:
  friend class Cursor;
  friend class DerivedType;
  bool contiguous(std::size_t axis) const;

  std::vector<const AxisPieces*> axes_;  // outermost first; those inside are contiguous and make up one chunk
  std::vector<std::size_t> weights_;     // by axis, those inside too: of a coordinate in the number of a peer
  std::size_t most_peers_ = 1;           // along one axis, those inside too
  std::vector<PeerBuffer> peers_;
  std::vector<Index> there_first_;  // by peer: bytes before the first chunk in its buffer
  Index elements_ = 1, here_bytes_ = 0, there_bytes_ = 0;
  std::size_t first_peer_ = 0;  // of the first chunk
  Index here_first_ = 0;        // bytes before it
  Index chunk_ = 1;             // elements
  bool contiguous_ = false;     // chunks that follow one another along the innermost axis, at both ends
  Index longest_row_ = 0;       // chunks in a run of rows that are joined; 0: none are
  bool in_order_ = false;       // see join_rows()
};

/// A position among the elements of Pieces. It moves on by units: bytes if elements are copied, otherwise elements,
/// which may have other lengths at the two ends.
class Cursor {
 public:
  /// Contiguous units, `count` times: so many bytes from one time to the next. The same in each of `rows`.
  struct Run {
    std::size_t peer = 0;
    Index here = 0, there = 0;  ///< bytes from the first element of either buffer
    Index units = 0, count = 1;
    Index here_step = 0, there_step = 0;
    Index rows = 1;
    Index here_row = 0, there_row = 0;  ///< bytes from one row to the next

    Index all_units() const { return units * count * rows; }
  };

  /// `most_bytes`: of a run of rows that are joined in order, which a slot must hold.
  void restart(const Pieces& pieces, bool by_bytes, Index most_bytes = 0);
  Index left() const { return left_; }  ///< units
  /// The next units that one description covers; left() must not be 0.
  Run run() const;
  /// Calls visit(run) for one run after the other, and moves on by the units that it returns. Ends after the last
  /// element, or when visit returns fewer units than the run has.
  template <class Visit>
  void advance(Visit&& visit);

 private:
  struct Position {
    const Section* section = nullptr;
    const Piece* piece = nullptr;
    Index repetition = 0, element = 0;
  };
  struct Row {  // of one coordinate along the innermost axis, in its buffer
    std::size_t peer = 0;
    Index there = 0, stride = 0, next = 0;  // bytes, the last to the next row; 0 if the buffer is not accessed
  };
  template <class Visit>
  bool advance_in_section(Visit& visit);
  void skip(Index units);                                        // at most all units of run()
  static bool next_piece(Position& at, const AxisPieces& axis);  // false: the axis begins again
  static bool next_section(Position& at, const AxisPieces& axis);
  void next_inner_section();
  void find_row();
  Index left_in_piece() const { return (inner_.piece->length - inner_.element) * chunk_ - inside_; }

  const Pieces* pieces_ = nullptr;
  std::vector<Position> outer_;                       // by axis but the innermost
  Position inner_;                                    // along the innermost axis; without a piece if there is no axis
  Index row_here_ = 0;                                // bytes
  std::vector<Row> rows_;                             // by coordinate of the innermost axis
  Index joined_ = 1, most_joined_ = 1;                // elements of the last axis but one that are visited together
  Index here_unit_ = 1, there_unit_ = 1, chunk_ = 1;  // bytes; units
  Index inside_ = 0;                                  // units of the chunk that are behind us
  Index left_ = 0;
};

inline Cursor::Run Cursor::run() const {
  if (inner_.piece == nullptr)
    return {rows_[0].peer, row_here_ + inside_ * here_unit_, rows_[0].there + inside_ * there_unit_, left_};
  const Row& row = rows_[at(inner_.piece->peer)];
  const Index step = pieces_->axes_.back()->step;
  Run run;
  run.peer = row.peer;
  run.here = row_here_ + inner_.repetition * inner_.section->here_step + inner_.piece->here + inner_.element * step +
             inside_ * here_unit_;
  run.there = row.there + inside_ * there_unit_ +
              (inner_.repetition * inner_.section->there_step + inner_.piece->there + inner_.element) * row.stride;
  if (pieces_->contiguous_) {
    run.units = left_in_piece();
  } else if (inside_ != 0) {
    run.units = chunk_ - inside_;
  } else {
    run.units = chunk_;
    run.count = inner_.piece->length - inner_.element;
    run.here_step = step;
    run.there_step = row.stride;
  }
  return run;
}

inline void Cursor::skip(Index units) {
  left_ -= units;
  if (inner_.piece == nullptr) {
    inside_ += units;
  } else if (units == left_in_piece()) {
    inside_ = inner_.element = 0;
    if (++inner_.piece == inner_.section->pieces.data() + inner_.section->pieces.size()) {
      inner_.piece = inner_.section->pieces.data();
      if (++inner_.repetition == inner_.section->repeat) next_inner_section();
    }
  } else {
    inside_ += units;
    inner_.element += inside_ / chunk_;
    inside_ %= chunk_;
  }
}

template <class Visit>
void Cursor::advance(Visit&& visit) {
  while (left_ > 0) {
    if (inner_.piece != nullptr && inside_ == 0 && inner_.element == 0) {
      if (!advance_in_section(visit)) return;
    } else {
      const Run next = run();
      const Index units = visit(next);
      skip(units);
      if (units < next.all_units()) return;
    }
  }
}

// From the beginning of a piece to the end of its section; false: visit returned fewer units than the run has. Local
// variables stay in registers; members would be written to memory after each run.
template <class Visit>
bool Cursor::advance_in_section(Visit& visit) {
  const Section& section = *inner_.section;
  const Piece *const begin = section.pieces.data(), *const end = begin + section.pieces.size();
  const Row* const rows = rows_.data();
  const Index step = pieces_->axes_.back()->step, chunk = chunk_, row_here = row_here_;
  const bool contiguous = pieces_->contiguous_;
  const Piece* piece = inner_.piece;
  Index repetition = inner_.repetition, left = left_, units = 0;
  Run run;
  run.rows = joined_;
  if (joined_ > 1) run.here_row = pieces_->axes_[pieces_->axes_.size() - 2]->step;
  do {
    const Row& row = rows[at(piece->peer)];
    run.peer = row.peer;
    run.here = row_here + repetition * section.here_step + piece->here;
    run.there = row.there + (repetition * section.there_step + piece->there) * row.stride;
    run.units = contiguous ? piece->length * chunk : chunk;
    run.count = contiguous ? 1 : piece->length;
    run.here_step = step;
    run.there_step = row.stride;
    run.there_row = row.next;
    units = visit(run);
    if (units < run.all_units()) break;
    left -= units;
    units = 0;
    if (++piece == end) {
      piece = begin;
      ++repetition;
    }
  } while (repetition < section.repeat);
  inner_.piece = piece;
  inner_.repetition = repetition;
  left_ = left;
  if (repetition == section.repeat) {
    next_inner_section();
    return true;
  }
  skip(units);
  return false;
}

}  // namespace tridap::redistribute

#pragma GCC visibility pop
