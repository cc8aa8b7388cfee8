"""NumPy's ufuncs and Python's operators on distributed arrays, element by element. Nothing here communicates."""

import numpy as np

from . import _core
from ._agree import utf8
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


def _described(array):
    return f"{array.shape} ({array.distribution.describe()})"


def _same_processes(a, b):
    if a.comm is None or b.comm is None or a.comm is b.comm:
        return True
    from mpi4py import MPI
    return MPI.Comm.Compare(a.comm, b.comm) in (MPI.IDENT, MPI.CONGRUENT)  # this does not communicate


def need_alike(name, a, b):
    """ProtocolError unless the elements at each local index of two arrays, padding included, belong together."""
    if a is b:
        return
    if not _same_processes(a, b):
        _core._refuse(f"{name} of arrays on different processes", "make both with the same communicator")
    if not _core._alike(a, b):
        why = a.distribution.difference(b.distribution) or "their padding differs"
        _core._refuse(f"{name} of arrays with different distributions, {_described(a)} and {_described(b)}: {why}",
                      _stencil(a) if _are_parts_of_one(a, b) else "give y the distribution of x: y.redistribute(x.distribution)")


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


def local_of(name, operand, model):
    """The local part of a DistArray that is distributed as `model`; a scalar as it is. TypeError for other arrays."""
    if isinstance(operand, DistArray):
        need_alike(name, model, operand)
        return operand.local
    if hasattr(type(operand), "__distarray__"):
        raise TypeError(f"{name} of a DistArray and a {type(operand).__name__}: pass tridap.asarray(operand, comm)")
    if np.ndim(operand) == 0:
        return operand
    raise TypeError(f"{name} of a DistArray and a {type(operand).__name__} of shape {np.shape(operand)}, but which "
                    "elements of the whole array these are is not known: compute with x.local, or make a DistArray of "
                    "them: y = tridap.empty(x.distribution, comm=x.comm); y.local[...] = operand")


def is_foreign(kind, method):
    """Whether a type implements NumPy's protocol `method` itself, so that it may know what to do with a DistArray."""
    return not issubclass(kind, (DistArray, np.ndarray)) and getattr(kind, method, None) is not None


def over(local, model):
    """A DistArray over this local part, distributed as `model`."""
    return _core._like(model, np.asarray(local))


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
    model = next(operand for operand in given if isinstance(operand, DistArray))
    for place in out:
        if place is not None and not isinstance(place, DistArray):
            raise TypeError(f"{name} of a DistArray with out={type(place).__name__}, must be a DistArray: compute with "
                            "x.local, out=array")
    for key, value in options.items():
        utf8(key, value)
    operands = [local_of(name, operand, model) for operand in inputs]
    if "where" in options:
        options["where"] = local_of(name, options["where"], model)
    if out:
        options["out"] = tuple(None if place is None else local_of(name, place, model) for place in out)
    try:
        found = ufunc(*operands, **options)
    finally:  # with numpy.errstate, one process may raise after it has written
        for place in out:
            if place is not None:
                _core._changed(place)
    several = ufunc.nout > 1
    results = [over(local, model) if place is None else place
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
