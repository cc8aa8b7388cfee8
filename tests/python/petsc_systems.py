"""Systems of PETSc for the tests of matrices and operators."""

import numpy as np
import pytest
import tridap
from petsc_vecs import COMM, P, PETSc, R

scipy_sparse = pytest.importorskip("scipy.sparse")


def lengths():
    """Rows of each process: uneven, and none on some."""
    return [0 if p % 4 == 2 else 3 + p for p in range(P)]


def dense(seed, n):
    """A whole random sparse matrix, the same on every process, with a full diagonal and an empty row beside it."""
    random = np.random.default_rng(seed)
    whole = np.where(random.random((n, n)) < 0.3, random.integers(-9, 10, (n, n)), 0).astype(float)
    whole[np.arange(n), np.arange(n)] = 30
    whole[n // 2] = 0
    return whole


def mat_of(whole, local=None):
    """A Mat, made entry by entry."""
    local = lengths() if local is None else local
    size = (local[R], sum(local))
    mat = PETSc.Mat().createAIJ((size, size), comm=COMM)
    mat.setUp()
    mat.setOption(PETSc.Mat.Option.NEW_NONZERO_ALLOCATION_ERR, False)
    start, stop = mat.getOwnershipRange()
    for i in range(start, stop):
        for j in np.flatnonzero(whole[i]):
            mat.setValue(i, j, whole[i, j])
    mat.assemble()
    return mat


def whole_of(mat):
    """The entries of a Mat on all processes."""
    indptr, indices, data = mat.getValuesCSR()
    here = np.zeros(mat.getSize())
    start, stop = mat.getOwnershipRange()
    here[start:stop] = scipy_sparse.csr_matrix((data, indices, indptr), (stop - start, mat.getSize()[1])).toarray()
    return COMM.allreduce(here)


def line():
    """An array with the rows of `lengths()`."""
    starts = np.cumsum([0] + lengths())
    return tridap.zeros(tridap.distribution((starts[-1],), [tridap.block(starts=list(starts[:-1]))], (P,)), comm=COMM)


def filled(array, values):
    array.local[...] = values
    return array


def vector(array):
    """Different values, and all of them on every process."""
    array.local[...] = np.arange(array.local.size).reshape(array.local.shape) % 7 + R + 1.0
    return np.concatenate(COMM.allgather(array.local.ravel()))


def product_of(matrix, array):
    """A matrix times vector(array), on every process."""
    return np.concatenate(COMM.allgather((matrix @ array).local.ravel()))


def refused(text, step):
    with pytest.raises(tridap.ProtocolError) as error:
        step()
    assert text in str(error.value), error.value
    assert len(set(COMM.allgather(str(error.value)))) == 1


def own_rows():
    """The rows of this process."""
    start = sum(lengths()[:R])
    return slice(start, start + lengths()[R])
