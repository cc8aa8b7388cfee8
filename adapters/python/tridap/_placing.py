"""Arrays as those of libraries whose parts have places of their own among the processes: in place, or moved there."""

from __future__ import annotations

import numpy as np

from . import _core, _make
from ._agree import Elsewhere
from ._mesh import ranks_of
from ._move import Redistribution
from ._place import ranks_within, whole_of
from ._replicas import Replicas, replicas_of, sent, update


def need_placed(x):
    """`x`; TypeError if it is neither a DistArray nor what stands for one."""
    if not isinstance(x, (_core.DistArray, Elsewhere)):
        raise TypeError(f"x is a {type(x).__name__}, must be a tridap.DistArray: pass tridap.asarray(x, comm)")
    return x


def home_of(x):
    """The communicator of all replicas of an array."""
    return x._whole if isinstance(x, Elsewhere) else whole_of(_make.communicator(None, x))


class Placing:
    """The local parts of a new array of another library: the array's memory, or new memory to which its elements move."""

    def __init__(self, x, comm, cut):
        self.x, self.comm, self.cut, self.ranks = x, comm, cut, ranks_within(comm, x)
        self.known = replicas_of(x)
        self.moves, self.row_major, self.on_host, self.new = False, True, True, None
        self.order: list[int] = []

    def in_memory(self):
        """Whether this process's part is contiguous in row-major order, in column-major order, writable, and on a GPU. Local."""
        x = self.x
        if isinstance(x, Elsewhere):
            return [1, 1, 1, 0]
        if x.device == "cpu":
            return [*(int(x.local.flags[name]) for name in ("C_CONTIGUOUS", "F_CONTIGUOUS", "WRITEABLE")), 0]
        return [int(_is_dense(x.local.shape, x.local.strides, x.dtype.itemsize)),
                int(_is_dense(x.local.shape[::-1], x.local.strides[::-1], x.dtype.itemsize)),
                int(not _core._is_read_only(x.local)), 1]

    def place(self, table, names, copy, what, remedy, column_major=True):
        """Decides where the elements are to be, on all processes alike. ProtocolError if they must move, and must not.

        `table` has by rank what its process states: its name in the mesh, and what `in_memory` returns; the others are as in
        `ranks_of`. `column_major`: whether the library has arrays in this order.
        """
        cut = self.cut
        self.order = ranks_of(cut.numbers, names, table[:, 0].tolist(), what, remedy)
        why = self._why_not_in_place(table, column_major)
        if why and copy == "never":
            _core._refuse(f"the elements must be copied, because {why}", "pass copy='if_needed'")
        self.moves = bool(why) or copy == "always"
        self.row_major = self.moves or bool(table[:, 1].all())
        if not self.moves:
            return
        self.on_host = not table[:, 4].any()
        if self.on_host and self._number() >= cut.distribution.processes:  # of a replica to which its elements are sent
            self.new = np.empty(cut.distribution.local_shape(self._number() % cut.distribution.processes), self.x.dtype)

    def _number(self):
        return self.order.index(self.comm.rank)

    def _why_not_in_place(self, table, column_major):
        """Why the memory of the array cannot be that of the other library; None if it can."""
        cut, parts = self.cut, self.cut.distribution.processes
        if self.x.distribution != cut.distribution:
            return f"the array is distributed as {self.x.distribution.describe()}, and the parts there are others"
        if self.ranks not in [self.order[r * parts:(r + 1) * parts] for r in range(cut.replicas)]:
            return "its parts are on other processes than those that the mesh has in their places"
        if self.known is not None and list(self.known.order) == self.order:
            return None
        if cut.replicas > 1:
            return "the processes of the other replicas have no memory of it"
        if not (table[:, 1].all() or (column_major and table[:, 2].all())):
            return "its elements are not contiguous in memory"
        return None if table[:, 3].all() else "its memory is read-only"

    def local(self):
        """This process's part with its elements; None if it is the memory of `known.origin`. Collective."""
        if not self.moves:
            if self.known is not None and self.known.updates:
                sent(self.x)
            return self.x.local if self.known is None else None
        cut = self.cut
        if not self.on_host:
            return [local for local in map(self._moved, range(cut.replicas)) if local is not None][0]
        local = self._moved(0)
        if cut.replicas > 1:
            local = self.new if local is None else local
            update(Replicas(self.comm, self.order, cut.replicas, 0, cut.distribution, local, True, None))
        return local

    def _moved(self, replica):
        """This process's part of one replica, in new memory; None on a process of another replica. Collective."""
        parts = self.cut.distribution.processes
        plan = Redistribution(self.x.distribution, self.cut.distribution, self.x.dtype, self.comm, source_ranks=self.ranks,
                              target_ranks=self.order[replica * parts:(replica + 1) * parts])
        moved = plan(self.x if self.comm.rank in self.ranks else None)
        return None if moved is None else moved.local


def _is_dense(shape, strides, itemsize):
    """Whether strides in bytes are those of row-major, contiguous memory."""
    for extent, stride in zip(shape[::-1], strides[::-1]):
        if extent > 1 and stride != itemsize:
            return False
        itemsize *= extent
    return True
