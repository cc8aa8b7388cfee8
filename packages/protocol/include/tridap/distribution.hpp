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
class Slabs;
using AxisSpec = std::variant<BlockSpec, CyclicSpec, UnstructuredSpec, WholeSpec>;

/// Global or local indices, one for each axis.
using Indices = std::vector<Index>;

/// How a whole array is distributed over a process grid: checked, with the index arithmetic of **every** process. Any
/// process can ask about every other one. Nothing communicates.
///
/// A 4 x 6 array, block x cyclic over a 2 x 3 grid: `owner({3, 4}) == 4` (grid coordinates (1, 1)),
/// `local_index(4, {3, 4}) == {1, 1}`, `global_index(4, {1, 1}) == {3, 4}`. The rank of a process is the row-major
/// number of its grid coordinates, as MPI_Cart_create numbers processes. An array without axes is one element on one
/// process. A Distribution is cheap to copy.
class Distribution {
 public:
  explicit Distribution(std::vector<Axis> axes);  ///< throws Error if the process count does not fit 64 bits
  /// Makes a distribution from a shape, the kind of each axis and a process grid:
  /// `make({5, 9}, {block(), cyclic(2)}, {2, 2})`; see tridap/make.hpp. Throws Error with every violation. If shares
  /// are irregular or padded, the time is proportional to the extents of the grid. It does not depend on the shape.
  static Distribution make(const std::vector<Index>& shape, const std::vector<AxisSpec>& specs,
                           const std::vector<Index>& grid);

  Index ndim() const { return static_cast<Index>(axes_.size()); }
  const Axis& axis(Index i) const { return axes_[static_cast<std::size_t>(i)]; }
  std::vector<Index> shape() const;            ///< `size` of each axis
  std::vector<Index> proc_grid_shape() const;  ///< `proc_grid_size` of each axis
  Index processes() const { return processes_; }

  Indices coordinates(Index process) const;         ///< grid coordinates, `0 <= process < processes()`
  Index process(const Indices& coordinates) const;  ///< the rank with these coordinates

  std::vector<Range> part(Index process, Part part) const;    ///< ranges of local indices, one for each axis
  std::vector<Index> local_shape(Index process) const;        ///< extents of the local buffer
  Index count(Index process, Part part = Part::owned) const;  ///< elements in a part

  std::optional<Index> owner(const Indices& global) const;  ///< the lowest process that owns it; nullopt: none does
  std::vector<Index> owners(const Indices& global) const;   ///< ascending; several only for shared unstructured indices
  std::optional<Indices> local_index(Index process, const Indices& global, Part part = Part::owned) const;
  Indices global_index(Index process, const Indices& local) const;

  /// Where a process's elements are in a file that holds the whole array, of extents shape(), in row-major order: pairs
  /// of a regular part of the file and the box of the local buffer that has the same elements. See tridap/slabs.hpp.
  /// With Part::owned each element of the array is in the slabs of one process, and the slabs have no communication
  /// padding: boundary padding is on the process at the edge, and an unstructured index that several processes share is
  /// on the lowest one. With Part::local they have every element of the buffer, to read it.
  ///
  /// The position of an unstructured index is the index itself, if all indices of the axis are in `[0, size)`; else it
  /// is the index's position among the sorted distinct indices. Positions that no process has hold nothing.
  Slabs slabs(Index process, Part part = Part::owned) const;

  /// The `dim_data` that `__distarray__` returns on a process. Throws Error if the version cannot describe it.
  DimData dim_data(Index process, Version version = Version::v0_10) const;

 private:
  std::vector<Axis> axes_;
  Index processes_ = 1;
};

}  // namespace tridap
