"""Sums, norms and the like over a whole distributed array.

Each process computes a partial result with NumPy, from the elements that it counts: the interior of its part, without
the indices that a lower process has too; if they are in the memory of a GPU, by kernels there. One reduction of MPI, with which the call begins, makes one result of all, in
the same order on the same processes. Therefore every process has the same result bit for bit, and
the same program has the same result in each run on the same processes.
"""

import builtins
import functools
import operator

import numpy as np

from . import _core
from ._agree import collective, utf8
from ._broadcast import Broadcast, need_alike
from ._core import DistArray
from ._on_device import OnDevice

_AxisError = getattr(np, "exceptions", np).AxisError  # NumPy 2 and 1


def _counted(array, stream=None):
    """The elements that this process counts, a NumPy array: a view, unless several processes have the same index.

    Those on a device are an OnDevice, whose kernels wait for `stream`.
    """
    part, lists = array.interior, _core._counted(array)
    if array.device != "cpu":
        found = OnDevice(array, lists, stream)
        return found if found.size else np.empty(found.shape, found.dtype)
    for axis, kept in enumerate(lists or ()):
        if kept is not None:
            part = part.take(kept, axis)
    return part


_text_of = functools.lru_cache(maxsize=64)(str)  # of a dtype, which NumPy makes anew each time


def _same(array):
    """What must be the same on every process; the last word tells apart distributions that are described alike."""
    return f"of {_text_of(array.dtype)}, {array.distribution!r} (layout {array._layout % 2**64:x})"


def _written(name, **arguments):
    """A function that returns the call as the user writes it. It may raise."""
    return lambda: f"x.{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items() if value is not None)})"


MOST_BYTES = 32  # of an element that `_core._reduced` takes


def reduced(array, call, step, *how, on_devices=False):
    """One result of the partial results of all processes, a scalar, and the sum of their numbers. Collective.

    `step` returns this process's partial result, a scalar, and its number; and `how`, unless that is given. It must not
    communicate. `call` returns the call as the user writes it, which must be the same on every process. It is called
    after `step`. `how` is "add"; "multiply"; "every"; "some"; "smallest" or "largest", of processes with a number that
    is not 0; "first_smallest" or "first_largest", of those with a number that is not negative, and with the least number
    of the results that are equal; "bits", each bit that a process has, with the largest number. Arrays on devices are refused,
    unless the step takes them.
    """
    dtype = None

    def prepare():
        nonlocal dtype
        if not on_devices:
            _core._refuse_on_device(array)
        value, number, *own = step()
        way = (*own, *how)[0]
        value = np.asarray(value)
        dtype = value.dtype.newbyteorder("=")
        between = np.float32 if dtype == np.float16 and way != "bits" else dtype  # C++ has no float16
        return value.astype(between, copy=False).reshape(1), number, f"{call()} {_same(array)}, as {_text_of(dtype)}", way

    value, number = _core._reduced(array.comm, prepare)
    if value.dtype == dtype:
        return value[0], number
    with np.errstate(all="ignore"):  # a process with other settings must not raise alone
        return value.astype(dtype, copy=False)[0], number


def _need_numbers(call, array, kinds="biufcm"):
    if array.dtype.kind not in kinds:
        raise TypeError(f"{call} cannot be computed of elements of type {array.dtype}: use each process's part, "
                        "x.interior, or the fields of a record, x.interior['name']")


def _need_no_others(call, others):
    """TypeError for an argument of NumPy's function that a DistArray's does not have."""
    for name, value in others.items():
        if value is not None and value is not np._NoValue and value is not False:
            raise TypeError(f"{call} of a DistArray takes no {name}=, which is {value!r}")


def axes_of(axis, ndim):
    """An argument `axis` as a list of axes from 0 on. As NumPy, AxisError if there is no such axis."""
    given = axis if isinstance(axis, tuple) else (axis,)
    found = []
    for one in given:
        number = operator.index(one)
        if not -ndim <= number < ndim:
            raise _AxisError(number, ndim)
        found.append(number % ndim)
    if len(set(found)) != len(found):
        raise ValueError(f"axis is {axis!r}, must have each axis once")
    return found


def _call_in_numpy(call, axis, more=""):
    return f"numpy.{'linalg.' if call == 'norm' else ''}{call}(x.interior, axis={axis!r}{more})"


def _need_one_process(call, array, axis, axes, keeps):
    """TypeError, with the right call, for axes that are on several processes."""
    grid = array.distribution.grid
    more = ", keepdims=True" if keeps else ""
    if builtins.any(grid[number] > 1 for number in axes):
        others = [number for number in range(array.ndim) if number not in axes]
        to = ",".join("b" if others and number == others[0] else "*" for number in range(array.ndim))
        everywhere = ".allgather()" if keeps and builtins.all(grid[number] == 1 for number in others) else ""  # fits x
        raise TypeError(f"{call} with axis={axis!r} of an array over {' x '.join(map(str, grid))} processes, but only axes on one "
                        f"process can be left out: x.redistribute({to!r}).{call}(axis={axis!r}{more}){everywhere} moves the elements "
                        f"first; {_call_in_numpy(call, axis, more)} is of this process's part")


