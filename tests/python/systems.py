"""Linear systems by hand, dense and whole on every process, for the tests of solvers."""

import numpy as np
import scipy.sparse as sp
import tridap


class Field:
    """Somebody's array: memory, and what the protocol says of it."""

    def __init__(self, dist, rank, values=0.0, order="C", step=1):
        shape = dist.local_shape(rank)
        whole = np.zeros([extent * step for extent in shape], order=order)
        self.memory = whole[tuple(slice(None, None, step) for _ in shape)]
        self.memory[...] = values
        self.dim_data = dist.dim_data(rank)

    def __distarray__(self):
        return {"__version__": "0.10.0", "buffer": self.memory, "dim_data": self.dim_data}


def layouts(p):
    """Distributions over `p` processes, by name."""
    dealt = [list(range(-3 + r, 10, p))[::-1] for r in range(p)]  # -3 to 9, descending
    made = {
        "block": tridap.distribution((11,), ("b",), processes=p),
        "cyclic": tridap.distribution((11,), ("c",), processes=p),
        "blocks dealt from the last process": tridap.distribution((13,), (f"c:2@{p - 1}",), processes=p),
        "lists": tridap.distribution((13,), [tridap.unstructured(dealt)], processes=p),
        "empty shares": tridap.distribution((2,), ("b",), processes=p),
        "all on the last": tridap.distribution((3,), [tridap.block(starts=[0] * p)], processes=p),
        "2-D": tridap.distribution((5, 4), ("b", "c:2"), processes=p),
        "columns": tridap.distribution((3, 7), ("*", "b"), processes=p),
        "3-D": tridap.distribution((3, 2, 4), ("c", "*", "b"), processes=p),
        "padded": tridap.distribution((4 * p, 2), [tridap.block(padding=1), "*"], processes=p),
    }
    return made


def numbers(dist, rank, order="C"):
    """The row-major numbers of this process's elements, in the order of its memory, counted by hand."""
    lists = dist.indices(rank, "interior")
    every = [np.concatenate([dist.indices(r, "interior")[axis] for r in range(dist.processes)])
             for axis in range(dist.ndim)]
    low = [axis.min() for axis in every]
    spans = [axis.max() - axis.min() + 1 for axis in every]
    index = np.meshgrid(*(held - first for held, first in zip(lists, low)), indexing="ij")
    flat = np.zeros([held.size for held in lists], dtype=np.int64)
    for span, along in zip(spans, index):
        flat = flat * span + along
    return flat.ravel(order=order)


def size(dist):
    return int(np.prod(dist.shape))


def matrix(n, symmetric=True):
    """A dense n x n matrix with a large diagonal."""
    rng = np.random.default_rng(n)
    dense = rng.uniform(-1, 1, (n, n)) * (rng.uniform(size=(n, n)) < 0.4)
    if symmetric:
        dense = dense + dense.T
    return dense + np.diag(2 + np.abs(dense).sum(axis=1))


def local_rows(dense, dist, rank, order="C"):
    return sp.csr_matrix(dense[numbers(dist, rank, order)])


def whole(comm, dist, part, order="C"):
    """What all processes' interiors hold, by row-major number."""
    parts = comm.allgather((numbers(dist, comm.rank, order), np.asarray(part).ravel(order=order)))
    answer = np.full(sum(ids.size for ids, _ in parts), np.nan)
    for ids, values in parts:
        answer[ids] = values
    return answer


def right_hand_side(dist, rank, order="C", **how):
    """A Field whose element of row-major number i is 1 + i % 5, and the same whole and flat."""
    rhs = 1.0 + np.arange(size(dist)) % 5
    field = Field(dist, rank, np.nan, order, **how)
    inner = interior(field.memory, dist, rank)
    inner[...] = rhs[numbers(dist, rank)].reshape(inner.shape)
    field.memory[np.isnan(field.memory)] = 0
    return field, rhs


def interior(memory, dist, rank):
    """The interior of a local part, cut by hand."""
    cuts = []
    for kept, held in zip(dist.indices(rank, "interior"), dist.indices(rank, "local")):
        first = int(np.flatnonzero(held == kept[0])[0]) if kept.size else 0
        cuts.append(slice(first, first + kept.size))
    return memory[tuple(cuts)]


def second_difference(dist, comm, diagonal=2.0):
    """The Matrix of the second difference along an array of one axis."""
    n, = dist.shape
    rows = sp.diags([-1.0, diagonal, -1.0], [-1, 0, 1], shape=(n, n), format="csr")[dist.indices(comm.rank)[0]]
    return tridap.Matrix(rows, dist, comm)


def poisson(m):
    """The five-point difference on m x m."""
    line = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(m, m))
    return (sp.kron(line, sp.eye(m)) + sp.kron(sp.eye(m), line)).tocsr()
