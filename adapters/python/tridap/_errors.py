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
        if isinstance(value, ProtocolError) and value._printed_elsewhere and chosen("errors") == "one process":
            if "mpi4py.run" in sys.modules:  # which ends all processes when this one ends: the other one prints first
                time.sleep(1)
            return
        before(kind, value, traceback)

    return hook


sys.excepthook = _print_once(sys.excepthook)
