"""Writing captures, the files that the command ``tridap`` reads."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from mpi4py import MPI


def write_capture(x: Any, path: str | os.PathLike[str], comm: MPI.Comm | None = None) -> None:
    """Writes a capture: a JSON file with every process's description of an array, without the elements. Collective.

    The command ``tridap`` reads it: ``tridap check x.json``, ``tridap show x.json``, ``tridap diff x.json y.json``.
    The array need not be valid. The capture holds what each process states, so that ``tridap check`` finds in the file
    what `check` finds in the program. What JSON cannot hold becomes text, for example a buffer that cannot be read. A
    list in place of a buffer of `indices` is written like the buffer.

    Args:
        x: a `DistArray`, any object with ``__distarray__``, or the dictionary that it returns.
        path: the file, the same on every process. Process 0 writes it. It gets its name when it is complete: if an
            error occurs, a file that had this name before remains unchanged.
        comm: an mpi4py communicator, rank r being process r; None: that of a `DistArray`. An object that is not
            distributed needs none: then nothing communicates, and the capture has one process.

    Raises:
        ProtocolError: on every process, if the file cannot be written, or if `x` has no dictionary on some process.
    """
    if comm is None and isinstance(x, _core.DistArray):
        comm = x.comm
    _core._write_capture(x, path, comm)


def bytes_of(path):
    """A path as the bytes that the system takes."""
    try:
        return os.fsencode(path)
    except TypeError:
        raise TypeError(f"path is {path!r}, must be a str or an os.PathLike") from None
