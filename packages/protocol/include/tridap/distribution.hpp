#pragma once

#include <tridap/axis.hpp>

#include <optional>
#include <variant>
#include <vector>

namespace tridap {

struct BlockSpec;
struct CyclicSpec;
struct UnstructuredSpec;
struct WholeSpec;
using AxisSpec = std::variant<BlockSpec, CyclicSpec, UnstructuredSpec, WholeSpec>;

/// Global or local indices, one for each axis.
using Indices = std::vector<Index>;

/// A checked layout of a whole array over a process grid, with its index arithmetic for **every** process; no process
/// needs to be it, and nothing communicates.
///
/// A 4 x 6 array, block x cyclic over a 2 x 3 grid: `owner({3, 4}) == 4` (grid coordinates (1, 1)),
/// `local_index(4, {3, 4}) == {1, 1}`, `global_index(4, {1, 1}) == {3, 4}`. Process ranks are the row-major ravel of
/// the grid coordinates. An array without axes is one element on one process. Cheap to copy.
class Distribution {
 public:
  explicit Distribution(std::vector<Axis> axes);  ///< throws Error where the process count does not fit 64 bits
  /// From what people think in (tridap/make.hpp): `make({5, 9}, {block(), cyclic(2)}, {2, 2})`. Throws Error with every
  /// violation. Takes time in proportion to the grid's extents where shares are irregular or padded, never to the
  /// shape.
  static Distribution make(const std::vector<Index>& shape, const std::vector<AxisSpec>& specs,
                           const std::vector<Index>& grid);

  Index ndim() const { return static_cast<Index>(axes_.size()); }
  const Axis& axis(Index i) const { return axes_[static_cast<std::size_t>(i)]; }
  std::vector<Index> shape() const;            ///< `size` of each axis
  std::vector<Index> proc_grid_shape() const;  ///< `proc_grid_size` of each axis
  Index processes() const { return processes_; }

  Indices coordinates(Index process) const;         ///< grid coordinates, `0 <= process < processes()`
  Index process(const Indices& coordinates) const;  ///< their row-major ravel

  std::vector<Range> part(Index process, Part part) const;    ///< a part of the local buffer as a box of local indices
  std::vector<Index> local_shape(Index process) const;        ///< extents of the local buffer
  Index count(Index process, Part part = Part::owned) const;  ///< elements in a part

  std::optional<Index> owner(const Indices& global) const;  ///< the process; nothing: nobody holds it
  std::vector<Index> owners(const Indices& global) const;   ///< several only for shared unstructured indices; ascending
  std::optional<Indices> local_index(Index process, const Indices& global, Part part = Part::owned) const;
  Indices global_index(Index process, const Indices& local) const;

  /// What `__distarray__` says there. Throws Error where a version cannot say it.
  DimData dim_data(Index process, Version version = Version::v0_10) const;

 private:
  std::vector<Axis> axes_;
  Index processes_ = 1;
};

}  // namespace tridap
