"""A watchdog for collective calls that wait, and what a profiler sees of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._agree import collective, together
from ._make import communicator

if TYPE_CHECKING:
    from mpi4py import MPI


@collective("tridap.watch()")
def watch(seconds: float | None, comm: MPI.Comm | None = None) -> None:
    """Prints where each process is if a collective call of this package waits too long, and goes on waiting. Collective.

    If a process is in one call for `seconds`, one process of its node prints to standard error where each process of the node
    is: in which call, since when, and in which line of the program. This shows which one does not take part::

        tridap: rank 0 is in one call for 30 s. The processes of node-3:
          rank 0: in x.max() for 30 s, waiting for the other processes to begin it (job.py:12)
          rank 1: in no call of TriDAP; last call x.sum() 31 s ago (job.py:9)

    A long computation inside of a call, such as a solve, is shown too, once. While it watches, each process has one thread more,
    which does not call MPI and does not need Python's lock. Nothing communicates after this call.

    Args:
        seconds: how long, the same on every process; 0 or None ends the watch.
        comm: an mpi4py communicator, whose ranks are printed; None: MPI.COMM_WORLD.

    Raises:
        ProtocolError: on every process, if `seconds` is wrong or differs.
    """
    group: Any = communicator(comm)
    _core._watch_calls(together(group, lambda: 0.0 if seconds is None else float(seconds)), group)


def trace(on: bool = True) -> None:
    """The calls of this thread that move, solve or wait are regions of Kokkos' tools, and timers of Teuchos. Local.

    Their names are those of C++: ``x.gather()`` is "tridap::redistribute::gather". Regions are seen while Kokkos is
    initialised, which the first matrix does. A tool is a library that the environment variable KOKKOS_PROFILE_LIBRARY names
    (from Kokkos 4 on, KOKKOS_TOOLS_LIBS).

    Args:
        on: False ends it.

    Raises:
        ImportError: if this package was built without Trilinos' solvers.
    """
    _core._need_solvers()
    _core._trace(bool(on))
