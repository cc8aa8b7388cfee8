"""Arrays of which several groups of processes have a copy each: the processes of one replica have the array, others do not."""

from __future__ import annotations

import math
import warnings
import weakref
from typing import TYPE_CHECKING, Any, Callable, NoReturn

import numpy as np

from . import _core
from ._agree import Elsewhere, collective, together
from ._functions import _ELEMENTWISE
from ._make import distribution
from ._move import Redistribution, redistribute, shape_there
from ._place import communicator_of_ranks, communicator_of_replica, kept_with

if TYPE_CHECKING:
    from mpi4py import MPI

_MOST_BYTES = 2**30  # of one message


class Replicas:
    """The copies of an array: which process has which part of which copy, and this process's memory.

    `order` has the rank in `comm` of each process, replica after replica, and in a replica part after part.
    """

    def __init__(self, comm, order, count, replica, dist, values, updates, origin):
        self.comm, self.order, self.count, self.replica = comm, tuple(order), count, replica
        self.distribution, self.values, self.updates, self.origin = dist, values, updates, origin
        self.sent = False
        self.moves = {}  # by replica: the plan of the move to it

    @property
    def on_host(self):
        """Whether NumPy can use this process's memory. The same on all processes."""
        return isinstance(self.values, np.ndarray)

    @property
    def processes(self):
        """How many processes a replica has."""
        return len(self.order) // self.count

    @property
    def number(self):
        """The replica and the part of this process."""
        return divmod(self.order.index(self.comm.rank), self.processes)

    def ranks(self, replica=None):
        """By part: the rank in `comm` of the process that has it in a replica."""
        first = (self.replica if replica is None else replica) * self.processes
        return list(self.order[first:first + self.processes])


def _across(replicas):
    """The communicator of the processes that have this process's part in all replicas, in their order. Collective."""
    comm, key = replicas.comm, ("across", replicas.order, replicas.count)
    kept = kept_with(comm)
    if key not in kept:
        replica, part = replicas.number
        kept[key] = comm.Split(part, replica)
    return kept[key]


def held(replicas):
    """The array on the processes of its replica, and what stands for it on the others. Collective over ``replicas.comm``."""
    comm, dist = replicas.comm, replicas.distribution
    ranks = replicas.ranks()
    if replicas.count == 1:
        whole = communicator_of_ranks(comm, [] if ranks == list(range(comm.size)) else ranks, comm.size)
        made = _core._over(replicas.values, dist, replicas.number[1], whole)
        if replicas.updates:  # a with block is right, and sends nothing
            _remember(made, replicas)
        return made
    group = communicator_of_replica(comm, ranks)
    replica, part = replicas.number
    if replica != replicas.replica:
        return ArrayElsewhere(dist, replicas.values.dtype, comm, ranks, replicas)
    made = _core._over(replicas.values, dist, part, group)
    _remember(made, replicas)
    return made


_REMEMBERED: dict[int, tuple[Any, Replicas]] = {}


def _remember(array, replicas):
    """Keeps what belongs to an array as long as the array exists."""
    key = id(array)

    def forget(_):
        del _REMEMBERED[key]
        if replicas.updates and not replicas.sent and replicas.count > 1:
            warnings.warn("an array with replicas='update' was released before its elements were sent to the other replicas: use it "
                          "in a with block, or call to_dtensor or to_jax", stacklevel=2)

    _REMEMBERED[key] = weakref.ref(array, forget), replicas


def replicas_of(array):
    """The replicas with which an array was made on this process; None for other arrays. Local."""
    if isinstance(array, ArrayElsewhere):
        return array._replicas
    return _REMEMBERED.get(id(array), (None, None))[1]


def update(replicas, failed=None):
    """Sends the elements of the array to the memory of the other replicas. Collective; nothing is sent if one process has failed."""
    def prepare():
        if failed is not None:
            raise RuntimeError(f"its with block ended with {type(failed).__name__}: {failed}")
        return np.ascontiguousarray(replicas.values) if replicas.on_host else None

    packed = together(replicas.comm, prepare, same=False)
    if packed is None:
        _move(replicas)
    else:
        _broadcast(replicas, packed)
    replicas.sent = True


