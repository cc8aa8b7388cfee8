"""Making distributions and arrays."""

from __future__ import annotations

import os
import reprlib
import sys
import warnings
from operator import index
from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np

from . import _core
from ._agree import integer, one_of, unmasked, utf8

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import DTypeLike


def block(length: int | None = None, *, starts: Sequence[int] | None = None, padding: int = 0,
          edges: Sequence[int] | None = None, periodic: bool = False) -> _core.BlockSpec:
    """An axis distributed in contiguous ranges, one for each grid coordinate.

    Args:
        length: elements of each range; the last ones may be shorter. None: ``ceil(size / processes)``; if the last range
            would then be shorter than its padding, ranges of as equal length as possible.
        starts: the first global index that each grid coordinate owns; use it instead of `length`.
        padding: elements of communication padding on both sides of every inner border.
        edges: (lower, upper), the elements of boundary padding at the two ends of the axis. The size of the axis includes
            them. On a periodic axis they mirror the other end. None: (padding, padding) on a periodic axis, (0, 0) on other
            axes.
        periodic: whether the last element of the axis is a neighbour of the first one.
    """
    padding = integer("padding", padding)
    if edges is None:
        edges = (padding, padding) if periodic else (0, 0)
    if length is not None:
        length = integer("length", length)
    if starts is not None:
        starts = [integer("an entry of starts", start) for start in starts]
    widths = list(edges) if np.iterable(edges) else []
    if len(widths) != 2:
        raise TypeError(f"edges is {edges!r}, must be two integers: (lower, upper)")
    return _core.BlockSpec(length, starts, padding, [integer("an entry of edges", width) for width in widths], periodic)


def cyclic(block_size: int = 1, first: int = 0) -> _core.CyclicSpec:
    """An axis distributed round-robin in blocks of `block_size` elements; grid coordinate `first` gets the first block."""
    return _core.CyclicSpec(integer("block_size", block_size), integer("first", first))


def unstructured(lists: Sequence[Sequence[int]], one_to_one: bool = False) -> _core.UnstructuredSpec:
    """An axis as lists of global indices, one list for each grid coordinate.

    `one_to_one` states that no index is in two lists.
    """
    try:
        indices = [[index(i) for i in part] for part in lists]
    except TypeError:
        raise TypeError(f"the lists of an axis are {reprlib.repr(lists)}, must be one list of integers for each grid "
                        "coordinate, such as [[0, 2], [3, 1]]") from None
    return _core.UnstructuredSpec(indices, one_to_one)


def whole() -> _core.WholeSpec:
    """An axis that is not distributed."""
    return _core.WholeSpec()


def _integers(name, given):
    """One integer, or several, as a list; TypeError for numbers that are not integers, such as 1.0."""
    try:
        numbers = [index(n) for n in (given if np.iterable(given) else (given,))]
    except TypeError:
        raise TypeError(f"{name} is {reprlib.repr(given)}, must be an integer or a tuple of integers") from None
    for number in numbers:
        if not -2**63 <= number < 2**63:
            raise OverflowError(f"{number} must fit a signed 64-bit integer")
    return numbers


def distribution(shape: int | Sequence[int], dist: Any = None, grid: int | Sequence[int] | None = None,
                 processes: int | None = None) -> _core.Distribution:
    """How a whole array is distributed over a process grid. Any process may ask about any other. Nothing communicates.

    ``tridap.distribution((344, 403), ("b", "c:2"), grid=(2, 2))`` distributes a 344 x 403 array over four processes: its
    rows in blocks, and its columns round-robin in blocks of two.

    Args:
        shape: the number of elements of the whole array along each axis.
        dist: one entry for each axis: "b", "b:0,3,5", "c", "c:2", "c:2@1", "*", a list with the global indices of
            each process along the axis, "u:FILE" for a JSON file with such lists, which each process reads, or what `block`,
            `cyclic`, `unstructured` and `whole` return. ``docs/python.md`` has a table of them. The texts may be one, as for the command ``tridap make``: "b,c:2". None: all axes in
            blocks.
        grid: processes along each axis; None: as near to a square as `processes` allows.
        processes: how many there are; None: those of MPI.COMM_WORLD if mpi4py is in use, else one. If ``mpiexec`` has
            started several processes and mpi4py is not imported, a UserWarning says so.

    Raises:
        ProtocolError: with every rule that the arguments break.
        ValueError: if an entry is none of these, or a file has no lists of integers. OSError: if it cannot be read.
    """
    extents = _integers("shape", shape)
    if processes is None and grid is None:
        _warn_if_alone()
    wanted = _world_size() if processes is None else processes
    made = _core._make(extents, dist, None if grid is None else _integers("grid", grid), wanted)
    if processes is not None and made.processes != processes:
        _core._refuse(f"the grid has {made.processes} processes, but processes is {processes}", "give only one of them")
    return made


def _restored(state):
    """A Distribution that was pickled."""
    return _core._from_state(state)


# What the launchers of Open MPI, MPICH, MVAPICH and Slurm tell a process.
_LAUNCHED = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS")


def _warn_if_alone():
    """Warns if this is one of several processes, but mpi4py is not imported."""
    if "mpi4py.MPI" in sys.modules:
        return
    launched = max(int(os.environ[name]) if os.environ.get(name, "").isdigit() else 1 for name in _LAUNCHED)
    if launched > 1:
        warnings.warn(f"this is one of {launched} processes, but mpi4py is not imported, so the distribution is over this "
                      f"process alone: call `from mpi4py import MPI` first, or pass processes={launched}", stacklevel=3)


