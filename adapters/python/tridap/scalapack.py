"""Dense linear algebra by ScaLAPACK on distributed arrays, and ScaLAPACK's matrices as arrays over the same memory.

    from tridap import scalapack

    x = scalapack.solve(A, b, copy="if_needed")  # A and b: any distributed arrays
    U, s, Vh = scalapack.svd(A, copy="if_needed")

`solve`, `lstsq`, `cholesky`, `eigh`, `svd` and `qr` have the arguments and the results of ``scipy.linalg``, where it has them;
`matmul` multiplies. An `EighResult`, `SvdResult`, `QrResult` or `LstsqResult` is a tuple with names. Common to them:

- The elements are float32, float64, complex64 or complex128, of one type.
- ``receipt`` of what they return, an array or a tuple of arrays, says what was copied.
- Arguments are kept: ScaLAPACK computes in a copy of each process's part, which the receipt counts. With
  ``overwrite_a`` or ``overwrite_b`` it computes in the array's own memory, which must be column-major, and nothing is
  copied.
- `copy`: None or False: a matrix stays where it is, if ScaLAPACK can use its distribution; otherwise the call raises,
  and names the nearest that it can use. "if_needed": such a matrix is moved to square blocks over all processes. True:
  `A` always is.
- The answers have the distribution that the argument has.
- The communicator is that of the first array that has one, else MPI.COMM_WORLD, or only this process for arrays over one
  process.
- NaN and infinite values are refused, except by `matmul`, because ScaLAPACK may not end on them.

`import_array` makes a `Matrix` for your own calls of ScaLAPACK on a `ProcessGrid`, and `export_array` an array of such a
matrix. `nearest` and `squares` are distributions that ScaLAPACK can use; `is_elpa_ready` says whether ELPA can use one.

All calls of them are collective, and raise ProtocolError on every process if an argument is wrong on any process. They
need a TriDAP that was built with ScaLAPACK. The module itself is a function, another name of `distribution`, which does
not: ``tridap.scalapack(m, n, mb, nb, nprow, npcol)``.
"""

from __future__ import annotations

import sys
import time
import types
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

import numpy as np

from . import _core
from ._agree import collective, integer, one_of, together
from ._copies import lasting
from ._foreign import Said, describes
from ._make import communicator, communicator_of, need_distribution
from ._modules import compiled
from ._vocabularies import scalapack as distribution

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import NDArray

__all__ = ["EighResult", "LstsqResult", "Matrix", "ProcessGrid", "QrResult", "SvdResult", "cholesky", "distribution", "eigh",
           "export_array", "import_array", "is_elpa_ready", "lstsq", "matmul", "nearest", "qr", "solve", "squares", "svd"]


class Matrix(NamedTuple):
    """A matrix for ScaLAPACK's routines: what `import_array` makes."""

    desc: tuple[int, ...]  #: the descriptor, 9 integers; on a process that is not in the grid its context is -1
    local: NDArray[Any] | None  #: this process's part in column-major order; ``local.ctypes.data`` is its address
    transposed: bool  #: the matrix is the transpose of the array, whose memory is row-major
    array: _core.DistArray | None  #: the array in this memory: the given one, or the one that it was moved to


