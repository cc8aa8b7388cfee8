"""Which elements of several operands belong together, by NumPy's rule of broadcasting. Nothing here communicates.

The operands are distributed arrays, and NumPy arrays that every process has. Their axes are paired from the last one on, and
an axis of one element is paired with each index of the other one. No element moves: paired axes of more elements are
distributed in the same way, and each process has the elements of the others.
"""

import numpy as np

from . import _core
from ._agree import unmasked
from ._core import DistArray


def _described(array):
    return f"{array.shape} ({array.distribution.describe()})"


def _need_same_processes(name, a, b):
    if a.comm is None or b.comm is None or a.comm is b.comm:
        return
    from mpi4py import MPI
    if MPI.Comm.Compare(a.comm, b.comm) not in (MPI.IDENT, MPI.CONGRUENT):  # this does not communicate
        _core._refuse(f"{name} of arrays on different processes", "make both with the same communicator")


def need_alike(name, a, b):
    """ProtocolError unless the elements at each local index of two arrays, padding included, belong together."""
    if a is b:
        return
    _need_same_processes(name, a, b)
    if not _core._alike(a, b):
        _refuse_arrays(name, a, b)


def _refuse_arrays(name, a, b):
    why = a.distribution.difference(b.distribution) or "their padding differs"
    _core._refuse(f"{name} of arrays with different distributions, {_described(a)} and {_described(b)}: {why}", _remedy(a, b))


def _memory_of(local):
    """The object that owns the memory of a NumPy array."""
    while isinstance(local.base, np.ndarray):
        local = local.base
    return local if local.base is None else local.base


def _are_parts_of_one(a, b):
    """Whether two arrays are x[2:] and x[:-2], or the like, of one array; the same on every process."""
    return (a.shape == b.shape and a.distribution.grid == b.distribution.grid
            and _memory_of(a.local) is _memory_of(b.local))


def _stencil(part):
    """What to do in place of an operation with shifted parts of one array."""
    grid = part.distribution.grid
    axes = ", ".join("tridap.block(padding=1)" if processes > 1 else "'*'" for processes in grid)
    how = f", grid={grid}" if sum(processes > 1 for processes in grid) > 1 else ""
    return ("these are shifted parts of one array u, as in a stencil, and the elements of neighbours must be in padding, at least as "
            f"wide as the shift: v = u.redistribute([{axes}]{how}, fill_padding=True) has padding of 1, and "
            "v.local[2:] + v.local[:-2] then adds neighbours; v.update_padding() fills the padding again after v changes")


def _length(array, axis):
    return 1 if axis is None else array.distribution.shape[axis]


def _processes(array, axis):
    return 1 if axis is None else array.distribution.grid[axis]


def _paired(x, y):
    """The axes that NumPy pairs, with None for one that is not there. Empty if their lengths do not fit."""
    pairs = [tuple(array.ndim - back if back <= array.ndim else None for array in (x, y))
             for back in range(max(x.ndim, y.ndim), 0, -1)]
    fit = all(1 in (_length(x, i), _length(y, j)) or _length(x, i) == _length(y, j) for i, j in pairs)
    return pairs if fit else []


def _remedy(x, y):
    """What makes the axes of two arrays fit."""
    if x.distribution.shape == y.distribution.shape:
        return _stencil(x) if _are_parts_of_one(x, y) else "give y the distribution of x: y.redistribute(x.distribution)"
    for say in (_gathered, _spread_alike) if _paired(x, y) else (_with_new_axes,):
        for small, large in (("y", y), ("x", x)), (("x", x), ("y", y)):
            if said := say(*small, *large):
                return said
    if not _paired(x, y):
        return "two axes that NumPy pairs, the last ones first, must have the same length, or one of them one element"
    kept = next((i, j) for i, j in _paired(x, y) if _length(x, i) == _length(y, j) != 1)
    calls = [f"{name}.redistribute({','.join('b' if axis == own else '*' for axis in range(array.ndim))!r})"
             for name, array, own in zip("xy", (x, y), kept)]
    return f"distribute an axis that both have, and no other: {calls[0]} and {calls[1]}"


