"""JAX's arrays with their shardings as distributed arrays, and distributed arrays as JAX's, in the same memory.

Example::

    from tridap import jax as tj

    a = tj.export_array(x)        # a DistArray in the memory of the jax.Array x; tridap.asarray(x, comm) is the same
    y = tj.to_jax(a, sharding)    # a jax.Array in the memory of an array

A ``jax.Array`` is divided among devices by its sharding. Each process must have one device of it: `export_array` asks each
process for its number in JAX, and the array's communicator has the order of the parts. `distribution` is how a sharding divides
an array.

JAX never writes the memory of an array, and may share it, so the array is read-only. With ``donate=True`` it can be written. Then
`x`, and what JAX made of its memory, must not be used any more. `to_jax` gives JAX the memory of an array. If several devices have
the same elements, they are replicas: the array is on the processes of one of them, and the others get a `tridap.ArrayElsewhere`,
as in `tridap.torch`.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from . import _core, _make
from ._agree import collective, integer, together
from ._mesh import Layout, gathered, memory_of, need_replica, ranks_of
from ._modules import needed
from ._placing import Placing, home_of, need_placed
from ._replicas import Replicas, held

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["distribution", "export_array", "to_jax"]

_WHAT = "process number of JAX"
_COMM = ("pass comm=comm, the communicator of exactly the processes of the sharding, each with one device; "
         "jax.distributed.initialize() makes one JAX of all processes")
_BOXES = "give the array a NamedSharding without unreduced axes"


def _jax():
    """JAX. ImportError if it is not there."""
    return needed("jax", "tridap.jax needs JAX, which is no package of Debian: pip install jax")


def _devices(sharding, shape):
    """The devices of a sharding, and by device the range of indices along each axis."""
    if not hasattr(sharding, "devices_indices_map"):
        raise TypeError(f"sharding is a {type(sharding).__name__}, must be a jax.sharding.Sharding such as a NamedSharding")
    try:
        found = sharding.devices_indices_map(tuple(shape))
    except Exception as error:
        _core._refuse(f"the sharding {sharding} does not divide an array of shape {tuple(shape)}: {type(error).__name__}: {error}",
                      _BOXES)
    return list(found), [tuple(one.indices(size)[:2] for one, size in zip(index, shape)) for index in found.values()]


def _layout(sharding, shape):
    """The layout of an array of a shape with a sharding, and the devices."""
    devices, boxes = _devices(sharding, shape)
    ranges = [sorted({box[axis] for box in boxes}) for axis in range(len(shape))]
    for axis, (size, parts) in enumerate(zip(shape, ranges)):
        if [start for start, _ in parts] != [0, *(stop for _, stop in parts[:-1])] or parts[-1][1] != size:
            _core._refuse(f"axis {axis}: the devices have the ranges {parts} of {size} indices, which overlap or leave a gap", _BOXES)
    grid = [len(parts) for parts in ranges]
    seen: Counter[int] = Counter()
    pairs = []
    for box in boxes:
        part = 0
        for parts, one in zip(ranges, box):
            part = part * len(parts) + parts.index(one)
        pairs.append((seen[part], part))
        seen[part] += 1
    replicas = len(boxes) // math.prod(grid)
    if set(seen.values()) != {replicas} or len(seen) != math.prod(grid):
        _core._refuse("the parts of the devices are not the boxes of a grid", _BOXES)
    entries = [_make.block(starts=[start for start, _ in parts]) if len(parts) > 1 else _make.whole() for parts in ranges]
    dist = _make.distribution(tuple(shape), entries, grid, math.prod(grid))
    return Layout(dist, [replica * dist.processes + part for replica, part in pairs], replicas), devices


def distribution(shape: Sequence[int], sharding: Any) -> _core.Distribution:
    """The `Distribution` of an array with a sharding of JAX: of one replica, if there are several. Local.

    Process r of it has part r, which is not that of device r if the mesh has another order than the axes of the array.
    """
    return _layout(sharding, _make._integers("shape", shape))[0].distribution


def _shard(x):
    """The part of a ``jax.Array`` on this process, an array of one device, whose elements are computed. Local."""
    if not isinstance(x, _jax().Array):
        raise TypeError(f"x is a {type(x).__name__}, must be a jax.Array")
    shards = x.addressable_shards
    if len(shards) != 1:
        _core._refuse(f"x has {len(shards)} shards on the devices of this process, must have one",
                      "start one process for each device")
    data = shards[0].data
    data.block_until_ready()
    return data


class _Donated:
    """The memory of an array of one device, which can be written. It keeps the array alive."""

    def __init__(self, data, name, said):
        self._data = data
        setattr(self, name, {**said, "data": (said["data"][0], False)})


def _memory(data, donate):
    """An array over the memory of an array of one device; read-only, unless the array is given away."""
    values = _core._array_over(data)
    if not donate:
        return _core._read_only(values)
    if isinstance(values, np.ndarray):
        return np.asarray(_Donated(values, "__array_interface__", values.__array_interface__))
    return _core._array_over(_Donated(data, "__cuda_array_interface__", data.__cuda_array_interface__))


def described(x):
    """The dictionary that ``__distarray__`` would return for a ``jax.Array``. Local."""
    data = _shard(x)
    found, devices = _layout(x.sharding, x.shape)
    replica, part = divmod(found.numbers[[device.process_index for device in devices].index(_jax().process_index())],
                           found.distribution.processes)
    if replica:
        _core._refuse(f"this process is in replica {replica} of x, but the array is on the processes of replica 0",
                      "call tridap.asarray(x, comm) on all processes of the sharding")
    return {"__version__": "0.10.0", "buffer": _memory(data, False), "dim_data": found.distribution.dim_data(part)}


@collective("tridap.jax.export_array()")
def export_array(x: Any, comm: MPI.Comm | None = None, *, replica: int = 0, replicas: str | None = None, donate: bool = False) -> Any:
    """This process's part of a ``jax.Array`` as a `DistArray` over the same memory. Nothing is copied. Collective over `comm`.

    The array's communicator has the processes of one replica, and rank r of it has part r of the array.

    Args:
        x: a ``jax.Array`` with one device on each process. Its sharding is a ``NamedSharding``, or another one that divides the
            array into boxes.
        comm: an mpi4py communicator of exactly the processes of the sharding, in any order; None: MPI.COMM_WORLD.
        replica: which replica has the array, if several devices have the same elements. They are numbered as the devices.
        replicas: None, or "update": the end of a ``with`` block and `to_jax` send the elements to the other replicas, which needs
            ``donate=True``. Then the array is read-only until another ``with`` block begins. On a GPU, the elements are those that
            the legacy default stream then has.
        donate: the array can be written, which needs ``replicas="update"`` if there are several replicas. Afterwards use neither `x` nor any other array of JAX that may share its memory.

    Returns:
        The `DistArray`; on a process of another replica, a `tridap.ArrayElsewhere`.

    Raises:
        ProtocolError: on every process, if a process has several shards of `x` or none, if the shards are not the boxes of a grid,
            or if the processes are not exactly those of `comm`.
    """
    comm = _make.communicator(comm)
    found: dict[str, Any] = {}

    def read():
        found["data"] = _shard(x)
        found["layout"], devices = _layout(x.sharding, x.shape)
        found["names"] = [int(device.process_index) for device in devices]
        given = _core._flag("donate", donate)
        found["values"] = _memory(found["data"], given)
        if replicas == "update" and not given:
            raise ValueError("replicas is 'update', but JAX's memory is read-only: pass donate=True, too")
        return {"shape": tuple(x.shape), "dtype": str(found["data"].dtype), "names": found["names"], "numbers": found["layout"].numbers,
                "replica": integer("replica", replica), "replicas": replicas, "donate": given, "memory": memory_of(found["values"])}

    together(comm, read)
    table = gathered(comm, [_jax().process_index(), *found["data"].shape])

    def place():
        division = found["layout"]
        chosen, updates = need_replica(replica, replicas, division.replicas)
        if donate and division.replicas > 1 and not updates:
            _core._refuse(f"donate is True, and x has {division.replicas} replicas, of which only one would change",
                          "pass replicas='update', too")
        order = ranks_of(division.numbers, found["names"], table[:, 0].tolist(), _WHAT, _COMM)
        for number, rank in enumerate(order):
            wanted = division.distribution.local_shape(number % division.distribution.processes)
            if tuple(table[rank, 1:].tolist()) != wanted:
                _core._refuse(f"process {rank} has a shard of shape {tuple(table[rank, 1:].tolist())}, must be {wanted}", _BOXES)
        return Replicas(comm, order, division.replicas, chosen, division.distribution, found["values"], updates, x)

    return held(together(comm, place, same=False))


@collective("tridap.jax.to_jax()", elsewhere=True)
def to_jax(x: Any, sharding: Any, *, copy: bool | str | None = None, comm: MPI.Comm | None = None) -> Any:
    """A ``jax.Array`` with the elements of an array, made by ``make_array_from_single_device_arrays``. Collective.

    It has the array's memory if each process has the part of its device, row-major and contiguous, writable, and at an address that
    JAX can use: on a CPU, a multiple of 64 bytes. Then do not write to `x` any more, because JAX's arrays never change.

    Args:
        x: a `DistArray`, or a `tridap.ArrayElsewhere`.
        sharding: a ``jax.sharding.NamedSharding``, or another one that divides the array into boxes, one for each process.
        copy: None or False: never copy. "if_needed": if the array's memory cannot be used, the elements move to new memory, and to
            that of all replicas. True: always. A process that has no part of `x` gets memory of its current GPU, if `x` is on GPUs.
        comm: an mpi4py communicator of exactly the processes of the sharding; None: that of `x`, with the processes of all replicas.

    Raises:
        ProtocolError: on every process, if elements would have to be copied and `copy` forbids it, or if JAX does not have the
            element type.
    """
    comm = comm or home_of(x)
    found: dict[str, Any] = {}

    def read():
        cut, devices = _layout(sharding, need_placed(x).shape)
        found["names"], found["placing"] = [int(device.process_index) for device in devices], Placing(x, comm, cut)
        found["devices"] = [device for device in devices if device.process_index == _jax().process_index()]
        if len(found["devices"]) != 1:
            _core._refuse(f"the sharding has {len(found['devices'])} devices of this process, must have one", _COMM)
        return {"shape": x.shape, "dtype": str(x.dtype), "layout": _core._fingerprint(x.distribution), "names": found["names"],
                "numbers": cut.numbers, "copy": _core._copy(copy), "ranks": found["placing"].ranks}

    asked = together(comm, read)
    placing = found["placing"]
    table = gathered(comm, [_jax().process_index(), *placing.in_memory()])
    together(comm, lambda: placing.place(table, found["names"], asked["copy"], _WHAT, _COMM, column_major=False), same=False)
    local = placing.local()
    may_copy = placing.moves or asked["copy"] != "never"

    def convert():
        memory = _memory(_shard(placing.known.origin), True) if local is None else local  # the first: what JAX has given away
        return _of_one_device(memory, found["devices"][0], may_copy)

    made = together(comm, convert, same=False)
    return _jax().make_array_from_single_device_arrays(asked["shape"], sharding, [made])


def _of_one_device(local, device, may_copy):
    """An array of JAX on one device over memory of this process. ProtocolError if JAX copies, unless it may."""
    made = _jax().device_put(_jax().dlpack.from_dlpack(local), device)
    if made.dtype != local.dtype:
        _core._refuse(f"JAX makes {made.dtype} of {local.dtype}", 'call jax.config.update("jax_enable_x64", True) at the beginning')
    if not may_copy and math.prod(local.shape) and made.unsafe_buffer_pointer() != _address(local):
        _core._refuse("JAX copies the elements, because their address is not a multiple of 64 bytes, or they are not on its device",
                      "pass copy='if_needed'")
    return made


def _address(local):
    said = local.__array_interface__ if isinstance(local, np.ndarray) else local.__cuda_array_interface__
    return said["data"][0]
