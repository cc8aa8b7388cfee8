"""Moving arrays to and from processes that list the numbers of their elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._agree import collective, one_of, together
from ._make import communicator
from ._move import Redistribution, _conversion, _distribution_of, _dtype, _ranks, _words
from ._place import communicator_of_ranks

if TYPE_CHECKING:
    from typing import Sequence

    from mpi4py import MPI
    from numpy.typing import DTypeLike


def _plan(array, ids, to_ids, dtype, comm, ravel, order, convert, partial, ranks):
    comm = _core._communicator(comm, array)
    alone = comm is None
    found = {}

    def prepare():
        found["array"] = _distribution_of("source" if to_ids else "target", array)
        found["ids"], found["dtype"] = _core._ids("ids", ids), _dtype(dtype)
        may_convert, found["made"] = _conversion(convert)
        if ravel not in ("C", "F"):
            raise ValueError(f"ravel is {ravel!r}, must be 'C' (row-major numbers) or 'F' (column-major numbers)")
        return {"array": _words(found["array"]), "dtype": str(found["dtype"]), "ravel": str(ravel), "order": one_of("order", order, "C", "F"),
                "convert": may_convert, "made": str(found["made"]), "partial": _core._flag("partial", partial),
                "ranks": _ranks("source_ranks" if to_ids else "target_ranks", ranks, found["array"].processes,
                                1 if alone else comm.size)}

    agreed = together(comm, prepare)
    made_for = comm
    if not alone and not to_ids:
        made_for = communicator_of_ranks(comm, agreed["ranks"], found["array"].processes)
    plan = Redistribution.__new__(Redistribution)
    _core._Redistribution.__init__(plan, found["array"], agreed["ranks"], found["ids"], to_ids, found["dtype"],
                                   found["made"], communicator(comm, array), made_for, agreed["ravel"],
                                   agreed["order"] == "F", agreed["convert"], agreed["partial"])
    plan._alone = alone
    plan._source_ranks, plan._target_ranks = (agreed["ranks"], []) if to_ids else ([], agreed["ranks"])
    return plan


@collective("tridap.to_ids()")
def to_ids(source: _core.Distribution | _core.DistArray, ids: Any, dtype: DTypeLike = float,
           comm: MPI.Comm | None = None, *, ravel: str = "C", convert: bool | DTypeLike = False, partial: bool = False,
           source_ranks: Sequence[int] | None = None) -> Redistribution:
    """Plans to move arrays to processes that each list the numbers of the elements that they want. Collective.

    ``plan(x)`` returns an array with one axis, of which this process has ``len(ids)`` elements: local element ``k`` is the
    element of `x` with the number ``ids[k]``. So a process gets any elements of an array, in any order.

    Args:
        source: the `Distribution` of the arrays to move, or a `DistArray` that has it.
        ids: this process's numbers, with one axis: a list, a range, or a NumPy array of integers; it may be empty. A
            number is ``numpy.ravel_multi_index(global_index, shape)``; on an unstructured axis indices count from the
            smallest one on any process. Several processes may list the same number.
        dtype: the NumPy type of the elements.
        comm: an mpi4py communicator; every process of it has ids, also if it holds no part of `source`. None: that of
            `source`, else MPI.COMM_WORLD, or only this process if `source` is over one process.
        ravel: "C": the numbers are row-major; "F": column-major, as ``order`` of ``numpy.ravel_multi_index``.
        convert, source_ranks: as in `Redistribution`.
        partial: leave out elements of which no process lists the number. Without it they are an error.

    Returns:
        The plan, a `Redistribution`. ``plan.reversed()`` moves elements back, if each is on one process only.
        ``plan.traffic()`` and ``plan.plot()`` raise ValueError, because each process knows its own ids alone.

    Raises:
        ProtocolError: on every process, if a number is not that of an element, or another argument is wrong.
    """
    return _plan(source, ids, True, dtype, comm, ravel, "C", convert, partial, source_ranks)


@collective("tridap.from_ids()")
def from_ids(ids: Any, target: _core.Distribution | _core.DistArray, dtype: DTypeLike = float,
             comm: MPI.Comm | None = None, *, ravel: str = "C", order: str = "C", convert: bool | DTypeLike = False,
             partial: bool = False, target_ranks: Sequence[int] | None = None) -> Redistribution:
    """Plans to move elements from processes that each list the numbers of their elements. Collective.

    It is the opposite of `to_ids`. The source has one axis, ``plan.source``, of which this process has ``len(ids)`` elements:
    ``plan(tridap.array(values, plan.source))`` moves ``values[k]`` to the element of the target with the number ``ids[k]``.

    Args:
        ids: this process's numbers, as for `to_ids`. A number that is listed twice is an error.
        target: the `Distribution` to which they move, or a `DistArray` that has it.
        dtype, comm, ravel: as for `to_ids`, with `target` in place of `source`.
        order, convert, target_ranks: as in `Redistribution`.
        partial: leave out elements of which no process lists the number; they are 0 in new arrays, and unchanged in
            `out`. Without it they are an error.

    Returns:
        The plan, a `Redistribution`, as that of `to_ids`.

    Raises:
        ProtocolError: on every process, if a number is not that of an element or is listed twice, or another argument is
            wrong.
    """
    return _plan(target, ids, False, dtype, comm, ravel, order, convert, partial, target_ranks)
