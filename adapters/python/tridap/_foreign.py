"""The dictionaries of arrays that have no ``__distarray__``, but say in another way which part they are."""

from __future__ import annotations

import sys
from typing import Any

from . import _core


class Described(dict[str, Any]):
    """What `__distarray__` returns for an array whose memory a DistArray has already: `array`. `asarray` reads it."""

    def __init__(self, array: Any) -> None:
        super().__init__(array.__distarray__())
        self.array = array


def _reader(obj):
    """The function that makes the dictionary of an object's array; None if TriDAP does not know such objects."""
    kind = type(obj)  # and not isinstance, which asks the object
    if issubclass(kind, type):
        return None
    theirs = sys.modules.get("mpi4py_fft.distarray")
    if theirs is not None and issubclass(kind, theirs.DistArray):
        from .mpi4py_fft import described
        return described
    petsc = sys.modules.get("petsc4py.PETSc")
    if petsc is not None and issubclass(kind, petsc.Vec):
        from .petsc import export_array
        return lambda vec: Described(export_array(vec))
    if hasattr(obj, "__partitioned__"):
        from ._partitioned import described
        return described
    return None


def read_only_memory(obj):
    """Whether the library of an object never lets its memory be written, as JAX. Local.

    ProtocolError for an object of which this memory is only one shard: its local part is not the array.
    """
    for name in ("torch.distributed.tensor", "torch.distributed._tensor"):
        theirs = getattr(sys.modules.get(name), "DTensor", None)
        if theirs is not None and isinstance(obj, theirs):
            _core._refuse("the buffer is a DTensor of PyTorch, whose memory is only this process's part of it",
                          "give x.to_local(), and describe how it is distributed in dim_data or with tridap.distribution")
    theirs = getattr(sys.modules.get("jax"), "Array", None)
    if theirs is None or not isinstance(obj, theirs):
        return False
    shards = len(getattr(getattr(obj, "sharding", None), "device_set", (0,)))
    if shards != 1:
        _core._refuse(f"the buffer is a jax.Array with {shards} shards, whose memory is on {shards} devices",
                      "give the data of one shard, such as x.addressable_shards[0].data, and describe how the array is distributed")
    return True


def describes(obj):
    """Whether `asarray` takes an object. Local."""
    return hasattr(obj, "__distarray__") or isinstance(obj, dict) or _reader(obj) is not None


def dictionary(obj):
    """What ``__distarray__`` would return for an object without it; None for objects that are not known. Local."""
    reader = _reader(obj)
    return None if reader is None else reader(obj)


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
