"""The dictionaries of arrays that have no ``__distarray__``. The compiled core imports this module when it meets one.

No module of Python imports it, because it imports those of the other libraries, which import the others of this package.
"""

from . import _core
from ._foreign import Described, _placed_kind, kind_of


def dictionary(obj):
    """What ``__distarray__`` would return for an object without it; None for objects that are not known. Local."""
    kind = kind_of(obj)
    if kind == "petsc":
        from .petsc import export_array
        return Described(export_array(obj))
    if kind == "mpi4py_fft":
        from .mpi4py_fft import described
        return described(obj)
    if kind in ("torch", "jax"):
        return _module(kind).described(obj)
    if kind == "_partitioned":
        from ._partitioned import described
        return described(obj)
    return None


def placed(obj, comm, copy):
    """What `asarray` returns for an array whose parts have places of their own, with a communicator. Collective."""
    found = _module(_placed_kind(obj)).export_array(obj, comm)
    if _core._copy(copy) == "always" and isinstance(found, _core.DistArray):
        return found.copy()
    return found


def _module(kind):
    if kind == "torch":
        from . import torch
        return torch
    from . import jax
    return jax
