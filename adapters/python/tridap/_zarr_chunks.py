"""Which chunks an array has, and which process owns them."""

from __future__ import annotations

import math
from typing import Any, Iterator, Sequence

from . import _core
from ._make import block, distribution

_BYTES = 4 << 20  # of a chunk, before it is compressed
_PIECE = 32 << 20  # bytes that are given to zarr at once


def default_chunks(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """Chunks of at most 4 MiB that depend on shape and type alone: the longest extent is halved until they are so small."""
    chunks = [max(1, n) for n in shape]
    while math.prod(chunks) * itemsize > _BYTES and max(chunks, default=1) > 1:
        longest = chunks.index(max(chunks))
        chunks[longest] = -(-chunks[longest] // 2)
    return tuple(chunks)


def grids(processes: int, ndim: int) -> Iterator[tuple[int, ...]]:
    """Every grid of so many processes, those with more processes along the first axes first."""
    if ndim == 0:
        if processes == 1:
            yield ()
        return
    for n in range(processes, 0, -1):
        if processes % n == 0:
            for rest in grids(processes // n, ndim - 1):
                yield (n, *rest)


def _load(counts, grid):
    """Chunks of the process that has the most."""
    return math.prod(-(-count // n) for count, n in zip(counts, grid))


def balanced(counts: Sequence[int], processes: int, preferred: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """The grid with which the process that has the most chunks has the fewest; of several, `preferred`, else the first.

    The last axis of the grid may have more processes than chunks.
    """
    choice = list(grids(processes, len(counts)))
    best = min(_load(counts, grid) for grid in choice)
    if preferred is not None and _load(counts, preferred) == best:
        return preferred
    return next(grid for grid in choice if _load(counts, grid) == best)


def even(count: int, processes: int) -> list[int]:
    """Where the share of each of the processes begins, in chunks, and where the last one ends."""
    return [process * count // processes for process in range(processes + 1)]


def whole_chunks(shape: Sequence[int], units: Sequence[int], processes: int, borders: Sequence[Sequence[int]] | None = None,
                 grid: tuple[int, ...] | None = None) -> _core.Distribution:
    """Blocks whose borders are those of chunks with the extents `units`.

    `borders` are those of an array with this `grid` that is to be written: if this grid is as good as any, each border is the
    nearest one between chunks, so that few elements move.
    """
    counts = [-(-n // unit) for n, unit in zip(shape, units)]
    chosen = balanced(counts, processes, grid)
    starts = []
    for axis, (n, unit, count, places) in enumerate(zip(shape, units, counts, chosen)):
        if borders is not None and chosen == grid and len(borders[axis]) == places + 1:
            cuts = [min(count, (border + unit // 2) // unit) for border in borders[axis][:-1]]
        else:
            cuts = even(count, places)[:-1]
        starts.append([min(n, cut * unit) for cut in cuts])
        starts[-1][0] = 0
    return distribution(shape, [block(starts=each) for each in starts], chosen, processes)


def owns_chunks(dist: _core.Distribution, said: Any, units: Sequence[int]) -> bool:
    """Whether each process's elements are whole chunks of blocks. `said` is what `_core._layout_of` returns."""
    borders = said[3]
    return all(len(cuts) == places + 1 and all(cut % unit == 0 or cut == n for cut in cuts)
               for cuts, places, unit, n in zip(borders, dist.grid, units, dist.shape))


def chunks_of_slice(part: range, unit: int) -> tuple[int, int]:
    """The first chunk of an axis that a slice touches, and one behind the last."""
    return (part[0] // unit, part[-1] // unit + 1) if len(part) else (0, 0)


def readers(parts: Sequence[range], units: Sequence[int], processes: int) -> _core.Distribution:
    """Blocks of the elements of slices in which no chunk has elements of two processes."""
    touched = [chunks_of_slice(part, unit) for part, unit in zip(parts, units)]
    grid = balanced([max(1, end - begin) for begin, end in touched], processes)
    starts = []
    for part, unit, (begin, end), places in zip(parts, units, touched, grid):
        cuts = [(begin + cut) * unit for cut in even(end - begin, places)[:-1]]
        # the first element of the slice at or behind each border
        starts.append([min(len(part), max(0, -((part.start - cut) // part.step))) for cut in cuts])
    return distribution([len(part) for part in parts], [block(starts=each) for each in starts], grid, processes)


def box_of(dist: _core.Distribution, rank: int) -> tuple[slice, ...]:
    """Where the elements of a process of blocks are in the whole array."""
    return tuple(slice(int(indices[0]), int(indices[0]) + len(indices)) if len(indices) else slice(0, 0)
                 for indices in dist.indices(rank, "owned")) if dist.ndim else ()


def pieces(box: Sequence[slice], units: Sequence[int], itemsize: int,
           along: range | None = None) -> Iterator[tuple[tuple[slice, ...], tuple[slice, ...]]]:
    """Parts of a box along its first axis, with borders between chunks, as slices of the array and of the box.

    `along`: which indices of the store the first axis of the array has; None: all.
    """
    if not box:
        yield (), ()
        return
    stored = range(box[0].stop) if along is None else along
    row = math.prod(one.stop - one.start for one in box[1:]) * itemsize
    in_chunk = -(-units[0] // stored.step)
    span = units[0] * max(1, _PIECE // max(1, row * in_chunk))
    begin = box[0].start
    while begin < box[0].stop:
        border = (stored[begin] // span + 1) * span
        end = min(box[0].stop, -((stored.start - border) // stored.step))  # the first element at or behind the border
        yield (slice(begin, end), *box[1:]), (slice(begin - box[0].start, end - box[0].start),)
        begin = end
