#pragma once

#include <tridap/distribution.hpp>
#include <tridap/flat_numbers.hpp>
#include <tridap/internal/digest.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace tridap {

/// What a process has of an unstructured axis whose lists stay on their processes.
struct ListHere {
  std::function<std::vector<Index>()> list;  ///< reads that of its coordinate; may throw
  Index coordinate = 0;
  bool represents = true;               ///< no process of a lower rank has this coordinate
  std::vector<Index> counts;            ///< by coordinate
  std::array<Index, 2> extremes{0, 0};  ///< of all lists; any, if they are empty
};

/// The directory form of an axis, on one process.
struct SpreadLists {
  /// An index on two coordinates.
  struct Twice {
    Index global = 0;
    std::array<Index, 2> coordinates{};
  };

  std::shared_ptr<const UnstructuredKind::Own> own;
  std::vector<Twice> twice;  ///< the first ones of those that this process found
};

/// What this process knows of an axis in the directory form; null: the axis has another form.
inline const UnstructuredKind::Own* own_of(const Axis& axis) {
  const auto* lists = axis.unstructured();
  return lists != nullptr ? lists->own() : nullptr;
}
/// Whether some axis of the distribution is in the directory form.
inline bool has_directory(const Distribution& distribution) {
  for (Index i = 0; i < distribution.ndim(); ++i)
    if (own_of(distribution.axis(i)) != nullptr) return true;
  return false;
}

/// Whether the axis is unstructured and lacks some index between its smallest and its largest one.
bool has_gaps(const Axis& axis);
/// All positions on such an axis, if this process has all of its lists; nothing on other axes. Throws std::bad_alloc.
KnownPositions all_positions(const Axis& axis);

/// An unstructured axis of a kind that is known to be valid. `size` may count shared indices once.
Axis listed_axis(UnstructuredKind kind, Index size, bool periodic);

/// Adds what an entry contributes to the digests of its axis, sums that wrap: Own::owners and Own::places.
inline void add_to_digests(std::array<std::uint64_t, 2>& digests, const UnstructuredKind::Entry& entry) {
  std::uint64_t mixed = mixed_bits(entry.global);
  mixed = mixed_bits(static_cast<Index>(mixed ^ static_cast<std::uint64_t>(entry.place.coordinate)));
  digests[0] += mixed;
  digests[1] += mixed_bits(static_cast<Index>(mixed ^ static_cast<std::uint64_t>(entry.place.local)));
}

/// The different indices of an unstructured axis, for a comparison: how many there are, and a sum, which wraps, of a
/// hash of each: Own::indices.
struct DifferentIndices {
  Index count = 0, digest = 0;

  friend bool operator==(const DifferentIndices& a, const DifferentIndices& b) {
    return a.count == b.count && a.digest == b.digest;
  }
};
DifferentIndices different_indices(const UnstructuredKind& kind);

}  // namespace tridap
