"""Arrays on disk: HDF5 files, and the .dnpy files of DistArray."""

from __future__ import annotations

import os
import sys
import time
from contextlib import ExitStack
from operator import index
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np

from . import _core, _dnpy
from ._agree import collective, integer, together, unmasked
from ._make import communicator, distribution
from ._modules import compiled

if TYPE_CHECKING:
    from mpi4py import MPI


@collective("tridap.save()", "hdf5")
def save(path: str | os.PathLike[str], arrays: Mapping[str, Any], attrs: Mapping[str, Any] | None = None, *,
         step: int | None = None, chunks: Sequence[int] | None = None, compression: str | int | None = None,
         comm: MPI.Comm | None = None, progress: bool | None = None) -> _core.Receipt:
    """Saves arrays in a new HDF5 file, each as one dataset of its whole shape, in C order. Collective.

    ``tridap.save("run.h5", {"temperature": t}, attrs={"time": 2.5})`` writes a file that h5py, MATLAB, ParaView and
    other programs read. Every process writes the elements that it owns, from the array's own memory. Communication
    padding is not written; boundary padding and the mirrors of periodic axes are. The dataset's attribute ``dim_data``
    describes the distribution, so that `load` can give it back.

    The file gets its name when it is complete. If an error occurs or a process is killed, an earlier file of this name
    remains as it was.

    Args:
        path: the name of the file, the same on every process.
        arrays: by name, a `DistArray`, or any object with ``__distarray__``. Groups are written before a slash:
            "fields/temperature".
        attrs: attributes of the file: str, numbers, or NumPy arrays. Those of the first process are written.
        step: the arrays are this step of a time series, from 0: the datasets get an unlimited axis before the others. A
            file that exists is kept, and the step added to it, or replaced. The file is copied first.
        chunks: the extents of the chunks in which datasets are stored, one for each axis of the array.
        compression: None; "gzip"; or its level, 1 to 9. The file needs its uncompressed size while it is written.
        comm: an mpi4py communicator; None: that of the first array that has one, else MPI.COMM_WORLD, or only this
            process for arrays over one process.
        progress: whether the first process shows on standard error what is done; None: if this is a terminal, and it
            takes long.

    Raises:
        ProtocolError: on every process, for example if an array is wrong or the file cannot be written.
    """
    group: Any = communicator(comm, *(arrays.values() if isinstance(arrays, Mapping) else ()))

    def asked():
        options = {"path": _path(path), "names": _names(arrays), "chunks": _chunks(chunks),
                   "step": None if step is None else integer("step", step), "compression": _level(compression)}
        _native()
        return options

    options = together(group, asked)
    parts = [(name, _core._asarray(arrays[name], group)) for name in options["names"]]

    def prepared():
        for name, part in parts:
            _core._refuse_on_device(part)
            _need_order(name, part, group)
        return _native().prepare([(name, part.local, part.distribution) for name, part in parts], _attributes(attrs),
                                 options["step"], options["chunks"], options["compression"], group)

    saving = together(group, prepared, same=False)
    with _Alone(), _Progress("saving", options["path"], group, progress) as shown:
        return _native().save(os.fsencode(options["path"]), saving, group, shown.tell)


@collective("tridap.load()", "hdf5")
def load(path: str | os.PathLike[str], name: str | None = None, to: Any = None, comm: MPI.Comm | None = None, *,
         grid: int | Sequence[int] | None = None, step: int | None = None,
         progress: bool | None = None, dtype: Any = None) -> _core.DistArray:
    """Reads an array from an HDF5 file, whichever program wrote it, or from .dnpy files. Collective.

    ``tridap.load("run.h5", "temperature")`` gives back what `save` has written, with its distribution if there are as
    many processes as then. Each process reads its part of the file, padding included.

    Args:
        path: the name of the file, the same on every process. For the .dnpy files of DistArray, the name of one of
            them, or what they have in common: "field" for field_0.dnpy, field_1.dnpy, ...
        name: of the dataset; None: the only one in the file.
        to: the distribution of the array: a `Distribution`, or what `distribution` takes for the axes, such as "b,*".
            None: as it was saved, if the number of processes is the same; else one of the same kind; blocks if the file
            does not say.
        comm: an mpi4py communicator; None: MPI.COMM_WORLD, or only this process if `to` is a `Distribution` over one.
        grid: processes along each axis, if `to` gives the axes.
        step: of a time series; None: the last one. If another program wrote it, its first axis is that of the steps.
        progress: as in `save`.
        dtype: "bfloat16": numbers that are stored as bfloat16 are not converted; they have the dtype of ml_dtypes if the
            program has imported it, else "V2". None: they become float32.

    Raises:
        ProtocolError: on every process, for example if the file has no such array, or one of another shape.
    """
    group: Any = communicator(comm, to)
    files = []

    def asked():
        if name is not None and not isinstance(name, str):
            raise TypeError(f"name is {name!r}, must be a str")
        _text("name", name or "")
        if dtype is not None and str(dtype) != "bfloat16":
            raise ValueError(f"dtype is {dtype!r}, must be 'bfloat16' or None: convert the array after it is loaded")
        asked = {"path": _path(path), "name": name or "", "step": None if step is None else integer("step", step),
                 "bfloat16": dtype is not None, "hdf5": _is_built()}
        files.extend(_dnpy.files_of(asked["path"]) if group.rank == 0 else ())
        return asked

    options = together(group, asked)
    search = None
    if options["hdf5"]:
        with _Alone():
            search = _native().find(os.fsencode(options["path"]), options["name"], group, step is not None, to is None and grid is None,
                                   bool(files))
    if search is None or not search.has_read:
        if files := group.bcast(files):
            if options["bfloat16"]:
                together(group, lambda: _refuse_bfloat16("files of DistArray have none"))
            return _dnpy.load(files, to, grid, group)
        together(group, _native)
    made = []

    def prepared():
        with _Alone():
            stored = search.understood()
            if isinstance(to, _core.Distribution):
                dist = to
            elif to is not None or grid is not None:
                dist = distribution(stored.shape, to, grid, group.size)
            else:
                dist = _native().default_distribution(stored, group.size)
            if options["bfloat16"] and not stored.is_bfloat16:
                _refuse_bfloat16(f"{stored.name!r} has {stored.dtype}")
            local = _empty(dist, _native().bfloat16_dtype() if options["bfloat16"] else stored.dtype, group)
            made.extend((local, dist, _native().prepare_load(local, stored, dist, group, options["step"])))
        return {"to": f"{dist.shape} {dist.describe()}", "layout": _core._fingerprint(dist)}

    together(group, prepared)
    local, dist, loading = made
    with _Alone(), _Progress("loading", options["path"], group, progress) as shown:
        _native().load(loading, search, group, shown.tell)
    return _core._over(local, dist, group.rank, group)