def _move(replicas):
    """Sends elements in the memory of GPUs, which MPI may not be able to read, to one replica after the other. Collective."""
    comm, dist, (mine, part) = replicas.comm, replicas.distribution, replicas.number
    here = _core._over(replicas.values, dist, part, None)
    for other in range(replicas.count):
        if other == replicas.replica:
            continue
        if other not in replicas.moves:
            replicas.moves[other] = Redistribution(dist, dist, here.dtype, comm, source_ranks=replicas.ranks(),
                                                   target_ranks=replicas.ranks(other))
        replicas.moves[other](here if mine == replicas.replica else None, here if mine == other else None)


def _broadcast(replicas, packed):
    """Sends elements in host memory; `packed` are those of this process without gaps. Collective."""
    across, memory = _across(replicas), packed.reshape(-1).view(np.uint8)
    from mpi4py import MPI
    for start in range(0, len(memory), _MOST_BYTES):
        across.Bcast([memory[start:start + _MOST_BYTES], MPI.BYTE], root=replicas.replica)
    if replicas.number[0] != replicas.replica and not np.shares_memory(packed, replicas.values):
        replicas.values[...] = packed


def sent(array, failed=None):
    """Sends the elements of an array to the memory of the other replicas, and protects the array, which would differ from them if it
    were written again. Collective."""
    replicas = replicas_of(array)
    update(replicas, failed)
    _protect(array, replicas, True)


def _protect(array, replicas, read_only):
    if replicas.count > 1 and isinstance(array, _core.DistArray):
        _core._replace_local(array, _core._read_only(replicas.values) if read_only else replicas.values)
        replicas.sent = read_only


def enter(array):
    """See `DistArray.__enter__`."""
    replicas = replicas_of(array)
    if replicas is None or not replicas.updates:
        raise TypeError("a with block is for an array with several replicas that was made with replicas='update': it sends the "
                        "elements to the other replicas at its end")
    _protect(array, replicas, False)
    return array


@collective("the end of a with block", elsewhere=True)
def leave(array, kind, error, traceback):
    """See `DistArray.__exit__`. Collective."""
    try:
        sent(array, error)
    except Exception:
        if error is None:
            raise


