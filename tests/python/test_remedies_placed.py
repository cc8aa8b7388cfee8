"""What errors about DTensors of PyTorch and arrays of JAX advise is executed on the case that made them, with stand-ins if need be."""

import contextlib

import dtensors
import jaxes
import numpy as np
import pytest
import tridap
from mpi4py import MPI
from producers import everywhere

from remedies import advice, follow, remedy, said_by

COMM = MPI.COMM_WORLD
P = COMM.size
R = COMM.rank
several = pytest.mark.skipif(P == 1, reason="needs at least 2 processes")


@pytest.fixture
def case():
    """The names of a program with PyTorch."""
    with dtensors.pytorch() as t:
        from tridap import torch as tt
        mesh = t.DeviceMesh("cpu", list(range(P)))
        yield {"tridap": tridap, "comm": COMM, "tt": tt, "mesh": mesh, "placements": [t.Shard(0)], "torch": t.torch, "t": t, "MPI": MPI,
               "x": t.distribute_tensor(t.torch.from_numpy(numbered()), mesh, [t.Shard(0)]),
               "shape": (7, 5), "stride": (5, 1)}


def numbered():
    return np.arange(35.0).reshape(7, 5)


def cyclic():
    return tridap.from_function(tridap.distribution((7, 5), "c,*"), lambda i, j: 5 * i + j)


def is_whole(x):
    x = x.full_tensor().numpy() if hasattr(x, "full_tensor") else x.allgather()
    return np.array_equal(x, numbered())


@remedy("pass x.detach(), which has the same memory")
def test_a_tensor_that_requires_grad(case):
    case["x"] = case["t"].distribute_tensor(case["torch"].from_numpy(numbered()).requires_grad_(), case["mesh"], case["placements"])
    assert is_whole(follow(case, "tt.export_array(x)", r"pass (x\.detach\(\)), which", "tt.export_array({})"))


@several
@remedy("pass copy='if_needed'")
def test_an_array_that_is_distributed_in_another_way(case):
    case["a"] = cyclic()
    assert is_whole(follow(case, "tt.to_dtensor(a, mesh, placements)", r"pass (copy='if_needed')", "tt.to_dtensor(a, mesh, placements, {})"))


@several
@remedy("pass comm=comm, a communicator of all of them")
def test_a_communicator_without_some_processes(case):
    case["a"] = tridap.zeros(tridap.distribution((7, 5)))
    call = "tt.to_dtensor(a, mesh, placements, copy=True, comm=MPI.COMM_SELF)"
    made = follow(case, call, r"pass (comm=comm), a", "tt.to_dtensor(a, mesh, placements, copy=True, {})")
    assert not made.full_tensor().numpy().any()


@remedy("must be a tridap.DistArray: pass tridap.asarray(x, comm)")
def test_a_tensor_in_place_of_an_array(case):
    call = "tt.to_dtensor({}, mesh, placements)"
    assert is_whole(follow(case, call.format("x"), r"pass (tridap\.asarray\(x, comm\))", call))


@several
@remedy("pass it shape=torch.Size(shape) and stride=stride of the whole array")
def test_uneven_parts_without_a_shape(case):
    case["local"] = case["torch"].from_numpy(np.ascontiguousarray(case["x"].to_local().numpy()))
    text = said_by(lambda: eval("tt.export_array(t.DTensor.from_local(local, mesh, placements))", case)) if 7 % P else ""
    words = advice(text, r"pass it (shape=torch\.Size\(shape\) and stride=stride)").replace(" and ", ", ")
    assert is_whole(eval(f"tt.export_array(t.DTensor.from_local(local, mesh, placements, {words}))", case))


@several
@remedy("call this on the processes of the mesh alone, with comm=comm, their communicator")
def test_a_process_that_is_not_in_the_mesh(case):
    t, inside = case["t"], dtensors.RANK < P - 1
    mesh = t.DeviceMesh("cpu", list(range(P - 1)))
    local = t.torch.from_numpy(np.full((2, 3), 1.0))
    case["x"] = t.DTensor.from_local(local, mesh, [t.Shard(0)])
    text = said_by(lambda: eval("tt.export_array(x)", case))
    case["comm"] = COMM.Split(0 if inside else MPI.UNDEFINED, R)
    assert not inside or eval(f"tt.export_array(x, {advice(text, r'with (comm=comm), their')})", case).sum() == 6 * (P - 1)


