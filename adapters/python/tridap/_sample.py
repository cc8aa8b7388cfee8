"""The elements at chosen indices of a distributed array, gathered on one process."""

import numpy as np

from . import _core
from ._agree import together
from ._gather import gather
from ._make import unstructured


class _Axis:
    """The global indices along one axis that are drawn: of each cell the first one that a process has.

    A cell is a range of `step` indices, and cell 0 begins at `low`. If the indices have no gaps, they are
    `low`, ``low + step``, ``low + 2 * step``, ... The axis has one index, `at`, if it is not None.
    """

    def __init__(self, array, axis, cells=None, at=None):
        self.lists = _by_coordinate(array, axis)
        everything = np.concatenate(self.lists)
        self.held, first = np.unique(everything, return_index=True)  # the lowest coordinate of several with one index
        ends = np.cumsum([indices.size for indices in self.lists])
        self.owners = np.searchsorted(ends, first, side="right")
        self.low = int(self.held[0]) if self.held.size else 0
        extent = int(self.held[-1]) - self.low + 1 if self.held.size else 0
        self.step = 1 if cells is None else max(1, -(-extent // cells))
        self.at = self.low if at == "first" else at
        if at is None:
            distances = (self.held - self.low).view(np.uint64)
            self.cells, chosen = np.unique(distances // np.uint64(self.step), return_index=True)
            self.shown, self.extent = self.held[chosen], -(-extent // self.step)
        else:
            self.shown, self.extent = self.held[self.held == self.at], min(extent, 1)
            self.cells = np.arange(self.shown.size)
            if extent > 0 and self.shown.size == 0:
                raise ValueError(f"section is at {at} on axis {axis}, whose global indices are {self.low} to "
                                 f"{self.low + extent - 1}" + (" with gaps" if extent > self.held.size else ""))

    def of(self, indices):
        """The local indices that are drawn, and their positions in `shown`."""
        places = np.searchsorted(self.shown, indices)
        local = np.flatnonzero(np.isin(indices, self.shown))
        return local, places[local]


def _by_coordinate(array, axis):
    """The global indices of each grid coordinate along an axis, without padding, in the array's own numbering."""
    dist = array.distribution
    others = [0] * dist.ndim
    lists = []
    for coordinate in range(dist.grid[axis]):
        others[axis] = coordinate
        process = int(np.ravel_multi_index(others, dist.grid))
        lists.append(dist.indices(process, "interior")[axis] - array._shift[axis])
    return lists


def sampled(array, axes):
    """The elements at the indices of the axes on process 0, and None on the others. Collective.

    A cell of which no process has an index is masked; if there is none, the result is a plain array.
    """
    def part():
        dist = array.distribution
        coordinates = np.unravel_index(array.process, dist.grid)
        mine = [axis.of(axis.lists[coordinate])[0] for axis, coordinate in zip(axes, coordinates)]
        places = [[axis.of(indices)[1].tolist() for indices in axis.lists] for axis in axes]
        sample = _core._make([sum(map(len, lists)) for lists in places], [unstructured(lists) for lists in places],
                             list(dist.grid), dist.processes)
        return _core._over(np.ascontiguousarray(array.interior[np.ix_(*mine)]), sample, array.process, array.comm)

    gathered = gather(together(array.comm, part, same=False))

    def place():
        if gathered is None:
            return None
        shape = [axis.extent for axis in axes]
        if gathered.shape == tuple(shape):
            return gathered
        whole, missing = np.zeros(shape, array.dtype), np.ones(shape, bool)
        cells = np.ix_(*(axis.cells for axis in axes))
        whole[cells], missing[cells] = gathered, False
        return np.ma.array(whole, mask=missing)

    return together(array.comm, place, same=False)
