"""Arrays on disk: HDF5 files, zarr stores, and the .dnpy files of DistArray."""

from __future__ import annotations

import os
import sys
import time
from contextlib import ExitStack
from operator import index
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np

from . import _core, _dnpy, _xdmf, _zarr, _zarr_load
from ._agree import collective, integer, together, unmasked
from ._make import communicator, distribution, from_function
from ._modules import compiled

if TYPE_CHECKING:
    from mpi4py import MPI


@collective("tridap.save()", "hdf5")
def save(path: str | os.PathLike[str], arrays: Mapping[str, Any], attrs: Mapping[str, Any] | None = None, *,
         step: int | None = None, chunks: Sequence[int] | None = None, compression: str | int | Mapping[str, Any] | None = None,
         shards: Sequence[int] | None = None, zarr_format: int | None = None, comm: MPI.Comm | None = None,
         progress: bool | None = None, xdmf: bool = False, origin: Sequence[float] | None = None,
         spacing: Sequence[float] | None = None, coordinates: Sequence[str] | None = None, centers: str = "points",
         vectors: bool = False, axes: str = "zyx", time: float | None = None) -> _core.Receipt:
    """Saves arrays in a new HDF5 file, each as one dataset of its whole shape, in C order; or in a zarr store. Collective.

    ``tridap.save("run.h5", {"temperature": t}, attrs={"time": 2.5})`` writes a file that h5py, MATLAB, ParaView and
    other programs read. Every process writes the elements that it owns, from the array's own memory. Communication
    padding is not written; boundary padding and the mirrors of periodic axes are. The dataset's attribute ``dim_data``
    describes the distribution, so that `load` can give it back.

    The file gets its name when it is complete. If an error occurs or a process is killed, an earlier file of this name
    remains as it was.

    A path that ends with ".zarr" is that of a zarr store, a folder, with a group of arrays; it needs the module zarr. Each
    process writes whole chunks, so that no chunk has two writers: elements move to other processes where the distribution cuts
    chunks. An earlier store of this name is exchanged for the new one.

    Args:
        path: the name of the file, the same on every process.
        arrays: by name, a `DistArray`, or any object with ``__distarray__``. Groups are written before a slash:
            "fields/temperature".
        attrs: attributes of the file: str, numbers, or NumPy arrays. Those of the first process are written.
        step: the arrays are this step of a time series, from 0: the datasets get an unlimited axis before the others. A
            file that exists is kept, and the step added to it, or replaced. The file is copied first.
        chunks: the extents of the chunks in which datasets are stored, one for each axis of the array. None: in zarr, chunks of
            at most 4 MiB, which depend on the shape and the type alone.
        compression: None; "gzip"; or its level, 1 to 9. The HDF5 file needs its uncompressed size while it is written. For zarr
            also "default", which is zarr's own, "blosc", "zstd" and other names of zarr, or a codec's configuration as zarr
            writes it, such as {"id": "blosc", "clevel": 5}.
        shards: for zarr's format 3: the extents of the files, multiples of the chunks.
        zarr_format: 2 or 3; None: the default of the zarr that is installed. zarr 2 has format 2 alone.
        comm: an mpi4py communicator; None: that of the first array that has one, else MPI.COMM_WORLD, or only this
            process for arrays over one process.
        progress: whether the first process shows on standard error what is done; None: if this is a terminal, and it
            takes long.
        xdmf: also write a small file beside the HDF5 file, "run.xdmf" for "run.h5", which ParaView and VisIt open. It shows the
            arrays of this call; of a time series, all steps.
        origin, spacing: for XDMF: where the first point is, and the distances of points, one number for each axis of the arrays,
            in their order.
        coordinates: for XDMF: the names of the saved arrays with the coordinates x, y and z of the points, or of one with all
            three. Those of a series may have been saved in an earlier step alone.
        centers: for XDMF: "points" or "cells", which the values are of.
        vectors: for XDMF: the last axis has the two or three components of a vector, x first.
        axes: for XDMF: "zyx": the last axis is x, then y, then z. "xyz": the first is x; the coordinates of all points are then
            written as one more array.
        time: of the step; None: its number. The attribute "step_times" has those of all steps.

    Raises:
        ProtocolError: on every process, for example if an array is wrong or the file cannot be written.
    """
    group: Any = communicator(comm, *(arrays.values() if isinstance(arrays, Mapping) else ()))

    def asked():
        options = {"path": _path(path), "names": _names(arrays), "chunks": _chunks(chunks),
                   "step": None if step is None else integer("step", step)}
        if _zarr.is_zarr(options["path"]):
            options.update(_zarr.options_of(options["names"], options["step"], compression, zarr_format, shards))
            options.update(shards=_chunks(shards, "shards"), asked_format=zarr_format is not None, compression=compression)
        else:
            if shards is not None or zarr_format is not None:
                raise ValueError("shards and zarr_format are of zarr stores: leave them out, or give a path that ends with '.zarr'")
            options["compression"] = _level(compression)
            _native()
        options["xdmf"] = _xdmf.asked(options, xdmf, origin, spacing, coordinates, centers, vectors, axes, time)
        options["time"] = None if time is None else float(time)
        return options

    options = together(group, asked)
    parts = [(name, _core._asarray(arrays[name], group)) for name in options["names"]]

    def need_parts():
        for name, part in parts:
            _core._refuse_on_device(part)
            _need_order(name, part, group)
        return _attributes(attrs)

    if "zarr_format" in options:
        return _save_zarr(parts, need_parts, options, group, progress)

    def prepared():
        return _native().prepare([(name, part.local, part.distribution) for name, part in parts], need_parts(), options["step"],
                                 options["chunks"], options["compression"], options["xdmf"], options["time"], group)

    saving = together(group, prepared, same=False)
    with _Alone(), _Progress("saving", options["path"], group, progress) as line:
        return _native().save(os.fsencode(options["path"]), saving, group, line.tell)


