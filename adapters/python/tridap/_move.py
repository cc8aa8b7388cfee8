"""Moving arrays from one distribution to another."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from . import _core, _html
from ._agree import Elsewhere, collective, integer, one_of, order_of, together, utf8
from ._copies import lasting
from ._foreign import describes
from ._make import communicator, distribution, zeros
from ._place import communicator_of_ranks, ranks_in

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import DTypeLike


def _axes(axes, ndim):
    """`axes` as numpy.transpose takes it, as a list; empty for None."""
    if axes is None:
        return []
    if not np.iterable(axes):
        raise TypeError(f"axes is {axes!r}, must be a tuple with each axis of x once, such as (1, 0)")
    return order_of(axes, ndim)


def _ravel(ravel, axes, fill_padding, source, target):
    """ "C" or "F", or None; ValueError if the two sides are no list of flat numbers and what these number."""
    if ravel is None:
        if source.ndim != target.ndim and 1 in (source.ndim, target.ndim):
            raise ValueError(f"the target has {target.ndim} axes, must have {source.ndim}, as the source; or pass ravel='C' "
                             "if the indices of the one axis are flat numbers of the other side")
        return None
    if ravel not in ("C", "F"):
        raise ValueError(f"ravel is {ravel!r}, must be 'C' (row-major numbers), 'F' (column-major numbers) or None")
    if axes is not None:
        raise ValueError("axes and ravel are both given: leave out axes")
    if fill_padding:
        raise ValueError("fill_padding and ravel are both given: leave out fill_padding, and fill the padding of the new "
                         "array y by y.update_padding()")
    if source.ndim != 1 and target.ndim != 1:
        raise ValueError(f"ravel is {ravel!r}, but the source has {source.ndim} axes and the target {target.ndim}: one of them "
                         "must have one axis, whose indices number the elements of the other; or, in tridap.redistribute, both "
                         "have a last axis of the same length, which is not distributed")
    return str(ravel)


def _conversion(convert):
    """Whether element types may differ, and that of the arrays that a plan makes, if it is another one."""
    if isinstance(convert, (bool, np.bool_)):
        return bool(convert), None
    try:
        return True, _dtype(convert, "convert")
    except TypeError:
        raise TypeError(f"convert is {convert!r}, must be True, False, or the dtype of the new array") from None


def _dtype(given, name="dtype"):
    dtype = np.dtype(utf8(name, given))
    if dtype.hasobject:
        raise TypeError(f"dtype is {dtype}, whose elements are Python objects: addresses of one process")
    return dtype


def _ranks(name, ranks, processes, size):
    """By process of a distribution: its rank; empty for None, which means process r is rank r."""
    if processes > size:
        _core._refuse(f"the distribution has {processes} processes, but the communicator has {size}",
                      "pass a communicator with at least as many")
    if ranks is None:
        return []
    found = [integer(f"an entry of {name}", rank) for rank in ranks]
    if len(found) != processes or len(set(found)) != processes or not all(0 <= rank < size for rank in found):
        raise ValueError(f"{name} is {found}, must be {processes} different ranks from 0 to {size - 1}")
    return [] if found == list(range(processes)) else found


_COLUMNS = 16  # of the table of an explanation


def _distribution_of(name, given):
    if isinstance(given, (_core.DistArray, Elsewhere)):
        return given.distribution
    if not isinstance(given, _core.Distribution):
        raise TypeError(f"{name} is a {type(given).__name__}, must be a Distribution or a DistArray")
    return given


@lasting("pickle its two distributions, and call tridap.Redistribution(source, target) on every process")
class Redistribution(_core._Redistribution):
    """A plan that moves arrays from one distribution to another, and can be used again. Making one is collective.

    ``plan(x)`` moves the elements of `x` to a new array; ``plan(x, out)`` moves them to the array `out`. The second and
    later calls for arrays of the same layout in memory plan nothing. Fast are arrays that the plan makes, because on one
    node each process writes directly into the parts of the others.

    Args:
        source: the `Distribution` of the arrays to move, or a `DistArray` that has it.
        target: the `Distribution` to which they move, or a `DistArray` that has it.
        dtype: the NumPy type of the elements to move.
        comm: an mpi4py communicator with the processes of both sides; None: that of the given arrays, else
            MPI.COMM_WORLD, or only this process if both distributions are over one process.
        axes: axis ``i`` of the target is axis ``axes[i]`` of the source, as ``numpy.transpose`` takes it.
        order: "C" or "F", the memory order of the parts of new arrays.
        convert: True: `out` may have another element type, as far as NumPy's casting "same_kind" allows. A dtype: new
            arrays have this type.
        fill_padding: also fill the target's communication padding, from the owners of the elements. Without it,
            this padding is 0 in new arrays, and unchanged in `out`.
        partial: leave out elements that only one side has. Without it they are an error. In new arrays, elements that
            the source does not have are 0.
        ravel: "C" or "F": one side has one axis, and its global indices are the row-major or the column-major numbers of
            the other side's elements, as ``numpy.ravel_multi_index`` counts them. None: axis by axis.
        source_ranks, target_ranks: by process of the distribution, its rank in `comm`; None: process r is rank r, or, for
            a `DistArray` whose communicator has the same processes in another order, as this communicator says. New
            arrays have a communicator in which process r of the target is rank r. A process that holds no part passes
            None for `x`, and gets None.

    Raises:
        ProtocolError: on every process, if the distributions or options of any process do not fit.

    All processes must make the plan, call it, `start` and `wait` in the same order. Dropping a plan is local; if a move is
    in progress, it is ended first.
    """

    @collective("tridap.Redistribution()")
    def __init__(self, source: _core.Distribution | _core.DistArray, target: _core.Distribution | _core.DistArray,
                 dtype: DTypeLike = float, comm: MPI.Comm | None = None, *, axes: Sequence[int] | None = None,
                 order: str = "C", convert: bool | DTypeLike = False, fill_padding: bool = False, partial: bool = False,
                 ravel: str | None = None, source_ranks: Sequence[int] | None = None, target_ranks: Sequence[int] | None = None) -> None:
        comm = _core._communicator(comm, source, target)
        alone = comm is None
        found = {}

        def ranks_of(side, given):
            return ranks_in(comm, side) if given is None else given

        def prepare():
            found["source"], found["target"] = _distribution_of("source", source), _distribution_of("target", target)
            found["dtype"] = _dtype(dtype)
            may_convert, found["made"] = _conversion(convert)
            size = 1 if alone else comm.size
            return {"source": _words(found["source"]), "target": _words(found["target"]), "dtype": str(found["dtype"]),
                    "axes": _axes(axes, found["source"].ndim), "order": one_of("order", order, "C", "F"), "convert": may_convert,
                    "made": str(found["made"]), "fill_padding": _core._flag("fill_padding", fill_padding),
                    "partial": _core._flag("partial", partial),
                    "ravel": _ravel(ravel, axes, fill_padding, found["source"], found["target"]),
                    "source_ranks": _ranks("source_ranks", ranks_of(source, source_ranks), found["source"].processes, size),
                    "target_ranks": _ranks("target_ranks", ranks_of(target, target_ranks), found["target"].processes, size)}

        agreed = together(comm, prepare)
        made_for = None if alone else communicator_of_ranks(comm, agreed["target_ranks"], found["target"].processes)
        super().__init__(found["source"], agreed["source_ranks"], found["target"], agreed["target_ranks"], found["dtype"],
                         found["made"], communicator(comm, source, target), made_for, agreed["axes"], agreed["order"] == "F",
                         agreed["convert"], agreed["fill_padding"], agreed["partial"], agreed["ravel"])
        self._alone, self._source_ranks, self._target_ranks = alone, agreed["source_ranks"], agreed["target_ranks"]

    @collective("plan.reversed()")
    def reversed(self) -> Redistribution:
        """The plan from the target back to the source, with the same options. Collective.

        If elements were converted, it moves elements of the type of the last target.
        """
        comm = None if self._alone else self.comm
        ranks, processes = together(comm, lambda: (self._source_ranks, self.source.processes))
        made_for = None if comm is None else communicator_of_ranks(comm, ranks, processes)
        back = Redistribution.__new__(Redistribution)
        _core._Redistribution.__init__(back, self, made_for)
        back._alone, back._source_ranks, back._target_ranks = self._alone, self._target_ranks, self._source_ranks
        return back

    def explain(self) -> Explanation:
        """A text for people: the bytes that each process sends to each other one, and the fewest that must be sent for any
        placement of the target's parts. A notebook shows it with a table. Local.
        """
        try:
            traffic = self.traffic()
        except ValueError:  # of listed ids
            traffic = np.empty((0, 0), np.int64)
        return Explanation(super().explain(), traffic)

    @collective("plan.plot()")
    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draws the bytes that each process sends to each other one, on process 0. Collective.

        Returns the matplotlib Axes on process 0, and None on the others. The diagonal has the bytes that a process keeps.
        `style` is passed to ``Axes.imshow``. If process 0 has no matplotlib, every process raises.
        """
        from ._traffic import plot
        return plot(self, ax, **style)

    def __repr__(self) -> str:
        return f"<tridap.Redistribution of {self.dtype}: {self.source.describe()} -> {self.target.describe()}>"

    def start(self, x: Any, out: Any = None, *, alpha: complex = 1, beta: complex = 0, stream: int | None = None) -> Moving:
        """Begins to move `x`, and returns the move, for which ``wait()`` waits. Collective.

        Until then `x` may be read but not written, and the target must not be accessed. One move at a time is in progress
        on a communicator: another one ends it. The arguments are those of a call.
        """
        number, target = self._start(x, out, alpha, beta, stream)
        return Moving(self, number, target)


