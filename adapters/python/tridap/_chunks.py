"""How PyTorch cuts an axis among the processes along axes of a mesh. Nothing here needs PyTorch, or communicates.

A cut is a pair (parts, factor). With factor 1 it cuts as ``torch.chunk``: into chunks of ceil(n / parts), then empty ones. With
another factor, as ``_StridedShard``, it first makes so many chunks, cuts each of them, and joins what has the same number.
Several cuts are made one after the other: each cuts every share of the one before.
"""

from __future__ import annotations

import itertools
import math

from . import _make

_MOST_RUNS = 10**6  # that one axis is examined for


def chunks(start, stop, parts):
    """The ranges into which ``torch.chunk`` cuts a range; those behind the last one are empty."""
    length = -(-(stop - start) // parts)
    return [(min(start + k * length, stop), min(start + (k + 1) * length, stop)) for k in range(parts)]


def nested(size, counts):
    """The ranges of an axis that is cut into `counts[0]` chunks, each of these into `counts[1]`, and so on, in this order."""
    ranges = [(0, size)]
    for parts in counts:
        ranges = [part for begin, end in ranges for part in chunks(begin, end, parts)]
    return ranges


def _taken(runs, start, stop):
    """Of the elements of runs, counted from 0, those from `start` to `stop`, as runs."""
    found, before = [], 0
    for begin, end in runs:
        low, high = max(start - before, 0), min(stop - before, end - begin)
        if low < high:
            found.append((begin + low, begin + high))
        before += end - begin
    return found


def _joined(runs):
    """The same elements in as few runs as possible."""
    found = []
    for begin, end in runs:
        if found and found[-1][1] == begin:
            found[-1] = (found[-1][0], end)
        else:
            found.append((begin, end))
    return found


def _cut(runs, parts, factor):
    """The shares into which one cut divides the elements of runs."""
    count = sum(end - begin for begin, end in runs)
    pieces = [chunks(begin, end, parts) for begin, end in chunks(0, count, factor)]
    return [_joined(run for piece in pieces for run in _taken(runs, *piece[k])) for k in range(parts)]


def shares(size, cuts):
    """The runs of indices of each place, in the row-major order of the mesh's coordinates, by cuts one after the other."""
    found = [[(0, size)] if size else []]
    for parts, factor in cuts:
        found = [share for runs in found for share in _cut(runs, parts, factor)]
    return found


def _ordered(cuts):
    """The order of plain cuts of which these, one with a factor, are another way to write; None if there is none.

    A factor counts the chunks of the later axes of the mesh that are cut earlier.
    """
    for order in itertools.permutations(range(len(cuts))):
        if all(factor == math.prod(cuts[k][0] for k in order[:order.index(axis)] if k > axis)
               for axis, (_, factor) in enumerate(cuts)):
            return order
    return None


def _by_order(size, counts, order):
    """The range of each place in the row-major order of the mesh's coordinates, if the mesh's axes cut in another `order`."""
    ranges = nested(size, [counts[axis] for axis in order])
    found = []
    for place in itertools.product(*map(range, counts)):
        number = 0
        for axis in order:
            number = number * counts[axis] + place[axis]
        found.append(ranges[number])
    return found


def _blocks(size, ranges):
    """An entry for `tridap.distribution`, and the place along the axis of each range. They cover the axis without overlap."""
    order = sorted(range(len(ranges)), key=lambda k: (ranges[k], k))
    places = [0] * len(ranges)
    for place, k in enumerate(order):
        places[k] = place
    return _make.block(starts=[ranges[k][0] for k in order]), places


def _rounds(size, found):
    """An entry for blocks that are dealt round, and the place of each share; None if the shares are no such blocks."""
    if not all(found):
        return None
    length, places = found[0][0][1] - found[0][0][0], [runs[0][0] for runs in found]
    stride = length * len(found)
    if size % stride or sorted(places) != [k * length for k in range(len(found))]:
        return None
    for runs, first in zip(found, places):
        if runs != [(start, start + length) for start in range(first, size, stride)]:
            return None
    return _make.cyclic(length), [first // length for first in places]


def axis(size, cuts, order=None, plain=True):
    """How an axis is distributed that is cut so: an entry for `tridap.distribution`, and the place along it of each share.

    Shares are in the row-major order of the mesh's coordinates. `order`: in which the axes of the mesh cut; None: from the first
    to the last. `plain`: a factor may stand for an order. Returns a text, the reason, if no distribution has exactly these shares.
    """
    counts, factors = [parts for parts, _ in cuts], [factor for _, factor in cuts]
    if all(factor == 1 for factor in factors):
        return _blocks(size, _by_order(size, counts, order or range(len(cuts))))
    if len(cuts) == 1 and size and size % (counts[0] * factors[0]) == 0:
        return _make.cyclic(size // (counts[0] * factors[0])), list(range(counts[0]))
    if math.prod(counts) * math.prod(factors) > _MOST_RUNS:
        return "it has too many pieces"
    found = shares(size, cuts)
    decoded = _ordered(cuts) if plain else None
    if decoded is not None:
        ranges = _by_order(size, counts, decoded)
        if [[run] if run[0] < run[1] else [] for run in ranges] != found:
            return f"PyTorch cuts its {size} elements in one order in some places, and in another order in others"
        return _blocks(size, ranges)
    if all(len(runs) <= 1 for runs in found):
        return _blocks(size, [runs[0] if runs else (size, size) for runs in found])
    return _rounds(size, found) or f"its {size} elements are not divided into equal pieces, so that no block size describes them"