def _save_zarr(parts, need_parts, options, comm, progress):
    def prepared():
        attributes = need_parts()
        for name, part in parts:
            _zarr.need_elements(name, part)
        return _zarr.attributes_of(attributes)

    attributes = together(comm, prepared, same=False)
    with _Progress("saving", options["path"], comm, progress) as shown:
        copied, seconds = _zarr.save(options["path"], parts, attributes, options, comm, shown.tell)
    return _core._receipt(copied, seconds)


def xdmf(path: str | os.PathLike[str], names: Sequence[str] | None = None, *, origin: Sequence[float] | None = None,
         spacing: Sequence[float] | None = None, coordinates: Sequence[str] | None = None, centers: str = "points",
         vectors: bool = False, axes: str = "zyx") -> str:
    """Writes an XDMF file beside an HDF5 file that exists, so that ParaView and VisIt open it. Returns its name. Not collective.

    Args:
        path: the name of the HDF5 file, which any program may have written.
        names: of the datasets that it shows; None: all.
        origin, spacing, coordinates, centers, vectors: as in `save`.
        axes: as in `save`, which has written the coordinates of the points if this is "xyz".

    Raises:
        ValueError: if ParaView cannot show one of the datasets, with the remedy.
    """
    asked = _xdmf.checked(origin, spacing, coordinates, centers, vectors, axes)
    place = _path(path)
    chosen = [] if names is None else _xdmf.names("names", names)
    with _Alone():
        return os.fsdecode(_native().write_xdmf(os.fsencode(place), chosen, asked))


