#pragma once

#include <tridap/internal/axis_moves.hpp>

#include <cstddef>
#include <vector>

namespace tridap::redistribute {

/// The elements of one axis that this process shares with the other end. `here` of its pieces and sections counts bytes
/// from the first element of our buffer, and `there` local indices of the other buffer; `peer` is a position in
/// AxisMoves::shares, or 0 if there is only one.
struct AxisPieces {
  Index step = 0;         ///< bytes from one element to the next in our buffer
  std::size_t peers = 1;  ///< coordinates of the other end, also those without a piece
  std::vector<Section> sections;

  Index elements() const;
  /// The only piece, if there is only one; otherwise null.
  const Piece* single() const;
};

}  // namespace tridap::redistribute
