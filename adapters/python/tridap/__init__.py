"""Distributed arrays between Python's libraries and Trilinos, without copying.

`asarray` makes a `DistArray` from an object with ``__distarray__`` of any library; `check` reports its errors.
`distribution`, `zeros` and `from_function` make new arrays. `solve` solves a linear system in the memory of an array.
"""

from ._core import (BlockSpec, CyclicSpec, DistArray, Distribution, Finding, Receipt, Report, UnstructuredSpec,
                    WholeSpec, __version__, asarray)
from ._eigen import eigsh
from ._errors import ProtocolError
from ._make import block, cyclic, distribution, empty, from_function, unstructured, whole, zeros
from ._protocol import check, export
from ._solve import ConvergenceError, ConvergenceWarning, LinearOperator, Matrix, Preconditioner, SolveResult, solve

__all__ = ["BlockSpec", "ConvergenceError", "ConvergenceWarning", "CyclicSpec", "DistArray", "Distribution", "Finding",
           "LinearOperator", "Matrix", "Preconditioner", "ProtocolError", "Receipt", "Report", "SolveResult", "UnstructuredSpec",
           "WholeSpec", "asarray", "block", "check", "cyclic", "distribution", "eigsh", "empty", "export", "from_function",
           "solve", "unstructured", "whole", "zeros"]
