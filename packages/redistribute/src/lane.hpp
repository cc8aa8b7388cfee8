#pragma once

#include "copy.hpp"
#include "elements.hpp"
#include "walk.hpp"

#include <cstddef>
#include <vector>

namespace tridap::redistribute {

/// The number of bytes of a slot that are used: a whole number of elements if one fits, because the receiver may have
/// to combine whole elements.
inline Index whole_elements(Index slot_bytes, Index element_bytes) {
  return slot_bytes < element_bytes ? slot_bytes : slot_bytes - slot_bytes % element_bytes;
}

/// The elements of one array that are transferred between this process and another: their walk, and the array's memory
/// on this process.
struct Load {
  const Walk* walk = nullptr;
  std::byte* data = nullptr;
};

/// All that travels one way between us and one process in a move: the elements of its arrays, one after the other.
class Lane {
 public:
  /// Begins anew; the memory of an earlier move is used again.
  void begin(Index rank) {
    rank_ = rank;
    loads_.clear();
    left_ = 0;
    at_ = 0;
  }
  void add(const Load& load) {
    loads_.push_back(load);
    left_ += load.walk->bytes();
    if (loads_.size() == 1) cursor_.restart(*load.walk);
  }

  Index rank() const { return rank_; }
  Index left() const { return left_; }  ///< bytes of elements as they are here

  /// Puts the next `bytes` into `to`, one after the other; into the caches, or past them.
  void pack(std::byte* to, Index bytes, bool cached);
  /// Takes as many from there.
  void unpack(const std::byte* from, Index bytes);
  /// The same for elements that become others: `elements` of them, `from_bytes` long there.
  void combine(const std::byte* from, Index elements, Index from_bytes, Index to_bytes, Combine how, const Scaling& by);

 private:
  // Calls move(address, length, step, count) for the next bytes.
  template <class Move>
  void advance(Index bytes, Move&& move);

  Index rank_ = 0, left_ = 0;
  std::vector<Load> loads_;
  std::size_t at_ = 0;
  Cursor cursor_;
};

}  // namespace tridap::redistribute
