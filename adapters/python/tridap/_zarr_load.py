"""Arrays are loaded from zarr stores, whichever program wrote them: what `tridap.load` does for them."""

from __future__ import annotations

import functools
import json
import math
import os
from typing import Any, NamedTuple

import numpy as np

from . import _core
from . import _zarr_checked as checked
from . import _zarr_chunks as chunking
from . import _zarr_positions as positions
from . import _zarr_versions as versions
from ._agree import together
from ._make import distribution
from ._zarr_steps import need_step


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
    names = [one for one, node in nodes.items() if node.is_array and not (one + "/").startswith(checked.LISTS + "/")]
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
    parts = [] if found.step is None else [range(found.step, found.step + 1)]
    kept: list[int] = []
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
                           functools.partial(checked.need_stated, stored, places={}), writes=False)


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
    together(comm, lambda: _read(loading, chunking.box_of(dist, comm.rank), read, tell), same=False)
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
    along = loading.parts[loading.kept[0]] if loading.kept else None
    for there, here in chunking.pieces(box, units, out.dtype.itemsize, along):
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
