#pragma once

#include "combine.hpp"

#include <cstddef>
#include <cstdint>

/// The kernels of moves, in phases between their barriers, for a device and for the host. A kernel's threads run one
/// phase after the other; a stand-in for a device runs each phase for all threads of a block in turn.

namespace tridap::device {

using Long = std::int64_t;

inline constexpr int most_axes = 33;  ///< those of an array, and one for the words of an element
inline constexpr int threads = 256;   ///< of a block

// The tables of a plan. All numbers `here` are bytes in this process's buffer, and `there` local indices of a peer.

/// Elements along an axis that follow one another here and there, from position `first` of their section.
struct PieceEntry {
  Long first, here, there;
  std::int32_t peer;  ///< its part of the peer's number
};

/// Pieces that come again: those of `length` positions from `first` on, and again so much further on.
struct SectionEntry {
  Long first, length, here_step, there_step;
  std::int32_t piece, pieces;  ///< the first of them, and how many
};

struct AxisEntry {
  Long extent, step;  ///< positions; bytes from one to the next here
  std::int32_t section, sections;
};

struct Tables {
  const AxisEntry* axes;
  const SectionEntry* sections;
  const PieceEntry* pieces;
  std::int32_t ndim;
};

/// The elements of this process's target, read from the memory of their owners.
struct PullTask {
  Tables tables;
  char* target;
  const char* const* peers;  ///< by number: the first element of its buffer
  const Long* strides;       ///< by number and axis, bytes
  std::int32_t x, y;         ///< the axes of a tile: x is fastest here; y, of a turned one, there. -1: there is no y
  std::int32_t tile_x, tile_y;
  Long tiles_x, tiles_y, tiles;
};

/// Elements of one buffer, one after the other in the order of the axes, to or from a slot.
struct SlotTask {
  Tables tables;
  char* buffer;
  char* slot;
  Long first, count;  ///< words
  bool to_buffer;
  Arithmetic arithmetic;  ///< of a kernel that computes; first and count are elements then
  Long slot_step;         ///< bytes from one element to the next in the slot
};

/// The same as a PullTask for a kernel that computes, which does not use tiles. An element is no word.
struct CombineTask {
  PullTask pull;
  Arithmetic arithmetic;
  Long count;
};

/// Where a position along an axis is.
struct Place {
  Long here, there;
  std::int32_t peer;
};

template <class Entry>
TRIDAP_ON_DEVICE inline const Entry& last_from(const Entry* entries, std::int32_t count, Long position) {
  std::int32_t low = 0;
  while (count - low > 1) {
    const std::int32_t middle = low + (count - low) / 2;
    if (entries[middle].first <= position)
      low = middle;
    else
      count = middle;
  }
  return entries[low];
}

TRIDAP_ON_DEVICE inline Place find(const Tables& tables, int axis, Long position) {
  const AxisEntry& entry = tables.axes[axis];
  const SectionEntry& section = last_from(tables.sections + entry.section, entry.sections, position);
  Long inside = position - section.first, repetition = 0;
  if (inside >= section.length) {
    repetition = inside / section.length;
    inside -= repetition * section.length;
  }
  const PieceEntry& piece = last_from(tables.pieces + section.piece, section.pieces, inside);
  inside -= piece.first;
  return {piece.here + repetition * section.here_step + inside * entry.step,
          piece.there + repetition * section.there_step + inside, piece.peer};
}

/// What the threads of a block share while they move a tile. Each thread reads at one position along an axis, its
/// *own*, and at those of the tile along another one, *across*.
template <int most_across>
struct SharedPlaces {
  Place across[most_across], outer[most_axes];
  std::int32_t own_count, across_count;
};

/// For a tile that does not turn: threads read and write along their own axis.
using SharedRows = SharedPlaces<threads>;

constexpr int turned_x = 32;
/// The longest side of a turned tile along the axis that is fastest there, in words of a length.
constexpr int most_turned_y(Long bytes) { return bytes > 8 ? 64 : 128; }

/// For a tile that turns in shared memory: threads read along their own axis, and write along the other one.
template <class Word>
struct SharedTurned : SharedPlaces<turned_x> {
  Long own_here[most_turned_y(sizeof(Word))];
};
template <class Word>
struct SharedWords {
  static constexpr int row = most_turned_y(sizeof(Word)) + 1;  // so that a warp uses different banks
  Word at[turned_x * row];
};

/// The axes of a tile.
struct TileAxes {
  std::int32_t own, across, own_side;
};
template <bool is_turned>
TRIDAP_ON_DEVICE inline TileAxes axes_of(const PullTask& task) {
  return is_turned ? TileAxes{task.y, task.x, task.tile_y} : TileAxes{task.x, task.y, task.tile_x};
}

/// Phase 0: where the positions of a tile are. Returns the place of the thread's own one.
template <bool is_turned, class Block>
TRIDAP_ON_DEVICE Place find_places(const PullTask& task, Long tile, Block& block, int thread) {
  Long rest = tile / task.tiles_x;
  const Long first_x = (tile - rest * task.tiles_x) * task.tile_x;
  Long outer = rest / task.tiles_y;
  const Long first_y = (rest - outer * task.tiles_y) * task.tile_y;
  const Long left_x = task.tables.axes[task.x].extent - first_x;
  const Long left_y = task.y < 0 ? 1 : task.tables.axes[task.y].extent - first_y;
  const int count_x = static_cast<int>(left_x < task.tile_x ? left_x : task.tile_x);
  const int count_y = static_cast<int>(left_y < task.tile_y ? left_y : task.tile_y);
  const TileAxes axes = axes_of<is_turned>(task);
  const int own_count = is_turned ? count_y : count_x, across_count = is_turned ? count_x : count_y;
  const Long own_first = is_turned ? first_y : first_x, across_first = is_turned ? first_x : first_y;
  if (thread == 0) {
    block.own_count = own_count;
    block.across_count = across_count;
  }
  for (int i = thread; i < across_count; i += threads)
    block.across[i] = axes.across < 0 ? Place{0, 0, 0} : find(task.tables, axes.across, across_first + i);
  for (int axis = task.tables.ndim - 1; axis >= 0; --axis) {
    if (axis == task.x || axis == task.y) continue;
    const Long extent = task.tables.axes[axis].extent;
    const Long before = outer / extent;
    if (thread == threads - 1 - axis) block.outer[axis] = find(task.tables, axis, outer - before * extent);
    outer = before;
  }
  const int own = thread % axes.own_side;
  return own < own_count ? find(task.tables, axes.own, own_first + own) : Place{0, 0, 0};
}

/// The first byte here of what a block moves, but for the axes of its tile.
template <class Block>
TRIDAP_ON_DEVICE inline char* begin_here(const PullTask& task, const Block& block) {
  char* begin = task.target;
  for (int axis = 0; axis < task.tables.ndim; ++axis)
    if (axis != task.x && axis != task.y) begin += block.outer[axis].here;
  return begin;
}

/// How many words a thread reads before it uses the first. More take registers, and with them threads: the fastest of
/// those that were tried on an H200.
template <class Word>
inline constexpr int rows_together = sizeof(Word) > 8 ? 4 : 8;
inline constexpr int turned_together = 4;

/// The positions across that a thread visits at once, of a tile that has `count`: those behind its end are the last
/// one.
TRIDAP_ON_DEVICE inline int within(int position, int count) { return position < count ? position : count - 1; }

/// Reads the words of a thread at its own position. What depends on a peer alone is found when the peer changes.
template <class Word, class Block>
class Reader {
 public:
  TRIDAP_ON_DEVICE Reader(const PullTask& task, const Block& block, const TileAxes& axes, const Place& own)
      : task_(task), block_(block), axes_(axes), own_(own), first_peer_(own.peer) {
    for (int axis = 0; axis < task.tables.ndim; ++axis)
      if (axis != task.x && axis != task.y) first_peer_ += block.outer[axis].peer;
  }
  /// Reads at `first` and those that are `step` further on each. One branch for all, so that they are read at once.
  template <int count>
  TRIDAP_ON_DEVICE void read(Word (&words)[count], int first, int step) {
    std::int32_t peers[count], others = 0;
    Long there[count];
    for (int k = 0; k < count; ++k) {
      const Place& across = block_.across[within(first + k * step, block_.across_count)];
      peers[k] = first_peer_ + across.peer;
      there[k] = across.there;
      others |= peers[k] ^ peer_;
    }
    if (others == 0) {
      for (int k = 0; k < count; ++k) words[k] = word(there[k]);
    } else {
      for (int k = 0; k < count; ++k) {
        if (peers[k] != peer_) turn_to(peers[k]);
        words[k] = word(there[k]);
      }
    }
  }

