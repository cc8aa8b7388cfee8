#pragma once

#include <tridap/distribution.hpp>

#include <string>

namespace tridap {

/// What a dealing is, whatever its spelling; the simplest that holds comes first.
enum class Pattern { undistributed, block, irregular_block, cyclic, block_cyclic, unstructured };

/// The dealing of an axis: a cyclic one with a block for each coordinate is a block, and one over a single process is
/// undistributed; lists in order may be either. A block whose shares differ by more than its last ones being shorter,
/// or by more than one element, is irregular.
Pattern pattern(const Axis& axis);

/// The same ownership and order in its simplest spelling: what comes back is a block axis where it can be, else a
/// cyclic one. Padded axes stay as they are.
Axis simplest(const Axis& axis);

/// One line: "block", "periodic padded irregular block", "block-cyclic by 2 from coordinate 1", "unstructured with
/// shared indices".
std::string describe(const Axis& axis);
/// The axes' lines and the process grid: "block x cyclic over 2 x 3 processes".
std::string describe(const Distribution& distribution);

/// Whether two distributions deal an array alike.
struct Comparison {
  bool same_owners = true;  ///< every global index has the same owners in both
  bool same_places = true;  ///< and stands at the same local indices there
  std::string difference;   ///< where they part: "index (3, 0) is owned by process 0 here and by process 1 there"
};

/// Compares by what is owned, not by how it is said. Costs time in proportion to the grids and to the lists of
/// unstructured axes, never to the size of other axes.
Comparison compare(const Distribution& here, const Distribution& there);

/// How evenly the elements are spread.
struct Balance {
  Index smallest = 0, largest = 0;  ///< elements owned by the process that has least, and by the one that has most
  double mean = 0;                  ///< elements for each process
  /// The largest share over the mean one: 1 is even; 0 where there are no elements.
  double imbalance() const { return mean > 0 ? static_cast<double>(largest) / mean : 0; }
};

Balance balance(const Distribution& distribution);

/// The length of one process's local buffer, padding included, in bytes; throws Error where it does not fit 64 bits.
Index local_bytes(const Distribution& distribution, Index process, Index element_bytes);

}  // namespace tridap