def _with_new_axes(name, y, other, x):
    """The key with which y has the axes of x, if they are not the last ones: y[:, None]."""
    key, axis = [], 0
    for number in range(x.ndim):
        same = axis < y.ndim and _core._alike_along(y, axis, x, number)
        if not same and _processes(x, number) > 1:
            return None
        key.append(":" if same else "None")
        axis += same
    if axis < y.ndim:
        return None
    return f"NumPy pairs the last axes first: {name}[{', '.join(key)}] has the axes of {name} where {other} has them"


def _gathered(name, y, _, x):
    """The call if each process needs all elements of y."""
    if any(_length(y, j) != 1 and _processes(x, i) > 1 for i, j in _paired(x, y)):
        return None
    return f"in place of {name} take {name}.allgather(), a NumPy array of all its elements on every process"


def _spread_alike(name, y, other, x):
    """The call that distributes y like x, except for axes of one element."""
    key = []
    for i, j in _paired(x, y):
        one = _length(y, j) == 1
        if i is None or one and (_processes(x, i) > 1 or not _core._bounds(x, i)[0] == 0 < _core._bounds(x, i)[1]):
            return None
        if not one and _length(y, j) != _length(x, i):
            return None
        key.append("0" if j is None else ":1" if one else ":")
    return f"give {name} the distribution of {other}: {name}.redistribute({other}[{', '.join(key)}].distribution)"


def _as_operand(name, given):
    """A DistArray, a NumPy array of one axis or more, or a scalar. TypeError for what has axes of another kind."""
    if isinstance(given, DistArray):
        return given
    if hasattr(type(given), "__distarray__"):
        raise TypeError(f"{name} of a DistArray and a {type(given).__name__}: pass tridap.asarray(operand, comm)")
    if isinstance(given, np.ma.MaskedArray):
        unmasked(f"the operand of {name}", given)
    if np.ndim(given) == 0:
        return given
    if not isinstance(given, (list, tuple, np.ndarray)):
        raise TypeError(f"{name} of a DistArray and a {type(given).__name__} of shape {np.shape(given)}, must be a DistArray or a "
                        "NumPy array: pass numpy.asarray(operand)")
    return np.asarray(given)


def _refuse_numpy(name, operand, array):
    """TypeError for a NumPy array of which it is not known which elements of the whole array it has."""
    whole = ""
    if operand.shape == array.shape and operand.ndim < 7:
        index = ", ".join("ijklmn"[:operand.ndim])
        whole = (f"; if every process has the whole array: y = tridap.from_function(x.distribution, lambda {index}: "
                 f"operand[{index}], operand.dtype, comm=x.comm)")
    raise TypeError(f"{name} of a DistArray {_described(array)} and a ndarray of shape {operand.shape}, but which elements of the "
                    "whole array these are is not known, because it must have one element on an axis that is distributed, and "
                    "one or all on any other: compute with x.local, or make a DistArray of them: "
                    f"y = tridap.empty(x.distribution, comm=x.comm); y.local[...] = operand{whole}")


class _Axis:
    """One axis of a result: the axis `number` of `array`, or, without an array, one of `number` elements on every process."""

    def __init__(self):
        self.array, self.number = None, 1

    @property
    def length(self):
        return self.number if self.array is None else _length(self.array, self.number)

    @property
    def processes(self):
        return 1 if self.array is None else _processes(self.array, self.number)

    def is_one(self):
        """Whether the axis is one element, which each process has."""
        return self.length == self.processes == 1

    def is_numbered(self, length):
        """Whether a NumPy array of this length has the elements of the axis, in its order."""
        if self.array is None:
            return length == self.length
        if self.processes > 1 or not length == self.length == self.array.shape[self.number]:
            return False
        return self.array.dim_data[self.number]["dist_type"] != "u" or bool(
            np.all(np.diff(self.array.distribution.indices(self.array.process)[self.number]) > 0))


