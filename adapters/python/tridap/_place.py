"""Which process of a communicator has which part of an array, and communicators in the order of the parts."""

from __future__ import annotations

import math

import numpy as np

from . import _core
from ._agree import together
from ._make import communicator_of

_KEPT: list[int] = []  # the key of the communicators that are kept with another one


def _free_kept(comm, key, kept):
    """Frees them with the communicator with which they are kept."""
    for made in kept.values():
        for each in made if isinstance(made, tuple) else (made,):
            if each is not None:
                each.Free()


def kept_with(comm):
    """The communicators that were made of `comm` and are freed with it, by what they are for. Local."""
    from mpi4py import MPI
    if not _KEPT:
        _KEPT.append(MPI.Comm.Create_keyval(delete_fn=_free_kept))
    kept = comm.Get_attr(_KEPT[0])
    if kept is None:
        kept = {}
        comm.Set_attr(_KEPT[0], kept)
    return kept


def communicator_of_ranks(comm, ranks, processes):
    """The communicator in which rank p is `ranks[p]` of `comm`; None on the others. It is made once. Collective."""
    from mpi4py import MPI
    if not ranks and processes == comm.size:
        return comm
    kept = kept_with(comm)
    place = tuple(ranks or range(processes))
    if place not in kept:
        mine = comm.rank in place
        made = comm.Split(0 if mine else MPI.UNDEFINED, place.index(comm.rank) if mine else 0)
        kept[place] = made if mine else None
    return kept[place]


def in_grid_order(comm, grid, coordinates):
    """The communicator in which this process's rank is the row-major number of its grid coordinates. Collective.

    `coordinates` are computed from what this process's array says, so the ranks are those of no formula. The grid has as many
    places as `comm` processes. ProtocolError, on every process, unless each place has one process.
    """
    number = np.array(np.ravel_multi_index(coordinates, grid) if grid else 0)
    numbers = np.empty(comm.size, number.dtype)
    comm.Allgather(number, numbers)
    ranks = np.argsort(numbers, kind="stable").tolist()
    together(comm, lambda: _each_once(numbers[ranks], grid))
    return communicator_of_ranks(comm, [] if ranks == list(range(comm.size)) else ranks, comm.size)


def need_grid_of(comm, grid):
    """The grid as a tuple; ProtocolError unless it has as many places as the communicator processes."""
    if math.prod(grid) != comm.size:
        _core._refuse(f"the array's process grid is {' x '.join(map(str, grid)) or '1'}, but the communicator has {comm.size} "
                      "processes", "pass comm=comm, the communicator of exactly the processes that have a part of the array")
    return tuple(grid)


def need_array(array, comm):
    """TypeError or ProtocolError unless an argument `array` is a `DistArray` in host memory over as many processes as `comm`."""
    if not isinstance(array, _core.DistArray):
        raise TypeError(f"array is of type {type(array).__name__}, must be a tridap.DistArray: " + (
            "tridap.array(array, distribution, comm) makes one of the parts of all processes"
            if isinstance(array, np.ndarray) else "pass tridap.asarray(array, comm)"))
    communicator_of(array.distribution, comm)
    _core._refuse_on_device(array)


def _each_once(numbers, grid):
    absent = set(range(len(numbers))).difference(numbers.tolist())
    if absent:
        place = tuple(map(int, np.unravel_index(min(absent), grid)))
        _core._refuse(f"no process has the part at {place} of the process grid, and others have the same part",
                      "pass comm=comm, the communicator of exactly the processes that have a part of the array")


def ranks_in(comm, array):
    """By process of a DistArray: its rank in `comm`, if the array's communicator has the same processes in another order.

    None in all other cases. Local.
    """
    from mpi4py import MPI
    theirs = array.comm if isinstance(array, _core.DistArray) and array.is_whole else None
    if comm is None or theirs is None or theirs is comm or theirs == MPI.COMM_NULL:  # the last: it was freed
        return None
    if MPI.Comm.Compare(comm, theirs) != MPI.SIMILAR:
        return None
    here, there = comm.Get_group(), theirs.Get_group()
    try:
        return list(MPI.Group.Translate_ranks(there, range(theirs.size), here))
    finally:
        here.Free()
        there.Free()
