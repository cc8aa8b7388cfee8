"""A whole distributed array on one process, as a NumPy array or as a picture."""

import math

import numpy as np

from . import _core
from ._agree import integer, together

_PIECE = 1 << 30  # bytes of a message, whose count MPI holds in an int
_LINES = 64       # borders between processes that are drawn along an axis


class _Axis:
    """The global indices along one axis that are collected, and their positions in the result."""

    def __init__(self, array, axis, cells=None, at=None):
        dist = array.distribution
        others = [0] * dist.ndim
        lists = []
        for coordinate in range(dist.grid[axis]):
            others[axis] = coordinate
            process = int(np.ravel_multi_index(others, dist.grid))
            lists.append(_interior(array, process)[axis])
        held = np.concatenate(lists)
        self.low = int(held.min()) if held.size else 0
        extent = int(held.max()) - self.low + 1 if held.size else 0
        if extent != held.size or np.unique(held).size != held.size:
            _core._refuse(f"several processes hold the same index of axis {axis}, or no process holds some index, so "
                          "that there is no single array", "use each process's part, array.interior")
        self.step = 1 if cells is None else max(1, -(-extent // cells))
        self.at = self.low if at == "first" else at
        self.extent = -(-extent // self.step) if at is None else min(extent, 1)
        if at is not None and extent > 0 and not self.low <= self.at < self.low + extent:
            raise ValueError(f"section is at {at} on axis {axis}, whose global indices are {self.low} to "
                             f"{self.low + extent - 1}")
        self.owners = np.empty(extent, dtype=int)  # the coordinate of each index
        for coordinate, indices in enumerate(lists):
            self.owners[indices - self.low] = coordinate

    def of(self, indices):
        """The local indices that are collected, and their positions in the result."""
        if self.at is not None:
            local = np.flatnonzero(indices == self.at)
            return local, np.zeros_like(local)
        local = np.flatnonzero((indices - self.low) % self.step == 0)
        return local, (indices[local] - self.low) // self.step


def _interior(array, process):
    """The global indices of the interior of a process's part, by axis, in the array's own numbering."""
    return [indices - shift for indices, shift in zip(array.distribution.indices(process, "interior"), array._shift)]


def _pieces(data):
    flat = data.reshape(-1).view(np.uint8)
    return [flat[i:i + _PIECE] for i in range(0, flat.size, _PIECE)]


def _places(array, axes, process):
    """The local indices of a process that are collected, and their positions in the result, by axis."""
    wanted = [axis.of(indices) for axis, indices in zip(axes, _interior(array, process))]
    return [local for local, _ in wanted], [places for _, places in wanted]


def _collect(array, axes, root):
    comm, rank = array.comm, array.process
    others = [] if comm is None or comm.size == 1 else [process for process in range(comm.size) if process != root]

    def prepare():
        local, _ = _places(array, axes, rank)
        part = np.ascontiguousarray(array.interior[np.ix_(*local)] if axes else array.interior)
        if rank != root:
            return part, None, None, None
        shapes = {process: [places.size for places in _places(array, axes, process)[1]] for process in others}
        whole = np.empty([axis.extent for axis in axes], array.dtype)
        return part, shapes, whole, np.empty(max((math.prod(shape) for shape in shapes.values()), default=0), array.dtype)

    part, shapes, whole, received = together(comm, prepare, same=False)

    def place(values, process):
        if axes:
            whole[np.ix_(*_places(array, axes, process)[1])] = values
        else:
            whole[...] = values

    failed = None
    if others:
        comm = comm.Dup()  # so that receives of the caller do not take these messages
    try:
        if rank != root:
            for piece in _pieces(part):
                comm.Send(piece, dest=root)
        for process in others if rank == root else []:
            values = received[:math.prod(shapes[process])]
            for piece in _pieces(values):
                comm.Recv(piece, source=process)
            try:
                place(values.reshape(shapes[process]), process)
            except Exception as error:  # receive the rest first, or the other processes wait
                failed = error
    finally:
        if others:
            comm.Free()

    def finish():
        if failed is not None:
            raise failed
        if rank == root:
            place(part, rank)
        return whole

    return together(array.comm, finish, same=False)


def _same(array):
    """What must be the same on every process; the last entry tells apart distributions that are described alike."""
    return {"dtype": str(array.dtype), "distribution": repr(array.distribution), "layout": array._layout}


def plot(array, ax=None, *, section=None, cells=1000, borders=True, **style):
    """See `DistArray.plot`."""
    dist, comm = array.distribution, array.comm

    def prepare():
        if array.dtype.kind not in "biuf":
            raise TypeError(f"plot draws real numbers, but the elements are {array.dtype}: make an array of their real "
                            "parts, or of their absolute values")
        if section is None:
            wanted = [None if axis >= dist.ndim - 2 else "first" for axis in range(dist.ndim)]
        elif not isinstance(section, (tuple, list)):
            raise TypeError(f"section is {section!r}, must be a tuple or list with an index or None for each axis")
        else:
            wanted = [None if at is None else integer("an entry of section", at) for at in section]
        if len(wanted) != dist.ndim or sum(at is None for at in wanted) not in (1, 2):
            raise ValueError(f"section is {wanted!r}, but must have one entry for each of the {dist.ndim} axes, and one or "
                             "two of the entries must be None")
        if integer("cells", cells) < 1:
            raise ValueError(f"cells is {cells}, but must be at least 1")
        return {"section": wanted, "cells": int(cells), **_same(array)}

    agreed = together(comm, prepare)
    section, cells = agreed["section"], agreed["cells"]
    pyplot = _matplotlib(comm)
    shown = [axis for axis, at in enumerate(section) if at is None]
    axes = together(comm, lambda: [_Axis(array, axis, cells, at) for axis, at in enumerate(section)], same=False)
    whole = _collect(array, axes, 0)

    def draw():
        if whole is None:
            return None
        on = pyplot.subplots()[1] if ax is None else ax
        values = whole.reshape([axes[axis].extent for axis in shown])
        how = _draw_line if len(shown) == 1 else _draw_image
        how(on, values, [axes[axis] for axis in shown], [f"global index of axis {axis}" for axis in shown], borders, style)
        return on

    return together(comm, draw, same=False)  # an error of Matplotlib is raised on every process


def _matplotlib(comm):
    """matplotlib.pyplot on process 0; if it cannot be imported there, every process raises."""
    def find():
        if comm is not None and comm.rank != 0:
            return None
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise ImportError(f"plot needs matplotlib: {error}") from None
        return pyplot

    return together(comm, find, same=False)


def _borders(axis):
    """The borders between owners: global indices less a half."""
    found = np.flatnonzero(np.diff(axis.owners)) + 0.5 + axis.low
    return found if found.size <= _LINES else []


def _draw_line(ax, values, axes, labels, borders, style):
    axis, = axes
    ax.plot(axis.low + axis.step * np.arange(axis.extent), values, **style)
    ax.set_xlabel(labels[0])
    for place in _borders(axis) if borders else []:
        ax.axvline(place, color="0.5", linewidth=0.8)


def _draw_image(ax, values, axes, labels, borders, style):
    rows, columns = axes
    extent = (columns.low - 0.5, columns.low + columns.step * columns.extent - 0.5,
              rows.low + rows.step * rows.extent - 0.5, rows.low - 0.5)
    image = ax.imshow(values, **{"extent": extent, "interpolation": "nearest", **style})
    ax.figure.colorbar(image, ax=ax)
    ax.set_ylabel(labels[0])
    ax.set_xlabel(labels[1])
    for place in _borders(rows) if borders else []:
        ax.axhline(place, color="white", linewidth=0.8)
    for place in _borders(columns) if borders else []:
        ax.axvline(place, color="white", linewidth=0.8)
