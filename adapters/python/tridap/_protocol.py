"""Checking and exporting objects with ``__distarray__``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._agree import collective, together

if TYPE_CHECKING:
    from mpi4py import MPI


def check(obj: Any, comm: MPI.Comm | None = None, *, raise_on_error: bool = False,
          trust_extent: bool = False) -> _core.Report:
    """Reports every error of an object with ``__distarray__``, or of its dictionary.

    Without `comm`, this process's data is checked against every rule that needs no other process, and nothing
    communicates. With `comm` the call is collective, and every process gets the same report about all processes.

    Args:
        obj: any object.
        comm: an mpi4py communicator, or None.
        raise_on_error: raise `ProtocolError` if there is an error (warnings do not raise). This and the next argument
            must be the same on every process.
        trust_extent: if all buffers have the extents of the other version of the protocol, read them as that version.

    Returns:
        A `Report`; it prints its findings, one in a line.
    """
    return _core._check(obj, comm, raise_on_error, trust_extent)


@collective("tridap.export()")
def export(obj: Any, version: str = "0.10.0", comm: MPI.Comm | None = None) -> dict[str, Any]:
    """The dictionary that ``__distarray__`` gives for an object, in a version of the protocol, over the same memory.

    Args:
        obj: a `DistArray`, or any object with ``__distarray__``.
        version: "0.10" or "0.9", with or without a patch number; the same on every process of `comm`.
        comm: as in `asarray`: the padding of a periodic axis depends on all processes.

    Raises:
        ProtocolError: if the object is wrong, or the version cannot describe it.
    """
    def named():
        if not isinstance(version, str):
            raise TypeError(f"version is {version!r}, must be a str such as '0.10.0'")
        return _core._version(version)

    version = together(comm, named)
    array = _core._asarray(obj, comm)
    return together(comm, lambda: array._describe(version), same=False)
