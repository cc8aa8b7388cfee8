"""Parts of a distributed array, x[...], and its elements. Only reading one element communicates."""

import operator

import numpy as np

from . import _core, _reduce
from ._agree import collective
from ._core import DistArray
from ._functions import elementwise

WHOLE_AXIS = ("whole", 0, 0, 1)  # entries for `_core._cut`
NEW = ("added", 0, 0, 1)


def first_of(array, axis):
    """The entry that takes the first element of an axis on one process, and drops the axis."""
    return "one", _core._bounds(array, axis)[0] + array._shift[axis], 0, 1


def _range(array, axis, wanted):
    """The start, stop and step of a slice of one axis, in the array's own numbering; None for the whole axis."""
    low, high = _core._bounds(array, axis)
    if low < 0:  # negative bounds are indices
        step = 1 if wanted.step is None else operator.index(wanted.step)
        start, stop = (low, high) if step > 0 else (high - 1, low - 1)
        found = (start if wanted.start is None else operator.index(wanted.start),
                 stop if wanted.stop is None else operator.index(wanted.stop), step)
    else:
        found = wanted.indices(high)
    if wanted.start is wanted.stop is None and found[2] == 1:
        return None
    return None if low == 0 and found == (0, high, 1) else found


def _position(array, axis, wanted):
    """The index that an integer selects on an axis, in the array's own numbering."""
    low, high = _core._bounds(array, axis)
    index = operator.index(wanted)
    if low >= 0 and index < 0:
        index += high
    if not low <= index < high:
        has = f"whose indices are {low} to {high - 1}" if high > low else "which has no elements"
        raise IndexError(f"index {wanted} is out of bounds for axis {axis}, {has}")
    return index


def _entry(array, axis, wanted, setting):
    """What one entry of a key selects, for `_core._cut`."""
    shift = array._shift[axis]
    if isinstance(wanted, slice):
        found = _range(array, axis, wanted)
        if found is None:
            return WHOLE_AXIS
        start, stop, step = found
        return "part", start + shift, stop + shift, step
    index = _position(array, axis, wanted) + shift
    processes = array.distribution.grid[axis]
    if processes == 1:
        return "one", index, 0, 1
    if setting:
        return "part", index, index + 1, 1
    raise TypeError(f"x[{wanted}] on axis {axis}, which is distributed over {processes} processes, so that only some "
                    f"of them have the element: x[{wanted}:{wanted + 1 or ''}] keeps the axis, with one element; "
                    "with an integer for each axis, x[3, 4] is one element, on every process")


def _is_integer(wanted):
    try:
        operator.index(wanted)
    except TypeError:
        return False
    return not isinstance(wanted, (bool, np.bool_))


def _cut(array, key, setting=False):
    """The part of an array that a key selects, as a DistArray."""
    keys = key if isinstance(key, tuple) else (key,)
    for wanted in keys:
        if not (wanted is None or wanted is Ellipsis or isinstance(wanted, slice) or _is_integer(wanted)):
            raise TypeError(f"a key of a DistArray has an entry of type {type(wanted).__name__}, must be a slice, an "
                            "integer, None or ...: numpy.where(mask, x, 0) and x[mask] = 0 take a mask, a DistArray "
                            "of bool")
    axes = [wanted for wanted in keys if wanted is not None and wanted is not Ellipsis]
    if len(axes) > array.ndim:
        raise IndexError(f"the key has {len(axes)} entries for axes, but the array has {array.ndim} axes")
    ellipses = [place for place, wanted in enumerate(keys) if wanted is Ellipsis]
    if len(ellipses) > 1:
        raise IndexError("a key can have only one ...")
    place = ellipses[0] if ellipses else len(keys)
    keys = (*keys[:place], *(slice(None),) * (array.ndim - len(axes)), *keys[place + 1:])
    entries, axis = [], 0
    for wanted in keys:
        entries.append(NEW if wanted is None else _entry(array, axis, wanted, setting))
        axis += wanted is not None
    return array if all(entry == WHOLE_AXIS for entry in entries) else _core._cut(array, entries)


@collective("x[...]")
def _element(array, keys):
    """One element on every process. Collective."""
    index, here = [], [None]

    def step():
        index[:] = [_position(array, axis, wanted) for axis, wanted in enumerate(keys)]
        owner = array._known_owner(*index)
        if owner == array.process:
            here[0] = array.local[(*array.local_index(*index), ...)]  # an array without axes, of the same type
        fits = array.dtype.itemsize <= _reduce.MOST_BYTES
        return here[0] if fits and here[0] is not None else np.zeros((), array.dtype if fits else bool), -1 if owner is None else owner

    value, owner = _reduce.reduced(array, lambda: f"x[{', '.join(map(str, index))}]", step, "bits")
    if owner < 0:
        raise IndexError(f"no process has the element {tuple(index)}")
    if array.dtype.itemsize > _reduce.MOST_BYTES:
        return array.comm.bcast(here[0], owner)[()]
    return value


def item(array, key):
    """See `DistArray.__getitem__`."""
    keys = key if isinstance(key, tuple) else (key,)
    if len(keys) == array.ndim and all(map(_is_integer, keys)) and array.distribution.processes > 1:
        return _element(array, keys)
    part = _cut(array, key)
    has_ellipsis = key is Ellipsis or isinstance(key, tuple) and any(wanted is Ellipsis for wanted in key)
    return part.local[()] if part.ndim == 0 and not has_ellipsis else part


def assign(array, key, value):
    """See `DistArray.__setitem__`."""
    if isinstance(key, DistArray):
        if key.dtype != bool or isinstance(value, DistArray):
            raise TypeError("x[mask] = value takes a mask of bool and a scalar: numpy.copyto(x, y, where=mask) takes "
                            "the values of another DistArray")
        elementwise(np.copyto, (array, value), {"casting": "unsafe", "where": key})
        return
    elementwise(np.copyto, (_cut(array, key, setting=True), value), {"casting": "unsafe"})
