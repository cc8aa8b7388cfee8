"""Finding the processes for the parts of a target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Sequence

import numpy as np

from . import _core
from ._agree import integer, utf8
from ._move import _axes, _distribution_of, _ranks

if TYPE_CHECKING:
    from numpy.typing import DTypeLike


@dataclass(frozen=True)
class Relabelling:
    """The placement of a target's parts on processes that `relabel` finds.

    Attributes:
        ranks: by process of the target: its rank, for ``Redistribution(..., target_ranks=)``.
        bytes_kept: bytes that are not sent with these ranks, summed over all processes.
        bytes_kept_before: bytes that are not sent if process r is rank r.
        most_bytes_kept: an upper bound over all placements.
        exact: whether `bytes_kept` is the most that is possible; always true for up to 2048 processes.
    """

    ranks: tuple[int, ...]
    bytes_kept: int
    bytes_kept_before: int
    most_bytes_kept: int
    exact: bool


def relabel(source: _core.Distribution | _core.DistArray, target: _core.Distribution | _core.DistArray,
            dtype: DTypeLike = float, processes: int | None = None, *, axes: Sequence[int] | None = None,
            source_ranks: Sequence[int] | None = None, most_pairs: int = 1_000_000_000) -> Relabelling:
    """Finds on which processes the parts of a target must be, such that as few bytes as possible are sent.

    It moves nothing and does not communicate. ``Redistribution(source, target, target_ranks=found.ranks)`` moves arrays
    so. Up to 2048 processes, the placement is the best one. For more, only the ranks that have most in common with a part
    are searched, and `most_bytes_kept` bounds how far the result is from the best.

    Args:
        source, target, dtype, axes, source_ranks: as in `Redistribution`.
        processes: how many there are; None: as many as the larger one of the two distributions has.
        most_pairs: how many pairs of coordinates, blocks or unstructured indices may be looked at. The search for more
            than 2048 processes takes a number of steps that is proportional to it. 10 000 processes from blocks to a
            cyclic axis are 10^8 pairs.

    Raises:
        ProtocolError: if the two distributions are of arrays with different elements; at once, if an estimate says that
            more than `most_pairs` pairs must be looked at.
    """
    here, there = _distribution_of("source", source), _distribution_of("target", target)
    size = max(here.processes, there.processes) if processes is None else integer("processes", processes)
    ranks = _ranks("source_ranks", source_ranks, here.processes, size)
    return Relabelling(*_core._relabel(here, ranks, there, np.dtype(utf8("dtype", dtype)).itemsize, size, _axes(axes, here.ndim),
                                       integer("most_pairs", most_pairs)))