@lasting("call tridap.scalapack.ProcessGrid(nprow, npcol) on every process")
class ProcessGrid:
    """A process grid of the BLACS over the processes of a communicator. Making one is collective.

    Use it in a ``with`` statement, or call `close`. Arrays and matrices may live longer.

    Args:
        nprow, npcol: the extents of the grid.
        comm: an mpi4py communicator, of which the first ranks are in the grid; None: MPI.COMM_WORLD.
        order: "R" or "C": how BLACS_GRIDINIT numbers the grid, along its rows or down its columns.
        context: a BLACS context of the caller, who also ends it, in place of all other arguments but `comm`. It is -1
            on processes that are not in it.

    Raises:
        ProtocolError: on every process, if the communicator has too few processes, or if the grid has more than
            MPI.COMM_WORLD on a process of it, because the others were spawned: the BLACS know no others.
    """

    comm: MPI.Comm | None  #: the processes of the grid along its rows, or None on a process that is not in it

    @collective("tridap.scalapack.ProcessGrid()", "blacs")
    def __init__(self, nprow: int | None = None, npcol: int | None = None, comm: MPI.Comm | None = None, *,
                 order: str = "R", context: int | None = None) -> None:
        from mpi4py import MPI
        group: Any = communicator(comm)

        def asked():
            if (context is None) == (nprow is None or npcol is None):
                raise TypeError("pass nprow and npcol, or context")
            columns = one_of("order", order, "R", "C") == "C"
            return None if context is not None else (integer("nprow", nprow), integer("npcol", npcol), columns)

        extents = together(group, asked)
        if extents is None:
            number = together(group, lambda: integer("context", context), same=False)
            self._grid = _native().grid_of_context(group, number)
        else:
            self._grid = _native().make_grid(group, *extents)
        self._all = group
        ranks = self._grid.ranks
        if ranks == tuple(range(group.size)):
            self.comm = group
        else:
            inside = group.rank in ranks
            own = group.Split(0 if inside else MPI.UNDEFINED, ranks.index(group.rank) if inside else 0)
            self.comm = None if own == MPI.COMM_NULL else own

    @property
    def context(self) -> int:
        """The BLACS context; -1 on a process that is not in the grid."""
        return self._grid.context

    @property
    def transposed_context(self) -> int:
        """The context of the transposed grid, for matrices that are `transposed`."""
        return self._grid.transposed_context

    @property
    def nprow(self) -> int:
        """The number of process rows."""
        return self._grid.nprow

    @property
    def npcol(self) -> int:
        """The number of process columns."""
        return self._grid.npcol

    @property
    def place(self) -> tuple[int, int] | None:
        """Process row and column of this process; None: it is not in the grid."""
        return self._grid.place

    @property
    def ranks(self) -> tuple[int, ...]:
        """The ranks by place in the grid, along its rows."""
        return self._grid.ranks

    @collective("grid.close()", "blacs")
    def close(self) -> None:
        """Ends the contexts. Collective. A second call does nothing."""
        self._grid.close()

    def __enter__(self) -> ProcessGrid:
        return self

    def __exit__(self, kind: Any, *what: Any) -> None:
        if kind is None:  # else the other processes may be elsewhere in the program
            self.close()

    def __repr__(self) -> str:
        if self._grid.closed:
            return "<tridap.scalapack.ProcessGrid: closed>"
        return f"<tridap.scalapack.ProcessGrid: {self.nprow} x {self.npcol}, context {self.context}>"


def export_array(desc: Sequence[int], local: Any, grid: ProcessGrid) -> _core.DistArray | None:
    """This process's part of a ScaLAPACK matrix as an array in the same memory. Not collective.

    Args:
        desc: the descriptor, 9 integers, of a context of `grid`.
        local: the local matrix: a NumPy array in column-major order (Fortran's) with ``LLD_`` rows, or of one axis.
        grid: the process grid.

    Returns:
        A `DistArray` whose communicator is ``grid.comm``; None on a process that is not in the grid.

    Raises:
        ProtocolError: if an entry of the descriptor is wrong, or `local` is too short.
    """
    _core._refuse_on_device(local)
    made = grid._grid.export_array([integer("an entry of desc", entry) for entry in desc], local)
    return None if made is None else _core._over(made[0], made[1], made[2], grid.comm)


