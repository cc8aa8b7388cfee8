#pragma once

#include <tridap/dist_array.hpp>
#include <tridap/distribution.hpp>

#include <optional>
#include <string>

namespace tridap {

/// The kinds of distribution of an axis, from the simplest to the most general.
enum class Pattern { undistributed, block, irregular_block, cyclic, block_cyclic, unstructured };

/// The simplest kind that describes an axis. It depends on the elements that each coordinate owns, not on `dist_type`:
/// a cyclic axis with at most one block for each coordinate is a block axis, and a block axis over one process is
/// undistributed. Sorted lists can be block or cyclic too. A block axis is regular if all shares have one length except
/// that the last ones are shorter, or if all lengths differ by at most one element; otherwise it is irregular.
Pattern pattern(const Axis& axis);

/// An axis with the same owners and the same local order, in the simplest form: block if possible, else cyclic, else
/// unchanged. Padded axes are returned unchanged.
Axis simplest(const Axis& axis);

/// One line: "block", "periodic padded irregular block", "block-cyclic by 2 from coordinate 1", "unstructured with
/// shared indices". A cyclic axis is named as its `dim_data` has it, also if each coordinate has at most one block:
/// axes that compare() finds equal can have different lines. Other axes are named by their pattern().
std::string describe(const Axis& axis);
/// The descriptions of the axes, then the process grid: "block x cyclic over 2 x 3 processes".
std::string describe(const Distribution& distribution);

/// The result of comparing two distributions.
struct Comparison {
  bool same_owners = true;  ///< every global index has the same owners in both
  bool same_places = true;  ///< and the same local indices there
  std::string difference;   ///< the first difference: "index (3, 0) is owned by process 0 here and by process 1 there"
};

/// Compares the owners of all elements, not the dictionaries. The time is proportional to the grid sizes and to the
/// lengths of the lists of unstructured axes, not to the sizes of other axes.
///
/// If an axis is in the directory form of UnstructuredKind, axes are compared in pairs, by digests of their elements:
/// distributions over different process grids differ then. If only one axis of a pair has a directory, the time is
/// proportional to the size of the other one.
Comparison compare(const Distribution& here, const Distribution& there);

/// A key in which two dimensions differ, and its values.
struct KeyDifference {
  std::string key;              ///< of dim_data; or "index", of an element, or "local extent", of the buffer
  std::string given, expected;  ///< as text

  std::string given_text() const { return key + " " + given; }        ///< "block_size 2"
  std::string expected_text() const { return key + " " + expected; }  ///< "block_size 3"
};

/// The first difference between two dimensions that decides which elements a process holds and where; nothing: there is
/// none. Elements are compared, not descriptions: a list may have the indices of a block, the start of an empty share
/// may be anywhere, and other keys may differ. The widths of boundary padding are not compared, because its elements
/// are owned. `expected` is correct, `given` may be wrong. Time: proportional to the elements if one is a list, or if
/// they are of different kinds.
std::optional<KeyDifference> first_difference(const Dimension& given, const Dimension& expected,
                                              Version version = Version::v0_10);

/// How an array on this process differs from another one: "padding (1, 1)" and "no padding".
struct Mismatch {
  std::optional<Index> axis;  ///< nothing: the number of axes differs
  std::string given, expected;
};

/// The first difference between the dim_data of a correct array and those of `process`, which is from 0 to one less
/// than the processes of the distribution; nothing: there is none. Local; first_difference() says what is compared.
std::optional<Mismatch> mismatch(const DistArray& array, const Distribution& distribution, Index process);

/// How evenly the elements are distributed.
struct Balance {
  Index smallest = 0, largest = 0;  ///< fewest and most elements that one process owns
  double mean = 0;                  ///< elements for each process
  /// The largest share divided by the mean one. 1 means even; it is 0 if there are no elements.
  double imbalance() const { return mean > 0 ? static_cast<double>(largest) / mean : 0; }
};

Balance balance(const Distribution& distribution);

/// The size of one process's local buffer in bytes, padding included. Throws Error if it does not fit 64 bits.
Index local_bytes(const Distribution& distribution, Index process, Index element_bytes);

}  // namespace tridap
