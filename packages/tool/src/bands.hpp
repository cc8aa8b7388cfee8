#pragma once

#include "view.hpp"

#pragma GCC visibility push(hidden)

namespace tridap::drawing {

/// The owners of the elements that a cell represents.
enum class Ownership {
  sole,    ///< one process owns all, and no other process owns any
  shared,  ///< one process owns all, and other processes own some of them too
  mixed,   ///< several processes own some, and none is known to own all
};

/// A range of one axis that is drawn as one cell.
struct Band {
  Index first = 0;  ///< the smallest global index of a global band, the first one of a local band
  Index local = 0;  ///< local index of `first`, in a local band
  Index count = 1;  ///< elements that some process holds
  Index owner = 0;  ///< the coordinate that owns `first` (the lowest of several)
  Ownership ownership = Ownership::sole;
  bool communication = false;  ///< all elements are communication padding
  bool boundary =
      false;  ///< all elements are boundary padding or mirrors; set in a global band only if it has one element
};

/// An axis in bands of `step` elements. The last band may have fewer, and in a local buffer also the last band before
/// padding.
struct Bands {
  std::vector<Band> list;
  Index step = 1;

  Index size() const { return static_cast<Index>(list.size()); }
  const Band& operator[](Index i) const { return list[static_cast<std::size_t>(i)]; }
};

/// All indices of an axis that some process holds, ascending, in at most `most` bands. If a regular axis has at most
/// `most` borders, each band belongs to one coordinate.
Bands global_bands(const Axis& axis, Index most);

/// The buffer of each coordinate less than `coordinates`, in local order, in bands of the same step. Padding has
/// separate bands. A buffer has at most `most` + 4 bands.
std::vector<Bands> local_bands(const Axis& axis, Index coordinates, Index most);

/// True if some index is boundary padding.
bool has_boundary_padding(const Axis& axis);

/// The elements of a cell: a band of the vertical axis times a band of the horizontal axis.
struct Cell {
  Index process = 0;  ///< the owner of the first element
  Ownership ownership = Ownership::sole;
  bool communication = false, boundary = false;
};

/// The cell of one band for each shown axis.
Cell cell_of(const View& view, const std::vector<Band>& bands);

/// The text of a cell: `3`, `3+` or `*`.
std::string cell_text(const Cell& cell);

}  // namespace tridap::drawing

#pragma GCC visibility pop
