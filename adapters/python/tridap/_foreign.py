"""Which arrays that have no ``__distarray__`` TriDAP knows, because they say in another way which part they are."""

from __future__ import annotations

import sys
from typing import Any

from . import _core


class Described(dict[str, Any]):
    """What `__distarray__` returns for an array whose memory a DistArray has already: `array`. `asarray` reads it."""

    def __init__(self, array: Any) -> None:
        super().__init__(array.__distarray__())
        self.array = array


class Said:
    """An object with a function for `__distarray__`. If the function raises on one process, `asarray` raises on all."""

    def __init__(self, say):
        self._say = say

    def __distarray__(self):
        return self._say()


def _dtensor():
    """PyTorch's class DTensor, if it has been imported; else None. Local."""
    for name in ("torch.distributed.tensor", "torch.distributed._tensor"):
        theirs = getattr(sys.modules.get(name), "DTensor", None)
        if theirs is not None:
            return theirs
    return None


def _placed_kind(obj):
    """The module that reads an array of PyTorch or JAX whose parts have places of their own: "torch" or "jax"; else None."""
    for ours, theirs in (("torch", _dtensor()), ("jax", getattr(sys.modules.get("jax"), "Array", None))):
        if theirs is not None and isinstance(obj, theirs):
            return ours
    return None


def is_placed(obj):
    """Whether `asarray` finds out by itself, with all processes, which process has which place of an object's parts. Local."""
    return _placed_kind(obj) is not None


def kind_of(obj):
    """The module that reads an object: "mpi4py_fft", "petsc", "torch", "jax" or "_partitioned"; None if TriDAP knows none."""
    kind = type(obj)  # and not isinstance, which asks the object
    for module, name, ours in (("mpi4py_fft.distarray", "DistArray", "mpi4py_fft"), ("petsc4py.PETSc", "Vec", "petsc")):
        if module in sys.modules and issubclass(kind, getattr(sys.modules[module], name)):
            return ours
    placed = _placed_kind(obj)
    return placed or ("_partitioned" if not issubclass(kind, type) and hasattr(obj, "__partitioned__") else None)


def read_only_memory(obj):
    """Whether the library of an object never lets its memory be written, as JAX. Local.

    ProtocolError for an object of which this memory is only one shard: its local part is not the array.
    """
    theirs = _dtensor()
    if theirs is not None and isinstance(obj, theirs):
        _core._refuse("the buffer is a DTensor of PyTorch, whose memory is only this process's part of it",
                      "give x.to_local(), and describe how it is distributed in dim_data or with tridap.distribution; or call "
                      "tridap.asarray(x, comm), which reads how it is distributed")
    theirs = getattr(sys.modules.get("jax"), "Array", None)
    if theirs is None or not isinstance(obj, theirs):
        return False
    shards = len(getattr(getattr(obj, "sharding", None), "device_set", (0,)))
    if shards != 1:
        _core._refuse(f"the buffer is a jax.Array with {shards} shards, whose memory is on {shards} devices",
                      "give the data of one shard, such as x.addressable_shards[0].data, and describe how the array is distributed; "
                      "or call tridap.asarray(x, comm), which reads how it is distributed")
    return True


def describes(obj):
    """Whether `asarray` takes an object. Local."""
    return hasattr(obj, "__distarray__") or isinstance(obj, dict) or kind_of(obj) is not None


def is_mat(obj):
    """Whether an object is a matrix of petsc4py, and tridap was built with PETSc. Local."""
    petsc = sys.modules.get("petsc4py.PETSc")
    if petsc is None or not issubclass(type(obj), petsc.Mat):
        return False
    try:
        from . import _petsc  # noqa: F401
    except ImportError:
        return False
    return True
