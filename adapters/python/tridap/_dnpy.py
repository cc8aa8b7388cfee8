"""The .dnpy files of DistArray, the protocol's first implementation: one for each process.

The format (distarray/localapi/format.py, version 1.0): the magic bytes, two bytes of a version, two bytes of the
header's length, the header with ``__version__`` and ``dim_data`` as a Python literal, and what ``numpy.save`` has
written.
"""

from __future__ import annotations

import ast
import os
import struct
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._agree import together
from ._make import distribution
from ._move import redistribute

MAGIC = b"\x93DARRY"


class _Header(NamedTuple):
    version: Any
    dim_data: Any
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def _is_one(path):
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def files_of(path):
    """The .dnpy files of all processes that a path means, by rank; none if it is no .dnpy file. Local."""
    if os.path.exists(path):
        if not _is_one(path):
            return []
        stem, number = os.path.splitext(path)[0].rpartition("_")[::2]
        if not number.isdigit():
            return [path]
    else:
        stem = path
    files = []
    while _is_one(f"{stem}_{len(files)}.dnpy"):
        files.append(f"{stem}_{len(files)}.dnpy")
    return files or ([path] if os.path.exists(path) else [])


def _read(path, elements):
    """A file's header, and with `elements` the array."""
    with open(path, "rb") as file:
        begin = file.read(len(MAGIC) + 4)
        if len(begin) != len(MAGIC) + 4 or begin[:len(MAGIC)] != MAGIC:
            raise ValueError(f"{path}: is not a .dnpy file")
        if tuple(begin[len(MAGIC):len(MAGIC) + 2]) != (1, 0):
            raise ValueError(f"{path}: is of version {begin[-4]}.{begin[-3]} of the format, must be 1.0")
        length, = struct.unpack("<H", begin[-2:])
        text = file.read(length)
        try:
            said = ast.literal_eval(text.decode("ascii").strip())
            version, dim_data = said["__version__"], said["dim_data"]
        except (ValueError, SyntaxError, KeyError, TypeError, RecursionError, MemoryError) as error:
            raise ValueError(f"{path}: the header is no dictionary with __version__ and dim_data: {error}") from None
        if elements:
            values = np.lib.format.read_array(file, allow_pickle=False)
            return _Header(version, dim_data, values.shape, values.dtype), values
        number = np.lib.format.read_magic(file)
        if number not in ((1, 0), (2, 0)):
            raise ValueError(f"{path}: holds a .npy file of version {number[0]}.{number[1]}, must be 1.0 or 2.0")
        read = np.lib.format.read_array_header_1_0 if number == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(file)
        if dtype.hasobject:
            raise ValueError(f"{path}: the elements are, or hold, Python objects ({dtype}), must be numbers, texts or dates")
        return _Header(version, dim_data, shape, dtype), None


def load(files, to, grid, comm):
    """The array in the files of all processes. Collective; every process gives the same."""
    headers = together(comm, lambda: [_read(path, False)[0] for path in files] if comm.rank == 0 else None, same=False)
    headers = comm.bcast(headers)

    def described():
        if len({header.dtype for header in headers}) != 1:
            raise ValueError(f"{files[0]} and the others have different element types")
        return _core._gathered([(header.version, header.dim_data, header.shape) for header in headers])

    source = together(comm, described, same=False)
    if len(files) == comm.size:
        local = together(comm, lambda: _read(files[comm.rank], True)[1], same=False)
        array = _core._over(local, source, comm.rank, comm)
        if to is None and grid is None:
            return array
        return redistribute(array, together(comm, lambda: _target(source, to, grid, comm), same=False))

    def read():
        dist = _target(source, to, grid, comm)
        local = np.zeros(dist.local_shape(comm.rank), headers[0].dtype)
        for process, path in enumerate(files):
            _fill(local, dist, comm.rank, source, process, path)
        return local, dist

    local, dist = together(comm, read, same=False)
    return _core._over(local, dist, comm.rank, comm)


def _target(source, to, grid, comm):
    dist = to if isinstance(to, _core.Distribution) else distribution(source.shape, to, grid, comm.size)
    _core._need_processes(dist, comm.size)
    if dist.shape != source.shape:
        raise ValueError(f"the distribution has shape {dist.shape}, and the files {source.shape}")
    return dist


def _fill(local, dist, rank, source, process, path):
    """Copies the elements that one file has of this process's part."""
    here, there = [], []
    starts = [part.start for part in source.part(process, "owned")]
    for mine, theirs, start in zip(dist.indices(rank, "local"), source.indices(process, "owned"), starts):
        _, of_mine, of_theirs = np.intersect1d(mine, theirs, return_indices=True)
        here.append(of_mine)
        there.append(of_theirs + start)
    if all(len(indices) > 0 for indices in here):
        local[np.ix_(*here)] = _read(path, True)[1][np.ix_(*there)]
