"""The reference of Python: what the package's modules state in __all__, in groups."""

import json
import os
import subprocess

# Every name of tridap.__all__ is in one of these groups.
GROUPS = {
    "Arrays": ["DistArray", "asarray", "array", "empty", "zeros", "from_function", "scatter", "GhostedArray",
               "ArrayElsewhere"],
    "Distributions": ["Distribution", "distribution", "block", "cyclic", "unstructured", "whole", "BlockSpec",
                      "CyclicSpec", "UnstructuredSpec", "WholeSpec"],
    "Checks, captures and errors": ["check", "export", "write_capture", "Report", "Finding", "Receipt",
                                    "ProtocolError", "trace", "watch"],
    "Moves": ["redistribute", "Redistribution", "Moving", "relabel", "Relabelling", "to_ids", "from_ids"],
    "Linear systems and eigenvalues": ["solve", "eigsh", "Matrix", "LinearOperator", "Preconditioner", "SolveResult",
                                       "History", "ConvergenceError", "ConvergenceWarning"],
    "Files": ["save", "load", "load_attrs", "xdmf"],
    "Options, and what this build has": ["set_option", "components", "Component"],
    "Distributions in other libraries' words": ["Translation", "hpf", "essl", "chapel", "julia", "x10", "mpi_cart"],
}
MODULES = ["petsc", "scalapack", "hdf5", "mpi4py_fft", "torch", "jax", "globalarrays"]
ELSEWHERE = {"scalapack"}  # names of tridap.__all__ that are modules

LIST = """
import importlib, json, sys
found = {}
for module in ["", *sys.argv[1:]]:
    m = importlib.import_module("tridap." + module if module else "tridap")
    found[module] = {name: isinstance(getattr(m, name), type) for name in m.__all__}
print(json.dumps(found))
"""


def described(module, name, is_class):
    if not is_class:
        return ["```{eval-rst}", f".. autofunction:: {module}.{name}", "```", ""]
    return ["```{eval-rst}", f".. autoclass:: {module}.{name}", "   :members:",
            "   :special-members: __getitem__, __setitem__, __call__, __distarray__, __dlpack__, __enter__", "```", ""]


def interpreter(package):
    """The Python that has Global Arrays in it."""
    return package / "tridap-python"


def write_pages(package, pages):
    """Writes reference/python/{tridap,petsc,...}.md. Raises SystemExit if a public name is in no group."""
    environment = {**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [interpreter(package), "-c", LIST, *MODULES]
    listed = subprocess.run(command, env=environment, capture_output=True, text=True)
    if listed.returncode:
        raise SystemExit(f"./dev docs: the Python package cannot be imported:\n{listed.stderr}")
    kinds = json.loads(listed.stdout)
    grouped = [name for names in GROUPS.values() for name in names]
    different = set(kinds[""]) - ELSEWHERE ^ set(grouped)
    if different or len(grouped) != len(set(grouped)):
        raise SystemExit(f"docs/site_parts/python_reference.py: GROUPS and tridap.__all__ differ: {sorted(different)}")
    folder = pages / "reference" / "python"
    folder.mkdir(parents=True, exist_ok=True)
    text = ["# tridap", "", "```{eval-rst}", ".. automodule:: tridap", "```", ""]
    for group, names in GROUPS.items():
        text += [f"## {group}", ""]
        for name in names:
            text += described("tridap", name, kinds[""][name])
    (folder / "tridap.md").write_text("\n".join(text))
    for module in MODULES:
        text = [f"# tridap.{module}", "", "```{eval-rst}", f".. automodule:: tridap.{module}", "```", ""]
        for name, is_class in kinds[module].items():
            text += described(f"tridap.{module}", name, is_class)
        (folder / f"{module}.md").write_text("\n".join(text))
