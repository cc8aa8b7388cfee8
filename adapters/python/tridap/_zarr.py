"""Arrays in zarr stores: what `save` and `load` do for them."""

from __future__ import annotations

import json
import math
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
from ._zarr_folder import NewFolder, documents_of, link_all, write_documents
from ._zarr_steps import need_step, with_step

_LISTS = "__dim_data__"
_PIECE = 32 << 20  # bytes that are given to zarr at once


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


# Saving

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
    if parts[0] == _LISTS:
        raise ValueError(f"the name of an array is {name!r}, must not begin with {_LISTS}, the group of lists: give another name")
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
        self.nodes: dict[str, checked.Node] = {}
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
                self._write(_Task(part.name, part.array, one, part.step))
                done += part.array.nbytes
                if self.tell is not None:
                    self.tell(done / total)
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
        return root, [self._new_node(part) for part in every]

    def _new_node(self, part):
        before, zarr_format = self.nodes.get(part.name), self.format
        x, options = part.array, self.options
        dtype, shape = x.dtype, x.shape
        if part.step is not None and before is not None:
            said, attrs = _longer(before, part, shape, dtype)
        else:
            for end in range(1, part.name.count("/") + 1):
                group = "/".join(part.name.split("/")[:end])
                if not self.nodes.setdefault(group, _group(zarr_format, {})).is_array:
                    continue
                raise ValueError(f"the name of an array is {part.name!r}, and {group!r} is an array of the store: give another name")
            if before is not None and (part.step is None or not before.is_array) and not part.name.startswith(_LISTS):
                raise ValueError(f"{part.name!r} is a group of the store: give the array another name")
            chunks = self._chunks(part, shape, dtype)
            shards = options["shards"] if not part.name.startswith(_LISTS) else None
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
        if given is None or part.name.startswith(_LISTS):
            return chunking.default_chunks(shape, dtype.itemsize)
        return _extents("chunks", given, shape)

    def _write(self, task):
        """Each process writes the chunks that it owns. Collective."""
        units = task.stored.units[-task.array.ndim:] if task.array.ndim else ()

        def owned():
            dist = task.array.distribution
            said = _core._layout_of(dist, "")
            if chunking.owns_chunks(dist, said, units):
                return None
            return chunking.whole_chunks(dist.shape, units, self.comm.size, said[3], dist.grid)

        blocks = together(self.comm, owned, same=False)
        x = task.array if blocks is None else positions.to_blocks(task.array, blocks, self.comm)
        together(self.comm, lambda: self._write_own(task, x, units), same=False)

    def _write_own(self, task, x, units):
        box = _box(x.distribution, self.comm.rank)
        values = x.owned
        if values.size == 0:
            return
        inside = checked.Inside(self.root)
        array = versions.opened(self.root, task.name, task.stored.said, inside,
                                lambda key, data: checked.need_stated(task.stored, key, data), writes=True)
        first = () if task.step is None else (slice(task.step, task.step + 1),)
        for there, here in _pieces(box, units, values.dtype.itemsize):
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
    place = f"/{_LISTS}/{name}"
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
    made: dict[str, Any] = {"__version__": "0.10.0", "dim_data": json.loads(text)}
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


def _box(dist, rank):
    """Where the elements of a process of blocks are in the whole array."""
    return tuple(slice(int(indices[0]), int(indices[0]) + len(indices)) if len(indices) else slice(0, 0)
                 for indices in dist.indices(rank, "owned")) if dist.ndim else ()


