"""PyTorch with its DTensor, or what plays it: the calls that tridap.torch makes, and those that make a DTensor.

The stand-in keeps to what PyTorch 2.5 to 2.14 do: ``torch.chunk`` cuts, a mesh's axes cut from the first to the last, `to_local`
returns the memory, and `from_local` without a shape supposes equal parts. It cuts lists of indices, and shares no code with tridap.

In both, the rank of PyTorch is not that of MPI: it counts backwards.
"""

import contextlib
import itertools
import math
import os
import sys
import tempfile
import types

import numpy as np
from mpi4py import MPI

COMM = MPI.COMM_WORLD
RANK = COMM.size - 1 - COMM.rank  # in PyTorch


def chunk(items, parts):
    """A list in chunks of ceil(n / parts), and then empty ones."""
    length = max(-(-len(items) // parts), 1)
    found = [items[first:first + length] for first in range(0, len(items), length)]
    return found + [[] for _ in range(parts - len(found))]


class Size(tuple):
    pass


class Tensor:
    def __init__(self, memory, requires_grad=False):
        self.memory, self.requires_grad = memory, requires_grad

    shape = property(lambda self: Size(self.memory.shape))
    ndim = property(lambda self: len(self.shape))
    dtype = property(lambda self: f"torch.{self.memory.dtype}")

    def stride(self):
        if self.memory.size == 0:
            return tuple(row_major([max(extent, 1) for extent in self.shape]))
        return tuple(stride // self.memory.itemsize for stride in self.memory.strides)

    def detach(self):
        return Tensor(self.memory)

    def requires_grad_(self):
        self.requires_grad = True
        return self

    def numpy(self):
        return self.memory

    def tolist(self):
        return self.memory.tolist()

    def item(self):
        return self.memory.item()

    def __getitem__(self, key):
        return Tensor(np.asarray(self.memory[key]))

    def __dlpack__(self, **options):
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        return self.memory.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.memory.__dlpack_device__()


class Placement:
    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{key}={value}' for key, value in vars(self).items())})"

    def is_partial(self):
        return isinstance(self, Partial)


class Shard(Placement):
    def __init__(self, dim):
        self.dim = dim

    def cut(self, items, parts):
        return chunk(items, parts)


class _StridedShard(Shard):
    def __init__(self, dim, *, split_factor):
        self.dim, self.split_factor = dim, split_factor

    def cut(self, items, parts):
        pieces = [chunk(piece, parts) for piece in chunk(items, self.split_factor)]
        return [list(itertools.chain(*(piece[part] for piece in pieces))) for part in range(parts)]


class Replicate(Placement):
    pass


class Partial(Placement):
    def __init__(self, reduce_op="sum"):
        self.reduce_op = reduce_op


class DeviceMesh:
    def __init__(self, device_type, mesh):
        self.device_type, self.mesh = device_type, Tensor(np.array(mesh, np.int32))
        place = np.argwhere(self.mesh.memory == self.get_rank())
        self._coordinate = place[0].tolist() if len(place) else None

    shape = property(lambda self: self.mesh.shape)
    ndim = property(lambda self: self.mesh.ndim)

    def size(self, axis=None):
        return math.prod(self.shape) if axis is None else self.shape[axis]

    def get_rank(self):
        return sys.modules["torch.distributed"].get_rank()

    def get_coordinate(self):
        return self._coordinate


class DTensor(Tensor):
    def __init__(self, local, mesh, placements, shape, stride):
        self._local_tensor, self._shape, self._stride, self.requires_grad = local, shape, stride, local.requires_grad
        self._spec = types.SimpleNamespace(mesh=mesh, placements=tuple(placements))

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._local_tensor.dtype)
    device_mesh = property(lambda self: self._spec.mesh)
    placements = property(lambda self: self._spec.placements)

    def stride(self):
        return self._stride

    def __dlpack__(self, **options):
        raise AssertionError("the DLPack of a DTensor must never be asked for")

    def detach(self):
        return DTensor(self._local_tensor.detach(), self.device_mesh, self.placements, self.shape, self._stride)

    def to_local(self):
        return self._local_tensor

    def full_tensor(self):
        return Tensor(whole_of(self))

    def redistribute(self, device_mesh=None, placements=None):
        return distribute_tensor(self.full_tensor(), device_mesh or self.device_mesh, placements)

    @staticmethod
    def from_local(local_tensor, device_mesh, placements, *, run_check=False, shape=None, stride=None):
        if bool(shape) != bool(stride):
            raise RuntimeError("Please pass both shape and stride at the same time.")
        found = list(local_tensor.shape)
        for axis, placement in enumerate(placements):
            if isinstance(placement, Shard):
                found[placement.dim] *= device_mesh.size(axis)
        if device_mesh.get_coordinate() is None:
            local_tensor = Tensor(np.empty(0, local_tensor.memory.dtype))
        return DTensor(local_tensor, device_mesh, placements, Size(shape or found), tuple(stride or row_major(found)))


def row_major(shape):
    return [math.prod(shape[axis + 1:]) for axis in range(len(shape))]


def held(shape, mesh, placements, coordinate):
    """The indices along each axis of the process at one place of a mesh."""
    found = [list(range(extent)) for extent in shape]
    for axis, placement in enumerate(placements):
        if isinstance(placement, Shard):
            found[placement.dim] = placement.cut(found[placement.dim], mesh.shape[axis])[coordinate[axis]]
    return found


def distribute_tensor(tensor, device_mesh, placements):
    if any(isinstance(placement, Partial) for placement in placements):
        raise RuntimeError("distribute_tensor cannot make partial sums")
    place = np.ix_(*held(tensor.shape, device_mesh, placements, device_mesh.get_coordinate()))
    local = np.ascontiguousarray(tensor.memory[place]).reshape([len(axis.ravel()) for axis in place])
    return DTensor(Tensor(local, tensor.requires_grad), device_mesh, placements, tensor.shape, tensor.stride())


def whole_of(tensor):
    """The whole tensor, of the local tensors of all processes; partial sums are added."""
    found = np.zeros(tensor.shape, tensor.to_local().numpy().dtype)
    partial = [axis for axis, placement in enumerate(tensor.placements) if isinstance(placement, Partial)]
    for coordinate, local in COMM.allgather((tensor.device_mesh.get_coordinate(), tensor.to_local().numpy())):
        place = np.ix_(*held(tensor.shape, tensor.device_mesh, tensor.placements, coordinate))
        found[place] = found[place] + local if partial else local
    return found


def stand_in():
    """The modules of the stand-in, by their names."""
    torch, distributed, tensor = (types.ModuleType(name) for name in ("torch", "torch.distributed", "torch.distributed.tensor"))
    for one in (Size, Tensor):
        setattr(torch, one.__name__, one)
    torch.__version__, torch.distributed, distributed.tensor = "2.5", distributed, tensor
    torch.from_dlpack = lambda memory: Tensor(np.from_dlpack(memory))
    torch.from_numpy = Tensor
    torch.full = lambda shape, value, dtype=float: Tensor(np.full(shape, value, dtype))
    torch.float64 = float
    distributed.get_rank, distributed.is_initialized = lambda: RANK, lambda: True
    tensor.init_device_mesh = lambda kind, shape: DeviceMesh(kind, np.arange(math.prod(shape)).reshape(shape))
    for one in (DTensor, DeviceMesh, Shard, Replicate, Partial, distribute_tensor):
        setattr(tensor, one.__name__, one)
    return {"torch": torch, "torch.distributed": distributed, "torch.distributed.tensor": tensor}


def of_pytorch():
    """PyTorch, whose processes are those of MPI; None if it is not there, or is too old."""
    with contextlib.suppress(ImportError):
        import torch
        import torch.distributed.tensor
        from torch.distributed.tensor.placement_types import _StridedShard as strided
        if torch.distributed.is_available() and not torch.distributed.is_initialized():
            folder = COMM.bcast(tempfile.mkdtemp() if COMM.rank == 0 else None)
            os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
            store = torch.distributed.FileStore(f"{folder}/store", COMM.size)
            torch.distributed.init_process_group("gloo", store=store, rank=RANK, world_size=COMM.size)
        names = {name: getattr(torch.distributed.tensor, name) for name in
                 ("DTensor", "DeviceMesh", "Shard", "Replicate", "Partial", "distribute_tensor")}
        return types.SimpleNamespace(torch=torch, _StridedShard=strided, is_real=True, **names)
    return None


@contextlib.contextmanager
def pytorch():
    """PyTorch's names, its own or those of the stand-in."""
    real = of_pytorch()
    if real is not None:
        yield real
    else:
        with playing() as names:
            yield names


@contextlib.contextmanager
def playing():
    """The stand-in's names. Meanwhile it is among the modules of Python."""
    before = {name: sys.modules.get(name) for name in stand_in()}
    sys.modules.update(stand_in())
    torch = sys.modules["torch"]
    try:
        yield types.SimpleNamespace(torch=torch, _StridedShard=_StridedShard, is_real=False, **{
            name: getattr(torch.distributed.tensor, name)
            for name in ("DTensor", "DeviceMesh", "Shard", "Replicate", "Partial", "distribute_tensor")})
    finally:
        for name, module in before.items():
            del sys.modules[name]
            if module is not None:
                sys.modules[name] = module
        sys.modules.pop("tridap.torch", None)
