"""Solving linear systems in the memory of distributed arrays."""

from __future__ import annotations

import sys
import time
import warnings
from typing import TYPE_CHECKING, Any, Callable, Iterable, Sequence

import numpy as np

from . import _core, _html
from ._agree import MadeTogether, collective, together
from ._copies import lasting
from ._foreign import Said, describes, is_mat
from ._make import communicator, zeros

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import NDArray

    from ._core import _Solvable
else:
    _Solvable = object


class ConvergenceWarning(UserWarning):
    """A solve stopped above its tolerance."""


class ConvergenceError(RuntimeError):
    """A solve with ``raise_on_failure=True`` stopped above its tolerance, and `result` is its `SolveResult`; or `eigsh` did,
    and `result` is what it found."""

    def __init__(self, text: str, result: Any = None) -> None:
        super().__init__(text)
        self.result = result


def _rows(rows, comm):
    """An array whose elements are the rows of a matrix, and the communicator of their processes. Collective."""
    comm = communicator(comm, rows)
    if isinstance(rows, _core.Distribution):
        elements = Said(lambda: {"__version__": "0.10.0", "buffer": np.empty(rows.local_shape(comm.rank)),
                                 "dim_data": rows.dim_data(comm.rank)})
        return _core._asarray(elements, comm), comm
    return _core._asarray(rows, comm), comm


def _csr(local):
    """The CSR arrays and the shape of local rows: of a scipy.sparse matrix, of PETSc's, or (data, indices, indptr)."""
    if isinstance(local, tuple):
        if len(local) != 3:
            raise ValueError(f"the rows are a tuple of {len(local)}, must be three CSR arrays (data, indices, indptr)")
        return local, None
    if hasattr(local, "getValuesCSR"):
        indptr, indices, data = local.getValuesCSR()
        shape = None
        if hasattr(local, "getSizes"):
            (rows, _), (_, columns) = local.getSizes()
            shape = (rows, columns)
        return (data, indices, indptr), shape
    if not hasattr(local, "tocsr"):
        raise TypeError(f"the rows are of type {type(local).__name__}, must be a scipy.sparse matrix, CSR arrays (data, "
                        "indices, indptr), or an object with getValuesCSR, such as a petsc4py.PETSc.Mat: "
                        "scipy.sparse.csr_matrix(rows) makes a sparse matrix of a NumPy array")
    csr = local.tocsr()
    return (csr.data, csr.indices, csr.indptr), csr.shape


