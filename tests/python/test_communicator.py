"""Our messages, and those of the libraries that we call, never meet the caller's."""

import importlib

import numpy as np
import pytest
import tridap
from every_call import Calls, N, need
from mpi4py import MPI

CALLS = ["product", "solve", "muelu", "direct", "eigsh", "redistribute", "to_ids", "gather", "sum", "update_padding", "ghosts", "asarray",
         "refused", "load", "dense", "petsc"]


@pytest.mark.parametrize("name", CALLS)
def test_a_receive_of_any_message_gets_none_of_ours(comm, name, folder):
    """Each process waits for any message on the caller's communicator; after the call the next process sends one."""
    own = comm.Dup()
    number = np.zeros(1)
    pending = own.Irecv(number, source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG)
    Calls(own, folder).make(name)
    own.Send(np.array([77.0 + comm.rank]), dest=(comm.rank + 1) % comm.size, tag=3)
    pending.Wait()
    assert number[0] == 77 + (comm.rank - 1) % comm.size
    own.Free()


@pytest.mark.parametrize("name", CALLS)
def test_messages_of_the_caller_are_not_taken(comm, name, folder):
    """Each process has sent a number with the default tag to each process, which receives it after the call."""
    own = comm.Dup()
    sent = np.array([77.0 + comm.rank])
    pending = [own.Isend(sent, dest=rank) for rank in range(comm.size)]
    Calls(own, folder).make(name)
    arrived = [np.zeros(1) for _ in range(comm.size)]
    for rank, number in enumerate(arrived):
        own.Recv(number, source=rank)
    MPI.Request.Waitall(pending)
    assert [number[0] for number in arrived] == [77 + rank for rank in range(comm.size)]
    own.Free()


@pytest.mark.parametrize("order", ["C", "F"])
def test_mpi4py_passes_the_memory_of_the_local_part(comm, order):
    rows = tridap.distribution((2 * comm.size, 3), ("b", "*"), processes=comm.size)
    x = tridap.zeros(rows, order=order, comm=comm)
    x.local[...] = 100 * comm.rank + np.arange(6.0).reshape(2, 3)
    total = np.empty_like(x.local)
    comm.Allreduce(x, total)
    assert np.array_equal(total, sum(100 * rank + np.arange(6.0).reshape(2, 3) for rank in range(comm.size)))
    comm.Bcast(x)
    assert np.array_equal(x.local, np.arange(6.0).reshape(2, 3))


def test_one_rule_says_which_communicator_a_call_uses(comm):
    """comm=, else that of the first array among the arguments, else COMM_SELF for one process, else COMM_WORLD."""
    turned, other = comm.Split(0, -comm.rank), comm.Dup()
    line, one = tridap.distribution(N, processes=comm.size), tridap.distribution(N, processes=1)
    x, y, alone = tridap.zeros(line, comm=turned), tridap.zeros(line, comm=other), tridap.zeros(one)
    chosen = {(line, line): MPI.COMM_WORLD, (one, one): MPI.COMM_SELF, (line, one): MPI.COMM_WORLD if comm.size > 1 else MPI.COMM_SELF,
              (x, y): turned, (line, y): other, (alone, x): turned, (alone, one): MPI.COMM_SELF}
    for sides, wanted in chosen.items():
        assert tridap.Redistribution(*sides).comm == wanted
        assert tridap.Redistribution(*sides, comm=other).comm is other
    assert alone.comm is None and tridap.scatter(np.ones(N), one).comm is None
    assert y.redistribute("c").comm is other
    ghosted = tridap.GhostedArray(np.ones(2), [], comm=other)
    assert tridap.redistribute(ghosted, "c").comm is other and tridap.GhostedArray(np.ones(2), []).comm is None
    for made in (x, y, turned, other):
        if isinstance(made, MPI.Comm):
            made.Free()


def saved_alone(x, folder):
    tridap.save(folder / "x.h5", {"x": x})
    return np.array_equal(tridap.load(folder / "x.h5", "x", x.distribution).local, x.local)


def decomposed_alone(x, _):
    return np.allclose(tridap.scalapack.svd(x).s, np.linalg.svd(x.local)[1])


def vec_alone(x, _):
    vec, _ = tridap.petsc.import_array(x)  # petsc4py's communicator is that of a Vec, which must exist
    return vec.comm.size == 1


ALONE = {"save": saved_alone, "svd": decomposed_alone, "petsc": vec_alone}


@pytest.mark.parametrize("name", ALONE)
def test_arrays_of_one_process_need_no_other_one(comm, name, tmp_path):
    need(name)
    if name == "petsc":
        importlib.import_module("tridap.petsc")  # with which PETSc begins, on all processes together
    x = tridap.from_function(tridap.distribution((4, 4), processes=1), lambda i, j: 1.0 + 9 * (i == j), order="F")
    assert comm.rank != 0 or ALONE[name](x, tmp_path)  # the others make no call
