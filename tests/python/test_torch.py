"""DTensors of PyTorch in and out, with PyTorch itself or with the stand-in of dtensors.py."""

import contextlib
import copy
import gc
import itertools
import sys
import types

import dtensors
import numpy as np
import pytest
import tridap
from mpi4py import MPI
from lines import run_lines
from producers import address, everywhere, refused_by_all

from remedies import remedy

SHAPES = [(7, 5), (3, 2), (2, 3), (0, 4)]
MESHES = {1: [[0], [[0]]], 2: [[0, 1], [[0], [1]]], 3: [[0, 1, 2]], 4: [[0, 1, 2, 3], [[0, 2], [1, 3]]],
          6: [[[0, 1, 2], [3, 4, 5]], [[[0, 3], [1, 4], [2, 5]]]]}


@pytest.fixture(scope="module", autouse=True)
def t():
    with dtensors.pytorch() as names:
        yield names


@pytest.fixture(scope="module")
def tt(t):
    return __import__("tridap.torch", fromlist=["torch"])


def numbered(shape, dtype=float):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def sharded(t, mesh, placements, shape, dtype=float):
    """A DTensor whose elements are their numbers."""
    return t.distribute_tensor(t.torch.from_numpy(numbered(shape, dtype)), mesh, placements)


def of_local(t, mesh, placements, shape):
    """The same by `from_local`, which PyTorch lets have parts that it does not make itself."""
    ours = [dtensors._StridedShard(p.dim, split_factor=p.split_factor) if hasattr(p, "split_factor") else dtensors.Shard(p.dim)
            for p in placements]
    local = numbered(shape)[np.ix_(*dtensors.held(shape, mesh, ours, mesh.get_coordinate()))]
    return t.DTensor.from_local(t.torch.from_numpy(local), mesh, placements, shape=t.torch.Size(shape), stride=(shape[1], 1))


def cases(t, comm, shapes=SHAPES):
    """Every placement of the axes of every mesh."""
    for ranks in MESHES.get(comm.size, [list(range(comm.size))]):
        mesh = t.DeviceMesh("cpu", ranks)
        for placements in itertools.product((t.Shard(0), t.Shard(1), t.Replicate()), repeat=mesh.ndim):
            for shape in shapes:
                yield mesh, list(placements), shape


def pair(t, comm):
    """A mesh of two axes, or of one if the processes are not even."""
    return t.DeviceMesh("cpu", np.arange(comm.size).reshape((2, -1) if comm.size % 2 == 0 else (1, -1)).tolist())


def whole(array, comm):
    """All elements of an array, on every process; None if it is on no process."""
    found = comm.allgather(array.allgather() if isinstance(array, tridap.DistArray) else None)
    return next(one for one in found if one is not None)


needs_replicas = pytest.mark.skipif(MPI.COMM_WORLD.size % 2 == 1, reason="needs an even number of processes")


def replicated(t, comm, shape=(7, 5)):
    return sharded(t, pair(t, comm), [t.Replicate(), t.Shard(0)], shape)


def test_each_placement_in_place_with_its_elements(t, tt, comm):
    for mesh, placements, shape in cases(t, comm):
        x = sharded(t, mesh, placements, shape)
        a = tt.export_array(x)
        assert a.shape == shape and np.array_equal(whole(a, comm), numbered(shape))
        replicas = np.prod([mesh.size(axis) for axis, p in enumerate(placements) if not hasattr(p, "dim")], dtype=int)
        holds = isinstance(a, tridap.DistArray)
        assert sum(comm.allgather(holds)) == comm.size // replicas == a.distribution.processes
        if holds:
            assert a.comm.rank == a.process and a.comm.size == comm.size // replicas
            assert a.receipt.bytes_copied == 0 and np.array_equal(a.local, x.to_local().numpy())
            assert a.local.size == 0 or address(a.local) == address(x.to_local().numpy())
            assert a.local.flags.writeable == (replicas == 1)
        x.to_local().numpy()[...] += 1  # written there, read here
        assert np.array_equal(whole(a, comm), numbered(shape) + 1)


