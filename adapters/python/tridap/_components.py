"""Which components this build of tridap has."""

from __future__ import annotations

from importlib.util import find_spec
from typing import NamedTuple

from ._core import __components__

_MODULES = {"hdf5": "tridap._hdf5", "petsc": "tridap._petsc", "scalapack": "tridap._scalapack",
            "globalarrays": "_tridap_globalarrays"}


class Component(NamedTuple):
    """Whether this Python has a component, and what the component uses."""

    built: bool
    uses: str  #: the library and its version; of a component that is not there, the reason


def components() -> dict[str, Component]:
    """What this tridap was built with, by the names of the components in CMake. Local.

    ``tridap.components()["solvers"].built`` says whether `solve` and `eigsh` work. Without Trilinos they raise an
    ImportError with the reason, and all else works. Global Arrays are there in the interpreter ``tridap-python`` alone.
    """
    found = {}
    for line in __components__.splitlines():
        name, state, uses = line.split("|", 2)
        found[name] = Component(state == "on", uses)
        if found[name].built and name in _MODULES and find_spec(_MODULES[name]) is None:
            found[name] = Component(False, "needs the interpreter tridap-python" if name == "globalarrays"
                                    else f"{uses}, but the module {_MODULES[name]} was not built")
    return found
