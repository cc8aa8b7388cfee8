"""Arrays are saved in zarr stores: what `tridap.save` does for them."""

from __future__ import annotations

import functools
import json
import os
import time
from typing import Any, NamedTuple, Sequence

import numpy as np

from . import _core
from . import _zarr_checked as checked
from . import _zarr_chunks as chunking
from . import _zarr_positions as positions
from . import _zarr_versions as versions
from ._agree import together
from ._make import block, distribution
from ._zarr_folder import NewFolder, documents_of, link_all, remove_steps, write_documents
from ._zarr_steps import with_step



class _Task(NamedTuple):
    """An array that is written: itself, and how the store has it."""

    name: str
    array: _core.DistArray
    stored: checked.Stored
    step: int | None


def is_zarr(path: str) -> bool:
    """Whether the name is one of a zarr store. The same on every process."""
    return path.rstrip("/").endswith(".zarr")


def is_store(path: str) -> bool:
    """Whether there is a zarr store of this name. Local."""
    return os.path.isdir(path) and checked.format_at(path) is not None


def options_of(names: Sequence[str], step: int | None, compression: Any, zarr_format: Any, shards: Any) -> dict[str, Any]:
    """What `save` was asked, so that all processes can compare it. Raises what is wrong with it. Local."""
    made = versions.format_of(zarr_format)
    if shards is not None and made != 3:
        raise ValueError("shards are of zarr's format 3, and this store has format 2: leave them out, or pass zarr_format=3")
    if step is not None and step < 0:
        raise ValueError(f"step is {step}, must be at least 0")
    compressor = versions.compressor_of(compression, made)
    if isinstance(compressor, dict):
        allowed = checked.COMPRESSORS if made == 2 else checked.CODECS
        if compressor["id" if made == 2 else "name"] not in allowed:
            raise ValueError(f"compression is {compression!r}, must be one of {', '.join(allowed)}, which tridap.load reads")
    if not names:
        raise ValueError("there is no array to save: give at least one")
    for name in names:
        _need_name(name, names)
    return {"zarr_format": made, "compressor": compressor}


def _need_name(name, names):
    parts = name.split("/")
    if any(part in ("", ".", "..", "zarr.json") or part.startswith(".z") or "\0" in part or "\\" in part for part in parts):
        raise ValueError(f"the name of an array is {name!r}, must be names of groups and of the array, with a slash between them")
    if parts[0] == checked.LISTS:
        raise ValueError(f"the name of an array is {name!r}, must not begin with {checked.LISTS}, the group of lists: give another name")
    for end in range(1, len(parts)):
        if "/".join(parts[:end]) in names:
            raise ValueError(f"the name of an array is {name!r}, which needs a group {'/'.join(parts[:end])!r}, and an array has this "
                             "name: give one of the two another name")


