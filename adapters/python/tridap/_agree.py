"""What all processes must say alike before a collective call goes on."""

import operator

from . import _core


def together(comm, step, *, same=True):
    """What `step` returns, if it raises on no process, and returns the same on all unless `same` is false.

    Else every process raises: those whose step raised, what it raised; the others a ProtocolError that tells of it. The
    step must not communicate. Collective, but for a `comm` of None.
    """
    if comm is not None and not comm:
        raise ValueError("the communicator is MPI.COMM_NULL: it was freed")
    said, shown, error = None, None, None
    try:
        said = step()
        shown = repr(said) if same else None
    except Exception as raised:
        error = raised
    told = [(shown, None)]
    if comm is not None and comm.size > 1:
        told = comm.allgather((shown, error and f"{type(error).__name__}: {error}"))
    if error is not None:
        raise error
    for process, (words, fault) in enumerate(told):
        if fault:
            _core._refuse(f"process {process} raised {fault}", "")
        if words != told[0][0]:
            _core._refuse(f"process 0 asks for {told[0][0]}, but process {process} for {words}",
                          "pass the same on every process")
    return said


def integer(name, value):
    """An argument as an int; TypeError where it is none."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, must be an integer") from None
