#pragma once

#include "node_context.hpp"
#include "pieces.hpp"
#include "way.hpp"
#include <tridap/internal/elements.hpp>

#include <cstddef>
#include <vector>

#pragma GCC visibility push(hidden)

namespace tridap::redistribute {

/// Where the elements of one peer are, or go.
struct Destination {
  Way way = Way::message;  ///< a Stream carries what goes by message or typed: a Pass skips that
  Index rank = 0;
  std::byte* memory = nullptr;                ///< element (0, ..., 0) of that buffer
  std::byte *next = nullptr, *end = nullptr;  ///< of the slot that is being filled; null: none
};

/// One walk over our buffer, in the order of the elements, that serves all processes of the node at once. So every line
/// of our buffer is read, or written, once, even if it holds elements of several processes:
///
///     our source     | 0 0 0 1 1 1 2 2 2 | 0 0 0 1 1 1 2 2 2 | ...    the number: the process of the elements
///                         |     |     |
///                         v     v     v
///                    memory of  slot  slot
///                     process 0  of 1  of 2        a slot is posted when it is full,
///                                             at the end, or when the pass has to wait
///
/// A walk for each process alone takes up to twice as long for blocks of 512 bytes, and nearly three times as long for
/// shorter ones (cases (b) and (c) of the benchmark, into shared memory).
class Pass {
 public:
  /// `end`: of our buffer, `here`. Allocates only if there are more peers than in any pass before.
  void begin(const Pieces& pieces, End end, std::byte* here, const std::vector<Destination>& peers,
             const ElementStep& step, const NodeContext& context);
  /// Continues until `*units` are behind us, which are counted down, or all are (true), or a ring is full.
  bool progress(NodeContext& context, Index* units);
  /// Posts the slots that are not full yet, so that no process waits for elements that are in them.
  void post_all(NodeContext& context);
  bool done() const { return cursor_.left() == 0; }

 private:
  bool find_room(Destination& peer, NodeContext& context);
  void post(Destination& peer, NodeContext& context);
  void copy(const Cursor::Run& run, std::byte* here, std::byte* other);
  void copy_rows(const Cursor::Run& run, std::byte* here, std::byte* other);
  void pack_rows(const Cursor::Run& run, const std::byte* here, std::byte* slot) const;
  void combine(const Cursor::Run& run, std::byte* here, std::byte* other);

  End end_ = End::source;
  std::byte* here_ = nullptr;
  std::vector<Destination> peers_;
  ElementStep step_;
  Cursor cursor_;
};

}  // namespace tridap::redistribute

#pragma GCC visibility pop
