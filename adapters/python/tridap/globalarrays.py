"""Global Arrays' memory as distributed arrays, and distributed arrays as Global Arrays.

Global Arrays (the library of NWChem and others) is a part of the program, so only a Python that has it inside offers this:
``tridap-python``, which is installed beside this package, or a program of yours that embeds Python.

    mpiexec -n 4 tridap-python script.py

A Global Array is known by its handle, an integer, or by a `GlobalArray` where it was made here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _core
from ._agree import integer, together
from ._make import communicator_of, world

try:
    import _tridap_globalarrays as _ga
except ImportError:
    raise ImportError("this Python has no Global Arrays in it: run the script by tridap-python") from None

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import DTypeLike

__all__ = ["GlobalArray", "Session", "allocate", "collect", "create", "destroy", "export_array", "grid_communicator",
           "held", "import_array", "is_there"]

GlobalArray = _ga.GlobalArray


class Session:
    """Global Arrays from here to the end of a ``with`` block, where nobody has begun it before. Collective.

    Where the block is left by an exception, which waits for nobody, or arrays are still held at its end, Global Arrays
    goes on until MPI is finalized, and what is held then stays until the process ends; `close` raises instead.

    Args:
        allocator_doubles: elements of double that GA's own allocator keeps, which its ghost updates need; 0: none.
    """

    def __init__(self, allocator_doubles: int = 1 << 20) -> None:
        def asked():
            doubles = integer("allocator_doubles", allocator_doubles)
            if not 0 <= doubles < 2**63:
                raise ValueError(f"allocator_doubles is {doubles}, must be at least 0, and fit 64 bits")
            return doubles

        self._session = _ga.begin(together(_all(None), asked))

    def close(self) -> None:
        """Ends it now. Collective. ProtocolError, on every process, where an array is still held on any."""
        self._session.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._session.leave(kind is not None)


def _handle(array):
    handle = array.handle if isinstance(array, GlobalArray) else integer("a Global Array's handle", array)
    if not -2**31 <= handle < 2**31:
        raise ValueError(f"a Global Array's handle is {handle}, must fit 32 bits")
    return handle


def _group(array):
    """The processes of a Global Array; those of MPI.COMM_WORLD, where these are all of them, or there is no such array."""
    try:
        group = _mpi(_ga.communicator(_handle(array)))
    except (TypeError, ValueError):  # all shall hear of it
        return _all(None)
    return group if group is None or group.size < _all(None).size else _all(None)


def _mpi(fortran):
    from mpi4py import MPI
    return None if fortran is None else MPI.Comm.f2py(fortran)


def export_array(array: GlobalArray | int, comm: MPI.Comm | None = None, *, ghosts: bool = True,
                 outer: bool = False) -> _core.DistArray | None:
    """This process's part of a Global Array, in its own memory, which is kept as long as the result is. Not collective.

    None on a process that holds no place of the array's grid.

    Args:
        array: a handle, or what `create` returned.
        comm: the processes of its grid, as `grid_communicator` gives them; None: those of the array's own group, where
            each of them holds the part of its rank.
        ghosts: whether ghost cells come along, as padding.
        outer: whether those at the array's outer edges do, as boundary padding of a periodic axis.

    Raises:
        ProtocolError: also where rank r of the communicator is not process r of the array.
    """
    handle = _handle(array)
    parts = _ga.export_array(handle, ghosts, outer, comm)
    if parts is None:
        return None
    return _core._over(*parts, comm if comm is not None else _mpi(_ga.communicator(handle)))


def grid_communicator(array: GlobalArray | int) -> MPI.Comm | None:
    """The processes that hold a place of the array's grid, in the grid's order; None elsewhere. Collective."""
    def known():
        handle = _handle(array)
        _ga.communicator(handle)
        return handle

    return _mpi(_ga.grid_communicator(together(_group(array), known, same=False)))


def create(dist: _core.Distribution, dtype: DTypeLike = float, comm: MPI.Comm | None = None) -> GlobalArray:
    """A Global Array with exactly the ownership of `dist`. Collective over `comm`, rank r being process r.

    Its elements are not set. ProtocolError, on every process, where Global Arrays cannot hold it.

    Args:
        dist: the `Distribution`, the same on every process.
        dtype: of an element, as NumPy has it.
        comm: an mpi4py communicator; None: MPI.COMM_WORLD.
    """
    dtype, comm = _asked(dist, dtype, comm)
    return _ga.create(dist, dtype, comm)


def allocate(dist: _core.Distribution, dtype: DTypeLike = float, comm: MPI.Comm | None = None) -> _core.DistArray:
    """An array of zeros in the memory of a Global Array, so that `import_array` of it copies nothing. Collective.

    The arguments are those of `create`.
    """
    dtype, comm = _asked(dist, dtype, comm)
    return _core._over(*_ga.allocate(dist, dtype, comm), comm)


def import_array(array: _core.DistArray, *, copy: bool | str | None = None,
                 nearest: bool = False) -> tuple[GlobalArray, _core.Receipt]:
    """A Global Array of an array's elements and ownership, and what that cost. Collective.

    Memory that is a Global Array's is shared. Global Arrays cannot take over other memory: it is refused, unless `copy`
    allows each process to copy its part.

    Args:
        array: made with `comm`, which is MPI.COMM_WORLD where it has none.
        copy: None or False: never; "if_needed": what is not a Global Array's is copied; True: always.
        nearest: where Global Arrays cannot hold the distribution, moves the elements to the nearest that it can.

    Raises:
        ProtocolError: on every process, where any one's array is wrong.
    """
    def asked():
        if not isinstance(array, _core.DistArray):
            raise TypeError(f"array is {array!r}, must be a tridap.DistArray")
        communicator_of(array.distribution, comm)
        named = isinstance(copy, str) or copy is None or isinstance(copy, (bool, np.bool_))
        policy = {None: "never", False: "never", True: "always"}.get(copy, copy) if named else None
        if policy not in ("never", "if_needed", "always"):
            raise ValueError(f"copy is {copy!r}, must be None, False, True or 'if_needed'")
        return policy, bool(nearest)

    comm = _all(array.comm if isinstance(array, _core.DistArray) else None)
    policy, moved = together(comm, asked)
    return _ga.import_array(array.local, array.distribution, array.process, comm, policy, moved)


def destroy(handle: int, comm: MPI.Comm) -> bool:
    """Gives an array of somebody else's making to the pool, in place of ``GA_Destroy``. Collective over its processes.

    True: it is freed; False: that will be when nobody holds an export of it any more.
    """
    return _ga.destroy(together(comm, lambda: _handle(handle), same=False), comm)


def is_there(array: _core.DistArray) -> bool:
    """Whether an exported array's memory is still the Global Array's: not where somebody called ``GA_Destroy``."""
    return _ga.is_there(array.local)


def collect() -> int:
    """Frees the arrays that nobody holds any more on any process, and returns how many. Collective over all of GA's."""
    return _ga.collect()


def held() -> int:
    """How many arrays this process holds."""
    return _ga.held()


def _all(comm):
    """A communicator, or that of all processes for None."""
    if comm is not None:
        return comm
    from mpi4py import MPI
    if world() is None:
        raise RuntimeError("MPI is not initialized, or finalized")
    return MPI.COMM_WORLD


def _asked(dist, dtype, comm):
    """The element type and the communicator of a new array, where no process is asked for anything wrong."""
    comm = _all(comm)

    def asked():
        if not isinstance(dist, _core.Distribution):
            raise TypeError(f"dist is {dist!r}, must be a tridap.Distribution")
        communicator_of(dist, comm)
        return np.dtype(dtype)

    return together(comm, asked), comm
