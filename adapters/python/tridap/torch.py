"""PyTorch's DTensors as distributed arrays, and distributed arrays as DTensors, in the same memory.

Example::

    from tridap import torch as tt

    a = tt.export_array(x)                          # a DistArray in the memory of the DTensor x; tridap.asarray(x, comm) is the same
    y = tt.to_dtensor(a, mesh, [Shard(0)])          # a DTensor in the memory of an array

A DTensor is cut by placements, one for each axis of its mesh. ``Shard(d)`` cuts axis d into chunks of ceil(n / p) elements, then
empty ones, as ``torch.chunk`` does. If several axes of the mesh cut the same axis of the tensor, each chunk is cut again.
Which process has which part depends on the mesh and on the order of the placements, so `export_array` asks each process for its
rank in PyTorch, and the array's communicator has the order of the parts. `distribution` is how PyTorch distributes an array.

Along an axis of the mesh with ``Replicate()``, the processes are replicas. The array is on the processes of one of them, and is
read-only. The other processes get a `tridap.ArrayElsewhere`. With ``replicas="update"`` the array can be written, and a ``with``
block sends its elements to the other replicas at its end, as `to_dtensor` does::

    with tt.export_array(x, replicas="update") as a:
        a *= 2
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

import numpy as np

from . import _core, _make
from ._agree import Elsewhere, collective, integer, together
from ._mesh import Cut, gathered, layout, memory_of, need_replica, ranks_of
from ._modules import needed
from ._placing import Placing, home_of, need_placed
from ._replicas import Replicas, held

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["distribution", "export_array", "to_dtensor"]

_COMM = "pass comm=comm, the communicator of exactly the processes of the mesh"


def _torch():
    """PyTorch, and its class DTensor. ImportError if it is not there, or has none."""
    torch = needed("torch", "tridap.torch needs PyTorch 2.5 or later: install python3-torch, of Debian 13 or later")
    for name in ("torch.distributed.tensor", "torch.distributed._tensor"):  # the second of PyTorch 2.1 to 2.4
        try:
            return torch, import_module(name).DTensor
        except (ImportError, AttributeError) as error:
            why = error
    raise ImportError(f"tridap.torch needs PyTorch 2.5 or later: torch {torch.__version__} is too old, or was built without its "
                      f"distributed part: {why}")


class _Read(NamedTuple):
    """What a DTensor says on this process."""

    local: Any  # the tensor of this process
    mesh: np.ndarray[Any, Any]
    rank: int  # in PyTorch
    placements: list[Any]
    orders: dict[int, list[int]]
    plain: bool

    def same(self) -> dict[str, Any]:
        """What must be the same on every process."""
        return {"mesh": self.mesh.tolist(), "placements": [str(p) for p in self.placements], "orders": self.orders,
                "plain": self.plain, "dtype": str(self.local.dtype)}


def _name(placement):
    """The kind of a placement: "Shard", "_StridedShard", "Replicate", "Partial", or its own name."""
    names = [kind.__name__ for kind in type(placement).__mro__]
    return "Partial" if "Partial" in names or "_Partial" in names else names[0]


def _written(placements):
    """Placements as a call of PyTorch has them."""
    words = [f"Shard({p.dim})" if _name(p) in ("Shard", "_StridedShard") else "Replicate()" for p in placements]
    return f"x.redistribute(placements=[{', '.join(words)}])"


def _cuts(placements, mesh, ndim):
    """What each axis of a mesh cuts. ProtocolError for placements that are no distribution."""
    if len(placements) != mesh.ndim:
        raise ValueError(f"there are {len(placements)} placements, must be one for each of the {mesh.ndim} axes of the mesh")
    found = []
    for axis, placement in enumerate(placements):
        kind = _name(placement)
        if kind == "Partial":
            _core._refuse(f"axis {axis} of the mesh has the placement {placement!r}: its processes have parts of a sum or the like, "
                          "which PyTorch has not reduced yet", f"call x = {_written(placements)}, which reduces it")
        if kind not in ("Shard", "_StridedShard", "Replicate"):
            _core._refuse(f"axis {axis} of the mesh has the placement {placement!r}, must be Shard, Replicate or _StridedShard",
                          f"call x = {_written(placements)}")
        if kind == "Replicate":
            found.append(Cut(None))
            continue
        dim = placement.dim + ndim if placement.dim < 0 else placement.dim
        if not 0 <= dim < ndim:
            raise ValueError(f"axis {axis} of the mesh has the placement {placement!r}, but the array has {ndim} axes")
        found.append(Cut(dim, placement.split_factor if kind == "_StridedShard" else 1))
    return found


def _layout(shape, mesh, placements, orders=None, plain=True):
    cuts = _cuts(placements, mesh, len(shape))
    for axis, cut in enumerate(cuts):
        if cut.axis is not None and (np.diff(mesh, axis=axis) <= 0).any():
            _core._refuse(f"the ranks of the mesh {mesh.tolist()} are not in ascending order along its axis {axis}, and PyTorch gives "
                          "the parts to its processes in the order of the mesh in some calls, in ascending order in others",
                          "make the mesh with ascending ranks along each axis")
    return layout(tuple(shape), mesh.shape, cuts, orders or {}, plain, list(map(repr, placements)), f"call x = {_written(placements)}")


def _mesh_of(mesh):
    """The ranks of PyTorch in a DeviceMesh. TypeError for another object."""
    if not all(hasattr(mesh, name) for name in ("mesh", "get_rank", "device_type")):
        raise TypeError(f"mesh is a {type(mesh).__name__}, must be a torch.distributed.device_mesh.DeviceMesh")
    return np.array(mesh.mesh.tolist(), np.int64)


def _read(x):
    """What a DTensor says. ProtocolError if it is none that an array can have the memory of. Local."""
    if not isinstance(x, _torch()[1]):
        raise TypeError(f"x is a {type(x).__name__}, must be a DTensor of PyTorch")
    mesh, placements = _mesh_of(x.device_mesh), list(x.placements)
    _cuts(placements, mesh, x.ndim)
    if x.requires_grad:
        _core._refuse("x requires grad, but PyTorch would not see what is written to its memory, and gradients would be wrong",
                      "pass x.detach(), which has the same memory")
    if x.device_mesh.get_coordinate() is None:
        _core._refuse(f"rank {x.device_mesh.get_rank()} of PyTorch is not in the mesh of x",
                      "call this on the processes of the mesh alone, with comm=comm, their communicator")
    local = x.to_local()
    if type(local).__name__ == "AsyncCollectiveTensor":
        local = local.wait()
    if local.ndim != x.ndim:
        _core._refuse(f"this process holds a local tensor of shape {tuple(local.shape)}, but the DTensor has {x.ndim} axes",
                      "give DTensor.from_local what torch.chunk gives of the whole tensor")
    spec = getattr(x, "_spec", None)
    orders = {entry.tensor_dim: list(entry.mesh_dims) for entry in getattr(spec, "shard_order", None) or ()}
    plain = getattr(spec, "use_strided_shard_as_shard_order", True) is not False
    return _Read(local, mesh, x.device_mesh.get_rank(), placements, orders, plain)


def distribution(shape: Sequence[int], mesh: Any, placements: Sequence[Any]) -> _core.Distribution:
    """The `Distribution` that PyTorch gives an array on a mesh: of one replica, if there are several. Local.

    Process r of it has part r, which is not that of rank r of PyTorch if the placements are in another order than the axes of the
    array, such as ``[Shard(1), Shard(0)]``.

    Args:
        shape: elements of the whole array along each axis.
        mesh: a ``torch.distributed.device_mesh.DeviceMesh``.
        placements: one for each axis of the mesh.
    """
    return _layout(_make._integers("shape", shape), _mesh_of(mesh), list(placements)).distribution


def described(x):
    """The dictionary that ``__distarray__`` would return for a DTensor. Local."""
    read = _read(x)
    found = _layout(x.shape, read.mesh, read.placements, read.orders, read.plain)
    replica, part = divmod(found.numbers[read.mesh.ravel().tolist().index(read.rank)], found.distribution.processes)
    if replica:
        _core._refuse(f"this process is in replica {replica} of x, but the array is on the processes of replica 0",
                      "call tridap.asarray(x, comm) on all processes of the mesh")
    _need_local(tuple(x.shape), found, part, tuple(read.local.shape), "this process")
    values = _protected(_core._array_over(read.local), found.replicas)
    return {"__version__": "0.10.0", "buffer": values, "dim_data": found.distribution.dim_data(part)}


def _protected(values, replicas, updates=False):
    """The memory of a tensor, which can be written if there are no other replicas, or if it updates them."""
    return _core._read_only(values) if replicas > 1 and not updates else values


def _need_local(shape, found, part, extents, who) -> None:
    """ProtocolError if a process holds another part than PyTorch would give it."""
    wanted = found.distribution.local_shape(part)
    if extents != wanted:
        _core._refuse(f"{who} holds a local tensor of shape {extents}, but PyTorch cuts a DTensor of shape {shape} as torch.chunk does, "
                      f"and would compute with {wanted}",
                      "make x by distribute_tensor, or give DTensor.from_local what torch.chunk gives")


@collective("tridap.torch.export_array()")
def export_array(x: Any, comm: MPI.Comm | None = None, *, replica: int = 0, replicas: str | None = None) -> Any:
    """This process's part of a DTensor as a `DistArray` over the same memory. Nothing is copied. Collective over `comm`.

    The array's communicator has the processes of one replica, and rank r of it has part r of the array.

    Args:
        x: a ``torch.distributed.tensor.DTensor`` that requires no grad.
        comm: an mpi4py communicator of exactly the processes of the mesh, in any order; None: MPI.COMM_WORLD.
        replica: which replica has the array, if an axis of the mesh has the placement ``Replicate()``. They are numbered in the
            row-major order of these axes.
        replicas: None: an array with several replicas is read-only. "update": it can be written; the end of a ``with`` block and
            `to_dtensor` send its elements to the other replicas, and then it is read-only until another ``with`` block begins.
            On a GPU, they are those that the legacy default stream then has.

    Returns:
        The `DistArray`; on a process of another replica, a `tridap.ArrayElsewhere`.

    Raises:
        ProtocolError: on every process, if `x` requires grad, has the placement ``Partial`` or one that no distribution
            describes, if a process holds another part than PyTorch computes with, or if the processes of the mesh are not
            exactly those of `comm`.
    """
    comm = _make.communicator(comm)
    found: dict[str, Any] = {}

    def read():
        found["x"] = _read(x)
        found["values"] = _core._array_over(found["x"].local)
        return {**found["x"].same(), "ndim": x.ndim, "replica": integer("replica", replica), "replicas": replicas,
                "memory": memory_of(found["values"])}

    together(comm, read)
    table = gathered(comm, [found["x"].rank, *x.shape, *found["x"].local.shape])

    def place():
        ours = found["x"]
        _need_one_shape(table, x.ndim)
        division = _layout(x.shape, ours.mesh, ours.placements, ours.orders, ours.plain)
        chosen, updates = need_replica(replica, replicas, division.replicas)
        order = ranks_of(division.numbers, ours.mesh.ravel().tolist(), table[:, 0].tolist(), "rank of PyTorch", _COMM)
        for number, rank in enumerate(order):
            extents = tuple(table[rank, 1 + x.ndim:].tolist())
            _need_local(tuple(x.shape), division, number % division.distribution.processes, extents, f"process {rank}")
        values = _protected(found["values"], division.replicas, updates)
        return Replicas(comm, order, division.replicas, chosen, division.distribution, values, updates, x)

    return held(together(comm, place, same=False))


def _need_one_shape(table, ndim):
    """ProtocolError if the processes have DTensors of different shapes."""
    shapes = table[:, 1:1 + ndim]
    for rank in range(len(table)):
        if tuple(shapes[rank]) != tuple(shapes[0]):
            _core._refuse(f"x has the shape {tuple(shapes[0].tolist())} on process 0, but {tuple(shapes[rank].tolist())} on process "
                          f"{rank}: DTensor.from_local without shape= supposes that all local tensors have the same shape",
                          "pass it shape=torch.Size(shape) and stride=stride of the whole array, the same on every process")


@collective("tridap.torch.to_dtensor()", elsewhere=True)
def to_dtensor(x: Any, mesh: Any, placements: Sequence[Any], *, copy: bool | str | None = None,
               comm: MPI.Comm | None = None) -> Any:
    """A DTensor with the elements of an array. Collective over the processes of the mesh.

    It has the array's memory if this is what PyTorch would have: each process has the part of its place in the mesh, contiguous in
    memory and writable. An array of `export_array` with ``replicas="update"`` also sends its elements to the other replicas.

    Args:
        x: a `DistArray`, or a `tridap.ArrayElsewhere`.
        mesh: a ``torch.distributed.device_mesh.DeviceMesh``.
        placements: one for each axis of the mesh: ``Shard`` and ``Replicate``.
        copy: None or False: never copy. "if_needed": if the array's memory cannot be used, the elements move to new memory, and to
            that of all replicas. True: always. A process that has no part of `x` gets memory of its current GPU, which is what
            ``torch.cuda.set_device`` chooses, if `x` is on GPUs.
        comm: an mpi4py communicator of exactly the processes of the mesh; None: that of `x`, with the processes of all replicas.

    Raises:
        ProtocolError: on every process, if elements would have to be copied and `copy` forbids it.
    """
    comm = comm or home_of(x)
    found: dict[str, Any] = {}

    def read():
        _torch()
        dist, names = need_placed(x).distribution, _mesh_of(mesh)
        found["names"], cut = names.ravel().tolist(), _layout(x.shape, names, list(placements))
        found["placing"] = Placing(x, comm, cut)
        if not isinstance(x, Elsewhere) and x.device.partition(":")[0] != mesh.device_type:
            _core._refuse(f"the array is on {x.device}, but the mesh is of {mesh.device_type}", "make a mesh for the array's device, or "
                          f"move the array: x.to({mesh.device_type!r})")
        return {"shape": dist.shape, "dtype": str(x.dtype), "layout": _core._fingerprint(dist), "mesh": names.tolist(),
                "placements": [str(p) for p in placements], "copy": _core._copy(copy), "ranks": found["placing"].ranks}

    asked = together(comm, read)
    placing = found["placing"]
    table = gathered(comm, [mesh.get_rank(), *placing.in_memory()])
    together(comm, lambda: placing.place(table, found["names"], asked["copy"], "rank of PyTorch", _COMM), same=False)
    local = placing.local()
    origin = placing.known.origin if local is None else None
    strides = _strides(asked["shape"], placing.row_major) if origin is None else tuple(origin.stride())
    return _as_dtensor(origin if local is None else local, mesh, placements, asked["shape"], strides, comm)


def _strides(shape, row_major):
    """The strides in elements of a whole array that is contiguous in memory."""
    order = shape[1:] if row_major else shape[:-1]
    counts = [1]
    for extent in reversed(order) if row_major else order:
        counts.append(counts[-1] * max(extent, 1))
    return tuple(counts[::-1] if row_major else counts)[:len(shape)]


def _local_of(x):
    local = x.to_local()
    return local.wait() if type(local).__name__ == "AsyncCollectiveTensor" else local


def _as_dtensor(local, mesh, placements, shape, strides, comm):
    """A DTensor of the local parts of all processes: those of another DTensor, tensors, NumPy arrays, or parts on GPUs. Collective."""
    torch, dtensor = _torch()

    def convert():
        if isinstance(local, dtensor):
            return _local_of(local)
        if isinstance(local, torch.Tensor):
            return local
        return torch.from_numpy(local) if isinstance(local, np.ndarray) else torch.from_dlpack(local)

    tensor = together(comm, convert, same=False)
    return dtensor.from_local(tensor, mesh, list(placements), run_check=False, shape=torch.Size(shape), stride=strides)
