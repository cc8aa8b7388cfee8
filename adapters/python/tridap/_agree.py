"""Agreement of all processes before a collective call continues."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable, TypeVar

import numpy as np

from . import _core

_Function = TypeVar("_Function", bound=Callable[..., Any])
if TYPE_CHECKING:
    _TypeOfCompiled = type
else:
    _TypeOfCompiled = type(_core.DistArray)  # pybind11's, of all its classes


class Elsewhere:
    """The base of what stands for an array on a process that is not one of the array's: `tridap.ArrayElsewhere`."""

    _holds_nothing = True


def _is_elsewhere(args, kwargs):
    """Whether a call is one of arrays on other processes alone, and names no communicator of which this process is one."""
    # A call with a matrix, an operator or a preconditioner is none: all of its processes refuse such a call together.
    given = [*args, *kwargs.values()]
    inside = [inner for one in given if type(one) is dict for inner in one.values()]  # of `save`
    return (any(isinstance(one, Elsewhere) for one in given + inside) and kwargs.get("comm") is None
            and not any(hasattr(one, "Get_size") for one in args)
            and not any(isinstance(type(one), MadeTogether) for one in given))


def collective(name: str, *libraries: str, elsewhere: bool = False) -> Callable[[_Function], _Function]:
    """A decorator of a collective function: its first record says that `name` is called, and takes the locks of `libraries`.

    A process that makes another call then gets the Error that names both. Libraries: "trilinos", "blacs", "hdf5", "petsc",
    "globalarrays": all that the function may call, because a call inside of it must not wait for another one. A call with an
    `Elsewhere` and without comm= is one of other processes: it returns None at once, unless the function takes part, `elsewhere`.
    """
    number = _core._function(name, libraries)

    def decorate(function: _Function) -> _Function:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if not elsewhere and _is_elsewhere(args, kwargs):
                if function.__name__ == "__init__":
                    raise TypeError(f"{name} of an array that is on other processes: pass comm=comm, with its processes and this one")
                return None
            if not _core._begin(number):  # inside of another one
                return function(*args, **kwargs)
            try:
                return function(*args, **kwargs)
            finally:
                _core._end()

        return call  # type: ignore[return-value]

    return decorate


class MadeElsewhere(Elsewhere):
    """What stands for a matrix, an operator or a preconditioner on a process that is not one of its array's. It holds nothing.

    Its calls do nothing. They return None, or an `ArrayElsewhere` where a matrix returns an array. `comm` is None.
    """

    def __init__(self, kind: type, of: Any) -> None:
        self._kind = kind
        self._of: Any = of._of if isinstance(of, MadeElsewhere) else of

    @property
    def distribution(self) -> _core.Distribution:
        """The `Distribution` of the array's elements, which are the rows."""
        return self._of.distribution

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns of the whole matrix."""
        return self._of.size, self._of.size

    @property
    def T(self) -> MadeElsewhere:
        """What stands for the transpose."""
        return self

    def diagonal(self) -> Any:
        """What stands for the diagonal."""
        return self._of._like(self._of.distribution, np.dtype(float))

    def __matmul__(self, x: Any) -> Any:
        return x._like(x.distribution, x.dtype) if hasattr(x, "_like") else None

    dot = __matmul__

    def __copy__(self) -> MadeElsewhere:
        return self

    def __deepcopy__(self, memo: Any) -> MadeElsewhere:
        return self

    def __repr__(self) -> str:
        return f"<tridap.{self._kind.__name__} on other processes>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(self._kind, name):
            raise AttributeError(f"'MadeElsewhere' object has no attribute {name!r}")
        return (lambda *args, **options: None) if callable(getattr(self._kind, name)) else None


class MadeTogether(_TypeOfCompiled):
    """The metaclass of `Matrix` and the like. On a process that is not one of the array's, making one gives a `MadeElsewhere`."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if not _is_elsewhere(args, kwargs):
            return super().__call__(*args, **kwargs)
        return MadeElsewhere(cls, next(one for one in [*args, *kwargs.values()] if isinstance(one, Elsewhere)))


def together(comm, step, *, same=True):
    """Calls `step` and returns its result, if it raises on no process, and, with `same`, returns the same on all.

    Otherwise every process raises the same ProtocolError; its cause is the exception of that process. The step must not
    communicate. Collective; if `comm` is None it only calls the step. In a `collective` function, the first one is the record
    with which the call begins.
    """
    return _core._together(comm, step, same)


def integer(name, value):
    """An argument as an int; TypeError if it is not an integer."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, must be an integer") from None


def order_of(axes, ndim):
    """`axes` as numpy.transpose takes them, as a list from 0 on; ValueError unless each axis is there once."""
    given = [integer("an entry of axes", axis) for axis in axes]
    found = [axis + ndim if axis < 0 else axis for axis in given]
    if sorted(found) != list(range(ndim)):
        raise ValueError(f"axes is {tuple(given)}, must have each of the {ndim} axes once")
    return found


def utf8(name, given):
    """An argument; ValueError if it is a str that UTF-8 cannot encode, which NumPy and C++ would refuse without its name."""
    if isinstance(given, str):
        try:
            given.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{name} is {given!r}, must be text that UTF-8 can encode") from None
    return given


def unmasked(name, values):
    """`values`; TypeError if they have a mask, which numpy.asarray leaves out."""
    interface = None if isinstance(values, np.ndarray) else getattr(values, "__array_interface__", None)
    if isinstance(values, np.ma.MaskedArray) or (isinstance(interface, Mapping) and interface.get("mask") is not None):
        raise TypeError(f"{name} has a mask, which TriDAP would lose: fill it, as numpy.ma.filled(values, 0) does, or pass "
                        "the values without the mask")
    return values


def one_of(name, given, *choices):
    """An argument that is one of several texts; ValueError if it is none."""
    if given not in choices:
        *first, last = map(repr, choices)
        raise ValueError(f"{name} is {given!r}, must be {', '.join(first)} or {last}")
    return str(given)
