#pragma once

#include "svg_paper.hpp"

#pragma GCC visibility push(hidden)

namespace tridap::drawing {

/// The local buffers of a view, as many as there is room for.
class Panels {
 public:
  Panels(const View& view, Index most, const Room& room);

  /// Letters of the longest cell, 0 if cells represent several elements; and the cells of the longest line.
  Index letters() const;
  Index across() const;
  Index down() const;
  Index step(Index i) const { return axes_[static_cast<std::size_t>(i)].front().step; }
  bool aligned() const { return aligned_; }  ///< buffers of one axis are below their position in the global array
  Index header_width() const;                ///< of the names before the buffers of one axis
  Index shown() const;                       ///< number of processes

  /// All panels; `cells` are the metrics for all, `left` is the x of the global array's first cell.
  Figure draw(const Metrics& cells, Index left) const;

 private:
  Figure sheet(const Metrics& cells) const;
  Figure strips(const Metrics& cells, Index left) const;
  Figure panel(const Metrics& cells, const Bands& rows, const Bands& columns, Index process) const;
  std::string letters_of(const Metrics& cells, const std::vector<Band>& bands) const;
  std::string name(Index process) const;

  const View& view_;
  const Room& room_;
  std::vector<std::vector<Bands>> axes_;  // by shown axis, by coordinate
  bool aligned_ = false;
};

}  // namespace tridap::drawing

#pragma GCC visibility pop
