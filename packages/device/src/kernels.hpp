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

/// What the threads of a block share while they move a tile.
struct SharedRows {
  Place x[threads], y[threads], outer[most_axes];
  std::int32_t count_x, count_y;
};

constexpr int turned_side = 32, turned_row = turned_side + 1;  // so that the threads of a warp use different banks

/// What the threads of a block share while they turn a tile.
template <class Word>
struct SharedTile {
  Place x[turned_side], y[turned_side], outer[most_axes];
  std::int32_t count_x, count_y;
  Word words[turned_side * turned_row];
};

/// Phase 0: where the positions of a tile are.
template <class Block>
TRIDAP_ON_DEVICE void find_places(const PullTask& task, Long tile, Block& block, int thread) {
  Long rest = tile / task.tiles_x;
  const Long first_x = (tile - rest * task.tiles_x) * task.tile_x;
  Long outer = rest / task.tiles_y;
  const Long first_y = (rest - outer * task.tiles_y) * task.tile_y;
  const Long left_x = task.tables.axes[task.x].extent - first_x;
  const Long left_y = task.y < 0 ? 1 : task.tables.axes[task.y].extent - first_y;
  const int count_x = static_cast<int>(left_x < task.tile_x ? left_x : task.tile_x);
  const int count_y = static_cast<int>(left_y < task.tile_y ? left_y : task.tile_y);
  if (thread == 0) {
    block.count_x = count_x;
    block.count_y = count_y;
  }
  for (int i = thread; i < count_x; i += threads) block.x[i] = find(task.tables, task.x, first_x + i);
  for (int i = thread; i < count_y; i += threads)
    block.y[i] = task.y < 0 ? Place{0, 0, 0} : find(task.tables, task.y, first_y + i);
  for (int axis = task.tables.ndim - 1; axis >= 0; --axis) {
    if (axis == task.x || axis == task.y) continue;
    const Long extent = task.tables.axes[axis].extent;
    const Long before = outer / extent;
    if (thread == axis % threads) block.outer[axis] = find(task.tables, axis, outer - before * extent);
    outer = before;
  }
}

template <class Block>
TRIDAP_ON_DEVICE inline Long place_here(const PullTask& task, const Block& block, const Place& x, const Place& y) {
  Long here = x.here + y.here;
  for (int axis = 0; axis < task.tables.ndim; ++axis)
    if (axis != task.x && axis != task.y) here += block.outer[axis].here;
  return here;
}

template <class Word, class Block>
TRIDAP_ON_DEVICE inline Word read(const PullTask& task, const Block& block, const Place& x, const Place& y) {
  Long peer = x.peer + y.peer;
  for (int axis = 0; axis < task.tables.ndim; ++axis)
    if (axis != task.x && axis != task.y) peer += block.outer[axis].peer;
  const Long* const strides = task.strides + peer * task.tables.ndim;
  Long there = x.there * strides[task.x];
  if (task.y >= 0) there += y.there * strides[task.y];
  for (int axis = 0; axis < task.tables.ndim; ++axis)
    if (axis != task.x && axis != task.y) there += block.outer[axis].there * strides[axis];
  return *reinterpret_cast<const Word*>(task.peers[peer] + there);
}

/// Phase 1 of a kernel that reads and writes along x. Each thread reads several words before its first write.
template <class Word, class Block>
TRIDAP_ON_DEVICE void copy_rows(const PullTask& task, const Block& block, int thread) {
  constexpr int together = 4;
  const int column = thread % task.tile_x, rows = threads / task.tile_x;
  if (column >= block.count_x) return;
  const Place x = block.x[column];
  Word words[together];
  for (int row = thread / task.tile_x; row < block.count_y; row += rows * together) {
    for (int k = 0; k < together; ++k)
      if (row + k * rows < block.count_y) words[k] = read<Word>(task, block, x, block.y[row + k * rows]);
    for (int k = 0; k < together; ++k)
      if (row + k * rows < block.count_y)
        *reinterpret_cast<Word*>(task.target + place_here(task, block, x, block.y[row + k * rows])) = words[k];
  }
}

/// Phases 1 and 2 of a kernel that reads along y and writes along x.
template <class Word, class Block>
TRIDAP_ON_DEVICE void read_turned(const PullTask& task, Block& block, int thread) {
  const int y = thread % turned_side;
  if (y >= block.count_y) return;
  for (int x = thread / turned_side; x < block.count_x; x += threads / turned_side)
    block.words[x * turned_row + y] = read<Word>(task, block, block.x[x], block.y[y]);
}
template <class Word, class Block>
TRIDAP_ON_DEVICE void write_turned(const PullTask& task, const Block& block, int thread) {
  const int x = thread % turned_side;
  if (x >= block.count_x) return;
  for (int y = thread / turned_side; y < block.count_y; y += threads / turned_side)
    *reinterpret_cast<Word*>(task.target + place_here(task, block, block.x[x], block.y[y])) =
        block.words[x * turned_row + y];
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
