"""Processes that make different collective calls get one Error that names them, and none hangs."""

import itertools

import numpy as np
import pytest
import tridap
from mpi4py import MPI

try:
    from tridap import petsc as _  # noqa: F401 - PETSc begins on all processes together, and some tests need only some of them
except ImportError:
    pass
from every_call import Calls

CALLS = {"sum": "x.sum()", "pad": "x.update_padding()", "gather": "x.gather()", "norm": "x.norm()", "redist": "x.redistribute()",
         "save": "tridap.save()", "allclose": "numpy.allclose()", "allgather": "x.allgather()", "asarray": "tridap.asarray()"}
MODULES = {"save": "tridap.save()", "load": "tridap.load()", "dense": "tridap.scalapack.solve()", "svd": "tridap.scalapack.svd()",
           "vec": "tridap.petsc.import_array()", "dmda": "tridap.petsc.create_dmda()", "solve": "tridap.solve()",
           "eigsh": "tridap.eigsh()", "matrix": "tridap.Matrix()", "product": "A @ x", "ghosts": "x.update_ghosts()", "plan": "plan()",
           "element": "x[...]", "plot": "x.plot()", "export": "tridap.export()"}


@pytest.fixture(scope="module", params=[2, 3, 4])
def some(request):
    """The first processes; None on the others."""
    world = MPI.COMM_WORLD
    if world.size < request.param:
        pytest.skip(f"needs at least {request.param} processes")
    some = world.Split(0 if world.rank < request.param else MPI.UNDEFINED, world.rank)
    yield some if some != MPI.COMM_NULL else None
    if some != MPI.COMM_NULL:
        some.Free()


def calls_of(comm, folder):
    x = tridap.from_function(tridap.distribution((8, 10), [tridap.block(padding=1)] * 2, processes=comm.size),
                             lambda i, j: 10.0 * i + j, comm=comm)
    file = str(folder / "m.h5")
    return dict(sum=x.sum, pad=x.update_padding, gather=x.gather, norm=x.norm, redist=lambda: x.redistribute("b,*"),
                save=lambda: tridap.save(file, {"x": x}, comm=comm), allclose=lambda: np.allclose(x, x), allgather=x.allgather,
                asarray=lambda: tridap.asarray(x.__distarray__(), comm))


def calls_of_modules(comm, folder):
    petsc = pytest.importorskip("tridap.petsc")
    c = Calls(comm, folder).made()
    c.save()
    plan = tridap.Redistribution(c.line, tridap.distribution(c.line.shape, "c", processes=comm.size), comm=comm)
    return dict(save=c.save, load=lambda: tridap.load(c.file, "x", comm=comm), dense=c.dense, svd=c.svd, vec=c.petsc,
                dmda=lambda: petsc.create_dmda(c.line, comm), solve=c.solve, eigsh=c.eigsh, matrix=c.matrix, product=c.product,
                ghosts=c.ghosts, plan=lambda: plan(c.b), element=lambda: c.b[3], plot=c.plot, export=lambda: tridap.export(c.b, comm=comm))


def assert_each_pair_differs(comm, names, calls):
    for first, others in itertools.permutations(names, 2):
        with pytest.raises(tridap.ProtocolError) as caught:
            calls[first if comm.rank == 0 else others]()
        text = str(caught.value)
        assert comm.allgather(text) == [text] * comm.size
        rest = "rank 1 calls" if comm.size == 2 else "the others call"
        assert text.startswith(f"rank 0 calls {names[first]}, {rest} {names[others]}, must be the same collective call"), text


def test_each_pair_of_calls_is_one_error_on_all(some, tmp_path):
    if some is not None:
        assert_each_pair_differs(some, CALLS, calls_of(some, tmp_path))


def test_each_pair_of_modules_is_one_error_on_all(some, folder):
    if some is not None:
        assert_each_pair_differs(some, MODULES, calls_of_modules(some, folder))


def test_a_call_of_rank_0_alone_meets_the_next_call(comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    x = tridap.from_function(tridap.distribution(8, processes=comm.size), lambda i: 1.0 * i)
    with pytest.raises(tridap.ProtocolError, match=r"rank 0 calls x.max\(\), (rank 1 calls|the others call) x.sum\(\)"):
        if comm.rank == 0:
            print(x.max())
        x.sum()
    assert x.sum() == 28  # all go on together


def test_all_modules_share_one_duplicate(comm, tmp_path):
    made = []
    own = comm.Dup()
    key = MPI.Comm.Create_keyval(copy_fn=lambda *_: made.append(1) or NotImplemented)
    own.Set_attr(key, 0)
    full = tridap.from_function(tridap.distribution((8, 8), "b,*", processes=own.size), lambda i, j: 1.0 + (i == j), comm=own)
    full.sum()
    assert made == [1]
    tridap.scalapack.qr(full, copy="if_needed")
    tridap.save(str(tmp_path / f"{comm.rank}.h5") if comm.size == 1 else comm.bcast(str(tmp_path / "x.h5")), {"x": full})
    assert made == [1]
    MPI.Comm.Free_keyval(key)
