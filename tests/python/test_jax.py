"""Arrays of JAX in and out, with JAX itself or with the stand-in of jaxes.py."""

import gc
import itertools

import jaxes
import numpy as np
import pytest
import tridap
from mpi4py import MPI
from lines import run_lines
from producers import address, everywhere, refused_by_all

MESHES = {1: [(1,), (1, 1)], 2: [(2,), (1, 2)], 3: [(3,)], 4: [(4,), (2, 2)], 6: [(2, 3), (3, 2)]}
SHAPE = (12, 24)


@pytest.fixture(scope="module", autouse=True)
def either():
    with jaxes.jaxes() as found:
        yield found


@pytest.fixture(scope="module")
def j(either):
    return either[0]


@pytest.fixture(scope="module")
def tj(j):
    return __import__("tridap.jax", fromlist=["jax"])


def numbered(shape=SHAPE, dtype=float):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def on(j, grid, *spec, backward=False):
    """A sharding over all devices."""
    devices = sorted(j.devices(), key=lambda device: device.id)
    mesh = j.sharding.Mesh(np.array(devices[::-1] if backward else devices).reshape(grid), tuple("ab")[:len(grid)])
    return j.sharding.NamedSharding(mesh, j.sharding.PartitionSpec(*spec))


def cases(j, comm):
    """Every placement of the axes of every mesh, and a mesh in the opposite order."""
    for grid in MESHES.get(comm.size, [(comm.size,)]):
        names = ("a", "b", ("a", "b"), ("b", "a"), None) if len(grid) == 2 else ("a", None)
        for spec in itertools.product(names, repeat=2):
            used = [name for one in spec if one for name in one]
            if len(set(used)) == len(used):
                yield on(j, grid, *spec, backward=spec[0] is None), comm.size // int(np.prod([grid["ab".index(n)] for n in used], dtype=int))


