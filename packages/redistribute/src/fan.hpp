#pragma once

#include "elements.hpp"
#include "walk.hpp"
#include "weave.hpp"
#include <tridap/buffer.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

namespace tridap::redistribute {

/// A buffer that this process can access directly: of another process, or its own buffer on the other side.
struct Reach {
  std::vector<Index> peers;  ///< where its process stands, as Data::each_peer() says it
  IndexList strides;         ///< bytes, by axis of that buffer; empty: it is fed
};

/// Memory that takes elements one after the other.
struct Feed {
  std::byte *next = nullptr, *end = nullptr;
  bool cached = false;  ///< written into the caches, else past them
};

/// Memory that elements are taken from, one after the other.
struct Supply {
  const std::byte *next = nullptr, *end = nullptr;
  std::chrono::steady_clock::time_point begun;
};

/// Moves straight between our buffer and those of several processes, in one pass over ours: what a row of ours has for
/// three processes goes to the three of them before the next row is read.
class Fan {
 public:
  /// `near`: our buffer at `end`; `reaches`: the buffers at the other end. Not for ravelled arrays.
  Fan(const PlanData& parts, const Buffer& near, End end, const std::vector<Reach>& reaches, Index far_bytes);

  /// `far[k]`: element (0, ..., 0) of the k-th reach's buffer. `combine`: what becomes of the elements; null: copied.
  /// Others see what was written after the call has returned.
  void run(std::byte* near, const std::vector<std::byte*>& far, Combine combine, const Scaling& scaling);

  /// The same in parts, for reaches of which some are fed: `feeds[k]` takes what the k-th one gets, in the order of our
  /// memory, and `own` is the buffer of the one that is not.
  void restart();
  /// Goes on until all is done (true), until `*bytes` are behind us, which are counted down, or until `room(k, bytes)`
  /// finds no room for so much in feed `k`.
  bool feed(std::byte* near, std::byte* own, std::vector<Feed>& feeds,
            const std::function<bool(std::size_t, Index)>& room, Index* bytes);
  /// The other way round, where our buffer is a target whose rows are dense(): `supplies[k]` has what the k-th reach
  /// gives, and `own` is the buffer of the one that is not fed. Goes on until all is done (true), until `*bytes` are
  /// behind us, or until `more(k)` finds no more in supply `k`, which is used up.
  bool drain(std::byte* near, std::byte* own, std::vector<Supply>& supplies,
             const std::function<bool(std::size_t)>& more, Index* bytes);

  /// The most bytes that a row of ours has for one reach; 0: there are no rows.
  Index widest() const;
  /// The bytes that stand in a row for one reach within a row of ours, in the mean; 0: there are no rows.
  Index mean_run() const;
  /// The most bytes of one reach that we go through before we come to another along some axis but the innermost one;
  /// 0: along none are there several.
  Index stretch() const;
  bool only_fed() const { return only_fed_; }
  /// Whether each row is one reach's alone.
  bool apart() const { return axes_.empty() || axes_.back().slots == 1; }
  bool dense() const { return !axes_.empty() && axes_.back().near_step == near_chunk_; }

 private:
  struct FanPiece {
    Index near = 0, far = 0, count = 0;  // bytes; local index; elements
    std::size_t slot = 0;                // of the peer along the axis
  };
  struct FanSection {
    Index repeat = 1, near_step = 0, far_step = 0;
    std::vector<FanPiece> pieces;
    std::vector<FanPiece> fed;  // the same as a feed takes them: longer, where they stand in a row here alone
    Index fed_repeat = 1;
  };
  struct FanAxis {
    Index near_step = 0;
    std::size_t far_axis = 0, weight = 1, slots = 1;  // weight: of a slot in the table of reaches
    std::vector<FanSection> sections;
  };
  struct Position {
    std::size_t section = 0;
    Index repetition = 0;
    std::size_t piece = 0;
    Index element = 0;
  };
  // A row is what the innermost axis holds at one place of all others.
  struct Row {
    std::byte* near = nullptr;
    std::size_t entry = 0;
  };
  Row find_row(std::byte* near);                                       // where at_ is
  bool next_row();                                                     // false: there is none
  const std::vector<FanPiece>& runs(const FanSection& section) const;  // of a row, for drain()
  bool next_run();                                                     // false: there is none
  bool drain_run(const Row& row, std::vector<Supply>& supplies, const std::function<bool(std::size_t)>& more);
  Index reached_bytes(const Row& row) const;
  void find_own(const Row& row, std::byte* own);
  std::byte* far_row(std::size_t entry) const;
  bool find_room(const Row& row, std::vector<Feed>& feeds, const std::function<bool(std::size_t, Index)>& room);
  void feed_row(const Row& row, std::byte* own);
  template <class Kernel>
  void put(std::byte* to, Index to_step, const std::byte* from, Index count) const;
  void take(std::byte* to, const std::byte* from, Index step, Index count) const;
  template <class Run>
  void rows(std::byte* near, const Run& run);
  void plan_weave();
  void copy_rows(std::byte* near);
  void weave(std::size_t first, std::size_t count);
  bool on_lines(std::size_t row) const;
  void join();
  void merge_fed();
  static Index longest_stay(const FanAxis& axis);  // elements in a row that are one slot's
  Index stride(std::size_t entry, std::size_t far_axis) const { return strides_[entry * ndim_ + far_axis]; }

  End end_;
  std::size_t ndim_ = 0;
  std::vector<FanAxis> axes_;             // outermost in our memory first; those inside stand in a row on both sides
  Index near_chunk_ = 0, far_chunk_ = 0;  // bytes of what stands in a row
  Index chunk_ = 1;                       // elements of it
  Index near_first_ = 0;                  // bytes before the first chunk here
  // A table of the processes that the shares of all axes make up, those that are not reached too.
  std::vector<std::size_t> reach_;  // number + 1; 0: not reached
  std::vector<Index> strides_;      // by entry and axis of the far buffer
  std::vector<Index> far_first_;    // by entry: bytes before the first chunk there
  std::vector<std::byte*> bases_;   // by entry; null: not reached
  std::vector<std::byte*> rows_;    // by slot of the innermost axis
  std::vector<Index> far_local_;    // by axis: where we are there
  std::vector<Feed*> fed_;          // by slot of the innermost axis; null: not fed
  std::vector<Supply*> supplied_;   // the same
  std::vector<Index> row_bytes_;    // by slot of the innermost axis
  std::vector<bool> is_fed_;        // by entry
  bool only_fed_ = true;
  bool weaves_ = false;                          // several rows go side by side
  bool long_runs_ = true;                        // all of them: so that it matters little where they begin and end
  std::array<std::byte*, Weave::most> woven_{};  // these rows
  std::vector<std::array<std::byte*, Weave::most>> woven_far_;  // by slot; null: not reached
  std::vector<Position> at_;                                    // by axis but the innermost one
  Position inside_;    // where we are along that one: a run, and its bytes that are behind us
  bool more_ = false;  // rows
};

}  // namespace tridap::redistribute
