"""The distributions of other libraries and languages, by their own names."""

from __future__ import annotations

import re
from typing import Any, Sequence

import numpy as np

from . import _core
from ._agree import integer, one_of
from ._make import _world_size, block

_Bounds = Any  # a length, or (low, high), both included


def _bounds(name, given, first):
    """By axis (low, high), both included, of lengths or pairs; indices of a length begin at `first`."""
    given = (given,) if not np.iterable(given) else given
    pairs = []
    for entry in given:
        if not np.iterable(entry):
            pairs.append((first, first + integer(f"an entry of {name}", entry) - 1))
        elif len(entry) == 2:
            pairs.append(tuple(integer(f"an entry of {name}", end) for end in entry))
        else:
            raise TypeError(f"{name} has {entry!r} for an axis, must be a length or (low, high)")
    return pairs


def _each(name, given, ndim):
    """One integer for each axis, of one for all or a tuple."""
    numbers = [integer(name, n) for n in (given if np.iterable(given) else (given,) * ndim)]
    if len(numbers) != ndim:
        raise ValueError(f"{name} has {len(numbers)} entries, must have one for each of the {ndim} axes")
    return numbers


def _several(name, given):
    """One integer, or several, as a list."""
    return [integer(f"an entry of {name}", n) for n in (given if np.iterable(given) else (given,))]


def _size(processes):
    return _world_size() if processes is None else integer("the number of processes", processes)


def scalapack(m: int, n: int, mb: int, nb: int, nprow: int, npcol: int, *, rsrc: int = 0, csrc: int = 0,
              order: str = "R", lld: int | None = None) -> _core.Translation:
    """ScaLAPACK's two-dimensional block-cyclic matrix. Nothing communicates.

    Args:
        m, n, mb, nb, rsrc, csrc, lld: the entries of the matrix descriptor: rows and columns, of the matrix and of a
            block; the process row and column with the first block; the leading dimension of the local matrix, in elements.
        nprow, npcol, order: the BLACS grid, and how BLACS_GRIDINIT numbers it: "R" row-major, "C" column-major.

    Raises:
        ProtocolError: with every entry that is wrong.
    """
    one_of("order", order, "R", "C")
    size, block, source, grid = [[integer(name, value) for name, value in pair] for pair in (
        (("m", m), ("n", n)), (("mb", mb), ("nb", nb)), (("rsrc", rsrc), ("csrc", csrc)),
        (("nprow", nprow), ("npcol", npcol)))]
    return _core._scalapack(size, block, source, grid, order == "C", None if lld is None else integer("lld", lld))


def essl(m: int, n: int, r: int, s: int, p: int, q: int) -> _core.Translation:
    """Parallel ESSL's m x n matrix in blocks of r x s over a p x q grid. Nothing communicates."""
    return _core._essl(*(integer(name, value) for name, value in zip("mnrspq", (m, n, r, s, p, q))))


def hpf(array: int | Sequence[_Bounds], dist: str | Sequence[str], processors: int | Sequence[int] | None = None, *,
        shadow: int | Sequence[int] = 0) -> _core.Translation:
    """An array of High Performance Fortran 2.0. Nothing communicates.

    ``tridap.hpf((10, (0, 7)), "BLOCK, CYCLIC(2)", (2, 3))`` is A(10, 0:7) DISTRIBUTE (BLOCK, CYCLIC(2)) ONTO P(2, 3).

    Args:
        array: by axis, a length n for the bounds 1:n, or (low, high).
        dist: by axis, as in DISTRIBUTE: BLOCK, BLOCK(n), CYCLIC, CYCLIC(k), GEN_BLOCK(2, 5, 4), INDIRECT(1, 2, 1), or ``*``.
            INDIRECT counts processors from 1.
        processors: the extents of the PROCESSORS arrangement, one for each axis that is not ``*``. None: as many as
            GEN_BLOCK has blocks, and along the other axes as near to a square as the number of processes allows.
        shadow: by axis, the width on both sides, as in SHADOW; only of axes in blocks.

    Raises:
        ProtocolError: if the protocol or HPF does not allow it.
    """
    axes = _bounds("array", array, 1)
    entries = [_hpf_entry(text) for text in _hpf_texts(dist)]
    if len(entries) != len(axes):
        raise ValueError(f"dist has {len(entries)} entries, must have one for each of the {len(axes)} axes")
    counts = _arrangement([entry for entry in entries if entry[0] != "*"], processors)
    widths = _each("shadow", shadow, len(axes))
    made = []
    for number, (pair, (kind, numbers), width) in enumerate(zip(axes, entries, widths)):
        count = None if kind == "*" else counts.pop(0)
        axis = _hpf_axis(kind, numbers, pair, count, number)
        made.append(_core._hpf_shadow(axis, width, number) if width else axis)
    return _core._translation(made)