class _Along:
    """The result of a reduction along some axes on this process: a DistArray of the other axes.

    A step calls this object first. It returns true if `axis` names some axes, but not all: then `made` is the result.
    """

    def __init__(self, call, array, axis, others, compute):
        self.call, self.array, self.axis, self.others, self.compute = call, array, axis, dict(others), compute
        self.stream = self.others.pop("stream", None)
        self.made, self._keeps = None, False

    def written(self, **arguments):
        """The function that returns the call as the user writes it. It is called after the step."""
        return lambda: _written(self.call, axis=self.axis, **arguments, keepdims=self._keeps or None)()

    def whole(self, value):
        """The result that is a number of the whole array: with `keepdims` a NumPy array of one element."""
        return np.reshape(value, (1,) * self.array.ndim) if self._keeps and self.array.ndim > 0 else value

    def reduce(self, partial, *how, kinds="biufcm", finish=lambda value, count: value, on_devices=True, **arguments):
        """The result: a DistArray, or what `finish` makes of the value and the number that `reduced` finds. Collective.

        `partial` returns these of the elements that this process counts; and `how`, unless that is given. Elements must be of
        one of the `kinds`. `arguments` are those that the user gave, beside the axes.
        """
        def step():
            if self(kinds):
                return _NOTHING if how else (*_NOTHING, "add")
            return partial(_counted(self.array, self.stream))

        value, count = reduced(self.array, self.written(**arguments), step, *how, on_devices=on_devices)
        return self.whole(finish(value, count)) if self.made is None else self.made

    def __call__(self, kinds="biufcm"):
        array, ndim = self.array, self.array.ndim
        others = dict(self.others)
        axes = None if self.axis is None else axes_of(self.axis, ndim)
        whole = axes is None or len(axes) == ndim
        keeps = others.pop("keepdims", False)
        self._keeps = keeps is not np._NoValue and bool(keeps)
        _need_no_others(self.call, others)
        _need_numbers(self.call, array, kinds)
        if whole:
            return False
        _core._refuse_on_device(array)
        _need_one_process(self.call, array, self.axis, axes, self._keeps)
        interior = array.distribution.part(array.process, "interior")
        part = array.local[tuple(interior[axis] if axis in axes else slice(None) for axis in range(ndim))]
        kept = [axis for axis in range(ndim) if axis not in axes]
        made = _core._of_axes(array, kept, np.asarray(self.compute(part, tuple(axes))))
        if self._keeps:
            made = _core._cut(made, [("added" if axis in axes else "whole", 0, 0, 1) for axis in range(ndim)])
        self.made = made
        return True


_NOTHING = np.zeros((), bool), 0  # the partial result if there is a DistArray


def _folded(array, call, axis=None, dtype=None, **others):
    numpy_call = getattr(np, call)
    along = _Along(call, array, axis, others, lambda part, axes: numpy_call(part, axis=axes, dtype=utf8("dtype", dtype)))
    return along.reduce(lambda part: (numpy_call(part, dtype=utf8("dtype", dtype)), part.size), "add" if call == "sum" else "multiply",
                        kinds="biufcm" if call == "sum" else "biufc", dtype=dtype)


def _wide(array, dtype):
    """The type in which NumPy adds the elements for a mean."""
    small = array.dtype == np.float16  # NumPy adds these as float32
    if dtype is not None:
        return utf8("dtype", dtype)
    return float if array.dtype.kind in "biu" else np.float32 if small else None


@collective("x.mean()")
def mean(array, axis=None, dtype=None, **others):
    """See `DistArray.mean`."""
    def finish(value, count):
        if count == 0:
            return np.mean(np.empty(0, array.dtype), dtype=dtype)  # NumPy's answer, and its warning
        result = dtype if dtype is not None else np.float16 if array.dtype == np.float16 else value.dtype
        return (value / np.int64(count)).astype(result)

    along = _Along("mean", array, axis, others, lambda part, axes: np.mean(part, axis=axes, dtype=utf8("dtype", dtype)))
    return along.reduce(lambda part: (np.sum(part, dtype=_wide(array, dtype)), part.size), "add", finish=finish, dtype=dtype)


