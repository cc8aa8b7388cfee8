"""What all processes must say alike before a collective call goes on."""

import operator

from . import _core


def together(comm, step, *, same=True):
    """What `step` returns, if it raises on no process, and returns the same on all unless `same` is false.

    Else every process raises the same ProtocolError, with what was raised there as its cause. The step must not
    communicate. Collective; with a `comm` of None it is the step alone.
    """
    return _core._together(comm, step, same)


def integer(name, value):
    """An argument as an int; TypeError where it is none."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, must be an integer") from None
