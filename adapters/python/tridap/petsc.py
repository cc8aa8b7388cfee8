"""PETSc's vectors, structured grids, matrices and operators as those of tridap, and the other way round.

The objects of PETSc are those of petsc4py, which must be imported and initialized as usual:

    from petsc4py import PETSc
    from tridap import petsc

    x = PETSc.Vec().createMPI(100)
    a = petsc.export_array(x)      # a DistArray in PETSc's memory; tridap.asarray(x) is the same
    b, receipt = petsc.import_array(a)  # a Vec in the array's memory
    A = petsc.export_matrix(mat, rows=a)  # a tridap.Matrix of a Mat

`export_array`, `export_ghosted`, `export_matrix` and `export_operator` make arrays, matrices and operators of PETSc's
objects, and `import_array`, `import_ghosted`, `import_matrix` and `make_shell` make PETSc's objects. `place_array` and
`reset_array` use one Vec for many arrays, and `update_values` one Mat for many matrices. `create_dmda` makes a DMDA with the
ownership of a distribution, or `nearest` of it; `make_ordering` an AO. `collect` destroys what only exports have kept, and
`held` returns how much that is: `Held`.

PETSc keeps the norms of a Vec until it knows that its elements have changed. The calls of tridap tell it, for both kinds
of arrays and for their parts: ``x *= 2``, ``x[2:9] = 0``, ``redistribute(y, out=x)``, ``solve(A, b, x)`` and the like. What
else writes to the same memory does not: NumPy (``x.local[...] = 0``), another library, and another Vec over it. Then call
``vec.stateIncrease()``. Do both on every process, also on one without elements, because PETSc's norms are collective.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core
from ._agree import collective, integer, one_of, together
from ._ghosts import GhostedArray
from ._make import communicator, communicator_of, need_distribution
from ._modules import compiled, needed
from ._place import need_array

_petsc4py = needed("petsc4py.PETSc", "tridap.petsc needs petsc4py: install python3-petsc4py")
_petsc = compiled("_petsc", "PETSc", "libpetsc-real-dev")

from ._petsc_matrix import (export_matrix, export_operator, import_matrix, lasting_comm, make_shell,  # noqa: E402
                            update_values)

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["Held", "collect", "create_dmda", "export_array", "export_ghosted", "export_matrix", "export_operator", "held",
           "import_array", "import_ghosted", "import_matrix", "make_ordering", "make_shell", "nearest", "place_array",
           "reset_array", "update_values"]


class Held(NamedTuple):
    """What this process holds."""

    exports: int  #: arrays, matrices and operators that were exported, and still exist
    waiting: int  #: objects of PETSc that wait for `collect`


@collective("tridap.petsc.export_array()", "petsc")
def export_array(vec: Any, dm: Any = None, *, read_only: bool = False) -> _core.DistArray:
    """This process's part of a Vec, in the Vec's own memory, which the result keeps alive.

    Collective over its communicator, unless that has the processes of MPI.COMM_WORLD or MPI.COMM_SELF.

    Without `dm` the array has one axis in blocks, as ``vec.getOwnershipRange()`` has them. With `dm` it has the axes of
    the grid: (z, y, x), (y, x) or (x), and at the end an axis of the degrees of freedom if there are several. A local
    Vec has its ghost points as padding. Those at the outer edges of the grid count in the axis's size: they are
    boundary padding (GHOSTED), or the mirrors of a periodic axis (PERIODIC).

    The array's memory is not to be used after ``vec.placeArray`` or ``vec.resetArray``. The array has its
    whole distribution, for which PETSc need not communicate. Its communicator is that of `vec`, or of `dm` if it is
    given: MPI.COMM_WORLD or MPI.COMM_SELF if they have the same processes. PETSc frees its own with the last object
    on it; the array goes on with a duplicate.

    Args:
        vec: a petsc4py Vec of type seq, mpi or shared.
        dm: the petsc4py DMDA whose global or local Vec it is; None: it is a Vec alone.
        read_only: the array is read-only.

    Raises:
        ProtocolError: if the memory of `vec` is not one array in host memory, if it is no Vec of `dm`, or if the
            protocol cannot describe the boundaries of `dm` (MIRROR, TWIST).
    """
    local, dist, process, _, _ = _petsc.export_array(vec, dm, bool(read_only))
    made = _core._over(local, dist, process, lasting_comm(vec if dm is None else dm))
    if not read_only:
        _core._watch(made, _petsc.watch(vec))
    return made


@collective("tridap.petsc.import_array()", "petsc")
def import_array(array: Any, dm: Any = None, *, copy: bool | str | None = None) -> tuple[Any, _core.Receipt]:
    """A petsc4py Vec over an array's memory, and a `Receipt` of the conversion. Collective.

    Without `dm` the array may have any distribution, if it is dense on each process. PETSc numbers the elements process
    after process, and on a process in memory order. If these are not the array's row-major numbers, the receipt names
    it, and `make_ordering` converts. With `dm` the array must have exactly the places of a global or local Vec of the
    grid.

    The Vec keeps the memory alive; a duplicate of the Vec has memory of its own, but keeps it too.

    Args:
        array: a `DistArray`; without a communicator, it is over MPI.COMM_SELF if it has one process, else MPI.COMM_WORLD.
        dm: a petsc4py DMDA; the result is a Vec of it.
        copy: None or False: never; "if_needed": copy memory that PETSc cannot use, each process its part without
            padding; True: always. With `dm` nothing is copied.

    Raises:
        ProtocolError: on every process, if the array of any process is wrong: its elements are not
            ``PETSc.ScalarType``, its memory is read-only, padded or strided, or an element is on several processes.
    """
    comm = communicator(None, array)

    def asked():
        need_array(array, comm)
        policy = _core._copy(copy)
        if dm is not None and policy != "never":
            raise ValueError(f"copy is {copy!r}, must be None with a dm: its Vecs share the memory")
        if dm is not None and not isinstance(dm, _petsc4py.DMDA):
            raise TypeError(f"dm is {dm!r}, must be a petsc4py.PETSc.DMDA")
        return policy, dm is None

    policy, _ = together(comm, asked)
    vec, receipt = _petsc.import_array(array.local, array.distribution, array.process, comm, dm, copy)
    if policy != "always":
        _core._watch(array, _petsc.watch(vec))
    return vec, receipt


@collective("tridap.petsc.export_ghosted()", "petsc")
def export_ghosted(vec: Any) -> GhostedArray:
    """A ghosted Vec as a GhostedArray in the Vec's own memory. Collective over the communicator of `vec`.

    The ids of the ghosts are PETSc's global numbers. A Vec in blocks of several elements has an axis more, of the
    components of a block, and ids number blocks. The Vecs of dolfinx are such Vecs.

    Args:
        vec: a petsc4py Vec made with ghosts, as ``PETSc.Vec().createGhost(...)`` makes it.

    Raises:
        ProtocolError: on every process, if `vec` has no ghosts on a process, or if its local-to-global mapping is not
            the one with which it was made.
    """
    if not isinstance(vec, _petsc4py.Vec) or vec.handle == 0:
        raise TypeError(f"vec is {vec!r}, must be a petsc4py.PETSc.Vec that was created")
    comm = vec.comm.tompi4py()
    local, ghosts = together(comm, lambda: _petsc.export_ghosted(vec), same=False)
    made = GhostedArray(local, ghosts, comm=comm)
    _core._watch(made.owned, _petsc.watch(vec))
    return made


@collective("tridap.petsc.import_ghosted()", "petsc")
def import_ghosted(array: GhostedArray) -> tuple[Any, _core.Receipt]:
    """A ghosted petsc4py Vec over the memory of a GhostedArray, and a `Receipt`. Collective over ``array.comm``.

    Without a communicator it is this process alone. The components of an element are a block of the Vec. PETSc numbers the
    owned elements process after process; if these are not the array's ids, the receipt names it. The Vec keeps the memory
    alive.

    Raises:
        ProtocolError: on every process, if the elements are not ``PETSc.ScalarType``, if the memory of a process is not
            C-contiguous or is read-only, or if the components are distributed.
    """
    if not isinstance(array, GhostedArray):
        raise TypeError(f"array is {array!r}, must be a tridap.GhostedArray")
    comm, owned = communicator(None, array.owned), array.owned
    vec, receipt = _petsc.import_ghosted(array.local, owned.distribution, owned.process, array.ghosts, comm)
    _core._watch(owned, _petsc.watch(vec))
    return vec, receipt


@collective("tridap.petsc.place_array()", "petsc")
def place_array(vec: Any, array: Any) -> _core.Receipt:
    """Puts an array's memory in the place of a Vec's own memory until `reset_array`. Collective.

    One Vec can so be used for many arrays. The conditions are those of `import_array`, and each process's part must be
    as long as that of the Vec. ProtocolError, on every process, if not.
    """
    comm = communicator(None, array)
    together(comm, lambda: need_array(array, comm))
    receipt = _petsc.place_array(vec, array.local, array.distribution, array.process)
    _core._watch(array, _petsc.watch(vec))
    return receipt


def reset_array(vec: Any) -> None:
    """Gives a Vec its own memory back after `place_array`. Call it on every process."""
    _petsc.reset_array(vec)


@collective("tridap.petsc.make_ordering()", "petsc")
def make_ordering(array: Any, *, copy: bool | str | None = None) -> Any:
    """The petsc4py AO between an array's row-major numbers and those of the Vec that `import_array` makes. Collective.

    ``ordering.app2petsc(numbers)`` converts row-major numbers of the array to numbers of the Vec. The numbers do not count the
    mirrors of a periodic axis. `copy` is that of `import_array`.
    """
    comm = communicator(None, array)
    together(comm, lambda: (need_array(array, comm), _core._copy(copy)))
    return _petsc.ordering(array.local, array.distribution, array.process, comm, copy)


@collective("tridap.petsc.create_dmda()", "petsc")
def create_dmda(dist: _core.Distribution, comm: MPI.Comm | None = None, *, stencil_width: int | None = None,
                stencil: str = "box", dof: bool = False) -> Any:
    """A petsc4py DMDA with exactly the ownership of a distribution of 1, 2 or 3 axes in blocks. Collective.

    PETSc's x is the last of these axes. A periodic axis becomes PERIODIC, one with boundary padding GHOSTED, any other
    NONE.

    Args:
        dist: the `Distribution`, the same on every process; rank r holds process r.
        comm: an mpi4py communicator; None: MPI.COMM_WORLD, or MPI.COMM_SELF for a distribution over one process.
        stencil_width: ghost points on each side; None: the width of the distribution's padding, or 1 if it has none.
        stencil: "box" or "star".
        dof: the last axis, which must not be distributed, has the degrees of freedom of each grid point.

    Raises:
        ProtocolError: on every process, if a DMDA cannot hold the distribution, with the nearest that it can hold.
    """
    comm = communicator(comm, dist)

    def asked():
        communicator_of(need_distribution(dist), comm)
        return _options(stencil_width, stencil, dof)

    return _petsc.create_dmda(dist, comm, *together(comm, asked))


def nearest(dist: _core.Distribution, *, stencil_width: int | None = None, stencil: str = "box",
            dof: bool = False) -> _core.Distribution:
    """The distribution of the same process grid that a DMDA can hold; `dist` itself if it can. Not collective.

    Axes that a DMDA cannot hold become blocks of lengths that differ by at most one, and all axes get one width of
    padding. The arguments are those of `create_dmda`. ProtocolError if there is none.
    """
    return _petsc.nearest(need_distribution(dist), *_options(stencil_width, stencil, dof))


@collective("tridap.petsc.collect()", "petsc")
def collect() -> int:
    """Destroys the Vecs and Mats which only exports held, and returns how many. Collective over ``PETSC_COMM_WORLD``.

    An export holds a reference to its Vec or Mat. If it is the last one, this object waits for this call, for an
    `import_array` on all processes, or for the end of PETSc, because destroying it is collective.
    """
    return _petsc.collect()


def held() -> Held:
    """How many exports this process holds, and how many objects of PETSc wait for `collect`."""
    return Held(*_petsc.held())


def _options(stencil_width, stencil, dof):
    width = None if stencil_width is None else integer("stencil_width", stencil_width)
    if width is not None and not 0 <= width < 2**31:
        raise ValueError(f"stencil_width is {width}, must be at least 0, and fit 32 bits")
    return width, one_of("stencil", stencil, "box", "star") == "star", bool(dof)