def _spread(array, call, axis=None, dtype=None, ddof=0, **others):
    numpy_call = getattr(np, call)
    along = _Along(call, array, axis, others,
                   lambda part, axes: numpy_call(part, axis=axes, dtype=utf8("dtype", dtype), ddof=ddof))

    def finish(value, count):
        if count - ddof <= 0:
            return numpy_call(np.ones(count, array.dtype), dtype=dtype, ddof=ddof)  # NumPy's answer, and its warning
        work = value.dtype if value.dtype.kind in "fc" else np.dtype(float)
        center = np.asarray(value / np.int64(count)).astype(work)

        def add_squares():
            apart = _counted(array).astype(work) - center
            squares = apart.real**2 + apart.imag**2 if work.kind == "c" else apart * apart
            return np.sum(squares, dtype=squares.dtype), squares.size

        found = reduced(array, along.written(dtype=dtype, ddof=ddof), add_squares, "add")[0] / np.float64(count - ddof)
        found = np.sqrt(found) if call == "std" else found
        return found.astype(np.float16 if dtype is None and array.dtype == np.float16 else np.empty(0, work).real.dtype)

    return along.reduce(lambda part: (np.sum(part, dtype=_wide(array, dtype)), part.size), "add", kinds="biufc", finish=finish,
                        on_devices=False, dtype=dtype, ddof=ddof)


def _extreme(array, call, axis=None, **others):
    numpy_call = getattr(np, call)
    along = _Along(call, array, axis, others, lambda part, axes: numpy_call(part, axis=axes))
    return along.reduce(lambda part: (numpy_call(part) if part.size else np.zeros((), array.dtype), part.size),
                        "smallest" if call == "min" else "largest", kinds="biufcmM",  # without elements, NumPy's ValueError
                        finish=lambda value, count: value if count > 0 else numpy_call(np.empty(0, value.dtype)))


def _numbers(array, call):
    """By axis, the indices in `shape` of the elements that _counted() returns, for argmin or argmax."""
    kept = _core._counted(array) or (None,) * array.ndim
    numbers = []
    for axis, indices in enumerate(array.distribution.indices(array.process, "interior")):
        low, high = _core._bounds(array, axis)
        if low < 0 or high > array.shape[axis]:
            raise ValueError(f"axis {axis} has indices from {low} to {high - 1}, outside of [0, {array.shape[axis]}), so that its "
                             f"elements have no number: x == x.{call[3:]}() is true for those that {call} looks for")
        indices = indices - array._shift[axis]
        numbers.append(indices if kept[axis] is None else indices[kept[axis]])
    return numbers


def _place(array, call, axis=None, **others):
    """The number of the first smallest or largest element, or of the first nan."""
    numpy_call = np.min if call == "argmin" else np.max

    def step():
        if axis is not None and len(axes_of(axis, array.ndim)) < array.ndim:
            raise TypeError(f"axis is {axis!r}, must be None: {_call_in_numpy(call, axis)} is of this process's part")
        _need_no_others(call, others)
        _need_numbers(call, array, "biufcmM")
        part, numbers = _counted(array), _numbers(array, call)
        if not part.size:
            return np.zeros((), array.dtype), -1
        best = numpy_call(part)
        places = np.nonzero(part != part if best != best else part == best)
        index = [of_axis[place] for of_axis, place in zip(numbers, places)]
        return best, int(np.ravel_multi_index(index, array.shape).min()) if index else 0

    _, number = reduced(array, _written(call, axis=axis), step, "first_smallest" if call == "argmin" else "first_largest")
    if number < 0:
        raise ValueError(f"attempt to get {call} of an empty sequence")
    return np.int64(number)


def _truth(array, call, axis=None, **others):
    numpy_call = getattr(np, call)
    along = _Along(call, array, axis, others, lambda part, axes: numpy_call(part, axis=axes))
    return along.reduce(lambda part: (numpy_call(part), 0), "every" if call == "all" else "some")


def _flat(*parts):
    """The elements of parts of one shape in one order: without a copy if all are contiguous in the same order."""
    if isinstance(parts[0], OnDevice):
        return parts
    fortran = builtins.all(part.flags.f_contiguous for part in parts)
    return [part.ravel(order="F" if fortran else "C") for part in parts]


def _pair(call, a, b, stream):
    """The elements of two arrays that this process counts."""
    for given in (a, b):
        if not isinstance(given, DistArray):
            raise TypeError(f"{call} of a DistArray and a {type(given).__name__}, must be of two DistArrays")
        _need_numbers(call, given, "biufc")
    need_alike(call, a, b)
    pair = _counted(a, stream), _counted(b, stream)
    if isinstance(pair[0], OnDevice) != isinstance(pair[1], OnDevice):
        for given in (a, b):
            _core._refuse_on_device(given)
    return pair


def _first(*arrays):
    """The first array with a communicator. A call of several arrays uses that communicator."""
    found = [array for array in arrays if isinstance(array, DistArray)]
    return next((array for array in found if array.comm is not None), found[0])


