"""JAX with arrays on several processes, or what plays it: the calls that tridap.jax makes, and those that make such an array.

The stand-in keeps to JAX 0.4 and later: a sharding divides evenly, an array of one device has read-only memory, and
``from_dlpack`` copies what is not at a multiple of 64 bytes. Each process has one device. Its number in JAX counts backwards.
"""

import contextlib
import itertools
import math
import os
import sys
import types

import numpy as np
from mpi4py import MPI

COMM = MPI.COMM_WORLD
NUMBER = COMM.size - 1 - COMM.rank  # of this process in JAX


class Device:
    def __init__(self, process_index):
        self.id = self.process_index = process_index

    def __repr__(self):
        return f"CpuDevice(id={self.id})"


CONFIG = {"jax_enable_x64": True}
DEVICES = [Device(number) for number in range(COMM.size)]


class Mesh:
    def __init__(self, devices, axis_names):
        self.devices, self.axis_names = np.asarray(devices, object), tuple(axis_names)


class PartitionSpec(tuple):
    def __new__(cls, *names):
        return super().__new__(cls, names)


class NamedSharding:
    def __init__(self, mesh, spec):
        self.mesh, self.spec = mesh, spec

    device_set = property(lambda self: set(self.mesh.devices.flat))

    def devices_indices_map(self, shape):
        extents = dict(zip(self.mesh.axis_names, self.mesh.devices.shape))
        found = {}
        for place in np.ndindex(*self.mesh.devices.shape):
            at, index = dict(zip(self.mesh.axis_names, place)), []
            for size, names in itertools.zip_longest(shape, self.spec):
                names = names if isinstance(names, tuple) else () if names is None else (names,)
                parts = math.prod(extents[name] for name in names)
                if size % parts:
                    raise ValueError(f"the dimension size {size} is not divisible by {parts}")
                number = 0
                for name in names:
                    number = number * extents[name] + at[name]
                index.append(slice(number * size // parts, (number + 1) * size // parts) if parts > 1 else slice(None))
            found[self.mesh.devices[place]] = tuple(index)
        return found


class Array:
    """An array of JAX; that of one device has the memory."""

    def __init__(self, shape, sharding, memory=None, parts=()):
        self.shape, self.sharding, self.memory, self.parts = tuple(shape), sharding, memory, parts
        self.deleted = False

    ndim = property(lambda self: len(self.shape))
    dtype = property(lambda self: self.memory.dtype if self.memory is not None else self.parts[0].dtype)

    @property
    def addressable_shards(self):
        if self.deleted:
            raise RuntimeError("Array has been deleted")
        index = self.sharding.devices_indices_map(self.shape)
        return [types.SimpleNamespace(device=device, data=part, index=index[device])
                for device, part in zip([one for one in index if one.process_index == NUMBER], self.parts)]

    def block_until_ready(self):
        return self

    def unsafe_buffer_pointer(self):
        return self.memory.__array_interface__["data"][0]

    def __dlpack__(self, **options):
        if self.memory is None:
            raise BufferError("to_dlpack can only pack an array on a singular device")
        return self.memory.__dlpack__(**options)

    def __dlpack_device__(self):
        return 1, 0


class OneDevice:
    def __init__(self, device):
        self.device_set = {device}


def aligned(shape, dtype=float):
    """Memory at a multiple of 64 bytes."""
    count = math.prod(shape) * np.dtype(dtype).itemsize
    room = np.zeros(count + 64, np.uint8)
    first = -room.ctypes.data % 64
    return room[first:first + count].view(dtype).reshape(shape)


def from_dlpack(memory):
    memory.__dlpack__()  # raises what NumPy's raises
    values = memory if CONFIG["jax_enable_x64"] or memory.dtype != float else memory.astype("f4")
    if values.size and (values.ctypes.data % 64 or not values.flags.c_contiguous):
        copied = aligned(values.shape, values.dtype)
        copied[...] = values
        values = copied
    return Array(values.shape, OneDevice(DEVICES[NUMBER]), values)


def device_put(values, place):
    if isinstance(place, NamedSharding):
        part = values[place.devices_indices_map(values.shape)[DEVICES[NUMBER]]]
        memory = aligned(part.shape, part.dtype)
        memory[...] = part
        return make_array(values.shape, place, [Array(part.shape, OneDevice(DEVICES[NUMBER]), memory)])
    assert isinstance(values, Array) and place is DEVICES[NUMBER]
    return values


def make_array(shape, sharding, arrays):
    mine = [index for device, index in sharding.devices_indices_map(shape).items() if device.process_index == NUMBER]
    wanted = [tuple(len(range(*one.indices(size))) for one, size in zip(index, shape)) for index in mine]
    if [array.shape for array in arrays] != wanted:
        raise ValueError(f"Expected shard shapes {wanted}")
    return Array(shape, sharding, parts=list(arrays))


def stand_in():
    """The modules of the stand-in, by their names."""
    jax, sharding, dlpack = (types.ModuleType(name) for name in ("jax", "jax.sharding", "jax.dlpack"))
    jax.Array, jax.sharding, jax.dlpack, dlpack.from_dlpack = Array, sharding, dlpack, from_dlpack
    jax.process_index, jax.devices, jax.device_put = lambda: NUMBER, lambda: DEVICES, device_put
    jax.make_array_from_single_device_arrays, jax.process_count = make_array, lambda: COMM.size
    jax.config = types.SimpleNamespace(update=CONFIG.__setitem__)
    sharding.Mesh, sharding.NamedSharding, sharding.PartitionSpec = Mesh, NamedSharding, PartitionSpec
    return {"jax": jax, "jax.sharding": sharding, "jax.dlpack": dlpack}


def of_jax():
    """JAX on CPUs, whose processes are those of MPI; None if it is not there."""
    with contextlib.suppress(ImportError):
        os.environ.update(JAX_PLATFORMS="cpu", JAX_ENABLE_X64="1")
        import jax
        if COMM.size > 1:
            jax.config.update("jax_cpu_collectives_implementation", "gloo")
            port = COMM.bcast(20000 + os.getpid() % 20000)
            jax.distributed.initialize(f"127.0.0.1:{port}", COMM.size, NUMBER)
        return jax
    return None


@contextlib.contextmanager
def jaxes():
    """JAX, its own or the stand-in, which is among the modules of Python meanwhile; and whether it is JAX itself."""
    real = of_jax()
    if real is not None:
        yield real, True
        return
    before = {name: sys.modules.get(name) for name in stand_in()}
    sys.modules.update(stand_in())
    try:
        yield sys.modules["jax"], False
    finally:
        for name, module in before.items():
            del sys.modules[name]
            if module is not None:
                sys.modules[name] = module
        sys.modules.pop("tridap.jax", None)