class Explanation(str):
    """What a plan does, as a text; a notebook shows the bytes that each process sends to each other one as a table."""

    _traffic: np.ndarray

    def __new__(cls, text: str, traffic: np.ndarray) -> Explanation:
        made = super().__new__(cls, text)
        made._traffic = traffic
        return made

    def _repr_html_(self) -> str:
        size = len(self._traffic)
        shown = range(min(size, _COLUMNS))
        dots = ["\u22ee"] if size > _COLUMNS else []
        head = ["", *(f"to {process}" for process in shown), *dots]
        rows = [[f"from {process}", *(f"{int(self._traffic[process, other]):,}" for other in shown), *dots]
                for process in range(size)]
        if not size:
            return _html.lines(self.splitlines())
        lines = [line for line in self.splitlines() if not line.startswith("from ") and line.split()[:1] != ["to"]]
        return _html.table(head, rows, "bytes that each process sends; the diagonal stays") + _html.lines(lines)


class Moving:
    """A move that ``Redistribution.start`` has begun. ``with plan.start(x, out):`` waits for it at the end of the block."""

    def __init__(self, plan: Redistribution, number: int, target: _core.DistArray | None) -> None:
        self._plan, self._number, self._target = plan, number, target

    def test(self) -> bool:
        """Continues the move without waiting; True: it has ended. Local."""
        return self._plan._test(self._number)

    def wait(self) -> _core.DistArray | None:
        """Ends the move, and returns its target. Collective; later calls return the target again."""
        self._plan._wait(self._number)
        return self._target

    def __enter__(self) -> Moving:
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()


