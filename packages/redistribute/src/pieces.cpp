#include "pieces.hpp"

#include <tridap/internal/transpose.hpp>

#include <unordered_map>
#include <utility>

namespace tridap::redistribute {

namespace {

// Adds a piece of one coordinate; if it follows the last one here, that becomes longer.
void add(Section& section, Index step, const Piece& piece) {
  if (!section.pieces.empty()) {
    Piece& last = section.pieces.back();
    if (last.here + last.length * step == piece.here) {
      last.length += piece.length;
      return;
    }
  }
  section.pieces.push_back(piece);
}

// Joins repetitions of one coordinate that follow one another here, and then sections that do.
void join(AxisPieces& axis) {
  for (Section& section : axis.sections)
    if (section.pieces.size() == 1 && section.pieces[0].length * axis.step == section.here_step) {
      section.pieces[0].length *= section.repeat;
      section.repeat = 1;
    }
  std::vector<Section> joined;
  for (Section& section : axis.sections) {
    if (!joined.empty() && joined.back().repeat == 1 && section.repeat == 1) {
      for (const Piece& piece : section.pieces) add(joined.back(), axis.step, piece);
    } else {
      joined.push_back(std::move(section));
    }
  }
  axis.sections = std::move(joined);
}

// The local buffer of a ravelled side: strides may divide its dense numbers into rows.
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

// The pieces of one axis by peer. `rows(local, length, visit)` calls visit(offset, count) for the rows of local
// indices.
template <class Rows>
std::vector<AxisPieces> by_peer(const AxisMoves& moves, Index step, const Rows& rows) {
  std::vector<AxisPieces> all(moves.shares.size());
  for (AxisPieces& axis : all) axis.step = step;
  std::unordered_map<Index, std::size_t> slots;
  for (std::size_t k = 0; k < moves.shares.size(); ++k) slots.emplace(moves.shares[k].peer, k);
  for (const Section& section : moves.sections) {
    std::vector<bool> begun(all.size(), false);
    for (const Piece& piece : section.pieces) {
      const std::size_t k = slots.find(piece.peer)->second;
      if (!begun[k]) all[k].sections.push_back({section.repeat, section.here_step * step, 0, {}});
      begun[k] = true;
      rows(piece.here, piece.length, [&](Index offset, Index count) {
        add(all[k].sections.back(), step, {offset, 0, count, 0});
      });
    }
  }
  for (AxisPieces& axis : all) join(axis);
  return all;
}

}  // namespace

Index AxisPieces::elements() const {
  Index sum = 0;
  for (const Section& section : sections)
    for (const Piece& piece : section.pieces) sum += section.repeat * piece.length;
  return sum;
}

const Piece* AxisPieces::single() const {
  return sections.size() == 1 && sections[0].repeat == 1 && sections[0].pieces.size() == 1 ? &sections[0].pieces[0]
                                                                                           : nullptr;
}

std::vector<AxisPieces> axis_pieces(const PlanData& parts, const Buffer& buffer, End end,
                                    const std::vector<std::vector<bool>>& served) {
  std::vector<AxisPieces> axes;
  for (std::size_t i = 0; i < parts.side(end).axes.size(); ++i) {
    const AxisMoves& moves = parts.side(end).axes[i];
    AxisPieces axis{buffer.strides[at(parts.axis_of(end, i))], moves.shares.size(), {}};
    for (const Section& section : moves.sections) {
      Section made{section.repeat, section.here_step * axis.step, section.there_step, {}};
      for (const Piece& piece : section.pieces)
        if (const std::size_t peer = moves.slot(piece.peer); served[i][peer])
          made.pieces.push_back({piece.here * axis.step, piece.there, piece.length, static_cast<Index>(peer)});
      if (!made.pieces.empty()) axis.sections.push_back(std::move(made));
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

std::vector<std::vector<AxisPieces>> axis_pieces_by_peer(const PlanData& parts, const Buffer& buffer, End end) {
  std::vector<std::vector<AxisPieces>> axes;
  for (const AxisMoves& moves : parts.side(end).axes) {
    if (parts.mapping.ravel) {
      const Ravelled ravelled(buffer, *parts.mapping.ravel);
      axes.push_back(by_peer(moves, ravelled.step(),
                             [&](Index first, Index length, auto&& visit) { ravelled.rows(first, length, visit); }));
    } else {
      const Index step = buffer.strides[at(parts.axis_of(end, axes.size()))];
      axes.push_back(
          by_peer(moves, step, [&](Index first, Index length, auto&& visit) { visit(first * step, length); }));
    }
  }
  return axes;
}

Pieces::Pieces(std::vector<const AxisPieces*> axes, Index here_bytes, Index there_bytes, std::vector<PeerBuffer> peers)
    : axes_(std::move(axes)),
      weights_(axes_.size(), 1),
      peers_(std::move(peers)),
      there_first_(peers_.size(), 0),
      here_bytes_(here_bytes),
      there_bytes_(there_bytes) {
  for (const AxisPieces* axis : axes_) {
    elements_ *= axis->elements();
    most_peers_ = std::max(most_peers_, axis->peers);
  }
  for (std::size_t i = axes_.size(); i-- > 1;) weights_[i - 1] = weights_[i] * axes_[i]->peers;
  for (; !axes_.empty(); axes_.pop_back()) {
    const std::size_t inner = axes_.size() - 1;
    const Piece* const only = axes_[inner]->single();
    contiguous_ = contiguous(inner);
    if (only == nullptr || (only->length > 1 && !contiguous_)) return;
    here_first_ += only->here;
    first_peer_ += at(only->peer) * weights_[inner];
    for (std::size_t peer = 0; peer < peers_.size(); ++peer)
      if (peers_[peer].accessed) there_first_[peer] += only->there * peers_[peer].strides[inner];
    chunk_ *= only->length;
  }
}

// Whether chunks that follow one another along an axis are contiguous, here and in the buffers that are accessed.
bool Pieces::contiguous(std::size_t axis) const {
  return axes_[axis]->step == chunk_ * here_bytes_ &&
         std::all_of(peers_.begin(), peers_.end(), [&](const PeerBuffer& peer) {
           return !peer.accessed || peer.strides[axis] == chunk_ * there_bytes_;
         });
}

void Pieces::join_rows(bool in_order) {
  if (axes_.size() < 2 || contiguous_) return;
  std::vector<bool> seen(axes_.back()->peers, false);
  Index longest = 0;
  for (const Section& section : axes_.back()->sections)
    for (const Piece& piece : section.pieces) {
      // Of two pieces for one process, the second one's elements come between the rows of the first one.
      if (in_order && (section.repeat > 1 || seen[at(piece.peer)])) return;
      seen[at(piece.peer)] = true;
      longest = std::max(longest, piece.length);
    }
  longest_row_ = longest;
  in_order_ = in_order;
}

void Cursor::restart(const Pieces& pieces, bool by_bytes, Index most_bytes) {
  pieces_ = &pieces;
  const Index units = by_bytes ? pieces.here_bytes_ : 1;  // of an element
  here_unit_ = by_bytes ? 1 : pieces.here_bytes_;
  there_unit_ = by_bytes ? 1 : pieces.there_bytes_;
  chunk_ = pieces.chunk_ * units;
  left_ = pieces.elements_ * units;
  inside_ = 0;
  const Index chunk_bytes = pieces.chunk_ * pieces.here_bytes_;
  const bool joins = pieces.longest_row_ > 0 && (by_bytes || pieces.chunk_ == 1);
  most_joined_ = joins ? rows_of_tile(chunk_bytes) : 1;
  if (joins && pieces.in_order_)
    most_joined_ = std::max<Index>(1, std::min(most_joined_, most_bytes / (pieces.longest_row_ * chunk_bytes)));
  joined_ = 1;
  const auto begin = [](const AxisPieces& axis) {
    return axis.sections.empty() ? Position{} : Position{axis.sections.data(), axis.sections[0].pieces.data(), 0, 0};
  };
  outer_.clear();
  outer_.reserve(pieces.weights_.size());  // enough for any buffers of the plan, so that later moves allocate nothing
  rows_.reserve(pieces.most_peers_);
  for (std::size_t axis = 0; axis + 1 < pieces.axes_.size(); ++axis) outer_.push_back(begin(*pieces.axes_[axis]));
  inner_ = pieces.axes_.empty() ? Position{} : begin(*pieces.axes_.back());
  rows_.resize(pieces.axes_.empty() ? 1 : pieces.axes_.back()->peers);
  if (left_ > 0) find_row();
}

bool Cursor::next_section(Position& at, const AxisPieces& axis) {
  const bool more = ++at.section != axis.sections.data() + axis.sections.size();
  if (!more) at.section = axis.sections.data();
  at.piece = at.section->pieces.data();
  at.repetition = 0;
  return more;
}

bool Cursor::next_piece(Position& at, const AxisPieces& axis) {
  at.element = 0;
  if (++at.piece != at.section->pieces.data() + at.section->pieces.size()) return true;
  at.piece = at.section->pieces.data();
  return ++at.repetition < at.section->repeat || next_section(at, axis);
}

void Cursor::next_inner_section() {
  if (next_section(inner_, *pieces_->axes_.back())) return;
  for (std::size_t axis = outer_.size(); axis-- > 0;) {
    Position& at = outer_[axis];
    at.element += axis + 1 == outer_.size() ? joined_ : 1;
    if (at.element < at.piece->length || next_piece(at, *pieces_->axes_[axis])) break;
  }
  find_row();
}

void Cursor::find_row() {
  if (most_joined_ > 1) joined_ = std::min(most_joined_, outer_.back().piece->length - outer_.back().element);
  row_here_ = pieces_->here_first_;
  std::size_t first = pieces_->first_peer_;
  for (std::size_t axis = 0; axis < outer_.size(); ++axis) {
    const Position& at = outer_[axis];
    row_here_ += at.repetition * at.section->here_step + at.piece->here + at.element * pieces_->axes_[axis]->step;
    first += static_cast<std::size_t>(at.piece->peer) * pieces_->weights_[axis];
  }
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    Row& row = rows_[k];
    row.peer = first + (inner_.piece == nullptr ? 0 : k * pieces_->weights_[outer_.size()]);
    const PeerBuffer& buffer = pieces_->peers_[row.peer];
    if (!buffer.accessed) continue;
    row.there = pieces_->there_first_[row.peer];
    row.stride = inner_.piece == nullptr ? 0 : buffer.strides[outer_.size()];
    if (joined_ > 1) row.next = buffer.strides[outer_.size() - 1];
    for (std::size_t axis = 0; axis < outer_.size(); ++axis) {
      const Position& at = outer_[axis];
      row.there += (at.repetition * at.section->there_step + at.piece->there + at.element) * buffer.strides[axis];
    }
  }
}

}  // namespace tridap::redistribute
