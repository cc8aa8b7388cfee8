"""Which process of a communicator has which part of an array, and communicators in the order of the parts."""

from __future__ import annotations

import math

import numpy as np

from . import _core
from ._agree import Elsewhere, together
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


class _Whole:
    """The communicator of all replicas. One of these is a key of what is kept with that of one replica."""

    def __init__(self, comm):
        self.comm = comm


def communicator_of_replica(comm, ranks):
    """The communicator of one replica, in which rank p is `ranks[p]` of `comm`; None on the others. It is made once. Collective."""
    from mpi4py import MPI
    kept, key = kept_with(comm), ("replica", tuple(ranks))
    if key not in kept:
        mine = comm.rank in ranks
        made = comm.Split(0 if mine else MPI.UNDEFINED, ranks.index(comm.rank) if mine else 0)
        kept[key] = made if mine else None
        if mine:
            kept_with(made)[_Whole(comm)] = None
    return kept[key]


def whole_of(comm):
    """The communicator of all replicas, if `comm` is that of one replica; else `comm`. Local."""
    kept = comm.Get_attr(_KEPT[0]) if _KEPT else None
    return next((key.comm for key in kept or () if isinstance(key, _Whole)), comm)


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
    """By process of a DistArray: its rank in `comm`, if the array's processes are in another order there, or are some of it.

    None in all other cases. Local. An `ArrayElsewhere` knows the ranks of its array.
    """
    from mpi4py import MPI
    if isinstance(array, Elsewhere):
        return None if comm is None else _translated(array._whole, array._ranks, comm)
    theirs = array.comm if isinstance(array, _core.DistArray) and array.is_whole else None
    if comm is None or theirs is None or theirs is comm or theirs == MPI.COMM_NULL:  # the last: it was freed
        return None
    if MPI.Comm.Compare(comm, theirs) != MPI.SIMILAR and whole_of(theirs) is theirs:
        return None
    return _translated(theirs, range(theirs.size), comm)


def ranks_within(comm, array):
    """By process of a DistArray, or of what stands for it: its rank in `comm`. Local. ProtocolError if one is not in it."""
    if isinstance(array, Elsewhere):
        found = _translated(array._whole, array._ranks, comm)
    elif array.comm is None:
        found = [0] if comm.size == 1 else None
    else:
        found = _translated(array.comm, range(array.comm.size), comm)
    if found is None:
        _core._refuse("the array has processes that the communicator has not", "pass comm=comm, a communicator of all of them")
    return found


def _translated(comm, ranks, other):
    """Ranks in one communicator as those in another one; None if a process is not in it."""
    from mpi4py import MPI
    here, there = other.Get_group(), comm.Get_group()
    try:
        found = list(MPI.Group.Translate_ranks(there, list(ranks), here))
    finally:
        here.Free()
        there.Free()
    return None if MPI.UNDEFINED in found else found
