"""Global Arrays' memory as distributed arrays, and distributed arrays as Global Arrays.

Global Arrays (the library of NWChem and others) must be linked into the program, so this module needs a Python that
contains it: ``tridap-python``, which is installed beside this package, or a program of yours that embeds Python.

    mpiexec -n 4 tridap-python script.py

A `Session` initializes Global Arrays. `export_array` makes an array of a Global Array over the processes of its
`grid_communicator`; `import_array` makes a Global Array, `create` and `allocate` make new ones, and `destroy` ends one. `held`
says how many arrays this process holds, `collect` frees the others, and `is_there` says whether memory is still there.

Arguments that name a Global Array are its handle, an integer, or a `GlobalArray` that was made here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _core
from ._agree import collective, integer, together, utf8
from ._copies import lasting, unpickled
from ._make import communicator, communicator_of, need_distribution
from ._modules import needed
from ._place import need_array

_ga = needed("_tridap_globalarrays", "this Python has no Global Arrays in it: run the script by tridap-python")

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import DTypeLike

__all__ = ["GlobalArray", "Session", "allocate", "collect", "create", "destroy", "export_array", "grid_communicator",
           "held", "import_array", "is_there"]

if TYPE_CHECKING:
    class GlobalArray:
        handle: int
else:
    GlobalArray = unpickled("tridap.save('x.h5', {'x': tridap.globalarrays.export_array(array, "
                            "tridap.globalarrays.grid_communicator(array))}) writes its elements")(_ga.GlobalArray)

    def _refuse_copy(array, memo=None):
        raise TypeError("a GlobalArray is copied by all processes together: other, receipt = tridap.globalarrays.import_array("
                        "tridap.globalarrays.export_array(array, tridap.globalarrays.grid_communicator(array)), copy=True)")

    GlobalArray.__copy__ = GlobalArray.__deepcopy__ = _refuse_copy


@lasting("session = tridap.globalarrays.Session() on every process makes one")
class Session:
    """Initializes Global Arrays, unless it is initialized, and terminates it after a ``with`` block. Collective.

    If an exception leaves the block, it does not wait for other processes, and does not terminate Global Arrays. The same
    holds if arrays are still held at the end of the block; `close` raises instead. Global Arrays then ends when MPI is
    finalized, and arrays that are still held exist until the process ends.

    Args:
        allocator_doubles: size of GA's own allocator in elements of double; its ghost updates need it. 0: none.
    """

    @collective("tridap.globalarrays.Session()", "globalarrays")
    def __init__(self, allocator_doubles: int = 1 << 20) -> None:
        def asked():
            doubles = integer("allocator_doubles", allocator_doubles)
            if not 0 <= doubles < 2**63:
                raise ValueError(f"allocator_doubles is {doubles}, must be at least 0, and fit 64 bits")
            return doubles

        self._session = _ga.begin(together(communicator(None), asked))

    @collective("session.close()", "globalarrays")
    def close(self) -> None:
        """Ends the Session now. Collective. ProtocolError, on every process, if any process still holds an array."""
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
    """The processes of a Global Array; MPI.COMM_WORLD if these are all processes, or if there is no such array."""
    try:
        group = _mpi(_ga.communicator(_handle(array)))
    except (TypeError, ValueError):  # the caller then raises it on all processes
        return communicator(None)
    return group if group is None or group.size < communicator(None).size else communicator(None)


def _mpi(fortran):
    from mpi4py import MPI
    return None if fortran is None else MPI.Comm.f2py(fortran)


def export_array(array: GlobalArray | int, comm: MPI.Comm | None = None, *, ghosts: bool = True,
                 outer: bool = False) -> _core.DistArray | None:
    """This process's part of a Global Array, in GA's memory, which the result keeps alive. Not collective.

    None on a process that is not in the array's process grid.

    Args:
        array: a handle, or the result of `create`.
        comm: the processes of its grid, from `grid_communicator`; None: the array's group, if each process of it holds the
            part of its rank.
        ghosts: whether ghost cells are included, as padding.
        outer: whether those at the array's outer edges are included, as boundary padding of a periodic axis.

    Raises:
        ProtocolError: also if rank r of the communicator is not process r of the array.
    """
    handle = _handle(array)
    parts = _ga.export_array(handle, ghosts, outer, comm)
    if parts is None:
        return None
    local, dist, process = parts
    return _core._over(local, dist, process, comm if comm is not None else _mpi(_ga.communicator(handle)))


@collective("tridap.globalarrays.grid_communicator()", "globalarrays")
def grid_communicator(array: GlobalArray | int) -> MPI.Comm | None:
    """The processes in the array's process grid, in the grid's order; None on other processes. Collective."""
    def known():
        handle = _handle(array)
        _ga.communicator(handle)
        return handle

    return _mpi(_ga.grid_communicator(together(_group(array), known, same=False)))


@collective("tridap.globalarrays.create()", "globalarrays")
def create(dist: _core.Distribution, dtype: DTypeLike = float, comm: MPI.Comm | None = None) -> GlobalArray:
    """A Global Array with exactly the ownership of `dist`. Collective over `comm`, rank r being process r.

    Its elements are not set. ProtocolError, on every process, if Global Arrays cannot hold the distribution.

    Args:
        dist: the `Distribution`, the same on every process.
        dtype: NumPy's type of an element.
        comm: an mpi4py communicator; None: MPI.COMM_WORLD.
    """
    dtype, comm = _asked(dist, dtype, comm)
    return _ga.create(dist, dtype, comm)


@collective("tridap.globalarrays.allocate()", "globalarrays")
def allocate(dist: _core.Distribution, dtype: DTypeLike = float, comm: MPI.Comm | None = None) -> _core.DistArray:
    """An array of zeros in the memory of a Global Array, so that `import_array` of it copies nothing. Collective.

    The arguments are those of `create`.
    """
    dtype, comm = _asked(dist, dtype, comm)
    local, made, process = _ga.allocate(dist, dtype, comm)
    return _core._over(local, made, process, comm)


@collective("tridap.globalarrays.import_array()", "globalarrays")
def import_array(array: _core.DistArray, *, copy: bool | str | None = None,
                 nearest: bool = False) -> tuple[GlobalArray, _core.Receipt]:
    """A Global Array with an array's elements and ownership, and a `Receipt` of the conversion. Collective.

    The memory of a Global Array is shared. Global Arrays cannot use other memory: it is refused, unless `copy` allows each
    process to copy its part.

    Args:
        array: a `DistArray` that was made with `comm`; without one, MPI.COMM_WORLD is used.
        copy: None or False: never; "if_needed": copy memory that is not that of a Global Array; True: always.
        nearest: if Global Arrays cannot hold the distribution, move the elements to the nearest that it can hold.

    Raises:
        ProtocolError: on every process, if the array of any process is wrong.
    """
    def asked():
        need_array(array, comm)
        return _core._copy(copy), bool(nearest)

    comm = communicator(array.comm if isinstance(array, _core.DistArray) else None)
    named, moved = together(comm, asked)
    return _ga.import_array(array.local, array.distribution, array.process, comm, named, moved)


@collective("tridap.globalarrays.destroy()", "globalarrays")
def destroy(handle: int, comm: MPI.Comm) -> bool:
    """Destroys an array that was not made here; use it instead of ``GA_Destroy``. Collective over its processes.

    True: it is freed. False: it will be freed when no process holds an export of it.
    """
    return _ga.destroy(together(comm, lambda: _handle(handle), same=False), comm)


def is_there(array: _core.DistArray) -> bool:
    """Whether an exported array's memory still belongs to the Global Array; False after ``GA_Destroy``."""
    return _ga.is_there(array.local)


@collective("tridap.globalarrays.collect()", "globalarrays")
def collect() -> int:
    """Frees the arrays that no process holds any more, and returns how many. Collective over all of GA's processes."""
    return _ga.collect()


def held() -> int:
    """How many arrays this process holds."""
    return _ga.held()


def _asked(dist, dtype, comm):
    """The element type and the communicator of a new array, if the arguments of all processes are correct."""
    comm = communicator(comm)

    def asked():
        communicator_of(need_distribution(dist), comm)
        return np.dtype(utf8("dtype", dtype))

    return together(comm, asked), comm
