"""The draft protocol ``__partitioned__`` of HeAT and Intel's packages, to and from a `DistArray`.

Its dictionary has the box of every process: 'shape', 'partition_tiling', 'partitions' (by position in the grid:
'start', 'shape', 'data', 'location'), 'locals' (the positions on this process) and 'get' (a function from a handle to
its data).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from operator import index

from . import _core


def described(obj):
    """The dictionary that ``__distarray__`` would return, from ``obj.__partitioned__``. Local.

    Its axes are in blocks, which may be irregular. ProtocolError unless the partitions are the boxes of a grid, and
    exactly one of them is on this process.
    """
    try:
        said = obj.__partitioned__
        said = said() if callable(said) else said
    except Exception as error:
        _wrong(f"cannot be read: it raised {type(error).__name__}: {error}", "correct the object")
    if not isinstance(said, Mapping):
        _wrong(f"is of type {type(said).__name__}, must be a dictionary", "correct the object")
    shape = _numbers(said, "shape", "__partitioned__")
    grid = _numbers(said, "partition_tiling", "__partitioned__", len(shape))
    if any(count < 1 for count in grid):
        _wrong(f"['partition_tiling'] is {grid}, must be at least 1 along each axis", "count the partitions of each axis")
    partitions = _value(said, "partitions", "__partitioned__")
    positions = set(itertools.product(*map(range, grid)))
    if not isinstance(partitions, Mapping) or set(partitions) != positions:
        _wrong(f"['partitions'] must have each of the {len(positions)} positions of the grid "
               f"{' x '.join(map(str, grid))} as a key, a tuple of ints", "add what is missing")
    starts = [_cuts(partitions, axis, grid[axis], shape[axis]) for axis in range(len(shape))]
    here = _local_position(said, positions)
    dims = [{"dist_type": "b", "size": size, "proc_grid_size": count, "proc_grid_rank": place, "start": cuts[place],
             "stop": cuts[place + 1]}
            for size, count, place, cuts in zip(shape, grid, here, starts)]
    return {"__version__": "0.10.0", "buffer": _data(said, partitions[here], here), "dim_data": tuple(dims)}


def _wrong(fault, remedy):
    _core._refuse(f"__partitioned__{fault}" if fault.startswith("[") else f"__partitioned__ {fault}", remedy)


def _value(said, key, where):
    if not isinstance(said, Mapping) or key not in said:
        _core._refuse(f"{where} has no '{key}'", "it is a key of the draft protocol")
    return said[key]


def _numbers(said, key, where, length=None):
    """The integers of a key: one for each axis."""
    given = _value(said, key, where)
    try:
        numbers = tuple(map(index, given))
    except TypeError:
        numbers = None
    if numbers is None or (length is not None and len(numbers) != length) or any(number < 0 for number in numbers):
        _core._refuse(f"{where}['{key}'] is {given!r}, must be {'integers' if length is None else f'{length} integers'} of "
                      "at least 0, one for each axis", "count elements")
    return numbers


def _cuts(partitions, axis, count, size):
    """Where the partitions begin along an axis, and its size. Empty partitions may have any start."""
    extents = {}
    for position, partition in partitions.items():
        where = f"__partitioned__['partitions'][{position}]"
        start = _numbers(partition, "start", where, len(position))[axis]
        extent = _numbers(partition, "shape", where, len(position))[axis]
        if extents.setdefault(position[axis], (extent, start if extent else 0)) != (extent, start if extent else 0):
            _core._refuse(f"axis {axis}: {where} has {extent} elements from {start}, but another partition at place "
                          f"{position[axis]} of this axis has {extents[position[axis]][0]} from "
                          f"{extents[position[axis]][1]}",
                          "make all partitions at one place of an axis equally long: boxes of a grid")
    cuts = [0]
    for place in range(count):
        extent, start = extents[place]
        if extent and start != cuts[-1]:
            _core._refuse(f"axis {axis}: the partition at place {place} starts at {start}, must start at {cuts[-1]}, where "
                          "the one before ends", "make partitions that neither overlap nor leave a gap, in ascending order")
        cuts.append(cuts[-1] + extent)
    if cuts[-1] != size:
        _core._refuse(f"axis {axis}: the partitions have {cuts[-1]} elements, but 'shape' has {size}",
                      "make partitions that cover the whole array")
    return cuts


def _local_position(said, positions):
    """The position of the partition on this process."""
    local = said.get("locals", list(positions) if len(positions) == 1 else None)
    if local is None:
        _wrong("has no 'locals', the list of the partitions on this process",
               "use it in a program of MPI; data of Ray and Dask is not on the processes that use TriDAP")
    if not isinstance(local, Sequence) or any(position not in positions for position in local):
        _wrong(f"['locals'] is {local!r}, must be a list of positions in 'partitions'", "list those on this process")
    if len(local) != 1:
        _wrong(f"['locals'] has {len(local)} partitions, must have exactly one on each process",
               "distribute the array with one partition, which may be empty, for each process")
    return local[0]


def _data(said, partition, here):
    data = _value(partition, "data", f"__partitioned__['partitions'][{here}]")
    if data is None:
        _wrong(f"['partitions'][{here}]['data'] is None, but 'locals' says that this partition is on this process",
               "give the data of local partitions")
    get = said.get("get")
    if get is None:
        return data
    try:
        return get(data)
    except Exception as error:
        _wrong(f"['get'] raised {type(error).__name__}: {error}", "correct the object")


def _get(handle):
    """The data of a handle, which is the data itself. (A function of a module, so that the dictionary can be pickled.)"""
    return handle


def partitioned(array):
    """The dictionary ``DistArray.__partitioned__``. Local.

    AttributeError, so that ``hasattr`` answers, if only this process's part is known, or an axis is not in blocks.
    """
    if not array.is_whole:
        raise AttributeError("__partitioned__ needs the parts of all processes: tridap.asarray(array, comm) knows them")
    dist, partitions = array.distribution, {}
    to = ",".join("b" if processes > 1 else "*" for processes in dist.grid)
    for axis, dim in enumerate(dist.dim_data(array.process)):
        if dim["dist_type"] != "b":
            raise AttributeError(f"axis {axis} is not distributed in blocks, but a partition of __partitioned__ is one "
                                 f"box: x.redistribute({to!r}, grid={dist.grid}) has such parts")
    for process in range(dist.processes):
        place, start, extent = dist.coordinates(process), [], []
        for dim, owned in zip(dist.dim_data(process), dist.part(process)):
            start.append(dim["start"] + owned.start)
            extent.append(owned.stop - owned.start)
        partitions[place] = {"start": tuple(start), "shape": tuple(extent), "location": [process],
                             "data": array.owned if process == array.process else None}
    return {"shape": dist.shape, "partition_tiling": dist.grid, "partitions": partitions,
            "locals": [dist.coordinates(array.process)], "get": _get}