def pair(j, comm):
    """A sharding with two replicas of each part, of an even number of processes."""
    return on(j, (2, comm.size // 2), None, "b")


def memory(x):
    """This process's part of an array, a NumPy array over its memory."""
    return np.from_dlpack(x.addressable_shards[0].data)


def whole(array, comm):
    found = comm.allgather(array.allgather() if isinstance(array, tridap.DistArray) else None)
    return next(one for one in found if one is not None)


needs_replicas = pytest.mark.skipif(MPI.COMM_WORLD.size % 2 == 1, reason="needs an even number of processes")


def test_each_sharding_in_place_with_its_elements(j, tj, comm):
    for sharding, replicas in cases(j, comm):
        x = j.device_put(numbered(), sharding)
        a = tj.export_array(x)
        assert a.shape == SHAPE and np.array_equal(whole(a, comm), numbered())
        assert a.distribution == tj.distribution(SHAPE, sharding) and a.distribution.processes == comm.size // replicas
        holds = isinstance(a, tridap.DistArray)
        assert sum(comm.allgather(holds)) == comm.size // replicas
        if holds:
            assert a.comm.rank == a.process and address(a.local) == address(memory(x)) and not a.local.flags.writeable
            assert a.receipt.bytes_copied == 0


def test_asarray_and_moves_take_sharded_arrays(j, tj, comm):
    grid = (2, comm.size // 2) if comm.size % 2 == 0 else (1, comm.size)
    x = j.device_put(numbered(), on(j, grid, "b", "a"))
    a = tridap.asarray(x, comm)
    assert np.array_equal(a.allgather(), numbered()) and everywhere(comm, address(a.local) == address(memory(x)))
    assert np.array_equal(tridap.redistribute(x, "c,*", comm=comm).allgather(), numbered())
    alone = tridap.asarray(x)
    assert address(alone.local) == address(memory(x))
    backward = comm.Split(0, -comm.rank)
    assert np.array_equal(tridap.asarray(x, backward).allgather(), numbered())
    backward.Free()


def test_what_is_donated_can_be_written(j, tj, comm):
    x = j.device_put(numbered(), on(j, (comm.size,), "a"))
    a = tj.export_array(x, donate=True)
    a *= 2
    a.local[...] += 1
    assert np.array_equal(a.allgather(), 2 * numbered() + 1)
    assert everywhere(comm, np.array_equal(memory(x), a.local) and address(a.local) == address(memory(x)))
    del x
    gc.collect()
    assert np.array_equal(a.allgather(), 2 * numbered() + 1)


@needs_replicas
def test_the_other_replicas_hold_nothing_until_they_are_updated(j, tj, comm):
    x = j.device_put(numbered(), pair(j, comm))
    a = tj.export_array(x)
    assert sum(comm.allgather(isinstance(a, tridap.ArrayElsewhere))) == comm.size // 2
    assert np.array_equal((a * 2).redistribute("b,*", comm=comm).allgather(), 2 * numbered())
    refused_by_all(comm, {"pass donate=True, too": lambda: tj.export_array(x, replicas="update"),
                          "of which only one would change": lambda: tj.export_array(x, donate=True)})
    for replica in range(2):
        with tj.export_array(x, replica=replica, replicas="update", donate=True) as b:
            b += 1
        parts = comm.allgather((str(x.addressable_shards[0].index), memory(x).tolist()))
        assert len(set(map(str, parts))) == comm.size // 2
        assert np.array_equal(whole(tj.export_array(x), comm), numbered() + replica + 1)
    c = tj.export_array(x, replicas="update", donate=True)
    c *= 2
    y = tj.to_jax(c, x.sharding)
    assert everywhere(comm, address(memory(y)) == address(memory(x))) and np.array_equal(whole(tj.export_array(y), comm), 2 * numbered() + 4)


def test_each_array_goes_to_each_sharding(j, tj, comm):
    for sharding, replicas in cases(j, comm):
        a = tridap.from_function(tridap.distribution(SHAPE, "*,c"), lambda i, k: SHAPE[1] * i + k)
        y = tj.to_jax(a, sharding, copy="if_needed")
        assert np.array_equal(whole(tj.export_array(y), comm), numbered()) and y.shape == SHAPE
        for shard in y.addressable_shards:
            assert np.array_equal(np.from_dlpack(shard.data), numbered()[shard.index])
        if comm.size > 1:
            refused_by_all(comm, {"the elements must be copied, because": lambda: tj.to_jax(a, sharding)})


def test_aligned_memory_is_that_of_the_new_array(j, tj, comm):
    sharding = on(j, (comm.size,), "a")
    ranks = comm.Split(0, jaxes.NUMBER)
    dist = tj.distribution(SHAPE, sharding)
    local = jaxes.aligned(dist.local_shape(ranks.rank))
    a = tridap.array(local, dist, ranks)
    a.local[...] = numbered()[dist.indices(ranks.rank)[0]]
    y = tj.to_jax(a, sharding)
    assert everywhere(comm, address(memory(y)) == address(local)) and np.array_equal(tj.export_array(y).allgather(), numbered())
    odd = jaxes.aligned((dist.count(ranks.rank) + 1,))[1:].reshape(local.shape)
    b = tridap.array(odd, dist, ranks)
    refused_by_all(comm, {"JAX copies the elements, because their address.*copy='if_needed'": lambda: tj.to_jax(b, sharding)})
    assert np.array_equal(tj.export_array(tj.to_jax(b, sharding, copy="if_needed")).allgather(), np.zeros(SHAPE))
    f = tridap.zeros(dist, comm=ranks, order="F")
    refused_by_all(comm, {"its elements are not contiguous": lambda: tj.to_jax(f, sharding)})


def test_several_shards_of_a_process_are_refused_by_name(j, tj, comm, either):
    if either[1]:
        pytest.skip("JAX gives a process the devices that it has, here one")
    x = j.device_put(numbered(), on(j, (comm.size,), "a"))
    x.sharding.devices_indices_map = lambda shape, old=x.sharding.devices_indices_map: {
        **old(shape), **{jaxes.Device(device.id): index for device, index in old(shape).items()}}
    x.parts *= 2
    refused_by_all(comm, {"x has 2 shards on the devices of this process, must have one": lambda: tridap.asarray(x, comm)})


def test_arrays_that_are_wrong_on_one_process(j, tj, comm):
    sharding, last = on(j, (comm.size,), "a"), comm.rank == comm.size - 1
    x = j.device_put(numbered(), sharding)
    refused_by_all(comm, {"x is a ndarray, must be a jax.Array": lambda: tj.export_array(np.zeros(3) if last else x),
                          "replica is 3, must be": lambda: tj.export_array(x, replica=3)})
    a = tridap.zeros(tridap.distribution(SHAPE))
    refused_by_all(comm, {"sharding is a str, must be": lambda: tj.to_jax(a, "a" if last else sharding, copy=True),
                          "x is a list, must be a tridap.DistArray": lambda: tj.to_jax([1] if last else a, sharding, comm=comm)})
    if comm.size > 1:
        odd = tridap.zeros(tridap.distribution((comm.size + 1, 2)))
        refused_by_all(comm, {"does not divide an array of shape": lambda: tj.to_jax(odd, sharding, copy=True)})
        with pytest.raises(tridap.ProtocolError, match=f"the mesh has {comm.size} processes, but the communicator has 1"):
            tj.export_array(x, MPI.COMM_SELF)
        refused_by_all(comm, {"has no __distarray__|pass tridap.array": lambda: tridap.asarray(np.zeros(SHAPE) if last else x, comm)})


def test_shards_that_are_no_grid_are_refused(j, tj, comm, either):
    if either[1] or comm.size != 3:
        pytest.skip("needs the stand-in, and 3 processes")
    sharding = on(j, (3,), "a")
    sharding.devices_indices_map = lambda shape: dict(zip(jaxes.DEVICES, [(slice(0, 6), slice(None)), (slice(6, 12), slice(0, 12)),
                                                                          (slice(6, 12), slice(12, 24))]))
    with pytest.raises(tridap.ProtocolError, match="overlap or leave a gap"):
        tj.distribution(SHAPE, sharding)
    halves = [(slice(0, 6), slice(0, 12)), (slice(6, 12), slice(0, 12)), (slice(6, 12), slice(12, 24))]
    sharding.devices_indices_map = lambda shape: dict(zip(jaxes.DEVICES, halves))
    with pytest.raises(tridap.ProtocolError, match="not the boxes of a grid"):
        tj.distribution(SHAPE, sharding)


def test_the_lines_of_coming_from_jax(j, comm):
    run_lines("JAX", comm)