def test_asarray_finds_the_order_of_the_processes(t, tt, comm):
    mesh = pair(t, comm)
    x = sharded(t, mesh, [t.Shard(1), t.Shard(0)], (7, 5))
    a = tridap.asarray(x, comm)
    assert np.array_equal(a.allgather(), numbered((7, 5))) and a.distribution == tt.distribution((7, 5), mesh, [t.Shard(1), t.Shard(0)])
    assert everywhere(comm, np.shares_memory(a.local, x.to_local().numpy()))
    backward = comm.Split(0, -comm.rank)
    assert np.array_equal(tridap.asarray(x, backward).allgather(), numbered((7, 5)))
    copied = tridap.asarray(x, comm, copy=True)
    assert everywhere(comm, not np.shares_memory(copied.local, x.to_local().numpy())) and copied.sum() == a.sum()
    backward.Free()


def test_this_process_alone_is_the_part_of_its_place(t, comm):
    x = sharded(t, pair(t, comm), [t.Shard(1), t.Shard(0)], (7, 5))
    a = tridap.asarray(x)
    assert np.shares_memory(a.local, x.to_local().numpy())
    start = [dim["start"] for dim in a.dim_data]
    assert a.local.size == 0 or a.local[0, 0] == np.ravel_multi_index(start, (7, 5))


def test_tensors_move_and_are_moved_to(t, comm):
    mesh = pair(t, comm)
    x, y = (sharded(t, mesh, [t.Shard(1), t.Shard(0)], (7, 5)) for _ in range(2))
    b = tridap.redistribute(x, "c,*", comm=comm)
    assert np.array_equal(b.allgather(), numbered((7, 5)))
    tridap.redistribute(b, out=y, alpha=2)
    assert np.array_equal(y.full_tensor().numpy(), 2 * numbered((7, 5)))


@pytest.mark.parametrize("dtype", ["f4", "c16", "i8", "u1", "?"])
def test_element_types(t, tt, comm, dtype):
    if dtype == "?" and not t.is_real:
        pytest.skip("the stand-in is NumPy's memory, whose DLPack has no bool")
    x = sharded(t, pair(t, comm), [t.Shard(0), t.Shard(1)], (7, 5), dtype)
    a = tt.export_array(x)
    assert a.dtype == dtype and np.array_equal(a.allgather(), numbered((7, 5), dtype))


def test_a_tensor_without_axes_is_on_one_process(t, tt, comm):
    mesh = t.DeviceMesh("cpu", list(range(comm.size)))
    x = t.distribute_tensor(t.torch.from_numpy(np.array(3.0)), mesh, [t.Replicate()])
    a = tt.export_array(x)
    assert whole(a, comm) == 3 and a.distribution.processes == 1
    assert tt.to_dtensor(a, mesh, [t.Replicate()]).full_tensor().numpy() == 3


def test_strided_shards_have_the_elements_of_pytorch(t, tt, comm):
    if comm.size % 2:
        pytest.skip("needs an even number of processes")
    mesh, line = pair(t, comm), t.DeviceMesh("cpu", list(range(comm.size)))
    for rows in (2 * comm.size, 3):
        a = tt.export_array(of_local(t, mesh, [t._StridedShard(0, split_factor=mesh.size(1)), t.Shard(0)], (rows, 3)))
        assert np.array_equal(a.allgather(), numbered((rows, 3))) and a.distribution.grid == (comm.size, 1)
    x = sharded(t, line, [t._StridedShard(0, split_factor=3)], (6 * comm.size, 2))
    assert np.array_equal(tt.export_array(x).allgather(), numbered((6 * comm.size, 2)))
    given = {"x": of_local(t, line, [t._StridedShard(0, split_factor=3)], (6 * comm.size - 1, 2)), "Shard": t.Shard, "tt": tt}
    with pytest.raises(tridap.ProtocolError, match=r"placements that no distribution describes, _StridedShard\(") as error:
        tt.export_array(given["x"])
    if not t.is_real:  # PyTorch 2.14 does not move such a tensor
        exec(str(error.value).rpartition("call ")[2], given)
        assert np.array_equal(tt.export_array(given["x"]).allgather(), numbered((6 * comm.size - 1, 2)))


