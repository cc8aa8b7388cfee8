"""The package as a whole: every public name has a docstring, and the stubs name what is there."""

import ast
import inspect
import pathlib
import pydoc
import sys

import pytest
import tridap
from producers import ran
from tridap import _core

HERE = pathlib.Path(tridap.__file__).parent


def members(cls):
    return {name: value for name, value in vars(cls).items()
            if not name.startswith("_") or name in ("__distarray__", "__array__", "__dlpack__", "__dlpack_device__")}


def test_every_public_name_is_listed_and_documented():
    public = {name for name in vars(tridap) if not name.startswith("_") and (
        callable(getattr(tridap, name)) or not inspect.ismodule(getattr(tridap, name)))}
    assert public == set(tridap.__all__)
    undocumented = [name for name in public if not inspect.getdoc(getattr(tridap, name))]
    for name in public:
        value = getattr(tridap, name)
        if inspect.isclass(value) and value.__module__.startswith("tridap"):
            undocumented += [f"{name}.{member}" for member, what in members(value).items() if not inspect.getdoc(what)]
    assert not undocumented


def test_help_begins_with_what_each_name_is_for():
    text = pydoc.plain(pydoc.render_doc(tridap)).split("\nPACKAGE CONTENTS\n")[0]
    assert [name for name in tridap.__all__ if f"`{name}`" not in text] == []
    assert len(text.splitlines()) < 60


@pytest.mark.parametrize("environment, said, lines", [("on", "", 1), ("off", "", 0), ("on", "none", 0), ("off", "print", 1)])
def test_messages_can_be_turned_off(comm, environment, said, lines):
    program = "import tridap, sys\nif sys.argv[1]: print(tridap.set_option(messages=sys.argv[1])['messages'])\ntridap.zeros(tridap.distribution(8))"
    status, text = ran(comm, sys.executable, "-c", program, said, TRIDAP_MOST_LISTED="many", TRIDAP_MESSAGES=environment)
    assert status == 0, text
    assert text.count("tridap: TRIDAP_MOST_LISTED is 'many', but must be a whole number of at least 0") == lines
    if said:
        assert ("print" if environment == "on" else "none") in text.splitlines()


@pytest.mark.parametrize("module", ["petsc", "scalapack", "hdf5", "mpi4py_fft", "torch", "jax", "globalarrays"])
def test_the_text_of_a_module_has_each_of_its_names(module):
    tree = ast.parse((HERE / f"{module}.py").read_text())  # the build may be without its library
    names, = (ast.literal_eval(node.value) for node in tree.body
              if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__")
    assert [name for name in names if f"`{name}`" not in ast.get_docstring(tree)] == []


def imported(node):
    """The modules of the package that a statement imports."""
    if isinstance(node, ast.ImportFrom) and node.level == 1:
        return [node.module] if node.module else [alias.name for alias in node.names]
    return []


def test_no_module_imports_itself_through_others():
    """Imports inside of functions count, but not those for type checkers alone."""
    imports = {}
    for path in HERE.glob("*.py"):
        tree = ast.parse(path.read_text())
        typing = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
                  for inner in ast.walk(node)}
        imports[path.stem] = {name for node in ast.walk(tree) if id(node) not in typing for name in imported(node)}
    assert {"_solve", "petsc"} <= set(imports) and imports["__init__"]
    while leaves := [name for name, others in imports.items() if not others & set(imports)]:
        for name in leaves:
            del imports[name]
    assert imports == {}  # each of these imports another one of them


@pytest.fixture(scope="module")
def stub():
    return ast.parse((HERE / "_core.pyi").read_text())


def test_the_stub_has_the_names_of_the_compiled_core(stub):
    said = {node.name for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    there = {name for name in vars(_core) if not name.startswith("__")}
    assert said - {"_Solvable"} == there


def test_the_stub_has_the_members_of_each_class(stub):
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    for name, node in classes.items():
        said = {inner.name for inner in node.body if isinstance(inner, ast.FunctionDef)} - {"__init__"}
        for base in node.bases:
            said |= {inner.name for inner in classes[base.id].body if isinstance(inner, ast.FunctionDef)}
        if name == "_Solvable":
            continue
        there = {member for member in vars(getattr(_core, name)) if member in said or not member.startswith("_")}
        assert said - {"__init__"} == there, name


def test_type_checkers_are_told_that_there_are_hints():
    assert (HERE / "py.typed").exists()


def test_numpy_2_is_refused_if_pybind11_is_too_old(comm):
    program = "import numpy; numpy.__version__ = '2.1.0'; import tridap"
    status, text = ran(comm, sys.executable, "-c", program)
    if tuple(map(int, _core.__pybind11__.split("."))) >= (2, 12):
        assert status == 0
    else:
        assert "misreads the element sizes of NumPy 2.1.0: compile it with pybind11 2.12 or later" in text
