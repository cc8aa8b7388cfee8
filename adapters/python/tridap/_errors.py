"""What every refusal of this package is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._core import Report


class ProtocolError(ValueError):
    """Data, or a request, that breaks a rule; the text is the one that C++ has, on every process alike.

    Attributes:
        report: the `Report` with every violation behind it.
    """

    def __init__(self, text: str, report: Report | None = None) -> None:
        super().__init__(text)
        self.report = report

    def __reduce__(self):
        return type(self), (str(self),)