 private:
  TRIDAP_ON_DEVICE Word word(Long there) const { return *reinterpret_cast<const Word*>(from_ + there * step_); }
  TRIDAP_ON_DEVICE void turn_to(std::int32_t peer) {
    peer_ = peer;
    const Long* const strides = task_.strides + Long{peer} * task_.tables.ndim;
    step_ = axes_.across < 0 ? 0 : strides[axes_.across];
    from_ = task_.peers[peer] + own_.there * strides[axes_.own];
    for (int axis = 0; axis < task_.tables.ndim; ++axis)
      if (axis != task_.x && axis != task_.y) from_ += block_.outer[axis].there * strides[axis];
  }

  const PullTask& task_;
  const Block& block_;
  const TileAxes axes_;
  const Place own_;
  std::int32_t first_peer_, peer_ = -1;
  const char* from_ = nullptr;
  Long step_ = 0;
};

/// Phase 1 of a kernel that reads and writes along x.
template <class Word>
TRIDAP_ON_DEVICE void copy_rows(const PullTask& task, const SharedRows& block, const Place& own, int thread) {
  const int rows = threads / task.tile_x;
  if (thread % task.tile_x >= block.own_count) return;
  Reader<Word, SharedRows> reader(task, block, axes_of<false>(task), own);
  char* const here = begin_here(task, block) + own.here;
  Word words[rows_together<Word>];
  for (int first = thread / task.tile_x; first < block.across_count; first += rows * rows_together<Word>) {
    reader.read(words, first, rows);
    for (int k = 0; k < rows_together<Word>; ++k)
      if (const int row = first + k * rows; row < block.across_count)
        *reinterpret_cast<Word*>(here + block.across[row].here) = words[k];
  }
}

/// Phases 1 and 2 of a kernel that reads along y and writes along x.
template <class Word>
TRIDAP_ON_DEVICE void read_turned(const PullTask& task, SharedTurned<Word>& block, SharedWords<Word>& tile,
                                  const Place& own, int thread) {
  const int y = thread % task.tile_y, columns = threads / task.tile_y;
  if (y >= block.own_count) return;
  if (thread == y) block.own_here[y] = own.here;
  Reader<Word, SharedTurned<Word>> reader(task, block, axes_of<true>(task), own);
  Word words[turned_together];
  for (int first = thread / task.tile_y; first < block.across_count; first += columns * turned_together) {
    reader.read(words, first, columns);
    for (int k = 0; k < turned_together; ++k)
      if (const int x = first + k * columns; x < block.across_count) tile.at[x * tile.row + y] = words[k];
  }
}
template <class Word>
TRIDAP_ON_DEVICE void write_turned(const PullTask& task, const SharedTurned<Word>& block, const SharedWords<Word>& tile,
                                   int thread) {
  const int x = thread % turned_x;
  if (x >= block.across_count) return;
  constexpr int step = threads / turned_x;
  char* const here = begin_here(task, block) + block.across[x].here;
  Word words[turned_together];
  for (int first = thread / turned_x; first < block.own_count; first += step * turned_together) {
    for (int k = 0; k < turned_together; ++k)
      words[k] = tile.at[x * tile.row + within(first + k * step, block.own_count)];
    for (int k = 0; k < turned_together; ++k)
      if (const int y = first + k * step; y < block.own_count)
        *reinterpret_cast<Word*>(here + block.own_here[y]) = words[k];
  }
}

/// Where an element of a product of axes is in the buffer.
TRIDAP_ON_DEVICE inline Long place_of(const Tables& tables, Long number) {
  Long here = 0;
  for (int axis = tables.ndim - 1; axis >= 0; --axis) {
    const Long extent = tables.axes[axis].extent;
    const Long before = number / extent;
    here += find(tables, axis, number - before * extent).here;
    number = before;
  }
  return here;
}

/// The words of one thread, between a buffer and a slot.
template <class Word>
TRIDAP_ON_DEVICE void move_slot(const SlotTask& task, Long begin, Long step) {
  for (Long k = begin; k < task.count; k += step) {
    const Long here = place_of(task.tables, task.first + k);
    Word* const in_slot = reinterpret_cast<Word*>(task.slot) + k;
    Word* const in_buffer = reinterpret_cast<Word*>(task.buffer + here);
    if (task.to_buffer)
      *in_buffer = *in_slot;
    else
      *in_slot = *in_buffer;
  }
}

/// The elements of one thread, computed on their way to a buffer from their owners.
TRIDAP_ON_DEVICE inline void combine_elements(const CombineTask& task, Long begin, Long step) {
  const Tables& tables = task.pull.tables;
  for (Long k = begin; k < task.count; k += step) {
    Place places[most_axes];
    Long rest = k, here = 0, peer = 0, there = 0;
    for (int axis = tables.ndim - 1; axis >= 0; --axis) {
      const Long extent = tables.axes[axis].extent;
      const Long before = rest / extent;
      places[axis] = find(tables, axis, rest - before * extent);
      here += places[axis].here;
      peer += places[axis].peer;
      rest = before;
    }
    for (int axis = 0; axis < tables.ndim; ++axis)
      there += places[axis].there * task.pull.strides[peer * tables.ndim + axis];
    combine_any(task.arithmetic, reinterpret_cast<std::byte*>(task.pull.target + here),
                reinterpret_cast<const std::byte*>(task.pull.peers[peer] + there));
  }
}

/// The same from a slot.
TRIDAP_ON_DEVICE inline void combine_slot(const SlotTask& task, Long begin, Long step) {
  for (Long k = begin; k < task.count; k += step)
    combine_any(task.arithmetic, reinterpret_cast<std::byte*>(task.buffer + place_of(task.tables, task.first + k)),
                reinterpret_cast<const std::byte*>(task.slot + k * task.slot_step));
}

/// A word of 16 bytes.
struct alignas(16) Word16 {
  std::uint64_t first, second;
};

}  // namespace tridap::device
