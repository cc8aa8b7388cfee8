"""Sums, norms and the like over a whole distributed array.

Each process computes a partial result with NumPy, from the elements that it counts: the interior of its part, without
the indices that a lower process has too. All processes get all partial results, and combine them in the order of the
ranks. Therefore every process has the same result bit for bit, and the same program has the same result in each run.
"""

import builtins

import numpy as np

from . import _core
from ._core import DistArray
from ._ufunc import need_alike


def _counted(array):
    """The elements that this process counts, a NumPy array: a view, unless several processes have the same index."""
    part = array.interior
    for axis, kept in enumerate(_core._counted(array) or ()):
        if kept is not None:
            part = part.take(kept, axis)
    return part


def _same(array):
    """What must be the same on every process; the last entry tells apart distributions that are described alike."""
    return str(array.dtype), repr(array.distribution), array._layout


def _partials(array, call, step):
    """The partial results of all processes, and their numbers of elements, as two NumPy arrays by rank. Collective.

    `step` returns this process's partial result, a scalar, and how many elements it is of. It must not communicate.
    `call` is the function's name and its arguments; it must be the same on every process.
    """
    def prepare():
        value, count = step()
        value = np.asarray(value)
        value = value.astype(value.dtype.newbyteorder("="), copy=False).reshape(1)
        return value, count, (*call, str(value.dtype), *_same(array))

    return _core._partials(array.comm, prepare)


def _added(values):
    with np.errstate(all="ignore"):  # a process with other settings must not raise alone
        dtype = values.dtype if values.dtype.kind in "biu" else None  # NumPy would widen these
        return np.add.reduce(values, dtype=dtype)


def _need_numbers(call, array, kinds="biufcm"):
    if array.dtype.kind not in kinds:
        raise TypeError(f"{call} cannot be computed of elements of type {array.dtype}: use each process's part, "
                        "x.interior, or the fields of a record, x.interior['name']")


def _need_whole(call, axis, others):
    """TypeError for an argument of the NumPy function with which the result is not one number for the whole array."""
    if axis is not None:
        raise TypeError(f"axis is {axis!r}, must be None, because {call} is over the whole array: "
                        f"x.interior.{call}(axis={axis!r}) is over this process's part")
    for name, value in others.items():
        if value is not None and value is not np._NoValue and value is not False:
            raise TypeError(f"{call} of a DistArray takes no {name}=, which is {value!r}")


def sum(array, axis=None, dtype=None, **others):
    """See `DistArray.sum`."""
    def step():
        _need_whole("sum", axis, others)
        _need_numbers("sum", array)
        part = _counted(array)
        return np.sum(part, dtype=dtype), part.size

    return _added(_partials(array, ("sum", axis, dtype), step)[0])


def mean(array, axis=None, dtype=None, **others):
    """See `DistArray.mean`."""
    small = array.dtype == np.float16  # NumPy adds these as float32
    wide = dtype if dtype is not None else float if array.dtype.kind in "biu" else np.float32 if small else None

    def step():
        _need_whole("mean", axis, others)
        _need_numbers("mean", array)
        part = _counted(array)
        return np.sum(part, dtype=wide), part.size

    values, counts = _partials(array, ("mean", axis, dtype), step)
    if counts.sum() == 0:
        return np.mean(np.empty(0, array.dtype), dtype=dtype)  # NumPy's answer, and its warning
    result = dtype if dtype is not None else np.float16 if small else values.dtype
    return (_added(values) / counts.sum()).astype(result)


def _extreme(array, call, axis, others):
    numpy_call = getattr(np, call)

    def step():
        _need_whole(call, axis, others)
        _need_numbers(call, array, "biufcmM")
        part = _counted(array)
        return (numpy_call(part) if part.size else np.zeros((), array.dtype)), part.size

    values, counts = _partials(array, (call, axis), step)
    with np.errstate(all="ignore"):
        return numpy_call(values[counts > 0])  # without elements, NumPy's ValueError


def min(array, axis=None, **others):
    """See `DistArray.min`."""
    return _extreme(array, "min", axis, others)


def max(array, axis=None, **others):
    """See `DistArray.max`."""
    return _extreme(array, "max", axis, others)


