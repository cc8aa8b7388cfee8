#pragma once

#include <tridap/detail/fast_divisor.hpp>
#include <tridap/index.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tridap {

/// A part of a local buffer. Communication padding repeats elements that other processes own: ghost or halo elements.
/// Mirrors are the padding at the two ends of a periodic axis: they repeat elements of the other end.
enum class Part {
  local,     ///< all elements of the buffer, communication padding included
  owned,     ///< without communication padding: each index is owned once over all processes
  interior,  ///< owned, without the mirrors of a periodic axis: the elements for solvers, norms and sums
};

/// The position of an element of an axis: a grid coordinate, and a local index in the buffer of that coordinate.
struct Location {
  Index coordinate = 0, local = 0;

  friend bool operator==(const Location& a, const Location& b) {
    return a.coordinate == b.coordinate && a.local == b.local;
  }
  friend bool operator!=(const Location& a, const Location& b) { return !(a == b); }
};

/// `dist_type` 'b' over all coordinates of an axis: consecutive ranges, with or without padding.
class BlockKind {
 public:
  /// Coordinate c owns `[min(c * length, size), min((c + 1) * length, size))`. Allocates no memory.
  BlockKind(Index size, Index grid, Index length);
  /// Coordinate c owns `[bounds[c], bounds[c + 1])`.
  explicit BlockKind(std::vector<Index> bounds);
  /// The same with padding: one pair of widths for each coordinate, and boundary padding at the two edges. If
  /// `periodic`, the edges mirror the elements one period away.
  BlockKind padded(std::vector<std::array<Index, 2>> padding, bool periodic) const;

  Index size() const { return size_; }
  Index grid() const { return grid_; }
  bool is_padded() const { return padding_ != nullptr; }
  bool is_uniform() const { return bounds_ == nullptr; }  ///< all shares have one length, except shorter last ones
  Index length() const { return length_.divisor(); }

  Index begin(Index c) const {  ///< the first index that coordinate c owns; `size` for c == grid
    if (bounds_) return (*bounds_)[static_cast<std::size_t>(c)];
    return c < full_ ? c * length_.divisor() : size_;
  }
  std::array<Index, 2> padding(Index c) const {  ///< as exported
    return padding_ ? (*padding_)[static_cast<std::size_t>(c)] : std::array<Index, 2>{0, 0};
  }
  std::array<Index, 2> communication(Index c) const {  ///< the widths of elements that the neighbours own
    const auto [left, right] = padding(c);
    return {c > 0 ? left : 0, c < grid_ - 1 ? right : 0};
  }
  std::array<Index, 2> edges() const { return {padding(0)[0], padding(grid_ - 1)[1]}; }  ///< boundary widths
  /// The global index that belongs to local index 0, also if the share is empty.
  Index first_held(Index c) const {  // the product may overflow for an empty share, whose value is not used
    if (held_ != nullptr) return held_[c];
    return static_cast<Index>(static_cast<std::uint64_t>(c) * static_cast<std::uint64_t>(length_.divisor()));
  }
  Range part(Index c, Part part) const;

  std::optional<Location> locate(Index global) const {
    if (global < 0 || global >= size_) return std::nullopt;
    const Index c = bounds_ ? search(global) : length_.quotient(global);
    return Location{c, global - first_held(c)};
  }
  Index global_index(Index c, Index local) const { return first_held(c) + local; }

 private:
  // The last coordinate that begins at or before an index: a binary search without branches.
  Index search(Index global) const {
    const Index* at = bounds_->data();
    for (Index left = grid_; left > 1;) {
      const Index half = left / 2;
      at += at[half] <= global ? half : 0;
      left -= half;
    }
    return at - bounds_->data();
  }

  Index size_ = 0, grid_ = 1;
  detail::FastDivisor length_;
  Index full_ = 0;                                    // coordinates less than this one own `length` elements
  std::shared_ptr<const std::vector<Index>> bounds_;  // null if uniform
  std::shared_ptr<const std::vector<std::array<Index, 2>>> padding_;
  std::shared_ptr<const std::vector<Index>> padded_;  // by coordinate: first index of its buffer; null without padding
  const Index* held_ = nullptr;                       // the same, or the bounds; null if uniform and without padding
  bool periodic_ = false;
};

/// `dist_type` 'c' over all coordinates of an axis: blocks are distributed round-robin, beginning with coordinate
/// `first`.
class CyclicKind {
 public:
  CyclicKind(Index size, Index grid, Index block_size, Index first)
      : size_(size), grid_(grid), block_size_(block_size), first_(first) {}

  Index size() const { return size_; }
  Index grid() const { return grid_.divisor(); }
  Index block_size() const { return block_size_.divisor(); }
  Index first() const { return first_; }

  /// The position of coordinate c in the round-robin order.
  Index turn(Index c) const { return c >= first_ ? c - first_ : c - first_ + grid(); }
  Index start(Index c) const { return checked_multiply(turn(c), block_size()).value_or(size_); }
  Index count(Index c) const;

  std::optional<Location> locate(Index global) const {
    if (global < 0 || global >= size_) return std::nullopt;
    const Index block = block_size_.quotient(global), round = grid_.quotient(block);
    const Index turns = block - round * grid(), wrap = grid() - first_;
    return Location{turns < wrap ? turns + first_ : turns - wrap, global - (block - round) * block_size()};
  }
  Index global_index(Index c, Index local) const {
    const Index round = block_size_.quotient(local);
    return local + (round * (grid() - 1) + turn(c)) * block_size();
  }

 private:
  Index size_;
  detail::FastDivisor grid_, block_size_;
  Index first_;
};

/// Finds the indices of an unstructured axis whose lists stay on their processes: mpi::Directory. An axis only keeps
/// it.
class DirectoryOfLists {
 public:
  virtual ~DirectoryOfLists() = default;
};

