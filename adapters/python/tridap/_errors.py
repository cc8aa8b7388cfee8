"""The error of this package."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._core import Report


class ProtocolError(ValueError):
    """Data or arguments break a rule. Collective calls raise it with the same text on every process.

    If a process raised a TypeError or an IndexError, the ProtocolError is a TypeError or an IndexError too, on every process.

    Attributes:
        report: the `Report` with every violation.
    """

    _printed_elsewhere = False  # another process raises the same error, and prints it if it is not caught
    _on_all = None  # Fortran's number of a communicator of the processes that raise it, and what keeps that

    def __init__(self, text: str, report: Report | None = None) -> None:
        super().__init__(text)
        self.report = report

    def __reduce__(self):
        return type(self), (str(self),)


class ProtocolTypeError(ProtocolError, TypeError):
    """A ProtocolError because an argument has a wrong type."""


class ProtocolIndexError(ProtocolError, IndexError):
    """A ProtocolError because an index is out of bounds."""


def _print_once(before):
    """A `sys.excepthook` that prints an error of all processes on one of them; `before` prints the others."""
    def hook(kind, value, traceback):
        from ._options import chosen
        one = isinstance(value, ProtocolError) and value._on_all is not None and chosen("errors") == "one process"
        ends_all = "mpi4py.run" in sys.modules  # it ends all processes when one ends with an error
        if one and value._printed_elsewhere and (not ends_all or _is_printed(value)):
            return
        before(kind, value, traceback)
        if one and not value._printed_elsewhere and ends_all:
            sys.stderr.flush()
            _tell_printed(value)

    return hook


_LONGEST = 10  # seconds until a process prints the error itself, because the one that prints has caught it


def _is_printed(error):
    """Waits until rank 0 has printed the error of all processes; False: it does not."""
    from mpi4py import MPI
    comm, end = MPI.Comm.f2py(error._on_all[0]), time.monotonic() + _LONGEST
    while time.monotonic() < end:
        if comm.Iprobe(source=0, tag=0):
            comm.Recv([bytearray(), MPI.BYTE], source=0, tag=0)
            return True
        time.sleep(0.001)
    return False


def _tell_printed(error):
    from mpi4py import MPI
    comm = MPI.Comm.f2py(error._on_all[0])
    for rank in range(1, comm.size):
        comm.Isend([b"", MPI.BYTE], dest=rank, tag=0).Free()  # a message without bytes needs no receiver


sys.excepthook = _print_once(sys.excepthook)