def _truth(array, call, axis, others):
    numpy_call = getattr(np, call)

    def step():
        _need_whole(call, axis, others)
        _need_numbers(call, array)
        return numpy_call(_counted(array)), 0

    return numpy_call(_partials(array, (call, axis), step)[0])


def all(array, axis=None, **others):
    """See `DistArray.all`."""
    return _truth(array, "all", axis, others)


def any(array, axis=None, **others):
    """See `DistArray.any`."""
    return _truth(array, "any", axis, others)


def _flat(*parts):
    """The elements of parts of one shape in one order: without a copy if all are contiguous in the same order."""
    fortran = builtins.all(part.flags.f_contiguous for part in parts)
    return [part.ravel(order="F" if fortran else "C") for part in parts]


def _pair(call, a, b):
    """The elements of two arrays that this process counts."""
    for given in (a, b):
        if not isinstance(given, DistArray):
            raise TypeError(f"{call} of a DistArray and a {type(given).__name__}, must be of two DistArrays")
        _need_numbers(call, given, "biufc")
    need_alike(call, a, b)
    return _counted(a), _counted(b)


def _first(*arrays):
    """The first array with a communicator. A call of several arrays uses that communicator."""
    found = [array for array in arrays if isinstance(array, DistArray)]
    return next((array for array in found if array.comm is not None), found[0])


def _also(array, other):
    """What must be the same on every process about another argument."""
    return _same(other) if isinstance(other, DistArray) and other.is_whole and other is not array else None


def _product(call, a, b):
    """The sum of products, by NumPy's function of that name."""
    array = _first(a, b)
    kept = [None]

    def step():
        kept[0] = _also(array, b if array is a else a)
        return getattr(np, call)(*_flat(*_pair(call, a, b))), 0

    return _added(_partials(array, (call, kept), step)[0])


def dot(array, other):
    """See `DistArray.dot`."""
    return _product("dot", array, other)


def vdot(array, other):
    """See `DistArray.vdot`."""
    return _product("vdot", array, other)


def norm(array, ord=None, axis=None, **others):
    """See `DistArray.norm`."""
    def step():
        _need_whole("norm", axis, others)
        _need_numbers("norm", array, "biufc")
        known = {0: [None], 1: [None, 1, 2, np.inf], 2: [None, "fro"]}.get(array.ndim, [None])
        if not builtins.any(ord is name or (name is not None and ord == name) for name in known):
            raise ValueError(f"ord is {ord!r}, must be {' or '.join(map(repr, known))} for an array of {array.ndim} "
                             "axes: abs(x).sum(), abs(x).max() and x.norm() are over the elements of any array")
        flat, = _flat(_counted(array))
        some = flat if flat.size else np.zeros(1, flat.dtype)
        return np.linalg.norm(some, None if ord == "fro" else ord), flat.size

    values, counts = _partials(array, ("norm", ord, axis), step)
    with np.errstate(all="ignore"):
        if ord == 1:
            return _added(values)
        return np.max(values[counts > 0]) if ord == np.inf else np.linalg.norm(values)


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """See `numpy.allclose`: whether it holds for all elements of the whole arrays. Collective."""
    return _agreement("allclose", a, b, (rtol, atol, equal_nan))


def array_equal(a1, a2, equal_nan=False):
    """See `numpy.array_equal`: whether it holds for the whole arrays. Collective."""
    return _agreement("array_equal", a1, a2, (equal_nan,))


def _agreement(call, a, b, options):
    array = _first(a, b)
    numpy_call = getattr(np, call)
    kept = [None]

    def step():
        kept[0] = _also(array, b if array is a else a)
        if isinstance(a, DistArray) and isinstance(b, DistArray):
            if call == "array_equal" and a.shape != b.shape:
                return False, 0
            need_alike(call, a, b)
        elif call == "array_equal" or np.ndim(b if array is a else a) > 0:
            raise TypeError(f"{call} of a {type(a).__name__} and a {type(b).__name__}, must be of two DistArrays: "
                            "compare x.interior with this process's part")
        parts = [_counted(given) if isinstance(given, DistArray) else given for given in (a, b)]
        return numpy_call(*parts, *options), 0

    return bool(np.all(_partials(array, (call, options, kept), step)[0]))
