"""What the errors about files, ghosts and the arrays of other packages advise is executed on the case that made them."""

import copy
import pickle

import numpy as np
import pytest
import tridap
from mpi4py import MPI

from remedies import advice, follow, remedy, said_by

COMM = MPI.COMM_WORLD
P = COMM.size
R = COMM.rank
several = pytest.mark.skipif(P == 1, reason="needs at least 2 processes")


def case(**more):
    return {"tridap": tridap, "comm": COMM, "pickle": pickle, **more}


def numbered(dist, **more):
    return tridap.from_function(dist, lambda *at: sum(10.0**k * i for k, i in enumerate(at)), comm=COMM, **more)


@pytest.mark.skipif(not tridap.components()["hdf5"].built, reason="needs HDF5")
@remedy("give a distribution of the shape in the file (in Python to = tridap.distribution(")
def test_a_distribution_of_another_shape_than_the_file(folder):
    path = folder / "x.h5"
    x = numbered(tridap.distribution((2 * P, 3), processes=P))
    tridap.save(path, {"x": x})
    given = case(path=path, to=tridap.distribution((2 * P, 4), processes=P))
    assert np.array_equal(follow(given, "tridap.load(path, 'x', to)", r": (to = tridap\.distribution\(.*?\))$").allgather(), x.allgather())
    given = case(path=path, to=tridap.distribution(7, processes=1), comm=MPI.COMM_SELF)
    one = follow(given, "tridap.load(path, 'x', to, comm)", r": (to = tridap\.distribution\(.*?\))$")
    assert np.array_equal(one.local, x.allgather())


def ghosts():
    return [2 * r for r in range(P) if r != R]


def ghosted():
    return tridap.GhostedArray(np.append(2.0 * R + np.arange(2), np.zeros(P - 1)), ghosts(), comm=COMM)


@remedy("call wait() first", "call start_update() or start_sum() first", "call x.wait() first", "call x.start_update() or x.start_sum() first")
def test_updates_of_ghosts_that_are_out_of_turn():
    for call in "x.start_update()", "x.update_ghosts()", "x.start_sum()", "x.sum_ghosts()":
        given = case(x=ghosted())
        given["x"].start_update()
        follow(given, call, r"call (x\.wait\(\)) first")
        if "start" in call:
            given["x"].wait()
        assert given["x"].local.tolist()[2:] == ghosts()
    for line in r"call (x\.start_update\(\)) or", r"or (x\.start_sum\(\)) first":
        given = case(x=ghosted())
        follow(given, "x.wait()", line)
        assert given["x"].local.tolist() == ([2.0 * R, 2.0 * R + 1, *ghosts()] if "update" in line else [2.0 * R, 2.0 * R + 1, *[0.0] * (P - 1)])


@several
@remedy("pass comm=comm, the communicator of the processes of the distribution")
def test_ghosts_without_a_communicator():
    given = case(local=np.append(2.0 * R + np.arange(2), np.zeros(P - 1)), ghosts=ghosts(), distribution=tridap.distribution(2 * P, processes=P))
    x = follow(given, "tridap.GhostedArray(local, ghosts, distribution=distribution)", r"pass (comm=comm), the",
               "tridap.GhostedArray(local, ghosts, distribution=distribution, {})")
    x.update_ghosts()
    assert x.local.tolist()[2:] == ghosts()


@remedy("local is a DistArray, whose memory has no room for ghosts: tridap.GhostedArray.copy_of(local, ghosts) makes")
def test_memory_without_room_for_ghosts():
    given = case(local=numbered(tridap.distribution(2 * P, processes=P)), ghosts=ghosts())
    x = follow(given, "tridap.GhostedArray(local, ghosts, comm=comm)", r"(tridap\.GhostedArray\.copy_of\(local, ghosts\)) makes", "{}")
    x.update_ghosts()
    assert x.local.tolist() == [2.0 * R, 2.0 * R + 1, *ghosts()]


