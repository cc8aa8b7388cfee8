"""The elements at chosen indices of a distributed array, collected on one process."""

import math

import numpy as np

from . import _core
from ._agree import together

_PIECE = 1 << 30  # bytes of a message, whose count MPI holds in an int


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
