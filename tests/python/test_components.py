"""What `tridap.components` says of this build is what the build does."""

import importlib
import sys
import types

import pytest
import tridap

NAMES = {"protocol", "mpi", "plan", "tool", "redistribute", "ghosts", "dlpack", "python", "kokkos", "tpetra", "solvers",
         "petsc", "scalapack", "hdf5", "globalarrays"}


def test_each_component_is_there_or_has_a_reason():
    found = tridap.components()
    assert NAMES <= set(found)
    for name in ("protocol", "mpi", "redistribute", "python"):  # this package does not work without them
        assert found[name].built
    assert "NumPy" in found["python"].uses
    assert all(component.uses for component in found.values() if not component.built)


@pytest.mark.parametrize("name, module", [("hdf5", "tridap._hdf5"), ("petsc", "tridap._petsc"),
                                          ("scalapack", "tridap._scalapack"), ("globalarrays", "_tridap_globalarrays")])
def test_a_component_is_built_if_its_module_can_be_imported(name, module):
    try:
        importlib.import_module(module)
        there = True
    except ImportError:
        there = False
    assert tridap.components()[name].built == there


def test_a_module_that_is_not_there_is_not_built(monkeypatch):
    monkeypatch.setattr("tridap._components.find_spec", lambda name: None)
    monkeypatch.setattr("tridap._components.__components__",
                        "mpi|on|MPI 3.1\nhdf5|on|HDF5 1.10\nglobalarrays|on|\npetsc|off|no PETSc")
    assert tridap.components() == {
        "mpi": (True, "MPI 3.1"), "hdf5": (False, "HDF5 1.10, but the module tridap._hdf5 was not built"),
        "globalarrays": (False, "needs the interpreter tridap-python"), "petsc": (False, "no PETSc")}


class Broken:
    """Finds a module whose library is not there."""

    def __init__(self, module):
        self.module = module

    def find_spec(self, name, path, target=None):
        if name == self.module:
            raise ImportError("libother.so.7: cannot open shared object file", name=name)


MODULES = {"petsc4py.PETSc": lambda: importlib.import_module("tridap.petsc"),
           "tridap._petsc": lambda: importlib.import_module("tridap.petsc"),
           "tridap._scalapack": lambda: tridap.scalapack.squares((4, 4), 1),
           "tridap._hdf5": lambda: importlib.import_module("tridap.hdf5").libraries(),
           "_tridap_globalarrays": lambda: importlib.import_module("tridap.globalarrays"),
           "mpi4py_fft": lambda: importlib.import_module("tridap.mpi4py_fft")}


def hide(module, monkeypatch):
    for name in module, "tridap.petsc", "tridap.globalarrays", "tridap.mpi4py_fft":
        monkeypatch.delitem(sys.modules, name, raising=False)
    if module == "tridap._petsc":
        theirs = types.ModuleType("petsc4py")
        theirs.PETSc = types.ModuleType("petsc4py.PETSc")
        monkeypatch.setitem(sys.modules, "petsc4py", theirs)
        monkeypatch.setitem(sys.modules, "petsc4py.PETSc", theirs.PETSc)
    if module == "petsc4py.PETSc":
        theirs = types.ModuleType("petsc4py")
        theirs.__path__ = []
        monkeypatch.setitem(sys.modules, "petsc4py", theirs)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_that_cannot_be_loaded_says_why(module, monkeypatch):
    hide(module, monkeypatch)
    monkeypatch.setattr(sys, "meta_path", [Broken(module), *sys.meta_path])
    with pytest.raises(ImportError, match="libother.so.7: cannot open shared object file") as raised:
        MODULES[module]()
    assert "install" not in str(raised.value), "what is there need not be installed"
    assert "libother.so.7" in str(raised.value.__cause__)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_that_is_not_there_is_an_error_that_says_so(module, monkeypatch):
    hide(module, monkeypatch)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match="install|tridap-python|Debian") as raised:
        MODULES[module]()
    assert isinstance(raised.value.__cause__, ModuleNotFoundError)


def test_the_solvers_are_there_if_a_system_can_be_solved(comm):
    dist = tridap.distribution(comm.size)
    rows = ([2.0], [comm.rank], [0, 1])
    try:
        answer = tridap.solve(tridap.Matrix(rows, dist, comm), tridap.from_function(dist, lambda i: 2.0 * i, comm=comm))
        solved = answer.x.local.tolist() == [comm.rank]
    except ImportError:
        solved = False
    assert tridap.components()["solvers"].built == solved