@remedy("a GhostedArray is copied by all processes together: ", "pickle.dumps((x.local, x.ghosts, x.owned.distribution)) writes its parts, and ")
def test_copies_and_pickles_of_arrays_with_ghosts():
    x = ghosted()
    for call in copy.copy, copy.deepcopy:
        made = eval(advice(said_by(lambda: call(x), TypeError), r"together: (.*)$"), case(x=x))
        made.update_ghosts()
        assert made.local.tolist()[2:] == ghosts() and not np.shares_memory(made.local, x.local)
    text = said_by(lambda: pickle.dumps(x), TypeError)
    parts = pickle.loads(eval(advice(text, r": (pickle\.dumps\(.*\)) writes"), case(x=x)))
    again = eval(advice(text, r"and (tridap\.GhostedArray\(.*\)) on every process"), case(**dict(zip(("local", "ghosts", "distribution"), parts))))
    again.update_ghosts()
    assert again.local.tolist() == [2.0 * R, 2.0 * R + 1, *ghosts()]


@several
@remedy("__partitioned__ needs the parts of all processes: tridap.asarray(array, comm) knows them")
def test_partitions_of_one_part_alone():
    array = tridap.asarray(numbered(tridap.distribution(2 * P, processes=P)).__distarray__())
    text = said_by(lambda: array.__partitioned__, AttributeError)
    said = eval(advice(text, r": (tridap\.asarray\(array, comm\)) knows"), case(array=array)).__partitioned__
    assert said["shape"] == (2 * P,) and said["locals"] == [(R,)]


def fft_case(**more):
    pytest.importorskip("mpi4py_fft")
    from tridap import mpi4py_fft
    return case(fft=mpi4py_fft, **more)


@several
@remedy("pass comm=comm, the communicator of exactly the processes")
def test_an_array_of_fft_on_some_processes():
    given = fft_case()
    from mpi4py_fft import DistArray
    half = COMM.Split(R % 2)
    given.update(comm=half, u=DistArray((4 * half.size, 3), (half, MPI.COMM_SELF), alignment=1))
    given["u"][...] = half.rank
    made = follow(given, "tridap.mpi4py_fft.export_array(u)", r"pass (comm=comm), the", "tridap.mpi4py_fft.export_array(u, {})")
    assert made.sum() == sum(12.0 * rank for rank in range(half.size))


@remedy("move it: x = x.redistribute(tridap.mpi4py_fft.distribution(x.shape", "copy it: x = x.copy(order='C')")
def test_arrays_that_fft_cannot_hold():
    move, copied = r": (x = x\.redistribute\(.*\))$", r": (x = x\.copy\(order='C'\))$"
    cases = [(numbered(tridap.distribution((2 * P, 3), "b,*", processes=P), order="F"), 0, copied)]
    if P > 1:
        cases += [(numbered(tridap.distribution((2 * P, 3), "c,*", processes=P)), 0, move),
                  (numbered(tridap.distribution((P, 2 * P, 3), "b,*,*", processes=P)), 1, move),
                  (numbered(tridap.distribution((2 * P, 3), [tridap.block(padding=1), "*"], (P, 1))), 0, move)]
    if P == 4:
        cases += [(numbered(tridap.distribution((4, 6), "b,b", (2, 2))), 0, move)]
    for x, rank, line in cases:
        given = fft_case(x=x, rank=rank)
        u = follow(given, "tridap.mpi4py_fft.import_array(x, rank=rank)", line)
        assert u.global_shape == x.shape and np.shares_memory(u, given["x"].local)
        assert given["x"].distribution.shape == x.shape and COMM.allreduce(float(u.sum())) == pytest.approx(x.sum())


@several
@remedy("move x to the distribution of like: x = tridap.redistribute(x, tridap.mpi4py_fft.export_array(like))")
def test_an_array_that_is_not_as_like():
    given = fft_case(x=numbered(tridap.distribution((2 * P, 2 * P), "b,*", processes=P)))
    from mpi4py_fft import DistArray
    given["like"] = DistArray((2 * P, 2 * P), alignment=0)
    u = follow(given, "tridap.mpi4py_fft.import_array(x, like)", r": (x = tridap\.redistribute\(.*\))$")
    whole = np.add.outer(np.arange(2.0 * P), 10 * np.arange(2.0 * P))
    assert np.array_equal(u, whole[u.local_slice()])