def _pieces(box, units, itemsize):
    """Parts of a box of whole chunks along the first axis, as slices of the store and of the box."""
    if not box:
        yield (), ()
        return
    row = math.prod(one.stop - one.start for one in box[1:]) * itemsize
    count = units[0] * max(1, _PIECE // max(1, row * units[0]))
    for begin in range(box[0].start, box[0].stop, count):
        end = min(begin + count, box[0].stop)
        yield (slice(begin, end), *box[1:]), (slice(begin - box[0].start, end - box[0].start),)


# Loading

class Found(NamedTuple):
    """What the first process has read, and sends to all."""

    root: str
    stored: checked.Stored
    lists: dict[str, checked.Stored]
    step: int | None
    is_series: bool


def find(path: str, name: str, step: int | None) -> Found:
    """Reads the metadata of an array, and checks it. Local, on the first process."""
    root = os.path.realpath(path)
    if not os.path.isdir(root):
        raise FileNotFoundError(f"the zarr store {path!r} cannot be read: " + ("it is a file" if os.path.exists(root) else
                                                                             "No such file or directory"))
    nodes = checked.nodes_of(root, checked.Inside(root))
    names = [one for one, node in nodes.items() if node.is_array and not (one + "/").startswith(_LISTS + "/")]
    wanted = name.strip("/")
    if not name:
        if len(names) != 1:
            raise ValueError(f"the store has {len(names)} arrays{': ' if names else ''}{_listed(names)}: give the name of one")
        wanted = names[0]
    if wanted not in nodes or not nodes[wanted].is_array:
        raise ValueError(f"the store has no array {name!r}: it has {_listed(names) or 'none'}")
    stored = checked.stored_array(wanted, nodes[wanted])
    versions.need_readable(stored.said["zarr_format"])
    axes = stored.attrs.get("dim_data")
    ours = isinstance(axes, list) and len(axes) == len(stored.shape) - 1
    is_series = len(stored.shape) > 0 and (ours or step is not None)
    if step is not None and not is_series:
        raise ValueError(f"step is {step}, and {wanted!r} has no steps: leave out the step")
    lists = {}
    for axis in axes if isinstance(axes, list) else []:
        place = axis.get("indices") if isinstance(axis, dict) else None
        place = place.strip("/") if isinstance(place, str) else ""
        if place in nodes and nodes[place].is_array:
            lists[place] = checked.stored_array(place, nodes[place])
    chosen = need_step(stored, step) if is_series else None
    return Found(root, stored, lists, chosen, is_series)


def _listed(names):
    return ", ".join(map(repr, names[:20])) + (", ..." if len(names) > 20 else "")


def selection_of(found: Found, slices: Any) -> tuple[list[range], list[int]]:
    """What is read, as a range for each axis of the store, and the axes that the array has. Local."""
    shape = found.stored.shape
    rest = shape[1:] if found.is_series else shape
    given = slices if isinstance(slices, tuple) else () if slices is None else (slices,)
    if given.count(Ellipsis) > 1:
        raise IndexError("slices has several Ellipsis, must have one at most")
    if Ellipsis in given:
        at = given.index(Ellipsis)
        given = (*given[:at], *[slice(None)] * (len(rest) - len(given) + 1), *given[at + 1:])
    if len(given) > len(rest):
        raise IndexError(f"slices has {len(given)} entries, must have at most {len(rest)}, one for each axis")
    given = (*given, *[slice(None)] * (len(rest) - len(given)))
    parts, kept = ([range(found.step, found.step + 1)], []) if found.is_series else ([], [])
    for axis, (one, n) in enumerate(zip(given, rest)):
        if isinstance(one, slice):
            parts.append(range(*one.indices(n)))
            if parts[-1].step < 0:
                raise ValueError(f"slices has {one} for axis {axis}, must have a positive step: reverse the array after it is loaded")
            kept.append(len(parts) - 1)
        else:
            at = one.__index__()
            if not -n <= at < n:
                raise IndexError(f"slices has the index {at} for axis {axis}, which has {n} elements")
            parts.append(range(at % n, at % n + 1))
    return parts, kept


class Loading(NamedTuple):
    """What every process knows before elements are read."""

    found: Found
    parts: list[range]
    kept: list[int]
    dist: _core.Distribution | None  #: None: the own lists of each process say it
    layout: Any
    dtype: np.dtype[Any]


def prepare(found: Found, slices: Any, to: Any, grid: Any, comm: Any) -> Loading:
    """Chooses the distribution. Local, and the same on every process."""
    parts, kept = selection_of(found, slices)
    shape = tuple(len(parts[axis]) for axis in kept)
    whole = slices is None
    layout, dist = (_layout(found, shape) if whole and to is None and grid is None else None), None
    if isinstance(to, _core.Distribution):
        dist = to
    elif to is not None or grid is not None:
        dist = distribution(shape, to, grid, comm.size)
    elif layout is None:
        dist = distribution(shape, None, None, comm.size)
    elif layout._processes() != comm.size:
        dist = layout._default(comm.size)
    elif not layout._lists():
        dist = layout._distribution()
    if dist is not None:
        _core._need_processes(dist, comm.size)
        if dist.shape != shape:
            raise ValueError(f"the distribution has shape {dist.shape}, and what is loaded {shape}: pass one of this shape")
        _need_memory(found, dist.count(comm.rank, "local") * found.stored.itemsize)
    dtype = _open(found, found.stored).dtype
    checked.refuse_objects(dtype, repr(found.stored.name))
    return Loading(found, parts, kept, dist, layout, dtype)


def _need_memory(found, nbytes):
    if nbytes > checked.physical_memory():
        raise MemoryError(f"the store says that {found.stored.name!r} has shape {found.stored.shape}: the part of a process needs {nbytes} "
                          "bytes, more than its machine has; load a part of it (slices=), or on more machines")


def _layout(found, shape):
    attrs = found.stored.attrs
    if not isinstance(attrs.get("dim_data"), list):
        return None
    return _core._read_layout(json.dumps(attrs["dim_data"]), attrs.get("axis_bounds", []), attrs.get("axis_padding", []), list(shape))


def _open(found, stored):
    return versions.opened(found.root, stored.name, stored.said, checked.Inside(found.root),
                           lambda key, data: checked.need_stated(stored, key, data), writes=False)


def load(loading: Loading, comm: Any, tell: Any) -> _core.DistArray:
    """Reads the elements: each chunk is read by one process, and then they move. Collective, inside of `tridap.load`."""
    found = loading.found
    if loading.dist is None:
        x = _with_own_lists(loading, comm)
    else:
        local = together(comm, lambda: np.empty(loading.dist.local_shape(comm.rank), loading.dtype), same=False)
        x = _core._over(local, loading.dist, comm.rank, comm)
    _need_same_positions(loading, x.distribution, comm)
    units = found.stored.units
    shape = [len(loading.parts[axis]) for axis in loading.kept]

    def chosen():
        if _is_direct(loading, x.distribution):
            return None, x.local
        readers = chunking.readers([loading.parts[axis] for axis in loading.kept], [units[axis] for axis in loading.kept], comm.size)
        _need_memory(found, readers.count(comm.rank) * found.stored.itemsize)
        return readers, np.empty(readers.local_shape(comm.rank), loading.dtype)

    readers, read = together(comm, chosen, same=False)
    dist = x.distribution if readers is None else readers
    together(comm, lambda: _read(loading, _box(dist, comm.rank), read, tell), same=False)
    if readers is not None:
        positions.from_blocks(_core._over(read, readers, comm.rank, comm), x.local, x.distribution, comm)
    assert x.shape == tuple(shape)
    return x


def _is_direct(loading, dist):
    """Whether each process's part is whole chunks of blocks without padding, so that it is read where it belongs."""
    first = 1 if loading.found.is_series else 0
    parts = loading.parts[first:]
    if len(loading.kept) != len(parts) or any(part.step != 1 or part.start != 0 for part in parts):
        return False
    said = _core._layout_of(dist, "")
    return not any(said[2]) and all(said[3]) and chunking.owns_chunks(dist, said, loading.found.stored.units[first:])


def _read(loading, box, out, tell):
    if out.size == 0:
        return
    found = loading.found
    array = _open(found, found.stored)
    units = [found.stored.units[axis] for axis in loading.kept]
    for there, here in _pieces(box, units, out.dtype.itemsize):
        selection = [slice(part.start, part.stop, part.step) for part in loading.parts]
        for axis, one in zip(loading.kept, there):
            part = loading.parts[axis][one]
            selection[axis] = slice(part.start, part.stop, part.step)
        target = out[here]
        shape = [1] * len(loading.parts)
        for axis, n in zip(loading.kept, target.shape):
            shape[axis] = n
        # axes of one element that the array has not: a view, since they are added or left out alone
        versions.read(array, tuple(selection), target.reshape(shape))
        if tell is not None and box:
            tell(here[0].stop / max(1, box[0].stop - box[0].start))


def _with_own_lists(loading, comm):
    """The array whose unstructured axes have the lists of the store, of which each process reads its own. Collective."""
    found, layout = loading.found, loading.layout

    def described():
        part = layout._part(comm.rank)
        axes, shape = [said for said, _ in part], [n for _, n in part]
        for number, place, bounds, _ in layout._lists():
            begin, end = (bounds[axes[number]["proc_grid_rank"] + more] for more in (0, 1))
            axes[number]["indices"] = _list(found, place.strip("/"), begin, end, bounds[-1])
            shape[number] = end - begin
        _need_memory(found, math.prod(shape) * found.stored.itemsize)
        return {"__version__": "0.10.0", "buffer": np.empty(shape, loading.dtype), "dim_data": tuple(axes)}

    return _core.asarray(together(comm, described, same=False), comm)


def _list(found, place, begin, end, total):
    stored = found.lists.get(place)
    if stored is None or stored.shape != (total,):
        raise ValueError(f"the lists of {found.stored.name!r} are to be in the array {place!r}, which is missing or has another length: "
                         "save the array again, or remove its attribute 'dim_data'")
    _need_memory(found, 8 * (end - begin))
    array = _open(found, stored)
    if array.dtype.kind not in "iu":
        raise ValueError(f"the lists of {found.stored.name!r} in the array {place!r} are {array.dtype}, must be integers")
    made = np.empty(end - begin, np.int64)
    made[...] = array[begin:end]
    return made


def _need_same_positions(loading, dist, comm):
    """Refuses lists of other indices than those of the store, where positions are not the indices. Collective if there are some."""
    if loading.dist is None:
        return
    compact = positions.compact_axes(dist)
    if not compact:
        return
    given = {axis: positions.different_indices(dist, axis, comm) for axis in compact}

    def compared():
        shape = tuple(len(loading.parts[axis]) for axis in loading.kept)
        layout = _layout(loading.found, shape)
        lists = {number: (place, bounds) for number, place, bounds, is_compact in (layout._lists() if layout else []) if is_compact}
        for axis in compact:
            place, bounds = lists.get(axis, ("", None))
            if bounds is None or not np.array_equal(np.unique(_list(loading.found, place.strip("/"), 0, bounds[-1], bounds[-1])),
                                                    given[axis]):
                raise ValueError(f"axis {axis}: the distribution has indices outside of the axis, and the store does not have these: "
                                 "load it with to='b', and move it with tridap.from_ids")

    together(comm, lambda: compared() if comm.rank == 0 else None, same=False)


def read_attributes(path: str, name: str) -> dict[str, Any]:
    """The attributes of a store, or of a group or an array in it: str, and numbers. Local."""
    root = os.path.realpath(path)
    nodes = checked.nodes_of(root, checked.Inside(root))
    node = nodes.get(name.strip("/"))
    if node is None:
        raise ValueError(f"the store has no array or group {name!r}")
    found = {}
    for key, value in node.attrs.items():
        if not isinstance(value, (str, dict)) and value is not None:
            try:
                value = np.asarray(value)
            except ValueError:  # lists of different lengths
                continue
            if value.dtype.kind not in "biuf":
                continue
        if isinstance(value, (str, np.ndarray)):
            found[key] = value
    return found
