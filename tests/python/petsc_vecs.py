"""Vecs of petsc4py and arrays of the same elements, for the tests of tridap.petsc."""

import gc

import numpy as np
import petsc4py
import pytest
import tridap
from mpi4py import MPI

petsc4py.init(["tests", "-no_signal_handler"])
from petsc4py import PETSc  # noqa: E402
from tridap import petsc  # noqa: E402

COMM = MPI.COMM_WORLD
P = COMM.size
R = COMM.rank


@pytest.fixture(autouse=True)
def nothing_is_left():
    yield
    gc.collect()
    petsc.collect()
    assert petsc.held() == (0, 0)


def make_vec(local, comm=None):
    return PETSc.Vec().createMPI((local, PETSc.DETERMINE), comm=comm)


def numbered(vec):
    """Gives the entry with number g the value 3 g + 1, by PETSc."""
    start, stop = vec.getOwnershipRange()
    vec.setValues(np.arange(start, stop, dtype=PETSc.IntType), 3.0 * np.arange(start, stop) + 1)
    vec.assemble()
    return vec


def line(local):
    return tridap.distribution((local * P,), [tridap.block()], (P,))


def empty_line(local):
    return tridap.empty(line(local), comm=COMM)


def ghosted_vec(block=1):
    """Three blocks on each process, and the first block of each other process as a ghost, the last process first."""
    ghosts = [3 * r for r in reversed(range(P)) if r != R]
    vec = PETSc.Vec().createGhost(np.array(ghosts, PETSc.IntType), (3 * block, PETSc.DETERMINE),
                                  bsize=block if block > 1 else None, comm=COMM)
    return numbered(vec), ghosts