def _world_size():
    """How many processes MPI.COMM_WORLD has, if mpi4py is in use in this process; else 1."""
    mpi = sys.modules.get("mpi4py.MPI")
    return mpi.COMM_WORLD.size if mpi is not None and mpi.Is_initialized() and not mpi.Is_finalized() else 1


def need_distribution(dist: Any) -> _core.Distribution:
    """An argument `dist`; TypeError if it is no `Distribution`."""
    if not isinstance(dist, _core.Distribution):
        raise TypeError(f"dist is {dist!r}, must be a tridap.Distribution")
    return dist


def communicator(comm: Any, *given: Any) -> Any:
    """The communicator of a call with these arguments, by the rule that the package's text has."""
    found = _core._communicator(comm, *given)
    if found is None:
        from mpi4py import MPI
        return MPI.COMM_SELF
    return found


def communicator_of(dist, comm):
    """The communicator of a distribution's processes, by the same rule; None for this process alone."""
    if not isinstance(dist, _core.Distribution):
        is_shape = isinstance(dist, (int, tuple, list))
        raise TypeError(f"dist is {dist!r}, must be a Distribution: "
                        + (f"tridap.distribution({dist!r})" if is_shape else "tridap.distribution(shape)") + " makes one")
    comm = _core._communicator(comm, dist)
    if comm is not None:
        if not hasattr(comm, "size"):
            raise TypeError(f"comm is {comm!r}, must be an mpi4py communicator")
        _core._need_processes(dist, comm.size)
    return comm


def empty(dist: _core.Distribution, dtype: DTypeLike = float, *, comm: MPI.Comm | None = None,
          order: str = "C") -> _core.DistArray:
    """A new array with a given `Distribution`. Its elements are not initialized. Not collective.

    Args:
        dist: the `Distribution`, the same on every process.
        dtype: the NumPy type of the elements.
        comm: an mpi4py communicator, rank r being process r of `dist`; None: MPI.COMM_WORLD, or only this process for a
            distribution over one process.
        order: "C" or "F", the memory order of the local part.
    """
    return _new(np.empty, dist, dtype, comm, order)


def zeros(dist: _core.Distribution, dtype: DTypeLike = float, *, comm: MPI.Comm | None = None,
          order: str = "C") -> _core.DistArray:
    """A new array with a given `Distribution` whose elements are 0; the arguments are those of `empty`. Not collective."""
    return _new(np.zeros, dist, dtype, comm, order)


def _new(make, dist, dtype, comm, order):
    comm = communicator_of(dist, comm)
    process = 0 if comm is None else comm.rank
    one_of("order", order, "C", "F")
    utf8("dtype", dtype)
    return _core._over(make(dist.local_shape(process), dtype=dtype, order=order), dist, process, comm)


def array(local: Any, dist: _core.Distribution, comm: MPI.Comm | None = None) -> _core.DistArray:
    """A distributed array over your own NumPy array on this process, without a copy. Not collective.

    Args:
        local: this process's part with its padding: a NumPy array with any strides, or another object with the buffer
            protocol, DLPack or NumPy's array interface. Its shape is ``dist.local_shape(rank)``.
        dist: the `Distribution`, the same on every process.
        comm: as in `empty`.

    Raises:
        ProtocolError: if `local` offers no memory, as a list, or holds Python objects.
        ValueError: if it has another shape.
    """
    comm = communicator_of(dist, comm)
    process = 0 if comm is None else comm.rank
    values, shape = _core._array_over(local), dist.local_shape(process)
    if values.shape != shape:
        raise ValueError(f"local has shape {values.shape}, must be {shape}: all elements of process {process}, with "
                         "padding")
    return _core._over(values, dist, process, comm)


def from_function(dist: _core.Distribution, function: Callable[..., Any], dtype: DTypeLike | None = None, *,
                  comm: MPI.Comm | None = None, order: str = "C") -> _core.DistArray:
    """An array whose elements, padding included, are `function` of their global indices. Not collective.

    `function` gets an integer array for each axis. Their shapes broadcast to that of the local part, as those of
    ``numpy.ogrid`` do. Its result must broadcast to that shape too: ``from_function(dist, lambda i, j: 10 * i + j)``.

    Args:
        dist: the `Distribution`, the same on every process.
        function: called with the indices of this process. On a process without elements it is also called with those of
            one element of another process, to find out whether its result is complex.
        dtype: the NumPy type of the elements; None: complex128 if the result is complex, else float64. Pass it if the
            result is complex for some indices alone.
        comm, order: as in `empty`.
    """
    comm = communicator_of(dist, comm)
    indices = dist.indices(0 if comm is None else comm.rank, "local")
    values = unmasked("the result of the function", function(*_open_grid(indices)))
    if dtype is None:
        dtype = complex if np.iscomplexobj(values) or _is_complex_elsewhere(dist, indices, function) else float
    array = empty(dist, dtype, comm=comm, order=order)
    array.local[...] = values
    return array


def _open_grid(indices):
    """The indices of each axis as an array along this axis, as numpy.ix_ makes them."""
    return [index.reshape([-1 if a == axis else 1 for a in range(len(indices))]) for axis, index in enumerate(indices)]


def _is_complex_elsewhere(dist, indices, function):
    """Whether, on a process without elements, the result for an element of another process is complex."""
    owner = next((process for process in range(dist.processes) if dist.count(process)), None)
    if owner is None or all(index.size for index in indices):
        return False
    try:
        return np.iscomplexobj(function(*_open_grid([index[:1] for index in dist.indices(owner, "owned")])))
    except Exception:  # it needs what only that process has
        return False