class ArrayElsewhere(np.lib.mixins.NDArrayOperatorsMixin, Elsewhere):
    """What a process has in place of an array that is on the processes of another replica. It holds no elements.

    A program can be the same on all processes. What an array computes without other processes, such as ``x * 2`` or ``x[3:]``,
    gives another of these objects. Calls that the array's own processes make together, such as ``x.sum()`` or
    ``tridap.save(path, {"x": x})``, do nothing here and return None, as a move does on a process without a part. A `Matrix` or
    another operator on its elements does nothing, too, and `solve` returns None. ``local`` is empty. `redistribute` with ``comm=``,
    a communicator of all processes, moves between the array and these processes too.
    ``__distarray__`` is refused, because the protocol describes no process without a part.
    """

    def __init__(self, dist: _core.Distribution, dtype: Any, comm: MPI.Comm, ranks: list[int],
                 replicas: Replicas | None = None) -> None:
        self._distribution, self._dtype, self._whole = dist, np.dtype(dtype), comm
        self._ranks, self._replicas = ranks, replicas

    __hash__ = object.__hash__

    @property
    def distribution(self) -> _core.Distribution:
        """The `Distribution` over the processes of the replica that has the array."""
        return self._distribution

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type, NumPy's."""
        return self._dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of elements along each axis of the whole array."""
        return self._distribution.shape

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        return self._distribution.ndim

    @property
    def size(self) -> int:
        """The number of elements of the whole array."""
        return math.prod(self.shape)

    @property
    def comm(self) -> None:
        """None: the array's communicator is on the processes of its replica."""

    @property
    def process(self) -> None:
        """None: this process has no part."""

    @property
    def local(self) -> np.ndarray[Any, Any]:
        """No elements: an array of as many axes, of length 0."""
        return np.empty((0,) * max(self.ndim, 1), self._dtype)

    owned = interior = local

    def __distarray__(self) -> NoReturn:
        """Raises ProtocolError, because the protocol describes no process without a part."""
        to = ",".join("b" if axis == 0 else "*" for axis in range(self.ndim))
        _core._refuse("this process holds no part of the array, which is on the processes of another replica",
                      f"the protocol describes no such process: y = tridap.redistribute(x, {to!r}, comm=comm) moves it to all processes")

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        """Raises TypeError, because there is no local part."""
        raise TypeError("this process holds no part of the array, which is on the processes of another replica")

    def __bool__(self) -> NoReturn:
        raise TypeError("an array has many elements: neither true nor false")

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<tridap.ArrayElsewhere: {self.shape} {self._dtype}, {self._distribution.describe()}, no elements here>"

    def __enter__(self) -> ArrayElsewhere:
        return enter(self)

    def __exit__(self, *what: Any) -> None:
        leave(self, *what)

    def __setitem__(self, key: Any, value: Any) -> None:
        pass

    def __getitem__(self, key: Any) -> Any:
        keys = key if isinstance(key, tuple) else (key,)
        if len(keys) == self.ndim and all(isinstance(one, (int, np.integer)) for one in keys):
            return None
        return self._changed(lambda shadow: shadow[key])

    def redistribute(self, to: Any = None, out: Any = None, *, comm: MPI.Comm | None = None, **options: Any) -> Any:
        """Takes part in ``tridap.redistribute(x, to, comm=comm)``; without `comm`, the array's own processes move it among them."""
        if comm is not None:
            return redistribute(self, to, out, comm=comm, **options)
        if out is not None:
            return out
        convert = options.get("convert", False)
        dtype = self._dtype if isinstance(convert, bool) else convert
        if to is None or isinstance(to, _core.Distribution):
            return self._like(to or self._distribution, dtype)
        dist = getattr(to, "distribution", None)
        if dist is None:
            shape = shape_there(self.shape, options.get("axes"), options.get("ravel"))
            dist = distribution(shape, to, options.get("grid"), self._distribution.processes)
        return self._like(dist, dtype)

    def _astype(self, dtype, *args, **options):
        return self._like(self._distribution, dtype)

    def _flatten(self, *args, **options):
        return self.ravel()

    def _like(self, dist, dtype):
        return ArrayElsewhere(dist, dtype, self._whole, self._ranks)

    def _changed(self, change: Callable[[Any], Any]):
        """The result of what changes the shape alone, found on an array without memory of its own."""
        extents = self._distribution.local_shape(0)
        shadow = _core._over(np.broadcast_to(np.zeros((), self._dtype), extents), self._distribution, 0, None)
        made = change(shadow)
        return self if made is shadow else self._like(made.distribution, made.dtype)

    def __array_ufunc__(self, ufunc, method, *inputs, out=(), **options):
        if method != "__call__":
            return None
        if out:
            return out[0] if len(out) == 1 else out
        found = ufunc(*map(_without_elements, inputs))
        return tuple(self._like(self._distribution, one.dtype) for one in found) if ufunc.nout > 1 else \
            self._like(self._distribution, found.dtype)

    def __array_function__(self, function, types, args, kwargs):
        if function not in _ELEMENTWISE:
            return None
        found = function(*map(_without_elements, args), **{name: _without_elements(value) for name, value in kwargs.items()})
        return None if found is None else self._like(self._distribution, found.dtype)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(_core.DistArray, name):
            raise AttributeError(f"'ArrayElsewhere' object has no attribute {name!r}")
        if name in ("real", "imag", "T"):
            return self._changed(lambda shadow: getattr(shadow, name))
        if name in ("transpose", "reshape", "squeeze", "ravel"):
            return lambda *args, **options: self._changed(lambda shadow: getattr(shadow, name)(*args, **options))
        if name in ("copy", "conj", "conjugate", "round", "clip", "flatten", "astype"):
            return getattr(self, "_" + name, lambda *args, **options: self._like(self._distribution, self._dtype))
        return lambda *args, **options: None


def _without_elements(operand):
    """An operand of NumPy with its type, but without elements; a scalar is itself."""
    if isinstance(operand, ArrayElsewhere) or getattr(operand, "ndim", 0) > 0:
        return np.empty(0, operand.dtype)
    return operand
