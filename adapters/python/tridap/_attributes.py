"""What NumPy's arrays have, for distributed arrays: what is plain works, and what is not names the right call."""

import math

import numpy as np

from . import _core
from ._agree import integer, order_of
from ._functions import INSTEAD, elementwise
from ._index import NEW, WHOLE_AXIS, first_of
from ._reduce import axes_of
from ._ufunc import WHOLE

_ATTRIBUTES = {
    "flags": "x.local.flags has those of this process's part",
    "strides": "x.local.strides has those of this process's part", "data": "x.local.data is this process's part",
    "ctypes": "x.local.ctypes is of this process's part", "base": "x.local.base is of this process's part",
    "tolist": "x.allgather().tolist() has all elements, and x.interior.tolist() those of this process",
    "tobytes": "x.allgather().tobytes() has all elements, and x.interior.tobytes() those of this process",
    "tofile": "tridap.save('x.h5', {'x': x}) writes all elements to a file",
    "dump": "tridap.save('x.h5', {'x': x}) writes all elements to a file",
    "dumps": "tridap.save('x.h5', {'x': x}) writes all elements to a file",
    "item": "x[3, 4] is one element, and x.sum() that of an array of one element",
    "flat": "x.allgather().flat has all elements, and x.interior.flat those of this process",
    "swapaxes": "x.transpose(axes) changes the order of axes",
    "view": "x.real and x.imag are views, and x.local.view(dtype) is of this process's part",
}
_NUMPYS = [name for name in dir(np.ndarray) if not name.startswith("_")]


def missing(array, name):
    """See `DistArray.__getattr__`: raises AttributeError."""
    for kind in type(array).__mro__:
        if name in vars(kind):  # a property that raised an AttributeError: again, with its own words
            return vars(kind)[name].__get__(array, type(array))
    if name in _NUMPYS:
        instead = _ATTRIBUTES.get(name, INSTEAD.get(name, WHOLE))
        raise AttributeError(f"a DistArray has no {name}: {instead}", name=name, obj=array)
    raise AttributeError(f"'{type(array).__name__}' object has no attribute '{name}'", name=name, obj=array)


def refuse_pickle(array, protocol):
    """See `DistArray.__reduce_ex__`."""
    raise TypeError("a DistArray cannot be pickled, because each process has a part of it: tridap.save('x.h5', {'x': x}) writes "
                    "the whole array to a file, from which tridap.load reads it on any number of processes; x.gather() and "
                    "x.interior are NumPy arrays, which can be pickled and sent")


def transposed(array):
    """See `DistArray.T`."""
    try:
        return transpose(array)
    except TypeError as error:
        raise AttributeError(str(error), name="T", obj=array) from None


def transpose(array, *axes):
    """See `DistArray.transpose`."""
    if len(axes) == 1 and (axes[0] is None or np.iterable(axes[0])):
        axes = axes[0] or ()
    order = order_of(axes, array.ndim) if len(axes) else list(range(array.ndim))[::-1]
    if order == list(range(array.ndim)):
        return array
    grid = array.distribution.grid
    several = [axis for axis in order if grid[axis] > 1]
    if several != sorted(several):
        to = ",".join("b" if axis == several[0] else "*" for axis in order)
        raise TypeError(f"the axes of an array over {' x '.join(map(str, grid))} processes cannot change places without "
                        f"communication: x.redistribute({to!r}, axes={tuple(order)}) moves the elements")
    return _core._of_axes(array, order, array.local.transpose(order))


def _wanted(array, shape):
    if len(shape) == 1 and np.iterable(shape[0]):
        shape = shape[0]
    wanted = [integer("an entry of shape", n) for n in shape]
    if wanted.count(-1) == 1:
        rest = -math.prod(wanted)
        wanted[wanted.index(-1)] = array.size // rest if rest else 0
    if any(n < 0 for n in wanted) or math.prod(wanted) != array.size:
        raise ValueError(f"cannot reshape array of size {array.size} into shape {tuple(shape)}")
    return tuple(wanted)


def _entries(array, wanted):
    """What makes the shape `wanted` for `_core._cut`; None if that is more than axes of one element."""
    shape, grid = array.shape, array.distribution.grid
    entries, axis = [], 0

    def drop(axis):
        return axis < array.ndim and shape[axis] == 1 and grid[axis] == 1

    for n in wanted:
        while n != 1 and drop(axis):
            entries.append(first_of(array, axis))
            axis += 1
        if axis < array.ndim and shape[axis] == n:
            entries.append(WHOLE_AXIS)
            axis += 1
        elif n == 1:
            entries.append(NEW)
        else:
            return None
    while drop(axis):
        entries.append(first_of(array, axis))
        axis += 1
    return entries if axis == array.ndim else None


def reshape(array, *shape, order="C"):
    """See `DistArray.reshape`."""
    wanted = _wanted(array, shape)
    entries = _entries(array, wanted)
    if entries is not None:
        return array if all(entry == WHOLE_AXIS for entry in entries) else _core._cut(array, entries)
    ravel = "F" if order == "F" else "C"
    flat = "x" if array.ndim == 1 else f"x.redistribute('b', ravel={ravel!r})"
    to = f"tridap.distribution({wanted}, processes={array.distribution.processes})"
    call = flat if len(wanted) == 1 else f"{flat}.redistribute({to}, ravel={ravel!r})"
    raise TypeError(f"reshape of a DistArray of shape {array.shape} to {wanted} would move elements to other processes: {call} "
                    "does this")


def squeeze(array, axis=None):
    """See `DistArray.squeeze`."""
    if axis is None:
        return reshape(array, tuple(n for n in array.shape if n != 1))
    dropped = axes_of(axis, array.ndim)
    for number in dropped:
        if array.shape[number] != 1:
            raise ValueError(f"axis {number} has {array.shape[number]} elements, must have one to be left out")
    return reshape(array, tuple(n for number, n in enumerate(array.shape) if number not in dropped))


def ravel(array, order="C"):
    """See `DistArray.ravel`."""
    return reshape(array, array.size, order=order)


def flatten(array, order="C"):
    """See `DistArray.flatten`."""
    return ravel(array, order).copy()


def clip(array, min=None, max=None):
    """See `DistArray.clip`."""
    return elementwise(np.clip, (array, min, max), {})


def round(array, decimals=0):
    """See `DistArray.round`."""
    return elementwise(np.round, (array, decimals), {})


def fill(array, value):
    """See `DistArray.fill`."""
    if np.ndim(value) > 0:
        raise TypeError(f"fill with a {type(value).__name__}, must be a scalar: x[...] = y takes a DistArray")
    array[...] = value


def conjugate(array):
    """See `DistArray.conjugate`."""
    return array.conj()
