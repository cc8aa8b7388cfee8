"""The dictionaries of arrays that have no ``__distarray__``. The compiled core imports this module when it meets one.

No module of Python imports it, because it imports those of the other libraries, which import the others of this package.
"""

from ._foreign import Described, kind_of


def dictionary(obj):
    """What ``__distarray__`` would return for an object without it; None for objects that are not known. Local."""
    kind = kind_of(obj)
    if kind == "petsc":
        from .petsc import export_array
        return Described(export_array(obj))
    if kind == "mpi4py_fft":
        from .mpi4py_fft import described
        return described(obj)
    if kind == "_partitioned":
        from ._partitioned import described
        return described(obj)
    return None
