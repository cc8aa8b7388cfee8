#pragma once

#include "checking.hpp"
#include <tridap/kinds.hpp>

#include <string>
#include <utility>

#pragma GCC visibility push(hidden)

namespace tridap {

/// The dimensions of all coordinates of one axis, from which it is made, and the report of what contradicts that.
struct AxisParts {
  const std::vector<Dimension>& dims;
  const Extents& extents;  ///< of the buffers; empty: not known
  Index axis;
  Version version;
  Report& report;

  static std::size_t place(Index c) { return static_cast<std::size_t>(c); }
  const Dimension& dim(Index c) const { return dims[place(c)]; }
  Index grid() const { return static_cast<Index>(dims.size()); }
  void add(Rule rule, std::optional<Index> c, std::string key, std::string value, std::string must) const {
    report.add({rule, c, axis, std::move(key), std::move(value), std::move(must), ""});
  }
};

/// The block kind of these dimensions, which are valid alone and agree. Reports borders that do not meet, and padding
/// that differs between neighbours. In 0.9 `size` becomes that of 0.10. The result is used if nothing was reported.
BlockKind block_kind(const AxisParts& parts, Index& size);

}  // namespace tridap

#pragma GCC visibility pop
