"""Our messages, and those of the libraries that we call, never meet the caller's."""

import importlib
import shutil
import tempfile

import numpy as np
import pytest
import scipy.sparse as sp
import tridap
from mpi4py import MPI

SIZE = 24


class Case:
    """Arrays over a communicator of the caller: a line, its matrix, a field with padding, rows with ghosts."""

    def __init__(self, comm):
        self.comm = comm
        self.line = tridap.distribution(SIZE, processes=comm.size)
        (self.mine,) = self.line.indices(comm.rank)
        self.full = sp.diags([-1.0, 2.1, -1.0], [-1, 0, 1], shape=(SIZE, SIZE), format="csr")
        self.values = 1.0 + np.arange(SIZE)

    def x(self):
        return tridap.from_function(self.line, lambda i: 1.0 + i, comm=self.comm)

    def matrix(self):
        return tridap.Matrix(self.full[self.mine], self.line, comm=self.comm)

    def same(self, y, expected):
        return np.allclose(y.local, expected[self.mine], rtol=0, atol=1e-8)


def product(case):
    return case.same(case.matrix() @ case.x(), case.full @ case.values)


def solution(method):
    def solved(case):
        how = dict(method=method) if method == "direct" else dict(preconditioner=method, rtol=1e-12)
        x = tridap.solve(case.matrix(), case.x(), **how).x
        return case.same(x, np.linalg.solve(case.full.toarray(), case.values))
    return solved


def smallest(case):
    found = tridap.eigsh(case.matrix(), 1, which="SA")
    return np.allclose(found[0], np.linalg.eigvalsh(case.full.toarray())[:1])


def move(case):
    there = tridap.distribution(SIZE, "c", processes=case.comm.size)
    y = case.x().redistribute(there)
    return np.array_equal(y.local, 1.0 + there.indices(case.comm.rank)[0])