@pytest.mark.skipif(P % 2 == 1, reason="needs an even number of processes")
@remedy("pass comm=comm, with its processes and this one", "call tridap.asarray(x, comm) on all processes of the mesh")
def test_an_array_on_other_processes(case):
    t = case["t"]
    pair = t.DeviceMesh("cpu", np.arange(P).reshape(2, -1).tolist())
    case["x"] = t.distribute_tensor(t.torch.from_numpy(numbered()), pair, [t.Replicate(), t.Shard(0)])
    line = "tridap.asarray(x, comm)"
    if pair.get_coordinate()[0]:
        line = advice(said_by(lambda: tridap.asarray(case["x"])), r"call (tridap\.asarray\(x, comm\)) on all")
    case["a"], case["y"] = eval(line, case), tridap.zeros(tridap.distribution((7, 5)))
    words = "comm=comm"
    if isinstance(case["a"], tridap.ArrayElsewhere):
        words = advice(said_by(lambda: eval("tridap.Redistribution(a, y)", case)), r"pass (comm=comm), with")
    eval(f"tridap.Redistribution(a, y, {words})", case)(case["a"], case["y"])
    assert is_whole(case["y"])


@pytest.fixture
def with_jax():
    """The names of a program with JAX."""
    with jaxes.jaxes() as (jax, is_real):
        from tridap import jax as tj
        devices = sorted(jax.devices(), key=lambda device: device.id)
        spec, mesh = jax.sharding.PartitionSpec, jax.sharding.Mesh
        yield {"tridap": tridap, "comm": COMM, "tj": tj, "jax": jax, "is_real": is_real,
               "rows": jax.sharding.NamedSharding(mesh(np.array(devices), "i"), spec("i")),
               "copies": jax.sharding.NamedSharding(mesh(np.array(devices), "i"), spec())}


@remedy("but JAX's memory is read-only: pass donate=True, too", "pass replicas='update', too", "call tridap.asarray(x, comm) on all processes of the sharding")
def test_replicas_in_the_memory_of_jax(with_jax):
    with_jax["x"] = with_jax["jax"].device_put(np.ones((12, 3)), with_jax["copies"])
    call = "tj.export_array(x, replicas='update'{})"
    with follow(with_jax, call.format(""), r"pass (donate=True), too", call.replace("{}", ", {}")) as a:
        a += 1
    if P > 1:
        call = "tj.export_array(x, donate=True{})"
        with follow(with_jax, call.format(""), r"pass (replicas='update'), too", call.replace("{}", ", {}")) as a:
            a += 0
    line = "tridap.asarray(x, comm)"
    with contextlib.suppress(tridap.ProtocolError):
        tridap.asarray(with_jax["x"])
        assert P == 1 or isinstance(tridap.asarray(with_jax["x"]), tridap.DistArray)
    if tj_replica(with_jax):
        line = advice(said_by(lambda: tridap.asarray(with_jax["x"])), r"call (tridap\.asarray\(x, comm\)) on all")
    a = eval(line, with_jax)
    assert everywhere(COMM, np.all(a.local == 2))


def tj_replica(given):
    """Which copy of all elements this process has."""
    return [device.process_index for device in given["rows"].devices_indices_map((P, 1))].index(given["jax"].process_index())


@remedy('call jax.config.update("jax_enable_x64", True) at the beginning')
def test_float64_in_a_jax_of_32_bits(with_jax):
    if with_jax["is_real"]:
        pytest.skip("JAX reads the option at its beginning")
    with_jax["a"] = tridap.zeros(tridap.distribution((12, 3)))
    jaxes.CONFIG["jax_enable_x64"] = False
    try:
        made = follow(with_jax, "tj.to_jax(a, rows, copy=True)", r"call (jax\.config\.update\(.*\)) at")
    finally:
        jaxes.CONFIG["jax_enable_x64"] = True
    assert made.dtype == float
