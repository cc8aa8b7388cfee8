#pragma once

#include <tridap/axis.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace tridap::redistribute {

/// A number that is at least 0 as a position in a container.
inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Elements of one axis that follow one another at both ends of a move. `here` is the end of our coordinate, and
/// `there` the other end. In AxisMoves, `here` and `there` are local indices.
struct Piece {
  Index here = 0, there = 0, length = 0;
  Index peer = 0;  ///< the coordinate there
};

/// Pieces that come again: `repeat` times, each time so much further on.
struct Section {
  Index repeat = 1, here_step = 0, there_step = 0;
  std::vector<Piece> pieces;
};

/// How many elements of an axis a coordinate shares with one of the other side.
struct Share {
  Index peer = 0, count = 0;
};

/// What moves along one axis between one coordinate of a side and all of the other.
///
/// Blocks of 4 to cyclic by 1 over 2 coordinates, from coordinate 0 of the source: 2 times the pieces {0, 0, 1, peer 0}
/// and {1, 0, 1, peer 1}, 2 local indices on here and 1 there. Only the pieces of one period are kept, lcm(b1 * P1, b2
/// * P2) indices. The elements of one peer are in ascending order of the source's local indices, from whichever side it
/// is seen: so both ends of a message know the order of its elements.
struct AxisMoves {
  std::vector<Section> sections;
  std::vector<Share> shares;     ///< ascending by peer
  std::optional<Index> missing;  ///< a global index of this coordinate that no coordinate of the other side holds

  Index count(Index peer) const;       ///< elements shared with it; 0: none
  std::size_t slot(Index peer) const;  ///< its position in `shares`, if it has one
};

/// Adds a piece; one that goes on where the last one ends makes that longer.
void add_piece(std::vector<Piece>& pieces, const Piece& piece);
/// What pieces make up, as one section.
AxisMoves moves_of(std::vector<Piece> pieces, std::optional<Index> missing = {});
/// Puts pieces in ascending order of `end`: &Piece::here or &Piece::there.
void sort_by(Index Piece::*end, std::vector<Piece>& pieces);

/// What source coordinate `s` has for those of the target; `part` of the target's buffers is filled.
AxisMoves moves_from(const Axis& source, Index s, const Axis& target, Part part);
/// What target coordinate `t` has from those of the source.
AxisMoves moves_to(const Axis& source, const Axis& target, Index t, Part part);

}  // namespace tridap::redistribute
