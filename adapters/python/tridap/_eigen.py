"""Eigenvalues of symmetric matrices, with the eigenvectors as distributed arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._agree import collective, integer, together
from ._solve import ConvergenceError, LinearOperator, Matrix, Preconditioner, _array

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _vectors(A, k):
    """An array for `k` vectors with the elements of the rows of `A`, each vector one piece of memory."""
    rank = A.comm.rank
    shape = A.distribution.local_shape(rank)
    local = np.moveaxis(np.zeros((k, *shape)), 0, -1)
    return _core._over(local, _core._with_vectors(A.distribution, k), rank, A.comm)


@collective("tridap.eigsh()", "trilinos", "petsc")
def eigsh(A: Matrix | LinearOperator, k: int = 6, M: Matrix | LinearOperator | None = None, *, sigma: float | None = None,
          which: str = "LM", v0: Any = None, X: Any = None,
          preconditioner: str | Preconditioner | Matrix | LinearOperator | None = None, method: str | None = None,
          tol: float = 1e-8, maxiter: int = 1000) -> tuple[NDArray[Any], _core.DistArray]:
    """Finds `k` eigenvalues w and eigenvectors x of ``A x = w M x`` with Trilinos' Anasazi. Collective.

    The arguments are those of ``scipy.sparse.linalg.eigsh``, where it has them.

    Args:
        A: a symmetric `Matrix` or `LinearOperator`. It is not checked that it is symmetric.
        k: how many eigenvalues; at most a third of the rows.
        M: a symmetric positive definite `Matrix` or `LinearOperator` with the rows of `A`, or None for the identity; for
            "lobpcg", or with `sigma`.
        sigma: find the eigenvalues near this number, by products with ``(A - sigma M)^-1``. `A` and `M` must be of
            `Matrix`; ``A - sigma M`` is factored once, on the first process. Eigenvalues inside the spectrum, and the
            smallest ones of a stiff matrix, need few products this way.
        which: "LA" (largest), "SA" (smallest), "LM" (largest magnitude) or "SM" (smallest magnitude; slow). With `sigma`
            these choose among ``v = 1 / (w - sigma)``: "LM" are the w nearest to sigma, "LA" first the nearest above
            it, "SA" first the nearest below it, "SM" the farthest ones (slow).
        v0: the start vector: any object with ``__distarray__``, of float64, with the distribution of the rows. Its padding
            may differ from theirs, and it is not changed. None: pseudorandom numbers, the same in each call.
        X: an array for the eigenvectors, whose vectors are the first guess unless they are 0: like several right-hand
            sides for `solve`, with `k` of them. If it is given, `k` is not used. None: a new array with an axis more than
            the rows of `A`, the last one, which is not distributed.
        preconditioner: a name as for `Preconditioner`, or an operator, which is symmetric and positive definite; for
            "lobpcg" only.
        method: "lobpcg" or "krylov schur" (block Krylov-Schur, a restarted Lanczos method). None: "lobpcg" for "LA" and
            "SA" without `sigma`, and "krylov schur" else.
        tol: ``|A x - w M x|`` is at most this times ``|w|`` times the norm of x; with `sigma`, ``|(A - sigma M)^-1 M x -
            v x|`` is at most this times ``|v|`` times the norm of x.
        maxiter: the largest number of iterations of "lobpcg", or of restarts of "krylov schur". The latter begins again, at
            most three times, if Anasazi has confused the vectors of equal eigenvalues.

    Returns:
        The eigenvalues (NumPy float64, shape (k,), ascending), the same on every process; and the eigenvectors, a
        `DistArray`: vector ``j`` is ``X.local[..., j]`` on this process. ``x M x`` is 1.

    Raises:
        ProtocolError: on every process, if an argument is wrong on any process, or ``A - sigma M`` is singular.
        ConvergenceError: on every process, if fewer than `k` were found, or if a vector does not belong to its value; its
            `result` is the pair of those that were found.
    """
    _core._need_solvers()
    if not isinstance(A, (_core._Matrix, _core._LinearOperator)):
        raise TypeError(f"A is of type {type(A).__name__}, must be a Matrix or a LinearOperator")
    comm = A.comm

    def read():
        if v0 is not None and X is not None:
            raise TypeError("v0 and X are two first guesses: pass one of them")
        for name, array in (("X", X), ("v0", v0)):
            if array is not None:
                _array(name, array)
        return (integer("k", k), X is not None, v0 is not None, sigma is None,
                preconditioner if isinstance(preconditioner, str) else None)

    k, given, started, plain, name = together(comm, read)
    if k < 1:
        raise ValueError(f"k is {k}, must be at least 1")
    x = _core._asarray(X, comm) if given else _vectors(A, k)
    start = _core._asarray(v0, comm) if started else None
    if name is not None:
        if not isinstance(A, Matrix):
            raise TypeError(f"preconditioner is {name!r}, but a LinearOperator has no matrix: pass an operator")
        preconditioner = Preconditioner(A, name)
    if method is None:
        method = "lobpcg" if plain and which in ("SA", "LA") else "krylov schur"
    found = A._eigsh(x, start, {"M": M, "preconditioner": preconditioner, "which": which, "method": method, "tol": tol,
                                "maxiter": maxiter, "sigma": sigma})
    values = found["values"]
    if not found["converged"]:
        raise ConvergenceError(f"eigsh ({method}): {values.size} eigenvalues found in {found['iterations']} iterations, "
                               "fewer than asked for, or above the tolerance", (values, x))
    return values, x
