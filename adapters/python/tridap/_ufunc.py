"""NumPy's ufuncs and Python's operators on distributed arrays, element by element. Nothing here communicates."""

import numpy as np

from . import _core
from ._agree import utf8
from ._broadcast import Broadcast
from ._core import DistArray

WHOLE = "x.gather() is the whole array on one process, and x.local and x.interior are this process's part"
_REDUCTIONS = {"add": "x.sum()", "multiply": "x.prod()", "minimum": "x.min()", "maximum": "x.max()",
               "logical_and": "x.all()", "logical_or": "x.any()"}
_CONVERSIONS = {
    "__bool__": "bool(x): a DistArray has many elements, so that it is neither true nor false: call x.any() or x.all()",
    "__float__": "float(x): a DistArray is no number: float(x.sum()), or float() of another of its reductions",
    "__int__": "int(x): a DistArray is no number: int(x.sum()), or int() of another of its reductions",
    "__complex__": "complex(x): a DistArray is no number: complex(x.sum()), or complex() of another of its reductions"}


def name_of(function):
    """A function's name as users write it: "numpy.linalg.norm", "scipy.special.erf"."""
    name = function.__name__
    if isinstance(function, np.ufunc):
        return f"numpy.{name}" if getattr(np, name, None) is function else name
    return f"{function.__module__}.{name}"


def is_foreign(kind, method):
    """Whether a type implements NumPy's protocol `method` itself, so that it may know what to do with a DistArray."""
    return not issubclass(kind, DistArray) and getattr(kind, method, None) not in (None, getattr(np.ndarray, method))


def array_ufunc(self, ufunc, method, *inputs, out=(), **options):
    """See NumPy's `__array_ufunc__`."""
    name = name_of(ufunc)
    given = [operand for operand in (*inputs, *out, options.get("where")) if operand is not None]
    if any(is_foreign(type(operand), "__array_ufunc__") for operand in given):
        return NotImplemented
    if ufunc is np.matmul and method == "__call__":
        return _matmul(*inputs, out=out)
    if method != "__call__":
        call = _REDUCTIONS.get(ufunc.__name__) if method == "reduce" else None
        raise TypeError(f"{name}.{method} of a DistArray would combine the elements of this process alone: "
                        + (f"{call} is over the whole array; " if call else "") + WHOLE)
    if ufunc.signature is not None:
        raise TypeError(f"{name} of a DistArray would combine the elements of this process alone: {WHOLE}")
    for place in out:
        if place is not None and not isinstance(place, DistArray):
            given = ", ".join(f"{letter}.local" if isinstance(one, DistArray) else letter for letter, one in zip("xyzuvw", inputs))
            raise TypeError(f"{name} of a DistArray with out={type(place).__name__}, must be a DistArray: {name}({given}, out=array) "
                            "computes with this process's part")
    for key, value in options.items():
        utf8(key, value)
    places = [place for place in out if place is not None]
    where = [options["where"]] if "where" in options else []
    broadcast = Broadcast(name, (*inputs, *where), places)
    operands = broadcast.local()
    if where:
        options["where"] = operands.pop()
    if out:
        options["out"] = tuple(None if place is None else place.local for place in out)
    try:
        found = ufunc(*operands, **options)
    finally:  # with numpy.errstate, one process may raise after it has written
        for place in places:
            _core._changed(place)
    several = ufunc.nout > 1
    results = [broadcast.over(local) if place is None else place
               for local, place in zip(found if several else (found,), out or (None,) * ufunc.nout)]
    return tuple(results) if several else results[0]


def _matmul(a, b, out):
    if isinstance(a, (_core._Matrix, _core._LinearOperator)) and not out:
        return a @ b
    if isinstance(b, (_core._Matrix, _core._LinearOperator)):
        raise TypeError("x @ A: a Matrix or a LinearOperator is multiplied from the left: A @ x")
    if isinstance(a, DistArray) and isinstance(b, DistArray) and not out:
        from . import scalapack
        if a.ndim == b.ndim == 1:
            return a.dot(b)
        if a.ndim == 2 and b.ndim in (1, 2):
            return scalapack.matmul(a, b)
        if a.ndim == 1 and b.ndim == 2:
            return scalapack.matmul(b, a, trans_a="T")
    raise TypeError("the product @ of a DistArray is A @ x with a tridap.Matrix or a tridap.LinearOperator, or that of "
                    "two DistArrays of one or two axes, a new array: x.dot(y) is the sum of products of arrays of any number of "
                    f"axes; {WHOLE}")


def refuse_iteration(array):
    """See `DistArray.__iter__`."""
    raise TypeError("a DistArray cannot be iterated over, because its elements are on several processes: x.sum(), "
                    f"x.min(), x.max(), x.all() and x.any() are over the whole array; {WHOLE}")


def refuse_search(array, value):
    """See `DistArray.__contains__`."""
    raise TypeError("'in' of a DistArray would search this process's part alone: (x == value).any() searches the whole "
                    "array")


def refuse_conversion(array, name):
    """See `DistArray.__bool__` and the like."""
    raise TypeError(_CONVERSIONS[name])