@collective("tridap.scalapack.import_array()", "blacs")
def import_array(array: Any, grid: ProcessGrid, *, copy: bool | str | None = None) -> tuple[Matrix, _core.Receipt]:
    """A ScaLAPACK matrix over an array's memory, and a `Receipt`. Collective over the communicator of `grid`.

    Args:
        array: a `DistArray` over the grid, whose communicator is ``grid.comm``; None on a process that is not in it.
        grid: the process grid.
        copy: None or False: an array that ScaLAPACK cannot use is refused; "if_needed": it is moved to `nearest`.

    Raises:
        ProtocolError: on every process, if the array is wrong on any process, or ScaLAPACK cannot use it.
    """
    def asked():
        policy = _core._copy(copy)
        if policy == "always":
            raise ValueError("copy is True, must be None, False or 'if_needed': array.copy() makes a copy")
        if array is not None and not isinstance(array, _core.DistArray):
            raise TypeError(f"array is {array!r}, must be a tridap.DistArray: pass tridap.asarray(array, grid.comm)")
        if array is not None:
            _core._refuse_on_device(array)
        return policy == "if_needed"

    moves = together(grid._all, asked)
    part = None if array is None else _part(array)
    desc, local, transposed, held, dist, process, receipt = grid._grid.import_array(part, moves)
    made = None if held is None or dist is None else _core._over(held, dist, process, grid.comm)
    return Matrix(tuple(desc), local, transposed, made), receipt


def nearest(dist: _core.Distribution, *, square: bool = False) -> _core.Distribution:
    """The distribution that ScaLAPACK can use; `dist` itself if it can. Not collective.

    It has the same shape and process grid, and axes that ScaLAPACK cannot use become even blocks. With `square` it is
    the one that `solve` and `cholesky` can use: `dist` itself if its blocks are square, else `squares` of it. `eigh`
    and `svd` also need the first block on process (0, 0). ProtocolError unless it has two axes.
    """
    return _native().nearest(need_distribution(dist), bool(square))


def squares(shape: Sequence[int], processes: int | None = None) -> _core.Distribution:
    """The distribution in which ScaLAPACK computes fastest: square blocks over a grid as square as possible.

    The blocks have 64 x 64 elements, or fewer if the matrix is small. `processes`: None: those of MPI.COMM_WORLD.
    """
    processes = communicator(None).size if processes is None else integer("processes", processes)
    return _native().squares([integer("an entry of shape", n) for n in shape], processes)


def is_elpa_ready(desc: Sequence[int]) -> bool:
    """Whether ELPA can use a matrix as it is: square blocks, the first one on process (0, 0)."""
    return _native().is_elpa_ready([integer("an entry of desc", entry) for entry in desc])


class EighResult(NamedTuple("Eigh", [("w", "NDArray[np.floating[Any]]"), ("v", _core.DistArray)])):
    """What `eigh` returns: ``w, v``, and the attribute `receipt`."""

    receipt: _core.Receipt


class SvdResult(NamedTuple("Svd", [("U", _core.DistArray), ("s", "NDArray[np.floating[Any]]"), ("Vh", _core.DistArray)])):
    """What `svd` returns: ``U, s, Vh``, and the attribute `receipt`."""

    receipt: _core.Receipt


class QrResult(NamedTuple("Qr", [("q", _core.DistArray), ("r", _core.DistArray)])):
    """What `qr` returns: ``q, r``, and the attribute `receipt`."""

    receipt: _core.Receipt


class LstsqResult(NamedTuple("Lstsq", [("x", _core.DistArray), ("residues", "NDArray[np.floating[Any]]"), ("rank", int),
                                       ("s", "NDArray[np.floating[Any]]")])):
    """What `lstsq` returns: ``x, residues, rank, s``, and the attribute `receipt`."""

    receipt: _core.Receipt