/// `dist_type` 'u' over all coordinates of an axis: a list of global indices for each.
///
/// Usually a process has the lists of all coordinates. In the *directory form* it has that of its own coordinate, and
/// of the others their lengths and what a question to the directory has told: the positions of single indices. What
/// needs more throws an Error that names the directory.
class UnstructuredKind {
 public:
  UnstructuredKind(std::vector<std::vector<Index>> lists, bool one_to_one);

  /// An index and one of its positions.
  struct Entry {
    Index global;
    Location place;  ///< coordinate -1: nobody holds the index
  };
  /// What one process knows of an axis in the directory form.
  struct Own {
    Index coordinate = 0;                 ///< of this process
    std::vector<Index> list;              ///< of this coordinate
    std::vector<Index> counts;            ///< by coordinate: the length of its list
    Index distinct = 0;                   ///< the number of different indices of all lists
    std::array<Index, 2> extremes{0, 0};  ///< the smallest and the largest index of all lists
    std::array<Location, 2> ends;         ///< where these two are, at the lowest coordinate that has them
    Index owners = 0, places = 0;         ///< digests of the coordinates of all indices, and of their places
    Index indices = 0;                    ///< digest of the different indices
    std::vector<Entry> entries;           ///< all of the indices of `list`, ascending by index, then by coordinate
    std::shared_ptr<const DirectoryOfLists> directory;
  };
  /// The directory form.
  UnstructuredKind(std::shared_ptr<const Own> own, bool one_to_one);
  /// The same axis, of which this process knows more: all entries of some more indices, ascending as above. An index
  /// that nobody holds has one entry, of coordinate -1.
  UnstructuredKind knowing(std::vector<Entry> more) const;
  /// Whether the positions of an index are known here: entries(global) does not throw then.
  bool knows(Index global) const;
  /// What this process knows in the directory form; null: all lists are here.
  const Own* own() const { return own_; }

  Index grid() const { return grid_; }
  Index count(Index c) const {
    return own_ != nullptr ? own_->counts[static_cast<std::size_t>(c)] : static_cast<Index>(lists_[c].size());
  }
  bool one_to_one() const { return one_to_one_; }                      ///< as the producer states
  bool shares_indices() const { return found_->repeated > 0; }         ///< as the lists show
  Index total() const { return found_->total; }                        ///< the sum of the counts
  Index distinct() const { return found_->total - found_->repeated; }  ///< the number of different indices
  std::array<Index, 2> extremes() const { return {first_, last_}; }  ///< the smallest and the largest, if there is one
  const std::vector<Index>& list(Index c) const { return own_ != nullptr ? own_list(c) : lists_[c]; }
  std::shared_ptr<const void> owner() const { return found_; }  ///< keeps the lists alive

  /// All entries, ascending by index, then by coordinate.
  const std::vector<Entry>& entries() const;
  /// The entries of one index.
  std::pair<const Entry*, const Entry*> entries(Index global) const;

  /// The position at the lowest coordinate that holds an index.
  std::optional<Location> locate(Index global) const {
    const std::uint64_t i = static_cast<std::uint64_t>(global) - static_cast<std::uint64_t>(first_);
    const Location place = i < table_size_ ? table_[i] : locate_beside_table(global);
    return place.coordinate < 0 ? std::nullopt : std::optional<Location>(place);
  }
  Index global_index(Index c, Index local) const { return list(c)[static_cast<std::size_t>(local)]; }

  /// Calls `visit(global, Location)` for the indices `first <= global < end`, in ascending order, each once at its
  /// lowest coordinate.
  template <class Visit>
  void for_each_location(Index first, Index end, Visit&& visit) const {
    if (table_ != nullptr) {
      if (first > last_ || end <= first_) return;
      const Index stop = end > last_ ? last_ - first_ + 1 : end - first_;
      const Index begin = first > first_ ? first - first_ : 0, smallest = first_;
      const Location* const table = table_;
      if (distinct() == last_ - first_ + 1) {  // without gaps
        for (Index i = begin; i < stop; ++i) visit(smallest + i, table[i]);
      } else {
        for (Index i = begin; i < stop; ++i)
          if (table[i].coordinate >= 0) visit(smallest + i, table[i]);
      }
      return;
    }
    const std::vector<Entry>& all = entries();
    const auto less = [](const Entry& entry, Index global) { return entry.global < global; };
    for (auto entry = std::lower_bound(all.begin(), all.end(), first, less); entry != all.end() && entry->global < end;
         ++entry)
      if (entry == all.begin() || entry[-1].global != entry->global) visit(entry->global, entry->place);
  }

 private:
  struct Found {
    std::vector<std::vector<Index>> lists;  // none in the directory form
    std::shared_ptr<const Own> own;         // null: all lists are here
    std::vector<Entry> entries;             // in the directory form, those that are known besides own's
    std::vector<Location> table;            // by `global - first_`, if the indices are dense; coordinate -1: not held
    Index total = 0, repeated = 0;
  };
  void keep(std::shared_ptr<Found> found);
  const std::vector<Index>& own_list(Index c) const;
  Location locate_beside_table(Index global) const;  // coordinate -1: not held
  std::pair<const Entry*, const Entry*> known(Index global) const;

  std::shared_ptr<const Found> found_;
  const std::vector<Index>* lists_ = nullptr;  // found_'s
  const Own* own_ = nullptr;                   // found_'s, or null
  const Location* table_ = nullptr;            // found_'s, or null
  std::uint64_t table_size_ = 0;               // 0: no table
  Index grid_ = 1;
  Index first_ = 0, last_ = -1;  // the smallest and the largest index
  bool one_to_one_;
};

}  // namespace tridap