def test_a_mesh_that_pytorch_reads_in_two_orders_is_refused(t, tt, comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    mesh = t.DeviceMesh("cpu", list(range(comm.size))[::-1])
    x = of_local(t, mesh, [t.Shard(0)], (7, 5))
    refused_by_all(comm, {"are not in ascending order along its axis 0": lambda: tt.export_array(x)})
    y = t.DTensor.from_local(t.torch.from_numpy(numbered((7, 5))), mesh, [t.Replicate()])
    assert np.array_equal(whole(tt.export_array(y), comm), numbered((7, 5)))


def test_partial_sums_are_refused_with_the_call_that_adds(t, tt, comm):
    mesh = pair(t, comm)
    part = t.DTensor.from_local(t.torch.from_numpy(np.ones((3, 2))), mesh, [t.Shard(0), t.Partial()])
    given = {"x": part, "Shard": t.Shard, "Replicate": t.Replicate, "comm": comm, "tridap": tridap}
    with pytest.raises(tridap.ProtocolError, match="which PyTorch has not reduced yet") as error:
        tridap.asarray(part, comm)
    exec(str(error.value).partition("call ")[2].partition(", which")[0], given)
    assert np.array_equal(whole(tridap.asarray(given["x"], comm), comm), np.full((3 * mesh.size(0), 2), mesh.size(1)))


def test_tensors_that_require_grad_are_refused(t, tt, comm):
    mesh = pair(t, comm)
    x = t.distribute_tensor(t.torch.from_numpy(numbered((7, 5))).requires_grad_(), mesh, [t.Shard(0), t.Shard(1)])
    refused_by_all(comm, {"x requires grad.*pass x.detach": lambda: tt.export_array(x),
                          "x requires grad, but": lambda: tridap.asarray(x, comm)})
    with pytest.raises(tridap.ProtocolError, match="requires grad"):
        tridap.asarray(x)
    assert np.array_equal(tt.export_array(x.detach()).allgather(), numbered((7, 5)))


def test_one_wrong_local_tensor_is_an_error_on_all(t, tt, comm):
    mesh, last = t.DeviceMesh("cpu", list(range(comm.size))), comm.rank == comm.size - 1
    local = t.torch.from_numpy(np.zeros((4 if last else 3, 2)))
    shape, stride = t.torch.Size((3 * comm.size, 2)), (2, 1)
    x = t.DTensor.from_local(local, mesh, [t.Shard(0)], shape=shape, stride=stride)
    with pytest.raises(tridap.ProtocolError, match=rf"process {comm.size - 1} holds a local tensor of shape \(4, 2\).*torch.chunk"):
        tt.export_array(x)
    right = sharded(t, mesh, [t.Shard(0)], (3 * comm.size, 2))
    y = x if last else right
    refused_by_all(comm, {"as torch.chunk does": lambda: tridap.asarray(y, comm)})


def test_uneven_parts_without_a_shape_are_refused_on_all(t, tt, comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    mesh = t.DeviceMesh("cpu", list(range(comm.size)))
    local = t.torch.from_numpy(np.zeros((2 if comm.rank == 0 else 3, 2)))
    x = t.DTensor.from_local(local, mesh, [t.Shard(0)])
    refused_by_all(comm, {"on process 1: DTensor.from_local without shape= supposes that all": lambda: tt.export_array(x)})


def test_processes_that_are_not_those_of_the_mesh_are_refused(t, tt, comm, monkeypatch):
    x = sharded(t, t.DeviceMesh("cpu", list(range(comm.size))), [t.Shard(0)], (7, 5))
    if comm.size > 1:
        with pytest.raises(tridap.ProtocolError, match=f"the mesh has {comm.size} processes, but the communicator has 1.*: pass comm="):
            tt.export_array(x, MPI.COMM_SELF)
        x.device_mesh.get_rank = lambda: min(dtensors.RANK, comm.size - 2)
        refused_by_all(comm, {"processes 0 and 1 of the communicator both have rank of PyTorch": lambda: tt.export_array(x)})
        x.device_mesh.get_rank = lambda: dtensors.RANK + 7
        refused_by_all(comm, {"rank of PyTorch .*, which is not in the mesh": lambda: tt.export_array(x)})


def test_arguments_that_are_wrong_on_one_process(t, tt, comm):
    mesh, last = pair(t, comm), comm.rank == comm.size - 1
    x = sharded(t, mesh, [t.Shard(0), t.Shard(0)], (7, 5))
    refused_by_all(comm, {"x is a ndarray, must be a DTensor": lambda: tt.export_array(np.zeros(3) if last else x),
                          "replica is 7, must be": lambda: tt.export_array(x, replica=7),
                          "replicas is 'both', must be None": lambda: tt.export_array(x, replicas="both")})
    a = tt.export_array(x)
    rows = [t.Shard(0)] * 2
    refused_by_all(comm, {"x is a list, must be a tridap.DistArray": lambda: tt.to_dtensor([1] if last else a, mesh, rows, comm=comm),
                          "there are 1 placements, must be one for each of the 2": lambda: tt.to_dtensor(a, mesh, [t.Shard(0)]),
                          "but the array has 2 axes": lambda: tt.to_dtensor(a, mesh, [t.Shard(0), t.Shard(2)]),
                          "mesh is a int, must be": lambda: tt.to_dtensor(a, 5 if last else mesh, [t.Shard(0)] * 2)})
    if comm.size > 1:
        refused_by_all(comm, {"has no __distarray__|pass tridap.array": lambda: tridap.asarray(np.zeros((7, 5)) if last else x, comm),
                              "must be the same on every process": lambda: tt.to_dtensor(a, mesh, [t.Shard(0), t.Shard(int(last))])})


def test_a_local_tensor_with_another_number_of_axes_is_refused(t, tt, comm):
    local = numbered((2 * comm.size, 2))[2 * comm.rank:2 * comm.rank + 2]
    if comm.rank == comm.size - 1:
        local = local.reshape(-1)
    mesh = t.DeviceMesh("cpu", list(range(comm.size)))
    x = t.DTensor.from_local(t.torch.from_numpy(local.copy()), mesh, [t.Shard(0)], run_check=False,
                             shape=t.torch.Size((2 * comm.size, 2)), stride=(2, 1))
    refused_by_all(comm, {"but the DTensor has 2 axes": lambda: tt.export_array(x)})


@needs_replicas
def test_the_other_replicas_hold_nothing(t, tt, comm):
    x = replicated(t, comm)
    for replica in range(2):
        a = tt.export_array(x, replica=replica)
        assert isinstance(a, tridap.DistArray) == (x.device_mesh.get_coordinate()[0] == replica)
        assert np.array_equal(whole(a, comm), numbered((7, 5))) and a.shape == (7, 5) and a.dtype == float
        if isinstance(a, tridap.ArrayElsewhere):
            assert a.local.size == 0 and a.comm is None and a.process is None and len(a) == 7 and "no elements here" in repr(a)
            with pytest.raises(tridap.ProtocolError, match="holds no part of the array"):
                a.__distarray__()
            with pytest.raises(TypeError, match="holds no part"):
                np.asarray(a)
        assert everywhere(comm, isinstance(a, tridap.ArrayElsewhere) or not a.local.flags.writeable)


@needs_replicas
def test_programs_are_the_same_on_all_replicas(t, tt, comm):
    a = tt.export_array(replicated(t, comm))
    b = np.sqrt(a * 2 + 1)
    c = np.where(b[1:, ::2].T > 3, 1, b[1:, ::2].T).astype("f4")
    b *= 3
    b[2:] = 1
    total = [b.sum(), np.linalg.norm(b), b[3, 4]]
    assert (total == [None] * 3) == isinstance(a, tridap.ArrayElsewhere)
    assert isinstance(b.redistribute("c,*"), type(a)) and b.gather(0) is None or isinstance(a, tridap.DistArray)
    w = np.sqrt(numbered((7, 5)) * 2 + 1)
    moved = c.redistribute("*,b", comm=comm)  # all processes have a part of it
    assert moved.comm is comm and moved.dtype == "f4"
    assert np.array_equal(moved.allgather(), np.where(w[1:, ::2].T > 3, 1, w[1:, ::2].T).astype("f4"))
    moved *= 2
    tridap.redistribute(moved, out=c, comm=comm)
    assert np.array_equal(whole(c, comm), moved.allgather())
    turned = a.astype(dtype="f4").redistribute("b,*", axes=(1, 0))
    flat = a.redistribute("b", ravel="C", convert="f4")
    assert (turned.shape, turned.dtype, flat.shape, flat.dtype) == ((5, 7), "f4", (35,), "f4")
    assert np.array_equal(whole(turned, comm), numbered((7, 5)).T) and np.array_equal(whole(flat, comm), np.arange(35))
    plan = tridap.Redistribution(c, moved, c.dtype, comm)
    plan(c, moved)
    assert np.array_equal(whole(plan.reversed()(moved), comm), moved.allgather())


@needs_replicas
@pytest.mark.skipif(not tridap.components()["solvers"].built, reason="needs solvers")
def test_a_solve_of_one_replica_is_the_same_program_on_all(t, tt, comm):
    sparse = pytest.importorskip("scipy.sparse")
    mesh = t.DeviceMesh("cpu", np.arange(comm.size).reshape(2, -1).tolist())
    x = t.distribute_tensor(t.torch.from_numpy(1.0 + np.arange(12)), mesh, [t.Replicate(), t.Shard(0)])
    a = tt.export_array(x)
    rows = 4 * sparse.identity(12, format="csr")[a.distribution.indices(a.process or 0)[0]]
    A = tridap.Matrix(rows, a)
    twice = tridap.LinearOperator(lambda given, product: np.multiply(given, 2, product), a)
    M = tridap.Preconditioner(A, "relaxation")
    b = A.T @ a
    b += twice @ a
    assert np.array_equal(whole(b, comm), 6 * (1.0 + np.arange(12)))
    y = b.copy()
    result = tridap.solve(A, b, x=y, M=M)
    A.update_values(rows)
    assert np.allclose(whole(y, comm), 1.5 * (1.0 + np.arange(12)))
    assert (result is None) == isinstance(a, tridap.ArrayElsewhere) == repr(A).endswith("on other processes>")
    product = A.dot(a)
    z = tt.to_dtensor(product, mesh, x.placements, copy="if_needed")  # as that of an array made here
    assert np.array_equal(z.full_tensor().numpy(), 4 * (1.0 + np.arange(12)))
    assert A.shape == (12, 12) and A.distribution == M.distribution == a.distribution and isinstance(A.diagonal(), type(a))
    assert copy.copy(A) is copy.deepcopy(A) is A and (A.comm is None or A.comm == a.comm) and M.name in ("relaxation", None)
    with pytest.raises(AttributeError, match="no_such"):
        A.no_such()
    B = tridap.Matrix(4 * sparse.identity(12, format="csr")[tridap.distribution(12).indices(comm.rank)[0]], tridap.distribution(12))
    refused_by_all(comm, {"": lambda: tridap.solve(B, a)})
    refused_by_all(comm, {"": lambda: B @ a})


@needs_replicas
@remedy("the protocol describes no such process: y = tridap.redistribute(")
def test_what_the_refused_description_advises_runs(t, tt, comm):
    a = tt.export_array(replicated(t, comm))
    said = None
    with contextlib.suppress(tridap.ProtocolError):
        a.__distarray__()
    try:
        a.__distarray__()
    except tridap.ProtocolError as error:
        said = str(error)
    line = next(text for text in comm.allgather(said) if text).partition("process: ")[2].partition(" moves")[0]
    given = {"x": a, "tridap": tridap, "comm": comm}
    exec(line, given)
    assert np.array_equal(given["y"].allgather(), numbered((7, 5)))
    assert "ArrayElsewhere" not in repr(tridap.asarray(given["y"], comm))
    refused_by_all(comm, {"holds no part of the array": lambda: tridap.asarray(a, comm)})


@needs_replicas
def test_a_with_block_sends_to_the_other_replicas(t, tt, comm):
    for replica in range(2):
        x = replicated(t, comm)
        with tt.export_array(x, replica=replica, replicas="update") as a:
            a *= 2
            a.local[...] += 1
        assert np.array_equal(x.full_tensor().numpy(), 2 * numbered((7, 5)) + 1)
        assert everywhere(comm, np.array_equal(x.to_local().numpy(), shares_of(x, comm)))
        if isinstance(a, tridap.DistArray):
            with pytest.raises(ValueError, match="read-only"):
                a.local[...] = 7
            with pytest.raises((ValueError, tridap.ProtocolError), match="read-only"):
                a *= 2
        with a:
            a -= 1
        assert np.array_equal(x.full_tensor().numpy(), 2 * numbered((7, 5)))
        assert everywhere(comm, np.array_equal(x.to_local().numpy(), shares_of(x, comm)))


def shares_of(x, comm):
    """The local tensor of the first replica that this process must have, too."""
    mine = x.device_mesh.get_coordinate()
    return next(local for at, local in comm.allgather((mine, x.to_local().numpy())) if at[1:] == mine[1:] and at[0] == 0)


@needs_replicas
def test_nothing_is_sent_if_one_process_leaves_by_an_error(t, tt, comm):
    x = replicated(t, comm)
    with pytest.raises((tridap.ProtocolError, KeyError), match="its with block ended with KeyError|mine"):
        with tt.export_array(x, replicas="update") as a:
            a.local[...] = 5
            if comm.rank == 0:
                raise KeyError("mine")
    first = x.device_mesh.get_coordinate()[0] == 0
    assert np.all(x.to_local().numpy() == 5) if first else x.to_local().numpy()[0, 1] != 5
    with pytest.raises(TypeError, match="replicas='update'"):
        with tt.export_array(x):
            pass


@needs_replicas
def test_replicas_that_were_not_sent_are_told_of(t, tt, comm):
    a = tt.export_array(replicated(t, comm), replicas="update")
    holds = isinstance(a, tridap.DistArray)
    with pytest.warns(UserWarning, match="before its elements were sent") if holds else contextlib.nullcontext():
        del a
        gc.collect()


@needs_replicas
def test_to_dtensor_sends_to_the_other_replicas(t, tt, comm):
    x = replicated(t, comm)
    a = tt.export_array(x, replicas="update")
    a *= 3
    y = tt.to_dtensor(a, x.device_mesh, x.placements)
    assert everywhere(comm, np.shares_memory(y.to_local().numpy(), x.to_local().numpy()))
    assert np.array_equal(y.full_tensor().numpy(), 3 * numbered((7, 5)))
    assert everywhere(comm, np.array_equal(x.to_local().numpy(), shares_of(x, comm)))


def test_each_array_goes_back_in_place(t, tt, comm):
    for mesh, placements, shape in cases(t, comm):
        x = sharded(t, mesh, placements, shape)
        a = tt.export_array(x)
        y = tt.to_dtensor(a, mesh, placements)
        assert np.shares_memory(y.to_local().numpy(), x.to_local().numpy()) or x.to_local().numpy().size == 0
        assert tuple(y.shape) == shape and list(y.placements) == placements and (y.stride() == x.stride() or 0 in shape)
        assert np.array_equal(y.full_tensor().numpy(), numbered(shape))


def test_other_arrays_are_moved_if_copy_allows(t, tt, comm):
    for mesh, placements, shape in cases(t, comm, [(7, 5), (2, 3)]):
        a = tridap.from_function(tridap.distribution(shape, "*,c"), lambda i, j: shape[1] * i + j)
        for copy in ("if_needed", True):
            y = tt.to_dtensor(a, mesh, placements, copy=copy)
            assert np.array_equal(y.full_tensor().numpy(), numbered(shape)), (placements, shape)
            assert everywhere(comm, comm.size == 1 and copy != True or not np.shares_memory(y.to_local().numpy(), a.local))  # noqa: E712
        if comm.size > 1:
            refused_by_all(comm, {"the elements must be copied, because": lambda: tt.to_dtensor(a, mesh, placements)})


def test_parts_on_other_processes_than_those_of_the_mesh(t, tt, comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    mesh = t.DeviceMesh("cpu", list(range(comm.size)))
    a = tridap.from_function(tt.distribution((7, 5), mesh, [t.Shard(0)]), lambda i, j: 5 * i + j)  # in the order of MPI
    refused_by_all(comm, {"its parts are on other processes than those that the mesh has": lambda: tt.to_dtensor(a, mesh, [t.Shard(0)])})
    assert np.array_equal(tt.to_dtensor(a, mesh, [t.Shard(0)], copy="if_needed").full_tensor().numpy(), numbered((7, 5)))


@needs_replicas
def test_what_was_computed_on_one_replica_goes_to_all(t, tt, comm):
    x = replicated(t, comm)
    b = tt.export_array(x) * 2
    refused_by_all(comm, {"the other replicas have no memory of it.*: pass copy=": lambda: tt.to_dtensor(b, x.device_mesh, x.placements)})
    y = tt.to_dtensor(b, x.device_mesh, x.placements, copy="if_needed")
    assert everywhere(comm, np.array_equal(y.to_local().numpy(), 2 * x.to_local().numpy()))


def test_memory_that_pytorch_cannot_use_is_copied(t, tt, comm):
    mesh, placements = t.DeviceMesh("cpu", list(range(comm.size))), [t.Shard(0)]
    ranks = comm.Split(0, dtensors.RANK)  # in the order of PyTorch
    dist = tt.distribution((7, 5), mesh, placements)
    local = np.zeros(dist.local_shape(ranks.rank))
    local.flags.writeable = False
    wide = np.zeros((len(local), 10))[:, ::2]
    for memory, why in (local, "its memory is read-only"), (wide, "its elements are not contiguous"):
        a = tridap.array(memory, dist, ranks)
        refused_by_all(comm, {f"{why}.*: pass copy='if_needed'": lambda: tt.to_dtensor(a, mesh, placements)})
        assert np.array_equal(tt.to_dtensor(a, mesh, placements, copy="if_needed").full_tensor().numpy(), np.zeros((7, 5)))
    a = tridap.from_function(dist, lambda i, j: 5 * i + j, order="F", comm=ranks)
    y = tt.to_dtensor(a, mesh, placements)
    assert y.stride() == (1, 7) and everywhere(comm, address(y.to_local().numpy()) == address(a.local) or a.local.size == 0)
    assert np.array_equal(y.full_tensor().numpy(), numbered((7, 5)))
    refused_by_all(comm, {"cpu, but the mesh is of cuda": lambda: tt.to_dtensor(a, with_device(mesh, "cuda"), placements)})


def with_device(mesh, name):
    """What a mesh says, but for the kind of its devices."""
    return types.SimpleNamespace(mesh=mesh.mesh, device_type=name, get_rank=mesh.get_rank)


def test_one_keeps_the_memory_of_the_other_alive(t, tt, comm):
    mesh = t.DeviceMesh("cpu", list(range(comm.size)))
    x = sharded(t, mesh, [t.Shard(0)], (7, 5))
    a = tt.export_array(x)
    del x
    gc.collect()
    assert np.array_equal(a.allgather(), numbered((7, 5)))
    y = tt.to_dtensor(a, mesh, [t.Shard(0)])
    del a
    gc.collect()
    assert np.array_equal(y.full_tensor().numpy(), numbered((7, 5)))


def test_a_part_of_a_tensor_has_its_strides(t, tt, comm):
    mesh = t.DeviceMesh("cpu", list(range(comm.size)))
    local = t.torch.from_numpy(numbered((3, 8))[:, ::2] + 100 * mesh.get_coordinate()[0])
    a = tt.export_array(t.DTensor.from_local(local, mesh, [t.Shard(0)]))
    assert a.shape == (3 * comm.size, 4) and np.array_equal(a.allgather()[3:6, 1], [102, 110, 118][:3 * (comm.size > 1)])


def test_a_pytorch_without_dtensor_is_too_old(t, tt, comm, monkeypatch):
    a = tridap.zeros(tridap.distribution((7, 5)))
    mesh = t.DeviceMesh("cpu", list(range(comm.size)))
    for name in "torch.distributed.tensor", "torch.distributed._tensor":
        monkeypatch.setitem(sys.modules, name, None)
    refused_by_all(comm, {"needs PyTorch 2.5 or later: torch .* is too old": lambda: tt.to_dtensor(a, mesh, [t.Shard(0)])}, Exception)
    monkeypatch.setitem(sys.modules, "torch", None)
    refused_by_all(comm, {"needs PyTorch 2.5 or later: install": lambda: tt.to_dtensor(a, mesh, [t.Shard(0)])}, Exception)


def test_the_lines_of_coming_from_pytorch(t, comm):
    run_lines("PyTorch", comm)