@collective("tridap.scalapack.solve()", "blacs")
def solve(A: Any, b: Any, *, overwrite_a: bool = False, overwrite_b: bool = False,
          copy: bool | str | None = None) -> _core.DistArray:
    """Solves ``A x = b`` by LU with partial pivoting (PDGETRF, PDGETRS). Collective.

    Args:
        A: a square matrix: any object with ``__distarray__``.
        b: the right-hand side, an array of one axis, or of two for several. It stays where it is if its rows are
            distributed as those of `A` over the same process grid.
        overwrite_a: the factors may be written into the memory of `A`. If it is row-major, ScaLAPACK takes it for the
            transpose on the transposed grid, and `b` must be distributed over that grid, or be moved.
        overwrite_b: the answer is written into the memory of `b`.
        copy: see the module.

    Returns:
        The answer ``x``, which has the distribution of `b`. ``x.receipt`` says what was copied.

    Raises:
        ProtocolError: on every process; also if the matrix is singular.
    """
    A, b, comm = _given(A=A, b=b)
    parts, over_a, over_b = _parts(comm, copy, (A, b), lambda: (bool(overwrite_a), bool(overwrite_b)))
    local, receipt = _native().solve(*parts, comm, over_a, over_b, copy)
    _written((A, over_a), (b, over_b))
    return _over(local, b, over_b, comm, receipt)


@collective("tridap.scalapack.cholesky()", "blacs")
def cholesky(A: Any, lower: bool = False, *, overwrite_a: bool = False,
             copy: bool | str | None = None) -> _core.DistArray:
    """The Cholesky factor of a symmetric or Hermitian positive definite matrix (PDPOTRF). Collective.

    ``A = U^H U``, or with `lower` ``A = L L^H``. Only this triangle of `A` is used. With `overwrite_a` the factor is
    written into the memory of `A`, which may be column-major or row-major.

    Returns:
        The factor, with the distribution of `A` and 0 in the other triangle. Its ``receipt`` says what was copied.

    Raises:
        ProtocolError: on every process; also if a leading minor of `A` is not positive.
    """
    A, comm = _given(A=A)
    parts, lower, over = _parts(comm, copy, (A,), lambda: (bool(lower), bool(overwrite_a)))
    local, receipt = _native().cholesky(*parts, comm, lower, over, copy)
    _written((A, over))
    return _over(local, A, over, comm, receipt)


@collective("tridap.scalapack.eigh()", "blacs")
def eigh(A: Any, lower: bool = True, *, overwrite_a: bool = False, copy: bool | str | None = None) -> EighResult:
    """All eigenvalues and eigenvectors of a symmetric or Hermitian matrix (PDSYEV, PZHEEV): ``w, v``. Collective.

    Only the triangle `lower` of `A` is used. With `overwrite_a` the memory of `A` is used for the computation.

    Returns:
        `w`, the eigenvalues, ascending, the same on every process; `v`, the eigenvectors, of which column ``j`` belongs to
        eigenvalue ``j``, with the distribution of `A`.

    Raises:
        ProtocolError: on every process; also if an eigenvalue does not converge.
    """
    A, comm = _given(A=A)
    parts, lower, over = _parts(comm, copy, (A,), lambda: (bool(lower), bool(overwrite_a)))
    values, local, receipt = _native().eigh(*parts, comm, lower, over, copy)
    _written((A, over))
    return _with(receipt, EighResult(values, _core._over(local, A.distribution, A.process, comm, receipt)))


@collective("tridap.scalapack.svd()", "blacs")
def svd(A: Any, *, overwrite_a: bool = False, copy: bool | str | None = None) -> SvdResult:
    """The singular value decomposition ``A = U diag(s) Vh`` (PDGESVD): ``U, s, Vh``. Collective.

    It is that of ``scipy.linalg.svd(A, full_matrices=False)``. With `overwrite_a` the memory of `A`, which may be
    column-major or row-major, is used for the computation.

    Returns:
        `U`, the singular values `s` (descending, the same on every process), and `Vh`. An axis of another length than in `A`
        has the same blocks; even blocks, if `A` is irregular, padded or unstructured there.

    Raises:
        ProtocolError: on every process.
    """
    A, comm = _given(A=A)
    parts, over = _parts(comm, copy, (A,), lambda: (bool(overwrite_a),))
    u, values, vh, receipt = _native().svd(*parts, comm, over, copy)
    _written((A, over))
    return _with(receipt, SvdResult(_answer(u, comm, receipt), values, _answer(vh, comm, receipt)))


