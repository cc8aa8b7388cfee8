"""Solving linear systems in the memory of distributed arrays."""

from __future__ import annotations

import sys
import time
import warnings
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from . import _core

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import NDArray


class ConvergenceWarning(UserWarning):
    """A solve ended above its tolerance."""


class ConvergenceError(RuntimeError):
    """A solve with ``raise_on_failure=True`` ended above its tolerance; `result` is what came of it."""

    def __init__(self, text: str, result: SolveResult | None = None) -> None:
        super().__init__(text)
        self.result = result


class _Elements:
    """A distribution as an array whose content does not matter, in C order."""

    def __init__(self, dist, comm):
        self.dist, self.comm = dist, comm

    def __distarray__(self):
        rank = self.comm.rank
        return {"__version__": "0.10.0", "buffer": np.empty(self.dist.local_shape(rank)),
                "dim_data": self.dist.dim_data(rank)}


def _rows(rows, comm):
    """An array on the elements that rows belong to, and the communicator of their processes."""
    from mpi4py import MPI
    if comm is None and isinstance(rows, _core.DistArray):
        comm = rows.comm
    if comm is None:
        dist = rows.distribution if isinstance(rows, _core.DistArray) and rows.is_whole else rows
        comm = MPI.COMM_SELF if isinstance(dist, _core.Distribution) and dist.processes == 1 else MPI.COMM_WORLD
    if isinstance(rows, _core.Distribution):
        rows = _Elements(rows, comm)
    return _core.asarray(rows, comm), comm


def _csr(local):
    """The arrays of local rows and their shape: of any scipy.sparse matrix, or (data, indices, indptr) as they are."""
    if isinstance(local, tuple):
        return local, None
    csr = local.tocsr()
    return (csr.data, csr.indices, csr.indptr), csr.shape


class Matrix(_core._Matrix):
    """A square sparse matrix on the elements of a distributed array. Making one is collective.

    Row ``i`` here belongs to the ``i``-th element of this process's part of `rows` (padding left out): in C order for a
    `Distribution`, in the order of its memory for an array. Columns are global: the row-major number of an element in
    the whole array, ``numpy.ravel_multi_index(global_index, shape)``, both as the array of `rows` has them: of an array of
    version 0.9, without the mirrors of a periodic axis. On an unstructured axis an index counts from the smallest one
    that anybody holds.

    Args:
        local: this process's rows: a ``scipy.sparse`` matrix of any format, with one column for each element of the
            whole array, or ``(data, indices, indptr)`` as its CSR arrays: float64, and int32 or int64. They are copied.
        rows: a `Distribution`, a `DistArray`, or any object with ``__distarray__``.
        comm: an mpi4py communicator, rank r being process r; None: that of `rows`, else MPI.COMM_WORLD, and for a
            `Distribution` over one process this one alone.
        shape: how many rows this process has and how many columns the whole matrix, to be checked; None: not checked for
            CSR arrays, and that of a ``scipy.sparse`` matrix.

    Raises:
        ProtocolError: on every process, where the rows of any are wrong.
    """

    def __init__(self, local: Any, rows: Any, comm: MPI.Comm | None = None, *,
                 shape: tuple[int, int] | None = None) -> None:
        rows, comm = _rows(rows, comm)
        data, indices, indptr, own_shape = _local_arrays(local)
        super().__init__(rows, data, indices, indptr, comm, own_shape if shape is None else shape)


def _local_arrays(local):
    """The CSR arrays; where they cannot be had on any process, all are told so by the constructor."""
    try:
        (data, indices, indptr), shape = _csr(local)
        data = np.ascontiguousarray(data)
        return data.astype(float, casting="safe", copy=False), _integers(indices), _integers(indptr), shape
    except Exception as error:
        return error, None, None, None


def _integers(indices):
    indices = np.ascontiguousarray(indices)
    return indices if indices.size else indices.astype(int)  # NumPy takes [] for floats


class LinearOperator(_core._LinearOperator):
    """A square operator whose product a function computes: ``matvec(x_local, y_local)``. Making one is collective.

    `x_local` and `y_local` are float64 arrays over the solver's own vectors, of the local shape of `rows` without
    padding; `x_local` cannot be written, `y_local` is to be filled: a product that is returned is refused. Where a
    solver lends vectors for one call only (newer Trilinos do), both are copies for that call. It is called
    on every process together, so that it may communicate (`update_padding`). Where it raises on one process, the solve
    ends on all; but a function that communicates must not raise on one process before its messages, for which the others
    would wait.

    Args:
        matvec: the function.
        rows: a `Distribution`, a `DistArray`, or any object with ``__distarray__``.
        comm: as `Matrix` has it.
    """

    def __init__(self, matvec: Callable[[NDArray[Any], NDArray[Any]], Any], rows: Any,
                 comm: MPI.Comm | None = None) -> None:
        rows, comm = _rows(rows, comm)
        super().__init__(rows, matvec, comm)


