"""Which process has which part of an array that is cut along the axes of a mesh: what PyTorch's and JAX's arrays have in common."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from . import _chunks, _core, _make


class Layout(NamedTuple):
    """How a whole array is divided, and the copies of it."""

    distribution: _core.Distribution  #: of one replica
    numbers: list[int]  #: by place of the mesh, row-major: its replica times the parts of one, plus its part
    replicas: int


class Cut(NamedTuple):
    """What the processes along one axis of a mesh divide: an axis of the array, as `_chunks` says; None: nothing, they are replicas."""

    axis: int | None
    factor: int = 1


def layout(shape: tuple[int, ...], mesh: tuple[int, ...], cuts: list[Cut], orders: dict[int, list[int]], plain: bool,
           names: list[str], remedy: str) -> Layout:
    """The layout of an array on a mesh. `orders`: by axis of the array, the axes of the mesh in the order in which they cut it.

    `names` are those of the cuts in errors.
    """
    entries: list[Any] = []
    grid, along, places = [], [], []
    for axis, size in enumerate(shape):
        by = [k for k, cut in enumerate(cuts) if cut.axis == axis]
        count = math.prod(mesh[k] for k in by)
        found: Any = (_make.whole(), [0])
        if count > 1:
            order = [by.index(k) for k in orders[axis]] if axis in orders else None
            found = _chunks.axis(size, [(mesh[k], cuts[k].factor) for k in by], order, plain)
        if isinstance(found, str):
            _core._refuse(f"axis {axis} of the array has placements that no distribution describes, "
                          f"{' and '.join(names[k] for k in by)}: {found}", remedy)
        entries.append(found[0])
        grid.append(count)
        along.append(by)
        places.append(found[1])
    copies = [k for k, cut in enumerate(cuts) if cut.axis is None]
    numbers = [_number(place, mesh, copies, along, places, grid) for place in itertools.product(*map(range, mesh))]
    return Layout(_make.distribution(shape, entries, grid, math.prod(grid)), numbers, math.prod(mesh[k] for k in copies))


def _number(place, mesh, copies, along, places, grid):
    """The number of the replica and the part of one place of a mesh."""
    number = 0
    for k in copies:
        number = number * mesh[k] + place[k]
    for by, order, count in zip(along, places, grid):
        k = 0
        for axis in by:
            k = k * mesh[axis] + place[axis]
        number = number * count + order[k]
    return number


def gathered(comm, row):
    """What each process states in integers, a row of a table for each. Collective."""
    mine = np.array(row, np.int64)
    table = np.empty((comm.size, len(row)), np.int64)
    comm.Allgather(mine, table)
    return table


def ranks_of(numbers: list[int], names: list[int], stated: list[int], what: str, remedy: str) -> list[int]:
    """By number of the replica and the part: the rank of its process. ProtocolError unless each place of the mesh has one process.

    `names` are the names of the mesh's places, such as the ranks of PyTorch, and `stated` those that the processes state by rank.
    """
    if len(names) != len(stated):
        _core._refuse(f"the mesh has {len(names)} processes, but the communicator has {len(stated)}", remedy)
    rank_of: dict[int, int] = {}
    for rank, name in enumerate(stated):
        if name in rank_of:
            _core._refuse(f"processes {rank_of[name]} and {rank} of the communicator both have {what} {name}", remedy)
        if name not in names:
            _core._refuse(f"process {rank} of the communicator has {what} {name}, which is not in the mesh", remedy)
        rank_of[name] = rank
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        _core._refuse(f"the mesh has {what} {twice[0]} in several places", remedy)
    assert sorted(numbers) == list(range(len(numbers)))
    order = [0] * len(numbers)
    for number, name in zip(numbers, names):
        order[number] = rank_of[name]
    return order


def need_replica(replica, replicas, count):
    """The arguments `replica` and `replicas` of an export: the replica, and whether it updates the others."""
    if replicas not in (None, "update"):
        raise ValueError(f"replicas is {replicas!r}, must be None (read-only) or 'update'")
    if not 0 <= replica < count:
        raise ValueError(f"replica is {replica}, must be at least 0 and less than the {count} replicas of the array")
    return replica, replicas == "update"


def memory_of(values):
    """Whether a process's part is in the memory of the "host" or of a "GPU", which must be the same on all processes."""
    return "host" if isinstance(values, np.ndarray) else "GPU"