@collective("tridap.scalapack.qr()", "blacs")
def qr(A: Any, *, overwrite_a: bool = False, copy: bool | str | None = None) -> QrResult:
    """``A = q r`` with orthonormal columns of `q`, and `r` upper triangular (PDGEQRF, PDORGQR): ``q, r``. Collective.

    It is that of ``scipy.linalg.qr(A, mode="economic")``. The blocks of `A` need not be square. With `overwrite_a`, `q`
    is in the memory of `A`, if `A` has no more columns than rows.

    Returns:
        `q` and `r`, with the distributions that `svd` describes.

    Raises:
        ProtocolError: on every process.
    """
    A, comm = _given(A=A)
    parts, over = _parts(comm, copy, (A,), lambda: (bool(overwrite_a),))
    q, r, receipt = _native().qr(*parts, comm, over, copy)
    _written((A, over))
    made = _answer(q, comm, receipt)
    made = _core._same_memory(made, A) if over else made
    return _with(receipt, QrResult(made, _answer(r, comm, receipt)))


@collective("tridap.scalapack.matmul()", "blacs")
def matmul(A: Any, B: Any, *, trans_a: str = "N", trans_b: str = "N", copy: bool | str | None = None) -> _core.DistArray:
    """The product of two matrices, or of a matrix and a vector (PDGEMM of the PBLAS). Collective.

    ``A @ B`` of two arrays calls this function with its defaults. Column-major memory is used as it is; other memory is
    copied on each process. If both are over one row or one column of processes, such as ``A.T`` and ``A``, nothing is moved.

    Args:
        A: a matrix: any object with ``__distarray__``.
        B: a matrix over the same process grid, or an array of one axis.
        trans_a, trans_b: "N": the matrix; "T": its transpose; "C": its conjugate transpose.
        copy: see the module.

    Returns:
        The product. Its rows are distributed as those of `A`, and its columns as those of `B`; an axis of another length has the
        same blocks, if these are long enough. If `B` has one axis, the product is distributed as `B`.

    Raises:
        ProtocolError: on every process.
    """
    return _matmul(A, B, trans_a, trans_b, copy, ("A", "B"))


def _matmul(A, B, trans_a, trans_b, copy, names):
    """The product, with the names that messages have for its factors. Collective."""
    A, B, comm = _given(A=A, B=B)
    parts, *ops = _parts(comm, copy, (A, B), lambda: [one_of(name, given, "N", "T", "C") for name, given in (("trans_a", trans_a), ("trans_b", trans_b))])
    made, receipt = _native().matmul(*parts, comm, *ops, copy, *names)
    return _answer(made, comm, receipt)


