#pragma once

#include "view.hpp"

namespace tridap::drawing {

/// Who owns the elements that a cell stands for.
enum class Ownership {
  sole,    ///< one process owns all, and nobody else any
  shared,  ///< one process owns all, and further processes own some of them too
  mixed,   ///< several processes, and none is known to own all
};

/// A stretch of one axis that is drawn as one cell.
struct Band {
  Index first = 0;  ///< the smallest global index of a global band, the first one of a local band
  Index local = 0;  ///< local index of `first`, in a local band
  Index count = 1;  ///< elements, held by somebody
  Index owner = 0;  ///< the coordinate that owns `first` (the lowest of several)
  Ownership ownership = Ownership::sole;
  bool communication = false;  ///< all elements are communication padding
  bool boundary = false;       ///< all elements are boundary padding (or mirrors); a global band of one element knows
};

/// An axis cut into bands of `step` elements; a last one, and in a local buffer the last before padding, may have
/// fewer.
struct Bands {
  std::vector<Band> list;
  Index step = 1;

  Index size() const { return static_cast<Index>(list.size()); }
  const Band& operator[](Index i) const { return list[static_cast<std::size_t>(i)]; }
};

/// All indices of an axis that somebody holds, ascending, in at most `most` bands. On a regular axis with no more
/// borders than that, each band is one coordinate's.
Bands global_bands(const Axis& axis, Index most);

/// The buffer of each coordinate below `coordinates`, in local order, cut alike; padding has bands of its own. A buffer
/// has at most `most` bands and four.
std::vector<Bands> local_bands(const Axis& axis, Index coordinates, Index most);

/// True where some index is boundary padding.
bool has_boundary_padding(const Axis& axis);

/// The elements of a cell: a row of the axis drawn downwards by a column of the axis drawn across.
struct Cell {
  Index process = 0;  ///< the owner of the first element
  Ownership ownership = Ownership::sole;
  bool communication = false, boundary = false;
};

/// The cell of one band for each shown axis.
Cell cell_of(const View& view, const std::vector<Band>& bands);

/// What a cell says in letters: `3`, `3+` or `*`.
std::string cell_text(const Cell& cell);

}  // namespace tridap::drawing