def _hpf_texts(dist):
    return re.split(r",(?![^()]*\))", dist) if isinstance(dist, str) else list(dist)


def _hpf_entry(text):
    """(kind, numbers) of "CYCLIC(2)"."""
    found = re.fullmatch(r"\s*(\*|[A-Za-z_]+)\s*(?:\(([\s\d,]*)\))?\s*", text)
    kind = found[1].upper() if found else None
    numbers = [int(n) for n in found[2].split(",")] if found and found[2] else []
    most = {"*": 0, "BLOCK": 1, "CYCLIC": 1, "GEN_BLOCK": None, "INDIRECT": None}
    if kind not in most or most[kind] is not None and len(numbers) > most[kind]:
        raise ValueError(f"dist has {text!r} for an axis, must be BLOCK, BLOCK(n), CYCLIC, CYCLIC(k), GEN_BLOCK(sizes), "
                         "INDIRECT(map) or *")
    return kind, numbers


def _arrangement(entries, processors):
    if processors is not None:
        counts = _several("processors", processors)
        if len(counts) != len(entries):
            raise ValueError(f"processors has {len(counts)} extents, must have one for each of the {len(entries)} axes that "
                             "are not *")
        return counts
    fixed = [len(numbers) if kind == "GEN_BLOCK" else None for kind, numbers in entries]
    rest = _world_size()
    for count in fixed:
        rest = rest // count if count else rest
    free = list(_core._make([0] * fixed.count(None), [block()] * fixed.count(None), None, max(rest, 1)).grid
                if None in fixed else ())
    return [free.pop(0) if count is None else count for count in fixed]


def _hpf_axis(kind, numbers, pair, count, number):
    if kind == "*":
        return _core._hpf_collapsed(pair, number)
    if kind == "BLOCK":
        return _core._hpf_block(pair, count, numbers[0] if numbers else None, number)
    if kind == "CYCLIC":
        return _core._hpf_cyclic(pair, count, numbers[0] if numbers else 1, number)
    if kind == "INDIRECT":
        return _core._hpf_indirect(pair, count, numbers, number)
    if len(numbers) != count:
        raise ValueError(f"GEN_BLOCK has {len(numbers)} sizes, but there are {count} processors along axis {number}")
    return _core._hpf_gen_block(pair, numbers, number)