@collective("tridap.scalapack.lstsq()", "blacs")
def lstsq(A: Any, b: Any, cond: float | None = None, *, copy: bool | str | None = None) -> LstsqResult:
    """The vectors `x` that minimize ``|b - A x|``, and of these the shortest: ``x, residues, rank, s``. Collective.

    It is ``scipy.linalg.lstsq``, by `qr` and `svd`.

    Args:
        A: a matrix of any shape.
        b: the right-hand side, an array of one axis, or of two for several, over the process grid of `A`.
        cond: singular values that are at most this times the largest one count as 0; None: the machine's precision times
            the larger extent of `A`.
        copy: see the module. The small matrices in between are always moved as the routines need.

    Returns:
        `x`, distributed as `b`, with as many rows as `A` has columns; `residues`, the squares of ``|b - A x|``, one for each
        right-hand side, or none if `A` has not full rank or not more rows than columns; the `rank` of `A`; and its singular values
        `s`. All but `x` are the same on every process.

    Raises:
        ProtocolError: on every process.
    """
    begin = time.perf_counter()
    A, b, comm = _given(A=A, b=b)

    def asked():
        if A.ndim == 2 and b.ndim in (1, 2) and b.shape[0] != A.shape[0]:
            raise ValueError(f"b has {b.shape[0]} rows, must have those of A, {A.shape[0]}")
        return _core._copy(copy), None if cond is None else float(cond)

    _, limit = together(comm, asked)
    tall = A.ndim == 2 and A.shape[0] >= A.shape[1]
    if tall:
        q, r = first = qr(A, copy=copy)
        right = _matmul(q, b, "C", "N", copy, ("A", "b"))
        U, s, Vh = second = svd(r, copy="if_needed")
        done = [first.receipt, right.receipt, second.receipt]
        c = matmul(U, right, trans_a="C", copy="if_needed")
    else:
        U, s, Vh = wide = svd(A, copy=copy)
        c = _matmul(U, b, "C", "N", copy, ("A", "b"))
        done = [wide.receipt]
    done.append(c.receipt)
    limit = (np.finfo(s.dtype).eps * max(A.shape) if limit is None else limit) * (s[0] if s.size else 0)
    rank = int(np.count_nonzero(s > limit))

    def scale():
        inverse = np.divide(1, s, out=np.zeros_like(s), where=s > limit)
        rows = inverse[c.distribution.indices(c.process, "local")[0]]
        np.multiply(c.local, rows if c.ndim == 1 else rows[:, None], out=c.local)

    together(comm, scale, same=False)
    x = matmul(Vh, c, trans_a="C", copy="if_needed")
    done.append(x.receipt)
    residues = np.empty(0, s.dtype)
    if tall and rank == A.shape[1] < A.shape[0]:
        apart = abs(b - matmul(A, x, copy="if_needed").redistribute(b.distribution)) ** 2
        residues = np.asarray(apart.sum() if b.ndim == 1 else _column_sums(apart))
    receipt = _core._copied(sum(one.bytes_copied for one in done), time.perf_counter() - begin)
    return _with(receipt, LstsqResult(_core._over(x.local, x.distribution, x.process, comm, receipt), residues, rank, s))


def _column_sums(array):
    """The sums of the columns of a matrix, the same on every process. Collective."""
    if array.distribution.grid[0] > 1:
        array = array.redistribute("*,b")
    return array.sum(axis=0).allgather()


def _with(receipt, result):
    result.receipt = receipt
    return result


def _answer(made, comm, receipt):
    return _core._over(made[0], made[1], comm.rank, comm, receipt)


def _native():
    return compiled("_scalapack", "ScaLAPACK", "libscalapack-openmpi-dev")


def _given(**arguments):
    """Arguments as DistArrays, and their communicator. What is none raises on all processes."""
    comm = communicator(None, *arguments.values())
    for name, value in arguments.items():
        if not (hasattr(type(value), "__distarray__") or describes(value)):
            arguments[name] = Said(partial(_refuse, name, value))
    return *(_core._asarray(value, comm) for value in arguments.values()), comm


def _refuse(name, value):
    raise TypeError(f"{name} is of type {type(value).__name__}, which has no __distarray__: "
                    "tridap.array(local, distribution) makes an array of the parts of all processes")


def _parts(comm, copy, arrays, options):
    """The arrays as C++ takes them, and what `options` returns. It and `copy` must be the same on every process. Collective."""
    parts = []

    def asked():
        for array in arrays:
            _core._refuse_on_device(array)
            communicator_of(array.distribution, comm)
            parts.append(_native().Part(*_part(array), comm))
        return _core._copy(copy), *options()

    return parts, *together(comm, asked)[1:]


def _part(array):
    return array.local, array.distribution, array.process


def _written(*arrays):
    """ScaLAPACK has computed in the memory of these arrays, if they may be overwritten."""
    for array, overwritten in arrays:
        if overwritten:
            _core._changed(array)


def _over(local, array, overwritten, comm, receipt):
    """An answer with the distribution of an argument, and with its memory if that was overwritten."""
    made = _core._over(local, array.distribution, array.process, comm, receipt)
    return _core._same_memory(made, array) if overwritten else made


class _Callable(types.ModuleType):
    __call__ = staticmethod(distribution)


sys.modules[__name__].__class__ = _Callable