def attributes_of(attrs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """The attributes of a store as JSON. Raises TypeError for what JSON cannot hold."""
    made = {}
    for name, value in attrs:
        if isinstance(value, np.ndarray):
            if value.dtype.kind == "c":
                raise TypeError(f"the attribute {name!r} is {value.dtype}, which zarr's attributes cannot hold: save its real and its "
                                "imaginary part as two attributes")
            value = value.tolist()
        made[name] = value
    return made


class _Saving:
    """One call of `save`. The first process alone has the metadata and the folder."""

    def __init__(self, path, parts, attrs, options, comm, tell):
        self.path, self.parts, self.attrs, self.options, self.comm, self.tell = path, parts, attrs, options, comm, tell
        self.folder = None
        self.nodes = {}
        self.root = ""

    def run(self):
        begin = time.monotonic()
        try:
            every = [*self.parts, *self._lists()]
            written = self.comm.bcast(together(self.comm, lambda: self._begun(every) if self.comm.rank == 0 else None, same=False))
            self.root, stored = written
            total = sum(part.array.nbytes for part in every) or 1
            done = 0
            for part, one in zip(every, stored):
                done += part.array.nbytes
                self._write(_Task(part.name, part.array, one, part.step), done / total)
            together(self.comm, lambda: self._completed() if self.comm.rank == 0 else None, same=False)
        except BaseException:
            if self.folder is not None:
                self.folder.discard()
            raise
        copied = sum(part.array.owned.nbytes for part in self.parts)
        return copied, time.monotonic() - begin

    def _lists(self):
        """The arrays with the lists of unstructured axes, one for each axis."""
        found = []
        for part in self.parts:
            dist, place = part.array.distribution, part.lists
            text, bounds, _, _ = _core._layout_of(dist, place)
            for axis, said in enumerate(json.loads(text)):
                if said["dist_type"] == "u":
                    found.append(_part_of_lists(dist, axis, bounds[axis], f"{place}/{axis}", self.comm))
        return found

    def _begun(self, every):
        """Makes the metadata, and the folder; returns where the chunks are written, and how each array is stored."""
        options = self.options
        folder = NewFolder(self.path)
        self.folder = folder
        root, step = folder.beside, options["step"]
        zarr_format = options["zarr_format"]
        if step is not None and folder.replaces and checked.format_at(folder.target) is not None:
            self.nodes = checked.nodes_of(folder.target, checked.Inside(folder.target))
            zarr_format = _need_group(self.nodes, self.path, options)
            if any(_has_step(self.nodes.get(part.name), part.step) for part in every):
                link_all(folder.target, root)  # chunks that readers may read are not written in place
            else:
                root = folder.target
        else:
            self.nodes = {"": _group(zarr_format, {})}
        self.format = zarr_format
        self.nodes[""] = self.nodes[""]._replace(attrs={**self.nodes[""].attrs, **self.attrs})
        return root, [self._new_node(part, root) for part in every]

    def _new_node(self, part, root):
        before, zarr_format = self.nodes.get(part.name), self.format
        x, options = part.array, self.options
        dtype, shape = x.dtype, x.shape
        if part.step is not None and before is not None:
            said, attrs = _longer(before, part, shape, dtype)
            remove_steps(root, part.name, before.said["shape"][0], part.step)
        else:
            for end in range(1, part.name.count("/") + 1):
                group = "/".join(part.name.split("/")[:end])
                if not self.nodes.setdefault(group, _group(zarr_format, {})).is_array:
                    continue
                raise ValueError(f"the name of an array is {part.name!r}, and {group!r} is an array of the store: give another name")
            if before is not None and (part.step is None or not before.is_array) and not part.name.startswith(checked.LISTS):
                raise ValueError(f"{part.name!r} is a group of the store: give the array another name")
            chunks = self._chunks(part, shape, dtype)
            shards = options["shards"] if not part.name.startswith(checked.LISTS) else None
            if shards is not None:
                shards = _extents("shards", shards, shape, chunks)
            names = _dimension_names(self.nodes, part.name, shape)
            if part.step is not None:
                shape, chunks, names = (part.step + 1, *shape), (1, *chunks), ["step", *names]
                shards = None if shards is None else (1, *shards)
            said = versions.document(zarr_format, shape, dtype, chunks, shards, options["compressor"], names)
            attrs = {"_ARRAY_DIMENSIONS": names} if zarr_format == 2 else {}
            said.pop("attributes", None)
            if part.step:
                attrs["saved_steps"] = [[part.step, part.step + 1]]
        attrs = {**attrs, **_said_of(x.distribution, part.lists)} if part.lists else attrs
        self.nodes[part.name] = checked.Node(True, said, attrs)
        return checked.stored_array(part.name, self.nodes[part.name])

    def _chunks(self, part, shape, dtype):
        given = self.options["chunks"]
        if given is None or part.name.startswith(checked.LISTS):
            return chunking.default_chunks(shape, dtype.itemsize)
        return _extents("chunks", given, shape)

    def _write(self, task, done):
        """Each process writes the chunks that it owns, and tells how much is `done` then. Collective."""
        units = task.stored.units[-task.array.ndim:] if task.array.ndim else ()

        def owned():
            dist = task.array.distribution
            said = _core._layout_of(dist, "")
            if chunking.owns_chunks(dist, said, units):
                return None
            return chunking.whole_chunks(dist.shape, units, self.comm.size, said[3], dist.grid)

        blocks = together(self.comm, owned, same=False)
        x = task.array if blocks is None else positions.to_blocks(task.array, blocks, self.comm)

        def write_own():
            if x.owned.size > 0:
                self._write_own(task, x, units)
            if self.tell is not None:
                self.tell(done)

        together(self.comm, write_own, same=False)

    def _write_own(self, task, x, units):
        box = chunking.box_of(x.distribution, self.comm.rank)
        values = x.owned
        inside = checked.Inside(self.root)
        array = versions.opened(self.root, task.name, task.stored.said, inside,
                                functools.partial(checked.need_stated, task.stored, places={}), writes=True)
        first = () if task.step is None else (slice(task.step, task.step + 1),)
        for there, here in chunking.pieces(box, units, values.dtype.itemsize):
            part = values[here]
            versions.write(array, (*first, *there), part[np.newaxis] if first else part)

    def _completed(self):
        documents = documents_of(self.nodes, self.format)
        write_documents(self.root, documents)
        if self.root == self.folder.target:
            self.folder.discard()
        else:
            self.folder.complete()


class Part(NamedTuple):
    """An array that is saved."""

    name: str
    array: _core.DistArray
    lists: str  #: where the lists of its axes are; "" for those lists themselves
    step: int | None


def save(path: str, arrays: Sequence[tuple[str, _core.DistArray]], attrs: dict[str, Any], options: dict[str, Any], comm: Any,
         tell: Any) -> tuple[int, float]:
    """Writes arrays to a store; returns the bytes and the seconds. Collective, inside of `tridap.save`."""
    step = options["step"]
    parts = [Part(name, x, _place_of_lists(name, x, step), step) for name, x in arrays]
    return _Saving(path, parts, attrs, options, comm, tell).run()


def need_elements(name: str, x: _core.DistArray) -> None:
    """Raises TypeError if zarr has no such elements."""
    checked.refuse_objects(x.dtype, repr(name))
    if x.dtype.kind == "V" and x.dtype.names is None and str(x.dtype) == "bfloat16":
        raise TypeError(f"{name!r} has bfloat16 elements, which zarr has not: save {name}.astype('float32')")


def _place_of_lists(name, x, step):
    # those of steps have names of their own, since the lists of a step that readers may read are not written in place
    place = f"/{checked.LISTS}/{name}"
    return place if step is None else f"{place}/{_core._fingerprint(x.distribution) & 0xffffffffffffffff:016x}"


def _part_of_lists(dist, axis, bounds, place, comm):
    """The lists of an axis one after the other: the first process of each coordinate has its list."""
    here = dist.coordinates(comm.rank)
    is_first = all(c == 0 for number, c in enumerate(here) if number != axis)

    def made():
        starts = []
        for rank in range(comm.size):
            place_of = dist.coordinates(rank)
            first = all(c == 0 for number, c in enumerate(place_of) if number != axis)
            starts.append(bounds[place_of[axis]] if first else None)
        end = bounds[-1]
        for rank in range(comm.size - 1, -1, -1):
            starts[rank] = end if starts[rank] is None else starts[rank]
            end = starts[rank]
        starts[0] = 0
        mine = np.asarray(dist.dim_data(comm.rank)[axis]["indices"], np.int64) if is_first else np.empty(0, np.int64)
        return np.ascontiguousarray(mine), distribution((bounds[-1],), block(starts=starts), comm.size, comm.size)

    mine, lists = together(comm, made, same=False)
    return Part(place.lstrip("/"), _core._over(mine, lists, comm.rank, comm), "", None)


def _said_of(dist, lists):
    text, bounds, padding, _ = _core._layout_of(dist, lists)
    made = {"__version__": "0.10.0", "dim_data": json.loads(text)}
    for key, numbers in ("axis_bounds", bounds), ("axis_padding", padding):
        if any(numbers):
            made[key] = numbers
    return made


def _group(zarr_format, attrs):
    said = {"zarr_format": 2} if zarr_format == 2 else {"zarr_format": 3, "node_type": "group"}
    return checked.Node(False, said, attrs)


def _need_group(nodes, path, options):
    """The format of an existing store, to which a step is added."""
    root = nodes.get("")
    if root is None or root.is_array:
        raise ValueError(f"{path!r} is a zarr store of one array, must be a group of arrays: give another name")
    found = root.said.get("zarr_format")
    if options["asked_format"] and found != options["zarr_format"]:
        raise ValueError(f"zarr_format is {options['zarr_format']}, and the store has format {found}: leave out zarr_format")
    if found != options["zarr_format"]:
        versions.need_readable(found)
        options["compressor"] = versions.compressor_of(options["compression"], found)
    return found


def _has_step(node, step):
    """Whether readers may read the chunks of this step, or those of lists of this name."""
    if node is None or not node.is_array or step is None:
        return False
    return step < (node.said.get("shape") or [0])[0]


def _longer(before, part, shape, dtype):
    """The metadata of a series with one more step."""
    name = part.name
    if not before.is_array:
        raise ValueError(f"{name!r} is a group of the store: give the array another name")
    stored = checked.stored_array(name, before)
    if stored.shape[1:] != shape or len(stored.shape) != len(shape) + 1:
        raise ValueError(f"{name!r} has shape {stored.shape} in the store, and that is not the steps of an array of this shape, {shape}: "
                         "save it in another store, or under another name")
    if stored.units[0] != 1:
        raise ValueError(f"{name!r} has {stored.units[0]} steps in each chunk, must have one, so that a step that is added changes no "
                         "chunk of others: save it under another name")
    extents = tuple(max(1, n) for n in stored.shape)
    like = versions.document(before.said["zarr_format"], extents, dtype, extents, None, None, ["x"] * len(stored.shape))
    key = "dtype" if before.said["zarr_format"] == 2 else "data_type"
    if like[key] != before.said[key]:
        raise ValueError(f"{name!r} has {before.said[key]} elements, and the array {like[key]}, must be the same: convert the array first")
    count = stored.shape[0]
    saved = with_step(before.attrs.get("saved_steps"), count, part.step)
    attrs = {key: value for key, value in before.attrs.items() if key not in ("saved_steps", "axis_bounds", "axis_padding")}
    if saved is not None:
        attrs["saved_steps"] = saved
    return {**before.said, "shape": [max(count, part.step + 1), *shape]}, attrs


def _extents(what, given, shape, multiple=None):
    if len(given) != len(shape):
        raise ValueError(f"{what} is {list(given)}, must be one integer for each of the {len(shape)} axes")
    made = []
    for axis, (n, extent) in enumerate(zip(shape, given)):
        if extent < 1:
            raise ValueError(f"{what} is {list(given)}, must be at least 1 along each axis")
        if multiple is None:
            made.append(max(1, min(extent, n)))
        elif extent % multiple[axis]:
            raise ValueError(f"{what} is {list(given)}, must be multiples of the chunks {list(multiple)}")
        else:
            made.append(extent)
    return tuple(made)


def _dimension_names(nodes, name, shape):
    """Names of the axes: in one group, a name has one length, as xarray needs it."""
    group = name.rpartition("/")[0]
    lengths = {}
    for other, node in nodes.items():
        if node.is_array and other.rpartition("/")[0] == group:
            names = node.attrs.get("_ARRAY_DIMENSIONS") or node.said.get("dimension_names") or []
            lengths.update(zip(names, node.said.get("shape", [])))
    made = []
    for axis, n in enumerate(shape):
        free = f"dim_{axis}"
        if lengths.get(free, n) != n:
            free = f"dim_{axis}_of_{n}"
        made.append(free)
    return made