@collective("tridap.load()", "hdf5")
def load(path: str | os.PathLike[str], name: str | None = None, to: Any = None, comm: MPI.Comm | None = None, *,
         grid: int | Sequence[int] | None = None, step: int | None = None, slices: Any = None,
         progress: bool | None = None, dtype: Any = None) -> _core.DistArray:
    """Reads an array from an HDF5 file or a zarr store, whichever program wrote it, or from .dnpy files. Collective.

    ``tridap.load("run.h5", "temperature")`` gives back what `save` has written, with its distribution if there are as
    many processes as then. Each process reads its part of the file, padding included. Of a zarr store, each chunk is read by one
    process, and the elements then move.

    Args:
        path: the name of the file, the same on every process. For the .dnpy files of DistArray, the name of one of
            them, or what they have in common: "field" for field_0.dnpy, field_1.dnpy, ... A zarr store may have any name.
        name: of the dataset; None: the only one in the file.
        to: the distribution of the array: a `Distribution`, or what `distribution` takes for the axes, such as "b,*".
            None: as it was saved, if the number of processes is the same; else one of the same kind; blocks if the file
            does not say.
        comm: an mpi4py communicator; None: MPI.COMM_WORLD, or only this process if `to` is a `Distribution` over one.
        grid: processes along each axis, if `to` gives the axes.
        step: of a time series; None: the last one. If another program wrote it, its first axis is that of the steps.
        slices: of a zarr store: which part is loaded, an index or a slice with a positive step for each axis, as ``numpy.s_`` makes
            them. None: all. `to` is then for the part.
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
                 "bfloat16": dtype is not None, "hdf5": _is_built(), "slices": None if slices is None else repr(slices)}
        if group.rank == 0 and not _zarr.is_zarr(asked["path"]):
            files.extend([_ZARR] if _zarr.is_store(asked["path"]) else _dnpy.files_of(asked["path"]))
        return asked

    options = together(group, asked)
    if _zarr.is_zarr(options["path"]):
        return _load_zarr(options, slices, to, grid, group, progress)
    search = None
    if options["hdf5"]:
        with _Alone():
            search = _native().find(os.fsencode(options["path"]), options["name"], group, step is not None, to is None and grid is None,
                                   bool(files))
    if search is None or not search.has_read:
        files = group.bcast(files)
        if files == [_ZARR]:
            return _load_zarr(options, slices, to, grid, group, progress)
        if files:
            together(group, lambda: _refuse_slices(slices))
            if options["bfloat16"]:
                together(group, lambda: _refuse_bfloat16("files of DistArray have none"))
            return _dnpy.load(files, to, grid, group)
        together(group, _native)
    made = []

    def prepared():
        _refuse_slices(slices)
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


def _load_zarr(options, slices, to, grid, comm, progress):
    def find():
        if options["bfloat16"]:
            _refuse_bfloat16("zarr stores have none")
        return _zarr_load.find(options["path"], options["name"], options["step"]) if comm.rank == 0 else None

    found = comm.bcast(together(comm, find, same=False))
    made = []

    def prepared():
        loading = _zarr_load.prepare(found, slices, to, grid, comm)
        made.append(loading)
        dist = loading.dist
        return None if dist is None else {"to": f"{dist.shape} {dist.describe()}", "layout": _core._fingerprint(dist)}

    together(comm, prepared)
    with _Progress("loading", options["path"], comm, progress) as shown:
        return _zarr_load.load(made[0], comm, shown.tell)


def _refuse_slices(slices):
    if slices is not None:
        raise ValueError("slices are for zarr stores: load the array, and take x[...] of it")


@collective("tridap.load_attrs()", "hdf5")
def load_attrs(path: str | os.PathLike[str], name: str = "/", comm: MPI.Comm | None = None) -> dict[str, Any]:
    """The attributes of an HDF5 file or a zarr store, or of an array or group in it: str, and NumPy numbers and arrays. Collective.

    The first process reads them. Attributes that are neither a text nor numbers are left out. The arguments are those
    of `load`.
    """
    group: Any = communicator(comm)

    def read():
        if _zarr.is_zarr(_path(path)) or _zarr.is_store(_path(path)):
            found = _zarr_load.read_attributes(_path(path), _text("name", name)) if group.rank == 0 else {}
        else:
            _native()
            with _Alone():
                found = _native().read_attributes(os.fsencode(_path(path)), _text("name", name)) if group.rank == 0 else {}
        return {key: value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
                for key, value in found.items()}

    return group.bcast(together(group, read, same=False))


_ZARR = ".zarr"  # in the place of the names of files


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


def _chunks(chunks, name="chunks"):
    if chunks is None:
        return None
    try:
        return [index(extent) for extent in chunks]
    except TypeError:
        raise TypeError(f"{name} is {chunks!r}, must be one integer for each axis") from None


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
