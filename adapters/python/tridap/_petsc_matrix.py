"""PETSc's matrices and operators, for tridap.petsc."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import petsc4py.PETSc as _petsc4py

from . import _core, _petsc
from ._agree import collective, together
from ._make import block, communicator, communicator_of, distribution
from ._place import need_array
from ._solve import LinearOperator, Matrix

if TYPE_CHECKING:
    from mpi4py import MPI


@collective("tridap.petsc.export_matrix()", "petsc", "trilinos")
def export_matrix(mat: Any, rows: Any = None) -> Matrix:
    """A `tridap.Matrix` with the entries of a Mat, whose values are copied once. Collective.

    PETSc keeps two blocks on each process, and Tpetra one. PETSc numbers the rows process after process. Local row
    ``i`` becomes that of the ``i``-th element of this process's part of `rows` in the order of its memory, as
    ``Matrix(mat, rows, order="K")``. So a Mat over a DMDA fits the array of a Vec of this DMDA. ``matrix.update_values(mat)``
    copies new values later, without a new graph.

    Args:
        mat: a petsc4py Mat of type seqaij or mpiaij: ``mat.convert("aij", petsc4py.PETSc.Mat())`` makes one of others.
        rows: the array or the `Distribution` that the rows belong to; None: one axis in the blocks of the Mat's rows.

    Raises:
        ProtocolError: on every process, if `mat` has another type, is not assembled or not square, or if any process
            has another number of rows than of elements.
    """
    comm, rows = _rows(mat, rows, lambda: _petsc.export_matrix(mat))
    return Matrix(mat, rows, comm, order="K")


@collective("tridap.petsc.import_matrix()", "petsc", "trilinos")
def import_matrix(matrix: Matrix) -> tuple[Any, _core.Receipt]:
    """A petsc4py Mat of type seqaij or mpiaij with the entries of a `tridap.Matrix`, and a `Receipt`. Collective.

    The values are copied once. PETSc numbers the rows and columns process after process, in the order of the elements
    in memory, whatever `order` the matrix was made with: as those of the Vec that `import_array` makes of the array that
    the matrix was made on.
    """
    comm = _matrix(matrix).comm
    return _petsc.import_matrix(matrix._rows(), comm)


@collective("tridap.petsc.update_values()", "petsc", "trilinos")
def update_values(mat: Any, matrix: Matrix) -> _core.Receipt:
    """Copies the values of a `tridap.Matrix` to a Mat of the same pattern, in the Mat's memory. Collective.

    PETSc makes preconditioners again, as after ``mat.assemble()``. ProtocolError on every process, and nothing is
    changed, if the pattern differs on any process.
    """
    return _petsc.update_values(mat, _matrix(matrix)._rows())


@collective("tridap.petsc.export_operator()", "petsc", "trilinos")
def export_operator(mat: Any, rows: Any = None) -> LinearOperator:
    """A `tridap.LinearOperator` whose product is ``mat.mult``, for `tridap.solve`. Collective.

    The Mat may be of any type, also a shell. No entries are copied, and PETSc works in the solver's vectors.

    Args:
        mat: a square petsc4py Mat.
        rows: as in `export_matrix`.

    Raises:
        ProtocolError: on every process, if `mat` has no product or is not square, or if any process has another number
            of rows than of elements.
    """
    product = _petsc.Product(_checked_mat(mat))
    comm, rows = _rows(mat, rows, lambda: product)

    def need_square():
        if product.row_bounds != product.column_bounds:
            raise ValueError(f"the Mat is for {product.column_bounds[-1]} columns in other blocks than its "
                             f"{product.row_bounds[-1]} rows, must be square")
        dist = rows.distribution if isinstance(rows, _core.DistArray) else rows
        have, need = dist.count(comm.rank, "interior"), mat.getLocalSize()[0]
        if have != need:
            raise ValueError(f"rows has {have} elements on this process, must have {need}, one for each row of the Mat")

    together(comm, need_square)
    return LinearOperator(product, rows, comm)


@collective("tridap.petsc.make_shell()", "petsc", "trilinos")
def make_shell(operator: Any, array: Any) -> Any:
    """A petsc4py Mat whose product an operator computes, for KSP and other solvers of PETSc. Collective.

    The vectors are DistArrays with the distribution of `array`, over the memory of PETSc's Vecs; nothing is copied.
    PETSc numbers the elements process after process, in memory order.

    Args:
        operator: a `Matrix` or a `LinearOperator`; a function ``operator(x, y)`` that writes the product to the
            DistArray `y`, while `x` is read-only; or an object with ``matvec``, such as a
            ``scipy.sparse.linalg.LinearOperator``, for this process's elements as one flat array, in PETSc's order.
        array: a `DistArray` without padding, whose memory is not used.

    What `operator` raises on one process is raised on every process, as by a `LinearOperator`. A function that
    communicates must not raise before its communication is complete.
    """
    comm = communicator(None, array)

    def asked():
        _need_plain(array, comm)
        if not (callable(operator) or hasattr(operator, "matvec") or
                isinstance(operator, (_core._Matrix, _core._LinearOperator))):
            raise TypeError(f"operator is of type {type(operator).__name__}, must be a function, a Matrix or a "
                            "LinearOperator, or have matvec")
        return array.distribution.count(comm.rank, "interior")

    count = together(comm, asked, same=False)
    return _petsc.make_shell(_Shell(operator, array, comm), count, comm)


class _Shell:
    """The context of a shell Mat."""

    def __init__(self, operator, array, comm):
        self.operator, self.comm = operator, comm
        self.dist, self.process = array.distribution, array.process
        flags = array.local.flags
        self.order = "F" if flags.f_contiguous and not flags.c_contiguous else "C"

    def mult(self, x, y):
        """Called by PETSc."""
        if isinstance(self.operator, (_core._Matrix, _core._LinearOperator)):
            given, product = together(self.comm, lambda: self._arrays(x, y), same=False)
            self.operator._multiply(given, lambda _: product)
        else:
            together(self.comm, lambda: self._multiply(*self._arrays(x, y)), same=False)

    def _arrays(self, x, y):
        made = self._over(x, True), self._over(y, False)
        made[1].local[...] = np.nan  # elements that the operator does not write must not look like a product
        return made

    def _over(self, vec, read_only):
        local = _petsc.export_array(vec, None, read_only)[0]
        shape = self.dist.local_shape(self.process)
        return _core._over(local.reshape(shape, order=self.order), self.dist, self.process, self.comm)

    def _multiply(self, x, y):
        matvec = getattr(self.operator, "matvec", None)
        if matvec is not None:
            y.local[...] = np.reshape(matvec(x.local.ravel(order=self.order)), y.local.shape, order=self.order)
        elif (returned := self.operator(x, y)) is not None and returned is not y:
            raise TypeError("the operator returned an object, but it must write the product to its second argument")


def _matrix(matrix):
    if not isinstance(matrix, _core._Matrix):
        raise TypeError(f"matrix is of type {type(matrix).__name__}, must be a tridap.Matrix")
    return matrix


def _checked_mat(mat):
    if not isinstance(mat, _petsc4py.Mat):
        raise TypeError(f"mat is of type {type(mat).__name__}, must be a petsc4py.PETSc.Mat")
    return mat


def lasting_comm(obj: Any) -> MPI.Comm:
    """The communicator of an object of PETSc, and MPI's own in its place if that has the same processes.

    PETSc frees its communicator with the last object on it. Arrays go on with a duplicate, which is made here.
    Collective, unless it is MPI's own.
    """
    from mpi4py import MPI
    comm: MPI.Comm = obj.comm.tompi4py()
    for own in MPI.COMM_WORLD, MPI.COMM_SELF:
        if MPI.Comm.Compare(comm, own) in (MPI.IDENT, MPI.CONGRUENT):
            return own
    _core._duplicate(comm)
    return comm


def _rows(mat, rows, exported):
    """The communicator of a Mat, and the array or the distribution of its rows. `exported` returns what has been checked."""
    comm = lasting_comm(_checked_mat(mat))
    if isinstance(rows, _core.DistArray) and rows.comm is not None:
        comm = rows.comm

    def asked():
        if rows is None:
            bounds = exported().row_bounds
            return distribution((bounds[-1],), [block(starts=bounds[:-1])], (comm.size,))
        if isinstance(rows, _core.Distribution):
            return communicator_of(rows, comm) and rows
        if not isinstance(rows, _core.DistArray):
            raise TypeError(f"rows is of type {type(rows).__name__}, must be a DistArray or a Distribution")
        return rows

    return comm, together(comm, asked, same=False)


def _need_plain(array, comm):
    need_array(array, comm)
    if array.distribution.count(array.process, "interior") != array.distribution.count(array.process, "local"):
        raise ValueError("the array has padding, which PETSc's vectors would not have: pass an array without it")