def _also(array, other):
    """What must be the same on every process about another argument."""
    return _same(other) if isinstance(other, DistArray) and other.is_whole and other is not array else None


def _product(x, call, other, *, stream=None):
    """The sum of products, by NumPy's function of that name."""
    array = _first(x, other)
    kept = [None]

    def step():
        kept[0] = _also(array, other if array is x else x)
        return getattr(np, call)(*_flat(*_pair(call, x, other, stream))), 0

    return reduced(array, lambda: f"x.{call}(y), y {kept[0]}, x", step, "add", on_devices=True)[0]


def _sum_of_squares(flat):
    """As numpy.linalg.norm computes it, so that one process has its result bit for bit."""
    if isinstance(flat, OnDevice):
        return flat.reduced("squares", _sum_of_squares(np.ones(1, flat.dtype)).dtype)
    numbers = flat.astype(float) if flat.dtype.kind in "biu" else flat
    return numbers.real.dot(numbers.real) + numbers.imag.dot(numbers.imag) if numbers.dtype.kind == "c" else numbers.dot(numbers)


@collective("x.norm()")
def norm(array, ord=None, axis=None, **others):
    """See `DistArray.norm`."""
    is_length = False

    def norms(part, axes):
        return np.linalg.norm(part, ord, axes[0] if len(axes) == 1 else axes)

    def partial(part):
        nonlocal is_length
        known = {0: [None], 1: [None, 1, 2, np.inf], 2: [None, "fro"]}.get(array.ndim, [None])
        if not builtins.any(ord is name or (name is not None and ord == name) for name in known):
            raise ValueError(f"ord is {ord!r}, must be {' or '.join(map(repr, known))} for an array of {array.ndim} "
                             "axes: abs(x).sum(), abs(x).max() and x.norm() are over the elements of any array")
        flat, = _flat(part)
        is_length = not (ord == 1 or ord == np.inf)
        if is_length:
            return _sum_of_squares(flat), flat.size, "add"
        return np.linalg.norm(flat if flat.size else np.zeros(1, flat.dtype), ord), flat.size, "add" if ord == 1 else "largest"

    def finish(value, count):
        if is_length:
            return np.sqrt(value)
        return value if count > 0 or ord == 1 else np.max(np.empty(0))  # NumPy's ValueError

    return _Along("norm", array, axis, others, norms).reduce(partial, kinds="biufc", finish=finish, ord=ord)


def _methods(compute, *names):
    """The methods of `DistArray` with these names, by a function of the array, the name, and the method's arguments."""
    def of(name):
        return collective(f"x.{name}()")(lambda array, *args, **others: compute(array, name, *args, **others))
    return map(of, names)


sum, prod = _methods(_folded, "sum", "prod")
var, std = _methods(_spread, "var", "std")
min, max = _methods(_extreme, "min", "max")
argmin, argmax = _methods(_place, "argmin", "argmax")
all, any = _methods(_truth, "all", "any")
dot, vdot = _methods(_product, "dot", "vdot")


@collective("numpy.allclose()")
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """See `numpy.allclose`: whether it holds for all elements of the whole arrays. Collective."""
    return _agreement("allclose", a, b, (rtol, atol, equal_nan))


@collective("numpy.array_equal()")
def array_equal(a1, a2, equal_nan=False):
    """See `numpy.array_equal`: whether it holds for the whole arrays. Collective."""
    return _agreement("array_equal", a1, a2, (equal_nan,))


def _are_close(a, b, options):
    """Whether the elements that this process counts are close, of arrays that NumPy broadcasts."""
    broadcast = Broadcast("numpy.allclose", (a, b))
    return np.all(_counted(broadcast.over(np.isclose(*broadcast.local(), *options))))


def _agreement(call, a, b, options):
    array = _first(a, b)
    numpy_call = getattr(np, call)
    kept = [None]

    def step():
        kept[0] = _also(array, b if array is a else a)
        if isinstance(a, DistArray) and isinstance(b, DistArray):
            if call == "array_equal" and a.shape != b.shape:
                return False, 0
            if call == "allclose" and a.shape != b.shape:
                return _are_close(a, b, options), 0
            need_alike(call, a, b)
        elif call == "array_equal":
            raise TypeError(f"{call} of a {type(a).__name__} and a {type(b).__name__}, must be of two DistArrays: "
                            "numpy.array_equal(x.interior, y) compares this process's part")
        elif np.ndim(b if array is a else a) > 0:
            return _are_close(a, b, options), 0
        parts = [_counted(given) if isinstance(given, DistArray) else given for given in (a, b)]
        return numpy_call(*parts, *options), 0

    return bool(reduced(array, lambda: f"numpy.{call}(x, y, *{options}), y {kept[0]}, x", step, "every")[0])
