"""Arrays of mpi4py-fft as distributed arrays, and distributed arrays as those of mpi4py-fft, in the same memory.

A ``mpi4py_fft.DistArray`` is distributed in blocks over a grid of processes, one of whose axes is whole on each
process. Which process has which place in the grid depends on how its communicators were made: on ``Create_cart``, which
may reorder processes, and on ``pencil(axis)``, which swaps two axes of the grid. `export_array` finds it out from the
processes. `import_array` is the other way round, `distribution` makes mpi4py-fft's blocks, and `grid_communicator` returns
the processes of an array in the order of the grid.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from . import _core, _make
from ._agree import collective, integer, together
from ._place import in_grid_order, kept_with, need_grid_of

try:
    import mpi4py_fft as _theirs
    from mpi4py import MPI
    from mpi4py_fft.pencil import Pencil as _Pencil
except ImportError as error:
    raise ImportError(f"tridap.mpi4py_fft needs mpi4py-fft (Debian: python3-mpi4py-fft): {error}") from error

if TYPE_CHECKING:
    import mpi4py_fft

__all__ = ["distribution", "export_array", "grid_communicator", "import_array"]


def _axes(u):
    """For each axis of an array: (size, processes along it, our place among them, our first index, our elements)."""
    if not isinstance(u, _theirs.DistArray):
        raise TypeError(f"u is a {type(u).__name__}, must be a mpi4py_fft.DistArray")
    rank, pencil = u.rank or 0, u.pencil
    if pencil is None:  # one axis, which mpi4py-fft does not distribute
        return [(extent, 1, 0, 0, extent) for extent in u.shape]
    whole = [(extent, 1, 0, 0, extent) for extent in u.shape[:rank]]
    axes = whole + [(size, line.Get_size(), line.Get_rank(), start, extent)
                    for size, line, start, extent in zip(pencil.shape, pencil.subcomm, pencil.substart, pencil.subshape)]
    here = tuple(axis[4] for axis in axes)
    if u.shape != here:
        _core._refuse(f"u has the local shape {u.shape}, but its pencil says {here}: it is a part, or the result of an "
                      "operation that changes the shape", "pass the whole array")
    return axes


def described(u):
    """The dictionary that ``__distarray__`` would return for a ``mpi4py_fft.DistArray``. Local."""
    dims = [{"dist_type": "b", "size": size, "proc_grid_size": processes, "proc_grid_rank": place, "start": start,
             "stop": start + extent} for size, processes, place, start, extent in _axes(u)]
    return {"__version__": "0.10.0", "buffer": u.view(np.ndarray), "dim_data": tuple(dims)}


@collective("tridap.mpi4py_fft.grid_communicator()")
def grid_communicator(u: mpi4py_fft.DistArray, comm: MPI.Comm | None = None) -> MPI.Comm:
    """The array's processes in the row-major order of its process grid. Collective over `comm`.

    It is `comm` itself if this already has the grid's order. Else it is made once for each order, and freed with
    `comm`.

    Args:
        u: a ``mpi4py_fft.DistArray``.
        comm: an mpi4py communicator of exactly the array's processes, in any order; None: MPI.COMM_WORLD.

    Raises:
        ProtocolError: on every process, if `comm` has other processes than the array's grid, or `u` is wrong on a
        process.
    """
    comm = _make.communicator(comm)
    places = []

    def known():
        axes = _axes(u)
        places.extend(axis[2] for axis in axes)
        return need_grid_of(comm, [axis[1] for axis in axes])

    return in_grid_order(comm, together(comm, known), tuple(places))


@collective("tridap.mpi4py_fft.export_array()")
def export_array(u: mpi4py_fft.DistArray, comm: MPI.Comm | None = None) -> _core.DistArray:
    """This process's part of a ``mpi4py_fft.DistArray`` as a `DistArray` over the same memory. Collective over `comm`.

    Its communicator is that of `grid_communicator`: rank r has part r of the array. The axes of a tensor's components
    come first, and are not distributed. Arrays of different pencils can be moved into one another by
    `tridap.redistribute`.

    Args:
        u: the array, of any element type, alignment and tensor rank. An array of one axis needs one process.
        comm: as in `grid_communicator`.

    Raises:
        ProtocolError: as `grid_communicator`, or if the parts of all processes are not one array.
    """
    return _core._asarray(u, grid_communicator(u, comm))


def _cuts(size, processes):
    """The first index of each process along an axis, as mpi4py-fft distributes it, and the size."""
    length, longer = divmod(size, processes)
    return [place * length + min(place, longer) for place in range(processes + 1)]


def distribution(shape: Sequence[int], grid: Sequence[int]) -> _core.Distribution:
    """The `Distribution` that mpi4py-fft gives an array over a grid of processes. Local.

    Its blocks differ from those of ``tridap.distribution(shape)`` if the processes do not divide the size of an axis:
    the first ones are longer by one element.

    Args:
        shape: elements of the whole array along each axis.
        grid: processes along each axis, at most its size.
    """
    shape, grid = _make._integers("shape", shape), _make._integers("grid", grid)
    if len(shape) != len(grid):
        raise ValueError(f"grid is {tuple(grid)}, must have one number of processes for each of the {len(shape)} axes")
    for axis, (size, processes) in enumerate(zip(shape, grid)):
        if not 1 <= processes <= size:
            _core._refuse(f"axis {axis} has {size} elements over {processes} processes, but mpi4py-fft needs at least one "
                          "element on each process", "use fewer processes along this axis")
    specs = [_make.block(starts=_cuts(size, processes)[:-1]) if processes > 1 else _make.whole()
             for size, processes in zip(shape, grid)]
    return _make.distribution(shape, specs, grid, math.prod(grid))


@collective("tridap.mpi4py_fft.import_array()")
def import_array(x: _core.DistArray, like: Any = None, *, rank: int = 0,
                 alignment: int | None = None) -> mpi4py_fft.DistArray:
    """A ``mpi4py_fft.DistArray`` over the memory of a `DistArray`, which it keeps alive. Collective over ``x.comm``.

    Nothing is copied. The array must be as mpi4py-fft would distribute it (`distribution`), without padding, and
    row-major and contiguous in memory on each process.

    Args:
        x: a `DistArray` that knows all processes. Read-only memory gives a read-only array.
        like: an array or a pencil of mpi4py-fft, for example ``fft.pencil[0]``, whose communicators the result shares.
            Its process grid must have this process at the same place. None: the result gets communicators of its own,
            which are made once for each grid, and freed with ``x.comm``.
        rank: the tensor rank: how many axes at the beginning are components. It must be that of `like`, if this is an
            array.
        alignment: which axis behind the components is whole on each process, for mpi4py-fft; None: that of `like`, else
            the last one that is whole.

    Raises:
        ProtocolError: on every process, if mpi4py-fft cannot hold the array of any process.
    """
    comm = _make.communicator(None, x)

    def asked():
        grid, components = _fits(x, rank)
        if like is not None:
            _same_place(x, like, components)
        return grid, components, _aligned(grid, like, alignment)

    grid, components, axis = together(comm, asked)
    if like is not None:
        lines = (like.pencil if isinstance(like, _theirs.DistArray) else like).subcomm
    else:
        lines = _lines(comm, grid)
    return _theirs.DistArray(x.shape, subcomm=tuple(lines), dtype=x.dtype, buffer=x.local, alignment=axis, rank=components)


def _fits(x, rank):
    """The process grid behind the components, and their number. ProtocolError if mpi4py-fft cannot hold our part."""
    if not isinstance(x, _core.DistArray):
        raise TypeError(f"x is a {type(x).__name__}, must be a tridap.DistArray")
    _core._refuse_on_device(x)
    dist, components = x.distribution, integer("rank", rank)
    grid = dist.grid
    if not 0 <= components <= x.ndim - 1:
        raise ValueError(f"rank is {components}, must be at least 0 and less than the {x.ndim} axes of x")
    if any(processes != 1 for processes in grid[:components]):
        _core._refuse(f"the components, the first {components} axes, are distributed over "
                      f"{' x '.join(map(str, grid[:components]))} processes", _move_to_one_axis(x, components))
    if components < x.ndim - 1 and 1 not in grid[components:]:
        _core._refuse(f"the process grid is {' x '.join(map(str, grid[components:]))}, but mpi4py-fft needs one axis that "
                      "is whole on each process", _move_to_one_axis(x, components))
    if components == x.ndim - 1 and grid[-1] != 1:
        _core._refuse("x has one axis, which mpi4py-fft does not distribute", "redistribute x to one process")
    wanted = distribution(dist.shape, grid)
    if dist != wanted or dist.local_shape(x.process) != x.owned.shape:
        _core._refuse("x is not distributed as mpi4py-fft distributes: the first blocks of an axis are longer by one "
                      "element, and there is no padding", "move it: x = x.redistribute("
                      "tridap.mpi4py_fft.distribution(x.shape, x.distribution.grid))")
    if not x.local.flags.c_contiguous:
        _core._refuse("mpi4py-fft needs elements that are row-major and contiguous in memory, and those of x are not",
                      "copy it: x = x.copy(order='C')")
    return grid[components:], components


def _move_to_one_axis(x, components):
    """The remedy for a process grid that mpi4py-fft cannot have."""
    processes, free = x.distribution.processes, range(components, x.ndim if x.ndim > components + 1 else components)
    axis = next((axis for axis in free if x.shape[axis] >= processes), None)
    if axis is None:
        return "make x on fewer processes"
    grid = tuple(processes if along == axis else 1 for along in range(x.ndim))
    return f"move it: x = x.redistribute(tridap.mpi4py_fft.distribution(x.shape, {grid}))"


def _same_place(x, like, components):
    """ProtocolError unless this process is at the same place of the same grid."""
    if not isinstance(like, (_theirs.DistArray, _Pencil)):
        raise TypeError(f"like is a {type(like).__name__}, must be an array or a pencil of mpi4py-fft")
    if isinstance(like, _theirs.DistArray) and like.rank != components:
        raise ValueError(f"rank is {components}, but that of like is {like.rank}")
    pencil = like.pencil if isinstance(like, _theirs.DistArray) else like
    dims = x.distribution.dim_data(x.process)[components:]
    ours = [(dim["size"], dim["proc_grid_size"], dim["proc_grid_rank"]) for dim in dims]
    theirs = [] if pencil is None else [(size, line.Get_size(), line.Get_rank())
                                        for size, line in zip(pencil.shape, pencil.subcomm)]
    if ours != theirs:
        _core._refuse(f"this process has (size, processes, place) {ours} along the axes of x, but {theirs} in like",
                      "move x to the distribution of like: x = tridap.redistribute(x, tridap.mpi4py_fft.export_array(like))")


def _aligned(grid, like, alignment):
    """The axis that mpi4py-fft calls aligned."""
    if len(grid) < 2:
        return None
    if alignment is None:
        pencil = like.pencil if isinstance(like, _theirs.DistArray) else like
        return pencil.axis if pencil is not None else max(axis for axis, count in enumerate(grid) if count == 1)
    axis = integer("alignment", alignment)
    if not 0 <= axis < len(grid) or grid[axis] != 1:
        _core._refuse(f"alignment is {axis}, must be an axis of the process grid {' x '.join(map(str, grid))} with one "
                      "process", "count the axes behind the components, from 0")
    return axis


def _lines(comm, grid):
    """The communicators of the processes along each axis of a row-major grid. They are made once. Collective."""
    kept = kept_with(comm)
    key = ("lines", tuple(grid))
    if key not in kept:
        cart = comm.Create_cart(grid, reorder=False)
        kept[key] = tuple(cart.Sub([axis == along for along in range(len(grid))]) for axis in range(len(grid)))
        cart.Free()
    return kept[key]