@collective("tridap.load_attrs()", "hdf5")
def load_attrs(path: str | os.PathLike[str], name: str = "/", comm: MPI.Comm | None = None) -> dict[str, Any]:
    """The attributes of an HDF5 file, or of a dataset or group in it: str, and NumPy numbers and arrays. Collective.

    The first process reads them. Attributes that are neither a text nor numbers are left out. The arguments are those
    of `load`.
    """
    group: Any = communicator(comm)

    def read():
        _native()
        with _Alone():
            found = _native().read_attributes(os.fsencode(_path(path)), _text("name", name)) if group.rank == 0 else {}
        return {key: value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
                for key, value in found.items()}

    return group.bcast(together(group, read, same=False))


def _is_built():
    try:
        _native()
    except ImportError:
        return False
    return True


def _native():
    return compiled("_hdf5", "HDF5", "libhdf5-openmpi-dev")


def _path(path):
    return os.fsdecode(os.fspath(path))


def _text(what, given):
    """A str that HDF5 can store, which is in UTF-8."""
    try:
        given.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{what} is {given!r}, must be text that UTF-8 can encode: HDF5 stores names and texts as UTF-8") from None
    return given


def _names(arrays):
    if not isinstance(arrays, Mapping):
        raise TypeError(f"arrays is a {type(arrays).__name__}, must be a dict of arrays by name")
    for name in arrays:
        if not isinstance(name, str):
            raise TypeError(f"the name {name!r} of an array must be a str")
        _text("the name of an array", name)
    return list(arrays)


def _chunks(chunks):
    if chunks is None:
        return None
    try:
        return [index(extent) for extent in chunks]
    except TypeError:
        raise TypeError(f"chunks is {chunks!r}, must be one integer for each axis") from None


def _level(compression):
    if compression is None:
        return 0
    if compression == "gzip":
        return 4
    if isinstance(compression, str):
        raise ValueError(f"compression is {compression!r}, must be None, 'gzip', or a level from 1 to 9")
    return integer("compression", compression)


def _attributes(attrs):
    if attrs is None:
        return []
    if not isinstance(attrs, Mapping):
        raise TypeError(f"attrs is a {type(attrs).__name__}, must be a dict")
    found = []
    for name, value in attrs.items():
        if not isinstance(name, str):
            raise TypeError(f"the name {name!r} of an attribute must be a str")
        _text("the name of an attribute", name)
        if isinstance(value, str):
            _text(f"the attribute {name!r}", value)
        value = value if isinstance(value, str) else np.asarray(unmasked(f"the attribute {name!r}", value))
        if not isinstance(value, str) and value.dtype.kind not in "biufc":
            raise TypeError(f"the attribute {name!r} is {value.dtype}, must be a str, a number or an array of numbers")
        found.append((name, value))
    return found


def _need_order(name, part, comm):
    if part.process != comm.rank:
        raise ValueError(f"the communicator of {name!r} has its processes in another order: pass its comm")


def _refuse_bfloat16(what):
    raise ValueError(f"dtype is 'bfloat16', and {what}: load it without dtype")


def _empty(dist, dtype, comm):
    _core._need_processes(dist, comm.size)
    return np.empty(dist.local_shape(comm.rank), dtype)


class _Alone:
    """While one exists, this thread alone calls HDF5. h5py, which may use the same library, has a lock of its own.

    The first lock is that of the record with which a collective call begins. So the second one is never held by a process that
    waits for the first.
    """

    def __enter__(self):
        self._held = ExitStack()
        self._held.enter_context(_core._Inside("hdf5"))
        for module in "h5py._objects", "h5py._debian_h5py_mpi._objects", "h5py._debian_h5py_serial._objects":
            lock = getattr(sys.modules.get(module), "phil", None)
            if lock is not None:
                self._held.enter_context(lock)
        return self

    def __exit__(self, *_):
        self._held.close()


class _Progress:
    """A line on a terminal that says how much is done, if it takes more than a second."""

    def __init__(self, doing, path, comm, wanted):
        shows = comm.rank == 0 and (sys.stderr.isatty() if wanted is None else bool(wanted))
        self._text, self._begin, self._wait = f"{doing} {os.path.basename(path)}", time.monotonic(), 0 if wanted else 1
        self._shown = 0
        self.tell = self._tell if shows else None

    def _tell(self, done):
        if time.monotonic() - self._begin >= self._wait:
            line = f"{self._text}: {100 * done:3.0f} %"
            sys.stderr.write("\r" + line)
            sys.stderr.flush()
            self._shown = len(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._shown:
            sys.stderr.write("\r" + " " * self._shown + "\r" if sys.stderr.isatty() else "\n")
            sys.stderr.flush()