def chapel(domain: int | Sequence[_Bounds], dist: str = "blockDist", locales: int | Sequence[int] | None = None, *,
           bounding_box: int | Sequence[_Bounds] | None = None, start_idx: int | Sequence[int] | None = None,
           block_size: int | Sequence[int] | None = None, fluff: int | Sequence[int] = 0,
           periodic: bool = False) -> _core.Translation:
    """A domain of Chapel 2 with a standard distribution. Nothing communicates.

    Args:
        domain: by axis, a length n for the range 0..n-1, or (low, high), both included.
        dist: "blockDist", "cyclicDist", "blockCycDist" or "stencilDist".
        locales: the grid of targetLocales, or their number: then Chapel's own grid is used. None: the number of processes.
        bounding_box: of blockDist and stencilDist, as `domain`; None: the domain.
        start_idx: of cyclicDist and blockCycDist, by axis; None: the low bounds of the domain.
        block_size: of blockCycDist, by axis.
        fluff, periodic: of stencilDist.

    Raises:
        ProtocolError: if Chapel would halt, or the protocol does not allow it.
    """
    axes = _bounds("domain", domain, 0)
    ndim = len(axes)
    boxes = axes if bounding_box is None else _bounds("bounding_box", bounding_box, 0)
    if len(boxes) != ndim:
        raise ValueError(f"bounding_box has {len(boxes)} axes, must have {ndim}, as the domain")
    starts = [low for low, _ in axes] if start_idx is None else _each("start_idx", start_idx, ndim)
    grid = (_each("locales", locales, ndim) if np.iterable(locales) else _core._chapel_grid(ndim, _size(locales)))
    if dist == "blockDist":
        made = [_core._chapel_block(axes[i], boxes[i], grid[i], i) for i in range(ndim)]
    elif dist == "cyclicDist":
        made = [_core._chapel_cyclic(axes[i], starts[i], grid[i], i) for i in range(ndim)]
    elif dist == "blockCycDist":
        lengths = _each("block_size", block_size, ndim)
        made = [_core._chapel_block_cyclic(axes[i], starts[i], lengths[i], grid[i], i) for i in range(ndim)]
    elif dist == "stencilDist":
        widths = _each("fluff", fluff, ndim)
        made = [_core._chapel_stencil(axes[i], boxes[i], widths[i], bool(periodic), grid[i], i) for i in range(ndim)]
    else:
        raise ValueError(f"dist is {dist!r}, must be 'blockDist', 'cyclicDist', 'blockCycDist' or 'stencilDist'")
    return _core._translation(made)


def julia(size: int | Sequence[int], procs: int | Sequence[int] | None = None) -> _core.Translation:
    """A DArray of Julia's DistributedArrays. Nothing communicates.

    Args:
        size: by axis, the number of elements.
        procs: the grid of chunks, or the number of processes: then Julia's own grid is used, which may have fewer. None:
            the number of processes.
    """
    lengths = _several("size", size)
    grid = _each("procs", procs, len(lengths)) if np.iterable(procs) else _core._julia_grid(lengths, _size(procs))
    return _core._julia(lengths, grid)


def x10(region: int | Sequence[_Bounds], axes: int | Sequence[int] = 0, places: int | None = None) -> _core.Translation:
    """X10's Dist.makeBlock, or Dist.makeBlockBlock. Nothing communicates.

    Args:
        region: by axis, a length n for 0..n-1, or (low, high), both included.
        axes: the axis that is distributed in blocks, or the two axes of a block-block distribution.
        places: how many there are; None: the number of processes.

    Raises:
        ProtocolError: also if X10 gives two blocks to a place.
    """
    bounds = _bounds("region", region, 0)
    along = _several("axes", axes)
    if len(along) not in (1, 2):
        raise ValueError(f"axes has {len(along)} entries, must have one or two")
    if len(along) == 1:
        return _core._x10_along(bounds, along[0], _size(places))
    return _core._x10_block_block(bounds, along[0], along[1], _size(places))


def mpi_cart(shape: int | Sequence[int], dims: Sequence[int], periods: bool | Sequence[bool] = False, *,
             reorder: bool = False, width: int = 0) -> _core.Translation:
    """An array in blocks over a process grid of MPI_Cart_create, as MPE_Decomp1d divides it. Nothing communicates.

    Args:
        shape: by axis, the number of elements.
        dims, periods, reorder: the arguments of MPI_Cart_create.
        width: elements of the neighbours on both sides of every share, and of the other end on a periodic axis, which the
            shape of the distribution then includes.
    """
    lengths = _several("shape", shape)
    extents = _several("dims", dims)
    wraps = [bool(period) for period in periods] if np.iterable(periods) else [bool(periods)] * len(lengths)
    return _core._mpi_cart(lengths, extents, wraps, bool(reorder), integer("width", width))
