"""Arrays of any distribution as blocks of whole chunks, and back.

The position of an element in the store is its index. Where an unstructured axis has indices outside of its size, it is the
place of the index among the sorted different ones, as in the files of HDF5.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from . import _core
from ._agree import together
from ._move import redistribute


def compact_axes(dist: _core.Distribution) -> list[int]:
    """The axes whose positions are not the indices."""
    axes = json.loads(_core._layout_of(dist, "")[0])
    return [number for number, axis in enumerate(axes) if axis["dist_type"] == "u" and axis["extremes"][0] <= axis["extremes"][1]
            and not (axis["extremes"][0] >= 0 and axis["extremes"][1] < axis["size"])]


def is_listed(dist: _core.Distribution) -> bool:
    """Whether an axis has lists of indices."""
    return any(axis["dist_type"] == "u" for axis in json.loads(_core._layout_of(dist, "")[0]))


def different_indices(dist: _core.Distribution, axis: int, comm: Any) -> Any:
    """The sorted different indices of an axis, of all processes. Collective."""
    mine = together(comm, lambda: np.unique(dist.indices(comm.rank, "owned")[axis]), same=False)
    return np.unique(np.concatenate(comm.allgather(mine)))


def over_positions(local: Any, dist: _core.Distribution, comm: Any) -> _core.DistArray:
    """An array over the same memory whose indices are positions in the store. Collective."""
    compact = compact_axes(dist)
    if not compact:
        return _core._over(local, dist, comm.rank, comm)
    sorted_ones = {axis: different_indices(dist, axis, comm) for axis in compact}

    def described():
        axes = []
        for number, said in enumerate(dist.dim_data(comm.rank)):
            if number in sorted_ones:
                said = {**said, "indices": np.searchsorted(sorted_ones[number], np.asarray(said["indices"])).astype(np.int64)}
            axes.append(said)
        return {"__version__": "0.10.0", "buffer": local, "dim_data": tuple(axes)}

    return _core.asarray(together(comm, described, same=False), comm)


def to_blocks(x: _core.DistArray, blocks: _core.Distribution, comm: Any) -> _core.DistArray:
    """The array in blocks of whole chunks. Collective."""
    source = over_positions(x.local, x.distribution, comm)
    moved = redistribute(source, blocks, partial=is_listed(x.distribution), comm=comm)
    assert moved is not None
    return moved


def from_blocks(blocks: _core.DistArray, local: Any, dist: _core.Distribution, comm: Any) -> None:
    """Fills the local part of a distribution, with its padding, from blocks. Collective."""
    target = over_positions(local, dist, comm)
    redistribute(blocks, target.distribution, target, partial=is_listed(dist), fill_padding=True, comm=comm)