class Broadcast:
    """The operands of one operation on elements, and the distribution of its result.

    If x has shape (8, 5) and blocks of rows, then ``Broadcast("numpy.subtract", [x, x.mean(axis=1, keepdims=True)])`` has results of
    shape (8, 5) with the distribution of x.

    Args:
        name: the operation, for messages.
        operands: DistArrays, NumPy arrays that are the same on every process, and scalars.
        targets: the DistArrays to which the operation writes, which must have the shape of the result.

    Raises:
        ProtocolError: if two arrays are distributed in different ways.
        TypeError: for another operand.
    """

    def __init__(self, name, operands, targets=()):
        self._name = name
        self._operands = [_as_operand(name, operand) for operand in operands]
        self._arrays = [one for one in (*self._operands, *targets) if isinstance(one, DistArray)]
        self._whole = model = self._arrays[0]  # has the distribution of the result; None if no operand has it
        numpys = [one for one in self._operands if isinstance(one, np.ndarray) and one.ndim > 0]
        others = [array for array in self._arrays if array is not model]
        for array in others:
            _need_same_processes(name, model, array)
        if numpys or not all(_core._alike(model, array) for array in others):
            self._axes = self._pair(numpys)
            self._whole = next((array for array in self._arrays if self._has_all(array)), None)
            for target in targets:
                self._need_all(target)

    def _pair(self, numpys):
        """The axes of the result; ProtocolError or TypeError unless the operands fit them."""
        axes = [_Axis() for _ in range(max(one.ndim for one in (*self._arrays, *numpys)))]
        for one in (*self._arrays, *numpys):
            is_array = isinstance(one, DistArray)
            shape = one.distribution.shape if is_array else one.shape
            for number, axis in enumerate(axes[len(axes) - one.ndim:]):
                if axis.is_one() and (shape[number] != 1 or is_array and axis.array is None):
                    axis.array, axis.number = (one, number) if is_array else (None, shape[number])
        for array in self._arrays:
            for number, axis in enumerate(axes, array.ndim - len(axes)):
                if not self._fits(array, number, axis):
                    _refuse_arrays(self._name, *[one for one in self._arrays if one is array or one is axis.array][:2])
        for array in numpys:
            for length, axis in zip(array.shape, axes[len(axes) - array.ndim:]):
                if length != 1 and not axis.is_numbered(length):
                    _refuse_numpy(self._name, array, self._arrays[0] if axis.array is None else axis.array)
        return axes

    @staticmethod
    def _repeats(array, number):
        """Whether an array has one element on an axis, which each process has."""
        return number < 0 or array.distribution.shape[number] == array.distribution.grid[number] == 1

    def _fits(self, array, number, axis):
        if array is axis.array:
            return True
        if self._repeats(array, number) and (number < 0 or axis.length != 1):
            return axis.processes == 1
        return _core._alike_along(array, number, axis.array, axis.number)

    def _has_all(self, array):
        """Whether an array repeats no element."""
        return len(self._axes) == array.ndim and all(
            axis.length == 1 or not self._repeats(array, number) for number, axis in enumerate(self._axes))

    def _need_all(self, target):
        if not self._has_all(target):
            shape = tuple(axis.length for axis in self._axes)
            _core._refuse(f"{self._name} has a result of shape {shape}, but the array to which it writes has shape {target.shape}",
                          "leave out that array, so that a new one is made")

    def local(self):
        """The local parts of the operands, in their order; other operands as they are."""
        return [one.local if isinstance(one, DistArray) else one for one in self._operands]

    def over(self, local):
        """A DistArray over this local part, distributed as the result is."""
        local = np.asarray(local)
        if self._whole is not None:
            return _core._like(self._whole, local)
        return _core._of_axes_of_several(self._arrays[0], [(axis.array, axis.number) for axis in self._axes], local)