class _Multiplies(_Solvable):
    """What a matrix and an operator have in common."""

    def __matmul__(self, x: Any) -> _core.DistArray:
        """``A @ x``: a new array with the distribution of `x`, whose padding is 0. Collective.

        `x` is any object with ``__distarray__``, of float64, with the distribution of the rows. Its padding may differ from
        that of the rows. Several vectors are multiplied at once if `x` has one axis more, which is not distributed, as
        several right-hand sides of `solve`. Elements that are not dense in memory are copied first. ProtocolError, on
        every process, if `x` is wrong on any process. What `matvec` of a `LinearOperator` raises on one process is raised on all.
        """
        return _product(self, x)

    def dot(self, x: Any) -> _core.DistArray:
        """``A @ x``. Collective."""
        return self @ x

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns of the whole matrix, which are those of the elements of the array of its rows."""
        return self._count, self._count

    def __repr__(self) -> str:
        return f"<tridap.{type(self).__name__}: {self._count} x {self._count}, {self.distribution.describe()}>"


@lasting("pickle the rows of this process, and call tridap.Matrix(rows, dist) with them on every process")
class Matrix(_Multiplies, _core._Matrix, metaclass=MadeTogether):
    """A square sparse matrix on the elements of a distributed array. Making one is collective.

    Local row ``i`` belongs to the ``i``-th element of this process's part of `rows`, without padding, in the order of
    ``numpy.ravel`` (see `order`). Columns are global: the row-major number of an element in the whole array,
    ``numpy.ravel_multi_index(global_index, shape)``, with the index and the shape of the array `rows`. For an array of
    version 0.9 these do not count the mirrors of a periodic axis. On an unstructured axis, subtract the smallest index on
    any process from each index first.

    Args:
        local: this process's rows: a ``scipy.sparse`` matrix of any format, with one column for each element of the
            whole array; its CSR arrays ``(data, indices, indptr)``: float64, and int32 or int64; or an object with
            ``getValuesCSR()``. They are copied. Of a ``petsc4py.PETSc.Mat`` of type aij, row ``i`` on a process is that of
            the ``i``-th element, and its columns are translated in the same way: `tridap.petsc.export_matrix`. Complex
            values are refused; the tutorial has ways to solve such systems.
        rows: a `Distribution`, a `DistArray`, or any object with ``__distarray__``.
        comm: an mpi4py communicator, rank r being process r; None: that of `rows`, else MPI.COMM_WORLD, or only this
            process for a `Distribution` over one process.
        shape: (rows of this process, columns of the whole matrix), which are checked. None: the shape of a
            ``scipy.sparse`` matrix; for CSR arrays nothing is checked.
        order: the order of the local rows, the same on every process: "C", the last local index varies fastest; "F", the
            first one does; or "K", the order in which the memory of `rows` has the elements. A Mat has its rows in the
            order of the memory, as `tridap.petsc` makes it.

    Raises:
        ProtocolError: on every process, if the rows of any process are wrong.
    """

    @collective("tridap.Matrix()", "trilinos", "petsc")
    def __init__(self, local: Any, rows: Any, comm: MPI.Comm | None = None, *, shape: tuple[int, int] | None = None,
                 order: str = "C") -> None:
        rows, comm = _rows(rows, comm)
        if given := _petsc_rows(local, comm):
            _core._Matrix.__init__(self, rows, given, comm, order)
            return
        data, indices, indptr, own_shape = _local_arrays(local)
        _core._Matrix.__init__(self, rows, data, indices, indptr, comm, own_shape if shape is None else shape, order)

    @property
    @collective("A.T", "trilinos")
    def T(self) -> Matrix:
        """The transpose: a new `Matrix` with the same rows, whose `receipt` says what was copied. **Collective.**"""
        made = Matrix.__new__(Matrix)
        _core._Matrix.__init__(made, self)
        return made

    @collective("A.update_values()", "trilinos", "petsc")
    def update_values(self, local: Any, *, shape: tuple[int, int] | None = None) -> _core.Receipt:
        """Copies new values to the matrix, whose entries stay in the same places. Returns a `Receipt`. Collective.

        This is faster than a new matrix, because Trilinos keeps the graph and the memory. A preconditioner that `solve`
        made and kept is made again in the next solve. A `Preconditioner` stays that of the old values.

        Args:
            local: this process's rows in any form that the constructor takes, in the `order` of the constructor. The
                order of the entries in a row may differ. A ``petsc4py.PETSc.Mat`` of type aij is read in PETSc's own memory.
            shape: as in the constructor.

        Raises:
            ProtocolError: on every process, and nothing is changed, if the rows of any process have other columns.
        """
        if given := _petsc_rows(local, self.comm):
            return self._update_rows(given)
        data, indices, indptr, own_shape = _local_arrays(local)
        return self._update_csr(data, indices, indptr, own_shape if shape is None else shape)

    @collective("A.diagonal()", "trilinos")
    def diagonal(self) -> _core.DistArray:
        """The diagonal: a new array with the distribution of the rows, 0 if a row has no entry there. Collective."""
        y = _new(self)
        self._diagonal(y)
        return y


def _petsc_rows(local, comm):
    """The rows of a Mat of petsc4py in its own memory, collectively; None for other rows, on this process alone.

    What a process with other rows calls next asks for "order=..." or "rows in CSR form", and so the processes find out.
    """
    if not is_mat(local):
        return None
    together(comm, lambda: "the rows of a Mat")
    from . import _petsc
    return together(comm, lambda: _petsc.export_matrix(local), same=False)


def _local_arrays(local):
    """The CSR arrays, or an exception, which the constructor raises on all processes."""
    try:
        (data, indices, indptr), shape = _csr(local)
        return _real(np.ascontiguousarray(data)), _integers(indices), _integers(indptr), shape
    except Exception as error:
        return error, None, None, None


def _real(data):
    if data.dtype.kind == "c":
        raise TypeError(
            f"the rows are {data.dtype}, must be real: solvers of Trilinos are called for float64 here. Ways to solve a "
            "complex system: the rows scipy.sparse.bmat([[rows.real, -rows.imag], [rows.imag, rows.real]]) on an array "
            "with one axis more, in front, of length 2; a PETSc built with complex numbers, by tridap.petsc.import_array; "
            "or C++ and a Trilinos built with complex numbers, by tridap::tpetra::import_vector<std::complex<double>>")
    if not np.can_cast(data.dtype, float, "safe"):
        raise TypeError(f"the rows are {data.dtype}, must be float64, or a type that converts to it without loss: "
                        "rows.astype(float) converts any number")
    return data.astype(float, copy=False)


def _integers(indices):
    indices = np.ascontiguousarray(indices)
    return indices if indices.size else indices.astype(int)  # NumPy takes [] for floats


@lasting("call tridap.LinearOperator(matvec, dist) on every process")
class LinearOperator(_Multiplies, _core._LinearOperator, metaclass=MadeTogether):
    """A square operator whose product a function computes: ``matvec(x_local, y_local)``. Making one is collective.

    `x_local` and `y_local` are float64 arrays over the solver's own vectors, with the local shape of `rows` without
    padding. `x_local` is read-only. The function must write the product to `y_local`; it must not return it. If the
    solver's vectors are valid for one call only (in newer versions of Trilinos), both are copies for that call.

    The function is called on every process together, so that it may communicate (`update_padding`). If it raises on one
    process, the solve ends on all. A function that communicates must not raise before its communication is complete,
    because the other processes wait for its messages.

    Args:
        matvec: the function.
        rows: a `Distribution`, a `DistArray`, or any object with ``__distarray__``.
        comm: as in `Matrix`.
    """

    @collective("tridap.LinearOperator()", "trilinos")
    def __init__(self, matvec: Callable[[NDArray[Any], NDArray[Any]], Any], rows: Any,
                 comm: MPI.Comm | None = None) -> None:
        rows, comm = _rows(rows, comm)
        _core._LinearOperator.__init__(self, rows, matvec, comm)


class History(Sequence[Any]):
    """How the residual of a solve fell: a sequence of pairs (iteration, residual).

    Iteration 0 is the first guess. The residual is ``|b - A x| / |b|``. print() and a notebook show a table, which also
    has the ratio of each residual to the one before. Of a long history the table shows the beginning and the end.
    """

    def __init__(self, residuals: Iterable[float]) -> None:
        self._residuals = [float(residual) for residual in residuals]

    def __len__(self) -> int:
        return len(self._residuals)

    def __getitem__(self, index: Any) -> Any:
        return list(enumerate(self._residuals))[index]

    def _rows(self):
        before = [None] + self._residuals
        return [(iteration, f"{residual:.3e}", "" if not previous else f"{residual / previous:.3g}")
                for iteration, (residual, previous) in enumerate(zip(self._residuals, before))]

    def __repr__(self) -> str:
        ends = f", residual {self._residuals[0]:.1e} to {self._residuals[-1]:.1e}" if self._residuals else ""
        return f"<tridap.History: {len(self)} entries{ends}>"

    def __str__(self) -> str:
        lines = [_COLUMNS, *(tuple(map(str, row)) for row in _html.shortened(self._rows()))]
        widths = [max(len(line[column]) for line in lines) for column in range(len(_COLUMNS))]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)

    def _repr_html_(self) -> str:
        return _html.table(_COLUMNS, self._rows())


_COLUMNS = ("iteration", "residual", "ratio")


@lasting("call tridap.Preconditioner(A) on every process")
class Preconditioner(_core._Preconditioner, metaclass=MadeTogether):
    """A preconditioner of a matrix, for `M` of `solve`. Making one is collective, and may take longer than a solve.

    ``solve(A, b, M="muelu")`` makes one with the same defaults, and keeps it. This class makes one of another matrix than
    the one of the solve, or with arrays that describe the problem.

    Args:
        A: the `Matrix`; the preconditioner may be used for any matrix with the same rows.
        name: "muelu" (algebraic multigrid), "schwarz" (additive Schwarz), or another name of Ifpack2, such as
            "relaxation", "chebyshev", "riluk" and "ilut".
        symmetric: whether it is for a method that needs a symmetric one ("cg", "minres"), or for any other.
        options: a dict for MueLu or Ifpack2; sublists are dicts. A parameter that the library does not read is refused.
        coordinates: for "muelu": the point of each row, an array like a right-hand side with one more axis, which is not
            distributed: its index 0 is x, 1 is y, 2 is z. Any memory; it is copied.
        nullspace: for "muelu": vectors that the matrix without boundary conditions maps to almost 0, an array in the same
            form, such as the rigid motions of a body in elasticity. None: ones.

    Raises:
        ProtocolError: on every process, if an argument is wrong on any process.
    """

    name: str = ""

    @collective("tridap.Preconditioner()", "trilinos")
    def __init__(self, A: Matrix, name: str = "muelu", *, symmetric: bool = True, options: dict[str, Any] | None = None,
                 coordinates: Any = None, nullspace: Any = None) -> None:
        if not isinstance(A, _core._Matrix):
            raise TypeError(f"A is of type {type(A).__name__}, must be a Matrix")
        comm = A.comm
        given = together(comm, lambda: (coordinates is not None, nullspace is not None))
        arrays = [_core._asarray(array, comm) if is_given else None
                  for array, is_given in zip((coordinates, nullspace), given)]
        super().__init__(A, name, symmetric, options, *arrays)
        self.name = name

    def __repr__(self) -> str:
        return f"Preconditioner({self.name!r})"


class SolveResult:
    """The result of a solve; the same on every process, except `x`, `seconds` and `bytes_copied`.

    Attributes:
        x: the `DistArray` that holds the answer.
        converged: whether ``|b - A x|`` is at most ``max(rtol |b|, atol)`` for each right-hand side.
        iterations: how many the method took, for the right-hand side that took most; 0 for "direct".
        residuals: ``|b - A x| / |b|`` of the first guess, then after each iteration (NumPy float64); the largest of
            several right-hand sides. For most methods of Belos: of the first guess, those that a callback got, and of the
            answer; a method that solves for one right-hand side after the other has one such list after the other.
        residual: ``|b - A x| / |b|``, computed from the answer; the largest of several right-hand sides.
        residual_of_each: the same for each right-hand side (NumPy float64).
        seconds: the time of the solve on this process, without the time to make a preconditioner.
        bytes_copied: bytes of `b` and `x` that were copied on this process; 0 if the solver uses their memory.
        method, preconditioner: the arguments of `solve`.
    """

    x: _core.DistArray
    converged: bool
    iterations: int
    residuals: NDArray[Any]
    residual: float
    residual_of_each: NDArray[Any]
    seconds: float
    bytes_copied: int
    method: str
    preconditioner: str | Matrix | LinearOperator | Preconditioner | None

    def __init__(self, x: _core.DistArray, method: str, preconditioner: Any, found: dict[str, Any]) -> None:
        self.x = x
        self.method = method
        self.preconditioner = preconditioner
        for name, value in found.items():
            setattr(self, name, value)

    @property
    def history(self) -> History:
        """`residuals` as pairs (iteration, residual), which a notebook shows as a table."""
        return History(self.residuals)

    def __repr__(self) -> str:
        helper = self.preconditioner
        if isinstance(helper, Preconditioner):
            helper = helper.name
        elif isinstance(helper, (_core._Matrix, _core._LinearOperator)):
            helper = type(helper).__name__
        how = self.method if helper is None else f"{self.method} + {helper}"
        state = "converged" if self.converged else "not converged"
        steps = "" if self.method == "direct" else f" in {self.iterations} iterations"
        return (f"{how}: {state}{steps}, residual {self.residual:.1e}, {self.seconds:.2g} s, "
                f"{self.bytes_copied} bytes copied")


class _Progress:
    """A line on standard error that is rewritten during a solve."""

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
    """The progress line of this process, or None."""
    from mpi4py import MPI
    terminal = sys.stderr is not None and sys.stderr.isatty()
    if not MPI.Is_finalized() and comm.rank == 0 and sys.stderr is not None and (terminal if asked is None else asked):
        return _Progress(2 if asked is None else 0)
    return None


_TOL = 1e-8  # the default of tol; compared by identity, so that a tol that was passed is known


@collective("tridap.solve()", "trilinos", "petsc")
def solve(A: Matrix | LinearOperator, b: Any, x: Any = None, method: str = "cg",
          preconditioner: str | Matrix | LinearOperator | Preconditioner | None = None, tol: float = _TOL,
          maxiter: int = 1000, callback: Callable[[int, float], Any] | None = None, *, rtol: float | None = None,
          atol: float = 0.0, M: str | Matrix | LinearOperator | Preconditioner | None = None,
          options: dict[str, Any] | None = None, preconditioner_options: dict[str, Any] | None = None,
          copy: bool | str | None = None, raise_on_failure: bool = False, progress: bool | None = None) -> SolveResult:
    """Solves ``A x = b`` with Trilinos, in the memory of `x`, whose values are the first guess. Collective.

    `rtol`, `atol`, `maxiter` and `M` are SciPy's names. `tol` is another name of `rtol`, and `preconditioner` of `M`.

    Args:
        A: a `Matrix` or a `LinearOperator`.
        b: the right-hand side: any object with ``__distarray__``, of float64, with the distribution of the rows of `A`. Its
            padding may differ from that of the rows. For several right-hand sides it has one axis more, which is not
            distributed: in column-major memory if it is the last one, or else `copy` is needed.
        x: the array for the answer, described like `b`; its memory must be writable. Its padding may differ, and is not
            written. None: a new array like `b`, and 0 as the first guess.
        method: "cg" (symmetric positive definite), "gmres", "direct" (LU), or any name of Belos' solvers, such as
            "bicgstab", "minres", "lsqr", "tfqmr", "gcrodr", "block cg", "pseudoblock gmres" and "flexible gmres".
        preconditioner: "muelu" (algebraic multigrid), "ifpack2", "schwarz" (additive Schwarz) or another name of Ifpack2;
            a `Preconditioner`; a `Matrix` or a `LinearOperator` on the rows of `A` that multiplies by an approximate
            inverse; or None. One that is named is made once for a matrix and used again while `method`, `preconditioner`
            and its options stay the same.
        tol, rtol: the solve stops when ``|b - A x|`` is at most ``max(rtol |b|, atol)``, for each right-hand side.
        maxiter: the largest number of iterations.
        callback: ``callback(iteration, residual)``, called after each iteration; it may differ between processes. If it
            raises on one process, the solve ends, and all processes raise. Most methods of Belos do not show their
            iterations: for these the callback is called after each product with `A`, with the number of products, and
            the residual costs one product more.
        atol: see `rtol`.
        M: another name of `preconditioner`.
        options: a dict for Belos, such as ``{"Num Blocks": 50}``: the parameters of the solver that `method` names. An
            unknown name is refused, and the error has the nearest one and all others.
        preconditioner_options: a dict for MueLu or Ifpack2; sublists are dicts. For Ifpack2 the key "type" names the kind
            of preconditioner.
        copy: None or False: the solver uses the memory of `b` and `x`, or raises with the reason; "if_needed": memory that
            it cannot use (strided, or with padding on several axes) is copied, and the answer is written back. `A` keeps the
            memory of the copies.
        raise_on_failure: raise `ConvergenceError` instead of a warning if the solve stops above its tolerance. It must be
            the same on every process.
        progress: whether the first process shows a progress line on standard error. None: only if standard error is a
            terminal and the solve takes longer than two seconds.

    Returns:
        A `SolveResult`.

    Raises:
        ProtocolError: on every process, if an argument is wrong on any process.
    """
    _core._need_solvers()
    if not isinstance(A, (_core._Matrix, _core._LinearOperator)):
        raise TypeError(f"A is of type {type(A).__name__}, must be a Matrix or a LinearOperator: tridap.Matrix(rows, dist) "
                        "makes one of the rows of this process")
    comm = A.comm
    helper = preconditioner if M is None else M
    line = None

    def read():
        """The request: what the arguments say. What it raises on one process is raised on all."""
        nonlocal line
        if rtol is not None and tol is not _TOL:
            raise TypeError("tol and rtol are two names of one tolerance: pass one of them")
        if M is not None and preconditioner is not None:
            raise TypeError("preconditioner and M are two names of one argument: pass one of them")
        line = _progress(progress, comm)
        return {"b": _array("b", b), "x": None if x is None else _array("x", x), "like": _zeros_like, "method": method,
                "preconditioner": helper, "preconditioner_options": preconditioner_options, "options": options,
                "tol": tol if rtol is None else rtol, "atol": atol, "maxiter": maxiter, "callback": callback,
                "progress": line, "copy": copy, "raise_on_failure": raise_on_failure}

    try:
        found = A._solve(read)
    finally:
        if line is not None:
            line.close()
    result = SolveResult(found.pop("x"), method, helper, found)
    if not result.converged:
        _tell(f"{result!r}: the tolerance was {float(tol if rtol is None else rtol):.1e}", result, comm, raise_on_failure)
    return result


def _new(A):
    """A new array with the distribution of the rows."""
    return together(A.comm, lambda: zeros(A.distribution, comm=A.comm), same=False)


@collective("A @ x", "trilinos")
def _product(A, x):
    return A._multiply(x, _zeros_like)


def _array(name, value):
    """An argument, if it is an array of the protocol. Local."""
    if hasattr(type(value), "__distarray__") or describes(value):
        return value
    if isinstance(value, np.ndarray):
        raise TypeError(
            f"{name} is a NumPy array, which does not say which part of the whole array it is: "
            f"tridap.array({name}, A.distribution, A.comm) makes an array over the memory of {name}, this process's part")
    raise TypeError(
        f"{name} is of type {type(value).__name__}, which has no __distarray__: tridap.zeros(A.distribution, comm=A.comm) "
        "makes an array of the right form, and its local is the NumPy array to fill")


def _zeros_like(b):
    return _core._over(np.zeros_like(b.local, dtype=float), b.distribution, b.process, b.comm)


def _tell(text, result, comm, raise_on_failure):
    if raise_on_failure:
        raise ConvergenceError(text, result)
    if comm.rank == 0:
        warnings.warn(text, ConvergenceWarning, stacklevel=4)
        return
    with warnings.catch_warnings(record=True):  # process 0 warns; if warnings are errors, all processes raise
        warnings.warn(text, ConvergenceWarning, stacklevel=4)