def ids(case):
    wanted = [(case.mine[0] + SIZE // 2) % SIZE]
    plan = tridap.to_ids(case.x(), wanted, partial=True)
    return np.array_equal(plan(case.x()).local, 1.0 + np.array(wanted))


def whole(case):
    return np.array_equal(case.x().allgather(), case.values) and case.x().sum() == case.values.sum()


def padding(case):
    dist = tridap.distribution(SIZE, [tridap.block(padding=1)], processes=case.comm.size)
    x = tridap.zeros(dist, comm=case.comm)
    x.interior[...] = 1.0 + dist.indices(case.comm.rank, "interior")[0]
    x.update_padding()
    return np.array_equal(x.local, 1.0 + dist.indices(case.comm.rank, "local")[0])


def ghosts(case):
    ghosts = [(case.mine[-1] + 1) % SIZE] if case.comm.size > 1 else []
    local = np.append(1.0 + case.mine, np.zeros(len(ghosts)))
    tridap.GhostedArray(local, ghosts, comm=case.comm).update_ghosts()
    return np.array_equal(local, 1.0 + np.append(case.mine, ghosts))


def checked(case):
    given = {"__version__": "0.10.0", "buffer": 1.0 + case.mine, "dim_data": case.line.dim_data(case.comm.rank)}
    return tridap.asarray(given, case.comm).sum() == case.values.sum()


def refused(case):
    """An Error that one process alone causes, so that its report travels."""
    given = {"__version__": "0.10.0", "buffer": 1.0 + case.mine, "dim_data": case.line.dim_data(case.comm.rank)}
    if case.comm.rank == case.comm.size - 1:
        given["buffer"] = given["buffer"][:-1]
    with pytest.raises(tridap.ProtocolError, match=f"rank {case.comm.size - 1}"):
        tridap.asarray(given, case.comm)
    return True


def saved(case):
    folder = case.comm.bcast(tempfile.mkdtemp() if case.comm.rank == 0 else None)
    tridap.save(f"{folder}/x.h5", {"x": case.x()})
    right = case.same(tridap.load(f"{folder}/x.h5", "x", case.line, comm=case.comm), case.values)
    case.comm.Barrier()
    if case.comm.rank == 0:
        shutil.rmtree(folder)
    return right


def dense(case):
    rows = tridap.distribution((SIZE, SIZE), "b,*", processes=case.comm.size)
    a = tridap.from_function(rows, lambda i, j: 2.1 * (i == j) - 1.0 * (abs(i - j) == 1), comm=case.comm)
    x = tridap.scalapack.solve(a, case.x())
    return np.allclose(x.allgather(), np.linalg.solve(case.full.toarray(), case.values))


def vec(case):
    from tridap import petsc
    made, _ = petsc.import_array(case.x())
    return np.isclose(made.norm(), np.linalg.norm(case.values))


CALLS = {
    "product": product, "cg": solution(None), "muelu": solution("muelu"), "direct": solution("direct"),
    "eigsh": smallest, "redistribute": move, "to_ids": ids, "allgather": whole, "update_padding": padding,
    "update_ghosts": ghosts, "asarray": checked, "an error": refused,
    "save": saved, "scalapack": dense, "petsc": vec,
}
NEEDS = {"save": "hdf5", "scalapack": "scalapack", "petsc": "petsc",
         **{name: "solvers" for name in ("product", "cg", "muelu", "direct", "eigsh")}}


def run(name, comm):
    if name in NEEDS and not tridap.components()[NEEDS[name]].built:
        pytest.skip(f"no component {NEEDS[name]}")
    return CALLS[name](Case(comm))


@pytest.mark.parametrize("name", CALLS)
def test_a_receive_of_any_message_gets_none_of_ours(comm, name):
    """Each process waits for any message on the caller's communicator; after the call the next process sends one."""
    own = comm.Dup()
    number = np.zeros(1)
    pending = own.Irecv(number, source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG)
    right = run(name, own)
    own.Send(np.array([77.0 + comm.rank]), dest=(comm.rank + 1) % comm.size, tag=3)
    pending.Wait()
    assert right and number[0] == 77 + (comm.rank - 1) % comm.size
    own.Free()


@pytest.mark.parametrize("name", CALLS)
def test_messages_of_the_caller_are_not_taken(comm, name):
    """Each process has sent a number with the default tag to each process, which receives it after the call."""
    own = comm.Dup()
    sent = np.array([77.0 + comm.rank])
    pending = [own.Isend(sent, dest=rank) for rank in range(comm.size)]
    right = run(name, own)
    arrived = [np.zeros(1) for _ in range(comm.size)]
    for rank, number in enumerate(arrived):
        own.Recv(number, source=rank)
    MPI.Request.Waitall(pending)
    assert right and [number[0] for number in arrived] == [77 + rank for rank in range(comm.size)]
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
    line, one = tridap.distribution(SIZE, processes=comm.size), tridap.distribution(SIZE, processes=1)
    x, y, alone = tridap.zeros(line, comm=turned), tridap.zeros(line, comm=other), tridap.zeros(one)
    chosen = {(line, line): MPI.COMM_WORLD, (one, one): MPI.COMM_SELF, (line, one): MPI.COMM_WORLD if comm.size > 1 else MPI.COMM_SELF,
              (x, y): turned, (line, y): other, (alone, x): turned, (alone, one): MPI.COMM_SELF}
    for sides, wanted in chosen.items():
        assert tridap.Redistribution(*sides).comm == wanted
        assert tridap.Redistribution(*sides, comm=other).comm is other
    assert alone.comm is None and tridap.scatter(np.ones(SIZE), one).comm is None
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
    return tridap.petsc.import_array(x)[0].comm.size == 1


ALONE = {"save": saved_alone, "scalapack": decomposed_alone, "petsc": vec_alone}


@pytest.mark.parametrize("name", ALONE)
def test_arrays_of_one_process_need_no_other_one(comm, name, tmp_path):
    if not tridap.components()[NEEDS[name]].built:
        pytest.skip(f"no component {NEEDS[name]}")
    if name == "petsc":
        importlib.import_module("tridap.petsc")  # with which PETSc begins, on all processes together
    x = tridap.from_function(tridap.distribution((4, 4), processes=1), lambda i, j: 1.0 + 9 * (i == j), order="F")
    assert comm.rank != 0 or ALONE[name](x, tmp_path)  # the others make no call
