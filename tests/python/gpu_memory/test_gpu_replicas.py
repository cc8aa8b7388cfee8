"""DTensors with several replicas in GPU memory, over a stand-in for the driver and the one for PyTorch."""

import contextlib
import gc
import math

import dtensors
import gpus
import numpy as np
import pytest
from mpi4py import MPI
from producers import everywhere, refused_by_all

import tridap

if not gpus.LIBRARY:
    pytest.skip("TRIDAP_STAND_IN_CUDA names no stand-in of the driver", allow_module_level=True)
if MPI.COMM_WORLD.size % 2 == 1:
    pytest.skip("needs an even number of processes", allow_module_level=True)
gpus.load()
SHAPE = (7, 5)


class Tensor(dtensors.Tensor):
    """A tensor of the stand-in for PyTorch, in memory of the GPU."""

    def stride(self):
        return tuple(stride // self.memory.dtype.itemsize for stride in self.memory.strides)

    def numpy(self):
        return self.memory.get()


@pytest.fixture(scope="module", autouse=True)
def t():
    with dtensors.playing() as names:
        names.torch.from_dlpack = lambda memory: Tensor(gpus.from_dlpack(memory))
        names.torch.Tensor = Tensor
        yield names


@pytest.fixture(scope="module")
def tt(t):
    return __import__("tridap.torch", fromlist=["torch"])


def numbered(shape=SHAPE):
    return np.arange(math.prod(shape), dtype=float).reshape(shape)


def mesh_of(t, comm):
    return t.DeviceMesh("cuda", np.arange(comm.size).reshape(2, -1).tolist())


def share_of(x, values):
    """What a process of the mesh must hold of all elements."""
    held = dtensors.held(values.shape, x.device_mesh, x.placements, x.device_mesh.get_coordinate())
    return values[np.ix_(*held)].reshape([len(axis) for axis in held])


def replicated(t, comm, placements=None, shape=SHAPE, dtype=float, order="C"):
    mesh, placements = mesh_of(t, comm), placements or [t.Replicate(), t.Shard(0)]
    ours = dtensors.held(shape, mesh, placements, mesh.get_coordinate())
    values = numbered(shape).astype(dtype)[np.ix_(*ours)].reshape([len(axis) for axis in ours])
    return t.DTensor(Tensor(gpus.asarray(np.array(values, order=order))), mesh, placements, dtensors.Size(shape), (shape[1], 1))


def write(array, change):
    """Changes elements on the device, as a kernel of another library does."""
    if isinstance(array, tridap.DistArray) and 0 not in array.local.shape:
        there = gpus.from_dlpack(array.local)
        in_memory = there.strides == tuple(sorted(there.strides)) and len(there.strides) > 1
        values = np.array(change(there.get()), there.dtype, order="F" if in_memory else "C")
        gpus.load().stand_in_write(there.address, values.ctypes.data, values.nbytes, 1)


def test_an_array_of_replicas_is_read_only(t, tt, comm):
    x = replicated(t, comm)
    for replica in range(2):
        a = tt.export_array(x, replica=replica)
        holds = isinstance(a, tridap.DistArray)
        assert holds == (x.device_mesh.get_coordinate()[0] == replica)
        if holds:
            assert a.device == "cuda:0" and gpus.from_dlpack(a.local).address == x.to_local().memory.address
            assert gpus.from_dlpack(a.local).read_only and a.local.__cuda_array_interface__["data"][1]
            with pytest.raises(tridap.ProtocolError, match="read-only"):
                a.redistribute(out=a)
        one = tridap.redistribute(a, "b,*", comm=comm).to("cpu").allgather()
        assert np.array_equal(one, numbered())


@pytest.mark.parametrize("shape, dtype, order", [(SHAPE, "f8", "C"), (SHAPE, "f4", "F"), ((1, 5), "i8", "C"), ((0, 3), "f8", "C")])
def test_a_with_block_sends_to_the_other_replicas_on_the_device(t, tt, comm, shape, dtype, order):
    for replica in range(2):
        x = replicated(t, comm, None, shape, dtype, order)
        with tt.export_array(x, replica=replica, replicas="update") as a:
            write(a, lambda values: 2 * values + 1)
        assert everywhere(comm, np.array_equal(x.to_local().numpy(), share_of(x, 2 * numbered(shape) + 1)))
        if isinstance(a, tridap.DistArray):
            assert gpus.from_dlpack(a.local).read_only
        with a:
            assert not isinstance(a, tridap.DistArray) or not gpus.from_dlpack(a.local).read_only
            write(a, lambda values: values - 1)
        assert everywhere(comm, np.array_equal(x.to_local().numpy(), share_of(x, 2 * numbered(shape))))


def test_every_process_may_be_a_replica(t, tt, comm):
    x = replicated(t, comm, [t.Replicate(), t.Replicate()])
    with tt.export_array(x, replica=comm.size - 1, replicas="update") as a:
        assert isinstance(a, tridap.DistArray) == (x.device_mesh.get_rank() == comm.size - 1)
        write(a, lambda values: values * 5)
    assert everywhere(comm, np.array_equal(x.to_local().numpy(), 5 * numbered()))
    y = tt.to_dtensor(a, x.device_mesh, x.placements, copy=True)
    assert everywhere(comm, np.array_equal(y.to_local().numpy(), 5 * numbered()))
    assert everywhere(comm, y.to_local().memory.address != x.to_local().memory.address)


def test_nothing_is_sent_if_one_process_leaves_by_an_error(t, tt, comm):
    x = replicated(t, comm)
    with pytest.raises((tridap.ProtocolError, KeyError), match="its with block ended with KeyError|mine"):
        with tt.export_array(x, replicas="update") as a:
            write(a, np.zeros_like)
            if comm.rank == 0:
                raise KeyError("mine")
    first = x.device_mesh.get_coordinate()[0] == 0
    assert np.array_equal(x.to_local().numpy(), 0 * share_of(x, numbered()) if first else share_of(x, numbered()))


def test_replicas_that_were_not_sent_are_told_of(t, tt, comm):
    a = tt.export_array(replicated(t, comm), replicas="update")
    with pytest.warns(UserWarning, match="before its elements were sent") if isinstance(a, tridap.DistArray) else contextlib.nullcontext():
        del a
        gc.collect()


def test_to_dtensor_sends_in_place(t, tt, comm):
    x = replicated(t, comm)
    a = tt.export_array(x, replicas="update")
    write(a, lambda values: 3 * values)
    y = tt.to_dtensor(a, x.device_mesh, x.placements)
    assert everywhere(comm, y.to_local().memory.address == x.to_local().memory.address)
    assert everywhere(comm, np.array_equal(y.to_local().numpy(), share_of(x, 3 * numbered())))


def test_to_dtensor_makes_memory_for_each_replica(t, tt, comm):
    x = replicated(t, comm)
    a = tt.export_array(x)
    b = a.redistribute(a.distribution)
    refused_by_all(comm, {"the other replicas have no memory of it.*: pass copy=": lambda: tt.to_dtensor(b, x.device_mesh, x.placements)})
    write(b, lambda values: values + 4)
    y = tt.to_dtensor(b, x.device_mesh, x.placements, copy="if_needed")
    assert everywhere(comm, np.array_equal(y.to_local().numpy(), share_of(x, numbered() + 4)))
    columns = tt.to_dtensor(b, x.device_mesh, [t.Replicate(), t.Shard(1)], copy="if_needed")
    assert everywhere(comm, np.array_equal(columns.to_local().numpy(), share_of(columns, numbered() + 4)))
    before = gpus.allocations()
    del y, columns
    assert gpus.allocations() == before - 2


def test_one_process_in_host_memory_is_refused_on_all(t, tt, comm):
    x = replicated(t, comm)
    if comm.rank == comm.size - 1:
        x = t.DTensor(dtensors.Tensor(x.to_local().numpy()), x.device_mesh, x.placements, x.shape, x.stride())
    refused_by_all(comm, {"memory.*host": lambda: tt.export_array(x)})
