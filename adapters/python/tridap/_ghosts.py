"""Arrays with ghosts: copies of elements that other processes own, behind the owned elements in one memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np

from . import _core
from ._agree import collective, integer, together, unmasked
from ._copies import unpickled
from ._foreign import Described

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import NDArray


@unpickled("pickle.dumps((x.local, x.ghosts, x.owned.distribution)) writes its parts, and "
           "tridap.GhostedArray(local, ghosts, distribution=distribution, comm=comm) on every process makes it of them again")
class GhostedArray:
    """This process's part of a distributed array and its *ghosts*: copies of elements that other processes own.

    Axis 0 of the local array counts first the owned elements and then the ghosts; the other axes are the components of
    each element. Vectors of finite elements are stored so, PETSc's ghosted vectors and dolfinx's ``la.Vector`` among
    them. Nothing is copied: `owned` and `local` are views of one memory, which is kept alive.

    ::

        x = dolfinx.la.vector(index_map, bs)
        u = tridap.GhostedArray(x.array.reshape(-1, bs), index_map.ghosts, comm=comm)
        u.update_ghosts()  # as x.scatter_forward()

    Args:
        local: a NumPy array, another object with NumPy's memory, or an array in the memory of a GPU, of shape (owned
            elements + ghosts, components...), in any memory order. It must be writable.
        ghosts: the id of each ghost, in the order of `local`. If `distribution` has one axis more than there are
            components, an id is a global index of its axis 0. If it has several more, an id is the row-major flat number
            of an element's global indices on these axes, and the owned elements are in row-major order.
        distribution: of the owned elements with their components, over the processes of `comm`. None: axis 0 is
            distributed in blocks in the order of the ranks, and process r owns the first ``len(local) - len(ghosts)``
            elements of its `local`.
        comm: an mpi4py communicator; None: this process alone. Do not free it before the last update.

    Making one is collective.

    Raises:
        ProtocolError: on every process, if `local` does not have as many elements as `distribution` and `ghosts` say, if
            an id is no element of the array, is an element that the process owns itself, or is listed twice by one
            process, if the element types differ between processes, if an index of the numbered axes is on several
            processes, if the array has communication padding, or if the memory of a process is read-only.
    """

    __slots__ = ("_ghosts", "_ids", "_local", "__weakref__")

    @collective("tridap.GhostedArray()")
    def __init__(self, local: Any, ghosts: Sequence[int] | NDArray[Any], *,
                 distribution: Optional[_core.Distribution] = None, comm: Optional[MPI.Comm] = None) -> None:
        self._local, self._ids = together(comm, lambda: (_memory(local), _ids(ghosts)), same=False)
        together(comm, lambda: _checked(distribution) is None)
        self._ghosts = _core._Ghosts(self._local, self._ids, distribution, comm)

    @classmethod
    @collective("tridap.GhostedArray.copy_of()")
    def copy_of(cls, array: _core.DistArray, ghosts: Sequence[int] | NDArray[Any], numbered: int = 1) -> GhostedArray:
        """A copy of a DistArray in new memory with room for ghosts, which are zero. Collective over ``array.comm``.

        Args:
            array: any array without communication padding.
            ghosts: the ids, as for GhostedArray.
            numbered: how many axes, from the first on, the ids number; the other axes are components.
        """
        def copied():
            axes = integer("numbered", numbered)
            if not 1 <= axes <= array.ndim:
                raise ValueError(f"numbered is {axes}, must be from 1 to {array.ndim}, the number of axes")
            if array.device != "cpu":
                return _core._with_room(array, axes, len(ghosts))
            count = int(np.prod(array.local.shape[:axes], dtype=int))
            made = np.zeros((count + len(ghosts),) + array.local.shape[axes:], array.dtype)
            made[:count] = array.local.reshape((count,) + array.local.shape[axes:])
            return made

        local = together(array.comm, copied, same=False)
        return cls(local, ghosts, distribution=array.distribution, comm=array.comm)

    def _refuse_copy(self, *memo: Any) -> Any:
        raise TypeError("a GhostedArray is copied by all processes together: tridap.GhostedArray(x.local.copy(), x.ghosts, "
                        "distribution=x.owned.distribution, comm=x.comm)")

    __copy__ = __deepcopy__ = _refuse_copy

    @property
    def owned(self) -> _core.DistArray:
        """The owned elements as a DistArray, over the beginning of the same memory."""
        return self._ghosts.owned

    @property
    def local(self) -> NDArray[Any]:
        """The owned elements and the ghosts: the NumPy array that was given, or a view of its memory; on a GPU, a DevicePart."""
        return self._local

    @property
    def ghosts(self) -> NDArray[np.int64]:
        """The id of each ghost, read-only."""
        return self._ids

    @property
    def comm(self) -> Optional[MPI.Comm]:
        """The mpi4py communicator of the processes, or None."""
        return self.owned.comm

    @collective("x.update_ghosts()")
    def update_ghosts(self, *, stream: Optional[int] = None) -> None:
        """Each ghost gets the value of its element from the process that owns it, with all components. Collective.

        Args:
            stream: here and below, on which memory of a GPU was last used, a number as in ``__dlpack__``. The update waits for
                it, and for the legacy default stream.
        """
        self._ghosts.update(stream)

    @collective("x.sum_ghosts()")
    def sum_ghosts(self, *, stream: Optional[int] = None) -> None:
        """The value of each ghost is added to the element of which it is a copy; ghosts keep their values. Collective.

        An element with several ghosts gets them in the order of the ranks, so that the sum is the same each time.

        Raises:
            ProtocolError: on every process, if elements of this type cannot be added.
        """
        self._ghosts.sum(stream)

    @collective("x.start_update()")
    def start_update(self, *, stream: Optional[int] = None) -> None:
        """Begins update_ghosts(). Until wait(), do not use the ghosts, and do not write owned elements. Collective."""
        self._ghosts.start_update(stream)

    @collective("x.start_sum()")
    def start_sum(self, *, stream: Optional[int] = None) -> None:
        """Begins sum_ghosts(). Until wait(), do not use owned elements, and do not write ghosts. Collective."""
        self._ghosts.start_sum(stream)

    @collective("x.wait()")
    def wait(self) -> None:
        """Ends what start_update() or start_sum() began. Collective."""
        self._ghosts.wait()

    def __distarray__(self) -> dict[str, Any]:
        """The owned part, so that the array can be given to solve(), redistribute() and other libraries."""
        return Described(self.owned)

    def __repr__(self) -> str:
        return (f"<tridap.GhostedArray: {self.owned.shape} {self._local.dtype}, {len(self._local) - len(self._ids)} "
                f"owned elements and {len(self._ids)} ghosts here>")


def _memory(local):
    """The NumPy array or the DevicePart over the memory of an object; TypeError if it would be a copy."""
    unmasked("local", local)
    if isinstance(local, np.ndarray):
        return local
    if isinstance(local, (list, tuple)) or np.isscalar(local):
        raise TypeError(f"local is a {type(local).__name__}, must be a NumPy array: its memory is shared")
    if isinstance(local, _core.DistArray):
        raise TypeError("local is a DistArray, whose memory has no room for ghosts: tridap.GhostedArray.copy_of(local, ghosts) "
                        "makes a copy that has it")
    part = _core._device_part(local)
    if part is not None:
        return part
    view = np.asarray(local)
    if view.base is None:
        raise TypeError(f"local is a {type(local).__name__}, whose memory NumPy cannot share: pass a NumPy array")
    return view


def _ids(ghosts):
    ids = np.array(_core._ids("ghosts", ghosts))
    ids.flags.writeable = False
    return ids


def _checked(distribution):
    if distribution is not None and not isinstance(distribution, _core.Distribution):
        raise TypeError(f"distribution is a {type(distribution).__name__}, must be a tridap.Distribution or None")
    return distribution
