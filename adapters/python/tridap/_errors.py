"""The error of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._core import Report


class ProtocolError(ValueError):
    """Data or arguments break a rule. Collective calls raise it with the same text on every process.

    Attributes:
        report: the `Report` with every violation.
    """

    def __init__(self, text: str, report: Report | None = None) -> None:
        super().__init__(text)
        self.report = report

    def __reduce__(self):
        return type(self), (str(self),)