class SolveResult:
    """What came of a solve; the same on every process, but for `x` and `seconds`.

    Attributes:
        x: the `DistArray` that holds the answer.
        converged: whether ``|b - A x|`` is at most `tol` times ``|b|``.
        iterations: of the method; 0 for a direct one.
        residuals: ``|b - A x| / |b|`` of the first guess, then after each iteration (NumPy float64).
        residual: the same, computed from the answer.
        seconds: that the solve took here, without making a preconditioner.
        bytes_copied: of field data on this process; 0 where the memory of `b` and `x` is the solver's.
        method, preconditioner: as asked.
    """

    x: _core.DistArray
    converged: bool
    iterations: int
    residuals: NDArray[Any]
    residual: float
    seconds: float
    bytes_copied: int
    method: str
    preconditioner: str | None

    def __init__(self, x: _core.DistArray, method: str, preconditioner: str | None, found: dict[str, Any]) -> None:
        self.x = x
        self.method = method
        self.preconditioner = preconditioner
        for name, value in found.items():
            setattr(self, name, value)

    def __repr__(self) -> str:
        how = self.method if self.preconditioner is None else f"{self.method} + {self.preconditioner}"
        state = "converged" if self.converged else "not converged"
        steps = "" if self.method == "direct" else f" in {self.iterations} iterations"
        return (f"{how}: {state}{steps}, residual {self.residual:.1e}, {self.seconds:.2g} s, "
                f"{self.bytes_copied} bytes copied")


class _Progress:
    """A line on standard error that is rewritten while a solve lasts."""

    def __init__(self, after):
        self.after = after
        self.begin = self.last = time.monotonic()
        self.width = 0

    def __call__(self, iteration, residual):
        now = time.monotonic()
        if now - self.begin < self.after or now - self.last < 0.2:
            return
        self.last = now
        line = f"tridap.solve: iteration {iteration}, residual {residual:.1e}, {now - self.begin:.0f} s"
        sys.stderr.write("\r" + line.ljust(self.width))
        sys.stderr.flush()
        self.width = len(line)

    def close(self):
        if self.width:
            sys.stderr.write("\n")


def _progress(asked, comm):
    """Who tells of progress here, if anybody; where it cannot be known, what was raised."""
    try:
        terminal = sys.stderr is not None and sys.stderr.isatty()
        if comm.rank == 0 and sys.stderr is not None and (terminal if asked is None else asked):
            return _Progress(2 if asked is None else 0)
        return None
    except Exception as error:
        return error


def solve(A: Matrix | LinearOperator, b: Any, x: Any = None, method: str = "cg", preconditioner: str | None = None,
          tol: float = 1e-8, maxiter: int = 1000, callback: Callable[[int, float], Any] | None = None,
          *, options: dict[str, Any] | None = None, preconditioner_options: dict[str, Any] | None = None,
          copy: bool | str | None = None, raise_on_failure: bool = False, progress: bool | None = None) -> SolveResult:
    """Solves ``A x = b`` by Trilinos, from what stands in `x`, in the memory of `x`. Collective.

    Args:
        A: a `Matrix` or a `LinearOperator`.
        b: the right-hand side: any object with ``__distarray__``, of float64, distributed as the rows of `A`.
        x: the same for the answer, whose memory must be writable; None: a new array like `b`, from 0.
        method: "cg" (symmetric positive definite), "gmres", or "direct" (LU).
        preconditioner: "muelu" (algebraic multigrid), "ifpack2", or None. It is made once for a matrix and used again
            while `method`, `preconditioner` and its options stay the same.
        tol: of ``|b - A x| / |b|``.
        maxiter: iterations in all.
        callback: ``callback(iteration, residual)`` after each iteration; it may differ between processes, and what it
            raises on one ends the solve on all and is raised on all.
        options: a dict for Belos, such as ``{"Num Blocks": 50}``.
        preconditioner_options: a dict for MueLu or Ifpack2 (its "type" names the kind), nested where they are.
        copy: None or False: `b` and `x` are the solver's own vectors, or this fails with the reason; "if_needed": memory
            that cannot be (strided, or padded as the rows of `A` are) is copied, and the answer written back.
        raise_on_failure: the same on every process: raise `ConvergenceError` where the tolerance was not reached, instead of a warning.
        progress: a line on standard error of the first process on solves that last; None: where that is a terminal.

    Returns:
        A `SolveResult`.

    Raises:
        ProtocolError: on every process, where anything is wrong on any.
    """
    if not isinstance(A, (_core._Matrix, _core._LinearOperator)):
        raise TypeError(f"A is {A!r}, must be a Matrix or a LinearOperator")
    comm = A.comm
    b = _core.asarray(b, comm)
    x = _core.asarray(_zeros_like(b) if x is None else x, comm)
    line = _progress(progress, comm)
    try:
        found = A._solve(b, x, method, preconditioner, tol, maxiter, options, preconditioner_options,
                         callback, line, copy, raise_on_failure)
    finally:
        if isinstance(line, _Progress):
            line.close()
    raises = found.pop("raise_on_failure")
    result = SolveResult(x, method, preconditioner, found)
    if not result.converged:
        _tell(f"{result!r}: the tolerance was {float(tol):.1e}", result, comm, raises)
    return result


class _Failed:
    """What could not be made: asked for its memory, it raises why, so that all processes hear of it."""

    def __init__(self, error):
        self.error = error

    def __distarray__(self):
        raise self.error


def _zeros_like(b):
    try:
        return _core._over(np.zeros_like(b.local, dtype=float), b.distribution, b.process, b.comm)
    except Exception as error:
        return _Failed(error)


def _tell(text, result, comm, raise_on_failure):
    if raise_on_failure:
        raise ConvergenceError(text, result)
    if comm.rank == 0:
        warnings.warn(text, ConvergenceWarning, stacklevel=3)
        return
    with warnings.catch_warnings(record=True):  # told once; but where warnings are errors, they are everywhere
        warnings.warn(text, ConvergenceWarning, stacklevel=3)
