"""NumPy's functions on distributed arrays: those that would see one process's memory only are refused."""

import numpy as np

from . import _core, _reduce
from ._agree import utf8
from ._broadcast import Broadcast
from ._core import DistArray
from ._ufunc import WHOLE, is_foreign, name_of


def _named(names):
    return {getattr(np, name) for name in names.split() if hasattr(np, name)}


# Each element of the result depends on the elements at one index.
_ELEMENTWISE = _named("angle around clip copy copyto fix i0 imag iscomplex isclose isneginf isposinf isreal nan_to_num "
                      "real round round_ sinc where")
# The result has the memory of the argument.
_VIEWS = _named("imag real")
# The result depends on types or addresses, not on elements.
_OF_MEMORY = _named("can_cast iscomplexobj isrealobj may_share_memory result_type shares_memory")

_PAIRED = "operators and functions of elements pair an axis of one element with each index of the other array's axis"
INSTEAD = {"average": "numpy.sum(x * weights) / numpy.sum(weights)", "broadcast_arrays": _PAIRED, "broadcast_to": _PAIRED,
           "count_nonzero": "(x != 0).sum()", "outer": "x[:, None] * y is this product with a NumPy array y that every process has",
           "nansum": "numpy.nan_to_num(x).sum()", "ptp": "x.max() - x.min()",
           "save": "tridap.save('x.h5', {'x': x}) writes the whole array to a file"}


def array_function(self, function, types, args, kwargs):
    """See NumPy's `__array_function__`."""
    if any(is_foreign(kind, "__array_function__") for kind in types):
        return NotImplemented
    if function in _HANDLERS:
        return _HANDLERS[function](*args, **kwargs)
    if function in _ELEMENTWISE and (function is not np.where or len(args) == 3):
        return elementwise(function, args, kwargs)
    if function in _OF_MEMORY:
        return function(*map(_memory, args), **{name: _memory(value) for name, value in kwargs.items()})
    instead = INSTEAD.get(function.__name__)
    raise TypeError(f"{name_of(function)} of a DistArray would see the memory of this process alone: "
                    + (f"{instead}; " if instead else "") + WHOLE)


def _memory(value):
    return value.local if isinstance(value, DistArray) else value


def elementwise(function, args, kwargs):
    """Calls a function with the local parts of the arguments, and makes a DistArray of the result. Not collective."""
    name = name_of(function)
    keys = [*range(len(args)), *kwargs]
    for key, value in kwargs.items():
        utf8(key, value)
    given = [*args, *kwargs.values()]
    target = kwargs.get("out", kwargs.get("dst", args[0] if args and function is np.copyto else None))
    if isinstance(target, np.ndarray):
        raise TypeError(f"{name} of a DistArray and a {type(target).__name__}, to which it would write the part of this process: "
                        "pass x.local in place of x")
    broadcast = Broadcast(name, [value for value in given if not isinstance(value, str)],
                          [target] if isinstance(target, DistArray) else [])
    found = iter(broadcast.local())
    local = {key: value if isinstance(value, str) else next(found) for key, value in zip(keys, given)}
    places = {id(local[key]): value for key, value in zip(keys, given) if isinstance(value, DistArray)}
    written = places.values()  # with numpy.errstate, one process may raise after it has written
    try:
        result = function(*(local[key] for key in range(len(args))), **{key: local[key] for key in kwargs})
        place = id(local["dst" if "dst" in local else 0] if result is None else result)  # None: of numpy.copyto
        written = [places[place]] if place in places else []
    finally:
        for array in written:
            _core._changed(array)
    if result is None:
        return None
    if place in places:
        return places[place]
    made = broadcast.over(result)
    return _core._same_memory(made, given[0]) if function in _VIEWS else made


def _like(function, array, args, dtype, order, subok, shape):
    if shape is not None:
        raise TypeError(f"{name_of(function)} of a DistArray takes no shape=: tridap.zeros(tridap.distribution(shape)) "
                        "makes an array of another shape")
    utf8("dtype", dtype)
    utf8("order", order)
    return _core._like(array, function(_of(function, array).local, *args, dtype=dtype, order=order))


def _maker(function):
    def make(a, dtype=None, order="K", subok=True, shape=None):
        return _like(function, a, (), dtype, order, subok, shape)
    return make


def _full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    fill = Broadcast("numpy.full_like", [_of(np.full_like, a), fill_value], [a]).local()[1]
    return _like(np.full_like, a, (fill,), dtype, order, subok, shape)


def _of(function, array):
    if not isinstance(array, DistArray):
        raise TypeError(f"{name_of(function)} is of a {type(array).__name__}, must be of a DistArray")
    return array


def _reduction(function, call, *names):
    """A function of NumPy as a method; `names` are those of its arguments after the array, in their order."""
    def reduce(a, *given, **others):
        if len(given) > len(names):
            raise TypeError(f"{name_of(function)} of a DistArray takes {', '.join(names)} by position: pass others by name")
        return call(_of(function, a), **dict(zip(names, given)), **others)
    return reduce


def _norm(x, ord=None, axis=None, keepdims=False):
    return _reduce.norm(_of(np.linalg.norm, x), ord, axis, keepdims=keepdims)


def _vector_product(a, b, out=None):
    if out is not None or any(isinstance(given, DistArray) and given.ndim != 1 for given in (a, b)):
        raise TypeError("numpy.dot of DistArrays is of two arrays of one axis, without out=: x.dot(y) and "
                        f"numpy.vdot(x, y) take any number of axes; {WHOLE}")
    return _reduce.dot(a, b)


def _expand_dims(a, axis):
    ndim = _of(np.expand_dims, a).ndim + (len(axis) if isinstance(axis, tuple) else 1)
    added = _reduce.axes_of(axis, ndim)
    return a[tuple(None if number in added else slice(None) for number in range(ndim))]


def _size(a, axis=None):
    return a.size if axis is None else a.shape[axis]


_HANDLERS = {
    np.linalg.norm: _norm, np.dot: _vector_product, np.inner: _vector_product, np.vdot: _reduce.vdot,
    np.allclose: _reduce.allclose, np.array_equal: _reduce.array_equal, np.full_like: _full_like,
    np.shape: lambda a: a.shape, np.ndim: lambda a: a.ndim, np.size: _size}
_HANDLERS.update({function: _maker(function) for function in _named("empty_like ones_like zeros_like")})
_HANDLERS.update({function: _reduction(function, call, *names) for functions, call, *names in (
    ("sum", _reduce.sum, "axis", "dtype", "out"), ("prod", _reduce.prod, "axis", "dtype", "out"),
    ("mean", _reduce.mean, "axis", "dtype", "out"), ("var", _reduce.var, "axis", "dtype", "out", "ddof"),
    ("std", _reduce.std, "axis", "dtype", "out", "ddof"), ("all", _reduce.all, "axis", "out"), ("any", _reduce.any, "axis", "out"),
    ("amax max", _reduce.max, "axis", "out"), ("amin min", _reduce.min, "axis", "out"),
    ("argmax", _reduce.argmax, "axis", "out"), ("argmin", _reduce.argmin, "axis", "out")) for function in _named(functions)})
_HANDLERS.update({
    np.expand_dims: _expand_dims,
    np.transpose: lambda a, axes=None: _of(np.transpose, a).transpose(axes),
    np.reshape: lambda a, newshape=None, order="C", *, shape=None: _of(np.reshape, a).reshape(
        shape if newshape is None else newshape, order=order),
    np.ravel: lambda a, order="C": _of(np.ravel, a).ravel(order=order),
    np.squeeze: lambda a, axis=None: _of(np.squeeze, a).squeeze(axis)})
