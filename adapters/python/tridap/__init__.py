"""Distributed arrays between Python's libraries and Trilinos, without copying.

`asarray` makes a `DistArray` from an object with ``__distarray__`` of any library; `check` reports its errors.
`distribution`, `zeros` and `from_function` make new arrays. `redistribute` moves an array to another distribution. `solve`
solves a linear system in the memory of an array. `components` says what this build has.
"""

from ._core import (BlockSpec, CyclicSpec, DistArray, Distribution, Finding, Receipt, Report, Translation,
                    UnstructuredSpec, WholeSpec, __version__, asarray)
from ._capture import write_capture
from ._components import Component, components
from ._eigen import eigsh
from ._errors import ProtocolError
from ._files import load, load_attrs, save
from ._gather import scatter
from ._ghosts import GhostedArray
from ._ids import from_ids, to_ids
from ._make import array, block, cyclic, distribution, empty, from_function, unstructured, whole, zeros
from ._move import Moving, Redistribution, redistribute
from ._protocol import check, export
from ._relabel import Relabelling, relabel
from ._solve import (ConvergenceError, ConvergenceWarning, History, LinearOperator, Matrix, Preconditioner,
                     SolveResult, solve)
from ._vocabularies import chapel, essl, hpf, julia, mpi_cart, x10
from . import scalapack

__all__ = ["BlockSpec", "Component", "ConvergenceError", "ConvergenceWarning", "CyclicSpec", "DistArray", "Distribution",
           "Finding", "GhostedArray", "History", "LinearOperator", "Matrix", "Moving", "Preconditioner", "ProtocolError", "Receipt",
           "Redistribution", "Relabelling", "Report", "SolveResult", "Translation", "UnstructuredSpec", "WholeSpec",
           "array", "asarray", "block", "chapel", "check", "components", "cyclic", "distribution", "eigsh", "empty", "essl", "export",
           "from_function", "from_ids", "hpf", "julia", "load", "load_attrs", "mpi_cart", "redistribute", "relabel", "save",
           "scalapack", "scatter", "solve", "to_ids", "unstructured", "whole", "write_capture", "x10", "zeros"]
