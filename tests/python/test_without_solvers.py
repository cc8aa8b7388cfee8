"""A tridap that was built without Trilinos: what needs Trilinos says so on every process, and all else works."""

import numpy as np
import pytest
import tridap

NEEDS_TRILINOS = {
    "solve": lambda dist: tridap.solve(None, tridap.zeros(dist)),
    "eigsh": lambda dist: tridap.eigsh(None),
    "Matrix": lambda dist: tridap.Matrix(([], [], [0]), dist),
    "LinearOperator": lambda dist: tridap.LinearOperator(lambda x, y: None, dist),
    "Preconditioner": lambda dist: tridap.Preconditioner(None, "muelu"),
    "a class of one's own": lambda dist: type("Mine", (tridap.Matrix,), {})(),
    "no arguments": lambda dist: tridap.Matrix(),
}


@pytest.mark.parametrize("what", NEEDS_TRILINOS)
def test_what_needs_trilinos_says_why_and_what_to_do(comm, what):
    component = tridap.components()["solvers"]
    assert not component.built
    reason = tridap.components()["tpetra"].uses if "tpetra, which is off" in component.uses else component.uses
    with pytest.raises(ImportError, match="was built without Trilinos' solvers") as raised:
        NEEDS_TRILINOS[what](tridap.distribution(4 * comm.size))
    assert f"({reason})" in str(raised.value)
    assert "build it again; docs/install.md" in str(raised.value)


def test_another_process_does_not_wait_if_one_alone_asks(comm):
    if comm.rank == 0:
        with pytest.raises(ImportError):
            tridap.Matrix(([], [], [0]), tridap.distribution(comm.size))
    comm.Barrier()


def test_all_else_works(comm):
    dist = tridap.distribution((7, 5), ("b", "c"), (comm.size, 1))
    array = tridap.from_function(dist, lambda i, j: 10.0 * i + j, comm=comm)
    whole = np.add.outer(10.0 * np.arange(7), np.arange(5))
    assert tridap.check(array, comm).ok
    assert (array + 1).sum() == (whole + 1).sum()
    moved = array.redistribute(tridap.distribution((7, 5), ("c", "b"), (1, comm.size)), comm=comm)
    assert (moved.allgather() == whole).all()
    assert (np.from_dlpack(moved) == moved.local).all()