def _words(dist):
    return f"{dist.shape} {dist.describe()}"


def shape_there(shape: tuple[int, ...], axes: Sequence[int] | None, ravel: str | None) -> tuple[int, ...]:
    """The shape of what `redistribute` makes of an array, if `to` gives its axes. Local."""
    if ravel is not None:
        if len(shape) == 1:
            raise ValueError("ravel is given, and x has one axis: pass the distribution of the new array as `to`, because the axes do "
                             "not give its shape")
        return (math.prod(shape),)
    return shape if axes is None else tuple(shape[axis] for axis in _axes(axes, len(shape)))


@collective("x.redistribute()", elsewhere=True)
def redistribute(x: Any, to: Any = None, out: Any = None, *, grid: int | Sequence[int] | None = None,
                 axes: Sequence[int] | None = None, order: str = "C", alpha: complex = 1, beta: complex = 0,
                 convert: bool | DTypeLike = False, fill_padding: bool = False, partial: bool = False,
                 ravel: str | None = None, comm: MPI.Comm | None = None,
                 stream: int | None = None) -> _core.DistArray | None:
    """Moves an array to another distribution: ``out = alpha * x + beta * out``. Collective.

    To move several arrays in the same way, make a `Redistribution` once.

    Args:
        x: a `DistArray`, or any object that `asarray` takes; every process of `comm` passes its part.
        to: a `Distribution`; an array, whose distribution is taken; or what `distribution` takes for the axes, such as
            "b,*", over all processes of `comm`. None: the distribution of `out`.
        out: None: a new array. Else the array that is filled, which must not share memory with `x`.
        grid: processes along each axis, if `to` gives the axes.
        alpha, beta: factors; if `out` is None, beta must be 0. If beta is 0, `out` is not read.
        axes, order, convert, fill_padding, partial, ravel: as in `Redistribution`. With `ravel`, the axis that `to` gives is
            as long as `x` has elements. If both sides have several axes, of which the last has the same length on both and is
            not distributed, each of its indices is one vector: `ravel` numbers the elements of a vector. So n x k vectors
            move to a grid of nx x ny x k, or back.
        comm: an mpi4py communicator; None: that of `x`, else of `out` or `to`, else MPI.COMM_WORLD. The communicators of
            DistArrays may have its processes in other orders.
        stream: on which arrays in GPU memory were last used, as in a call of `Redistribution`.

    Returns:
        The new array, or `out` as a DistArray; None on a process that holds no part of it.

    Raises:
        ProtocolError: on every process, before `out` is written.
    """
    if comm is None and isinstance(x, Elsewhere):
        there: Any = x
        return there.redistribute(to, out, grid=grid, axes=axes, ravel=ravel, convert=convert)
    foreign = not isinstance(x, _core.DistArray) and describes(x)  # it may have parts on all processes
    sides = [side for side in (out, to) if not foreign or getattr(side, "comm", None) is not None]
    comm = _core._communicator(comm, x, *sides)
    ranks = dict(zip(("x", "out", "to"), together(comm, lambda: [ranks_in(comm, side) for side in (x, out, to)])))

    def checked(name, side):
        if ranks[name] is None:
            side = _core.asarray(side, comm)
            ranks[name] = ranks_in(comm, side)
        return side

    x = checked("x", x)
    target = {}

    def prepare():
        kind = "out" if to is None else "to" if describes(to) else "axes"
        if kind == "out" and out is None:
            raise TypeError("to and out are None: give a Distribution, or an array to fill")
        if grid is not None and (kind != "axes" or isinstance(to, _core.Distribution)):
            raise TypeError("grid is given, but `to` is not the axes of a distribution: leave out grid")
        if isinstance(to, _core.Distribution):
            target["dist"] = to
        elif kind == "axes":
            shape = shape_there(x.distribution.shape, axes, ravel)
            target["dist"] = distribution(shape, to, grid, 1 if comm is None else comm.size)
        return {"to": kind, "out": out is not None}

    kind = together(comm, prepare)["to"]
    if kind == "out":
        out = checked("out", out)
    dist = target["dist"] if kind == "axes" else (out if kind == "out" else checked("to", to)).distribution
    if ravel in ("C", "F") and _has_vectors(x.distribution, dist, 1 if comm is None else comm.size):
        return _move_vectors(x, dist, out, comm, axes=axes, order=order, alpha=alpha, beta=beta, convert=convert,
                             fill_padding=fill_padding, partial=partial, ravel=ravel, stream=stream)
    plan = Redistribution(x.distribution, dist, x.dtype, comm, axes=axes, order=order, convert=convert,
                          fill_padding=fill_padding, partial=partial, ravel=ravel, source_ranks=ranks["x"],
                          target_ranks=None if kind == "axes" else ranks[kind])
    return plan(x, out, alpha=alpha, beta=beta, stream=stream)


def _has_vectors(source, target, processes):
    """Whether the last axis of both sides is that of vectors, which one side has as a list and the other as a grid."""
    return (min(source.ndim, target.ndim) == 2 < max(source.ndim, target.ndim)
            and source.processes == target.processes == processes
            and all(side.grid[-1] == 1 for side in (source, target)) and source.shape[-1] == target.shape[-1])


def _move_vectors(x, dist, out, comm, *, order, alpha, beta, convert, stream, **options):
    """Moves each vector by one plan, with one round of messages for all. Collective."""
    may_convert, made = together(comm, lambda: _conversion(convert))
    if out is None:
        if together(comm, lambda: complex(beta)) != 0:
            _core._refuse("beta is not 0, but out is None", "pass out, or no beta")
        out = zeros(dist, made or x.dtype, comm=comm, order=order)
    if dist.shape[-1] == 0:
        return out
    plan = Redistribution(x[..., 0].distribution, out[..., 0].distribution, x.dtype, comm, order=order, convert=may_convert,
                          **options)
    plan([(x[..., j], out[..., j]) for j in range(dist.shape[-1])], alpha=alpha, beta=beta, stream=stream)
    return out
