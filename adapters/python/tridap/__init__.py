"""Distributed arrays between Python's libraries and Trilinos, without copying.

::

    import numpy as np
    import tridap
    from mpi4py import MPI

    rows = tridap.distribution((1000, 80), "b,*")  # blocks of rows over all processes
    x = tridap.from_function(rows, lambda i, j: np.sin(i + j))  # each process has its part, x.local
    x *= 2
    largest = x.max()  # of the whole array, the same on every process
    y = x.redistribute("c:10,*")  # the same array, with rows dealt in blocks of ten

``help(tridap.solve)`` explains one of these names. Names that begin with ``_`` are not for programs.

A call with ``comm=None`` uses the communicator of the first array among its arguments; else MPI.COMM_SELF if the distribution
is over one process; else MPI.COMM_WORLD. `asarray`, `check`, `export` and `GhostedArray` are then of this process only.

Arrays
    `DistArray` is this process's part of a distributed array. `asarray` makes one of any object with ``__distarray__``,
    `array` of your NumPy arrays, `scatter` of the whole array on one process; `empty`, `zeros` and `from_function` make new
    ones. `GhostedArray` also has copies of elements of other processes. An `ArrayElsewhere` is on other processes alone.
Distributions
    `distribution` makes a `Distribution`: which process owns which elements. `block`, `cyclic`, `unstructured` and `whole`
    describe an axis; they return a `BlockSpec`, `CyclicSpec`, `UnstructuredSpec` or `WholeSpec`.
Moves
    `redistribute` moves an array to another distribution, and a `Redistribution` many of them; its ``start`` returns a
    `Moving`. `to_ids` and `from_ids` move to and from lists of elements. `relabel` finds the numbering of processes with
    which the fewest bytes travel, a `Relabelling`.
Linear systems
    `solve` returns a `SolveResult` with its `History`, `eigsh` finds eigenvalues. `Matrix`, `LinearOperator` and
    `Preconditioner` are what they take. `ConvergenceWarning` and `ConvergenceError` say that a method stopped early.
Files
    `save`, `load` and `load_attrs` use HDF5, and zarr where the name ends with ``.zarr``. `xdmf` writes a file for ParaView.
Checks
    `check` returns a `Report` with each `Finding` about an array, and `ProtocolError` has one. `export` gives the dictionary
    of an array, `write_capture` writes those of all processes. A `Receipt` says what was copied.
Other libraries
    The modules ``tridap.petsc``, ``tridap.scalapack``, ``tridap.globalarrays``, ``tridap.mpi4py_fft``, ``tridap.torch``,
    ``tridap.jax`` and ``tridap.hdf5``.
    `scalapack`, `hpf`, `essl`, `chapel`, `julia`, `x10` and `mpi_cart` make the distributions of these libraries and
    languages, each with a `Translation`. `components` says which `Component` this build has. `set_option` sets what NumPy
    gets of an array, and which processes print an error. `watch` prints where each process is if a call waits. `trace` shows
    calls to a profiler.
"""

from ._core import (BlockSpec, CyclicSpec, DistArray, Distribution, Finding, Receipt, Report, Translation,
                    UnstructuredSpec, WholeSpec, __version__, asarray)
from ._capture import write_capture
from ._components import Component, components
from ._eigen import eigsh
from ._errors import ProtocolError
from ._files import load, load_attrs, save, xdmf
from ._gather import scatter
from ._ghosts import GhostedArray
from ._ids import from_ids, to_ids
from ._make import array, block, cyclic, distribution, empty, from_function, unstructured, whole, zeros
from ._move import Moving, Redistribution, redistribute
from ._options import set_option
from ._protocol import check, export
from ._relabel import Relabelling, relabel
from ._replicas import ArrayElsewhere
from ._solve import (ConvergenceError, ConvergenceWarning, History, LinearOperator, Matrix, Preconditioner,
                     SolveResult, solve)
from ._vocabularies import chapel, essl, hpf, julia, mpi_cart, x10
from ._watching import trace, watch
from . import scalapack

__all__ = ["ArrayElsewhere", "BlockSpec", "Component", "ConvergenceError", "ConvergenceWarning", "CyclicSpec", "DistArray", "Distribution",
           "Finding", "GhostedArray", "History", "LinearOperator", "Matrix", "Moving", "Preconditioner", "ProtocolError", "Receipt",
           "Redistribution", "Relabelling", "Report", "SolveResult", "Translation", "UnstructuredSpec", "WholeSpec",
           "array", "asarray", "block", "chapel", "check", "components", "cyclic", "distribution", "eigsh", "empty", "essl", "export",
           "from_function", "from_ids", "hpf", "julia", "load", "load_attrs", "mpi_cart", "redistribute", "relabel", "save",
           "scalapack", "scatter", "set_option", "solve", "to_ids", "trace", "unstructured", "watch", "whole", "write_capture", "x10", "xdmf", "zeros"]
