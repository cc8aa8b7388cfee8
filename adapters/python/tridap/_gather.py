"""A whole array on one process or on every process, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._agree import collective, integer, one_of, together, unmasked
from ._make import communicator_of, zeros

if TYPE_CHECKING:
    from mpi4py import MPI


def _same(array):
    """What must be the same on every process; the last entry tells apart distributions that are described alike."""
    return {"dtype": str(array.dtype), "distribution": repr(array.distribution), "layout": array._layout}


def _on_host(array, stream=None):
    """The array, or a copy of this process's part in the memory of the host, made after a stream."""
    return array if array.device == "cpu" else array.to("cpu", stream=stream)


def _interior(array, stream=None):
    """The elements without padding and mirrors, as an array in the memory of the host."""
    array = _on_host(array, stream)
    return _core._over(array.interior, _core._interior_of(array.distribution), array.process, array.comm)


def _places(dist):
    """By axis, for the one process of a distribution: the places in the whole array of its elements."""
    return np.ix_(*(np.unique(indices, return_inverse=True)[1] for indices in dist.indices(0, "interior")))


def _root(root, comm):
    size = 1 if comm is None else comm.size
    rank = integer("root", root)
    if not 0 <= rank < size:
        raise ValueError(f"root is {root}, but the array has {size} processes")
    return rank


def _whole(array, root=None, stream=None):
    """The whole array on the process `root`, and None on others; without a root on every process. Collective."""
    comm = array.comm
    found = {}

    def prepare():
        found["part"] = None if comm is None else _interior(array, stream)
        return _same(array) if root is None else {"root": _root(root, comm), **_same(array)}

    number = together(comm, prepare).get("root")
    return _alone(array, stream) if comm is None else _core._gather(found["part"], number)


@collective("x.gather()")
def gather(array, root=0, *, stream=None):
    """See `DistArray.gather`."""
    return _whole(array, root, stream)


@collective("x.allgather()")
def allgather(array, *, stream=None):
    """See `DistArray.allgather`."""
    return _whole(array, stream=stream)


def _alone(array, stream=None):
    shape = _core._whole_of(_core._interior_of(array.distribution)).local_shape(0)
    whole = np.empty(shape, array.dtype)
    whole[_places(array.distribution) if shape else ()] = _on_host(array, stream).interior
    return whole


@collective("tridap.scatter()")
def scatter(whole: Any, dist: _core.Distribution, comm: MPI.Comm | None = None, *, root: int = 0,
            order: str = "C") -> _core.DistArray:
    """Distributes the array of one process: the opposite of `DistArray.gather`. Collective.

    Args:
        whole: on process `root`, anything that ``numpy.asarray`` takes, with the shape of what `gather` returns: without
            padding and without the mirrors of a periodic axis; along an unstructured axis, one element for each
            different index, in ascending order. It is not read on other processes. An array in the memory of a GPU is copied to
            the host first.
        dist: the `Distribution` of the new array, the same on every process.
        comm: an mpi4py communicator, rank r being process r of `dist`; None: MPI.COMM_WORLD, or only this process for a
            distribution over one process.
        root: the rank of the process that has `whole`.
        order: "C" or "F", the memory order of the local parts.

    Returns:
        A new array. Its padding and its mirrors are 0; `update_padding` fills them.

    Raises:
        ProtocolError: on every process.
    """
    comm = _core._communicator(comm, dist)
    found = {}

    def prepare():
        communicator_of(dist, comm)
        found["interior"] = _core._interior_of(dist)
        found["whole"] = _core._whole_of(found["interior"])
        number = _root(root, comm)
        if comm is None or comm.rank == number:
            found["values"] = _values(whole, found["whole"].local_shape(0))
        return {"root": number, "distribution": f"{dist.shape} {dist.describe()}", "layout": _core._fingerprint(dist), "order": one_of("order", order, "C", "F")}

    root = together(comm, prepare)["root"]
    if comm is None:
        made = zeros(dist, found["values"].dtype, order=order)
        made.interior[...] = found["values"][_places(dist)] if dist.ndim else found["values"]
        return made
    here = comm.rank == root
    dtype = comm.bcast(found["values"].dtype if here else None, root)

    def make():
        made = zeros(dist, dtype, comm=comm, order=order)
        return made, _interior(made), _core._over(found["values"], found["whole"], 0, None) if here else None

    made, interior, values = together(comm, make, same=False)
    _core._scatter(values, interior, root)
    return made


def _values(whole, shape):
    if whole is None:
        raise TypeError("the array is None on the root, must be the whole array there")
    part = _core._device_part(whole)
    values = np.asarray(unmasked("the array", whole)) if part is None else part
    if values.shape != shape:
        raise ValueError(f"the array has shape {values.shape}, must be {shape}: the elements without padding and mirrors")
    if part is not None and not isinstance(part, np.ndarray):  # managed memory is the host's too
        return _core._host_copy(part)
    if values.dtype.hasobject:
        raise TypeError("the array holds Python objects: give numbers")
    return values
