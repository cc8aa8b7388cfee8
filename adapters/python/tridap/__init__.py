"""Distributed arrays between Python's libraries and Trilinos, without copying.

`asarray` makes a `DistArray` from an object with ``__distarray__`` of any library; `check` reports its errors.
`distribution`, `zeros` and `from_function` make new arrays. `solve` solves a linear system in the memory of an array.
"""

from ._core import (BlockSpec, CyclicSpec, DistArray, Distribution, Finding, Receipt, Report, UnstructuredSpec,
                    WholeSpec, __version__, asarray)
from ._errors import ProtocolError
from ._gather import scatter
from ._make import array, block, cyclic, distribution, empty, from_function, unstructured, whole, zeros
from ._move import Moving, Redistribution, Relabelling, redistribute, relabel
from ._protocol import check, export
from ._solve import ConvergenceError, ConvergenceWarning, LinearOperator, Matrix, SolveResult, solve

__all__ = ["BlockSpec", "ConvergenceError", "ConvergenceWarning", "CyclicSpec", "DistArray", "Distribution", "Finding",
           "LinearOperator", "Matrix", "Moving", "ProtocolError", "Receipt", "Redistribution", "Relabelling", "Report",
           "SolveResult", "UnstructuredSpec", "WholeSpec", "array", "asarray", "block", "check", "cyclic",
           "distribution", "empty", "export", "from_function", "redistribute", "relabel", "scatter", "solve",
           "unstructured", "whole", "zeros"]
