"""Agreement of all processes before a collective call continues."""

import operator

from . import _core


def together(comm, step, *, same=True):
    """Calls `step` and returns its result, if it raises on no process, and, with `same`, returns the same on all.

    Otherwise every process raises the same ProtocolError; its cause is the exception of that process. The step must not
    communicate. Collective; if `comm` is None it only calls the step.
    """
    return _core._together(comm, step, same)


def integer(name, value):
    """An argument as an int; TypeError if it is not an integer."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, must be an integer") from None
