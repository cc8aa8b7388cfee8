"""Arrays of any type with any distribution, and what is expected of them: for tests of files and stores."""

import numpy as np
import tridap
from mpi4py import MPI

COMM = MPI.COMM_WORLD
P, R = COMM.size, COMM.rank


def some_spec(rng, size, grid):
    """A random axis of a distribution over `grid` coordinates."""
    kind = rng.randrange(5)
    if kind == 0:
        return tridap.cyclic(1 + rng.randrange(3), rng.randrange(grid))
    if kind == 1:
        lists = [[] for _ in range(grid)]
        for i in rng.sample(range(size), size):
            lists[rng.randrange(grid)].append(i)
        return tridap.unstructured(lists)
    if kind == 2 and size >= 3 * grid:
        return tridap.block(padding=1, edges=(1, 1), periodic=rng.random() < 0.5)
    if kind == 3:
        return tridap.block(starts=[0, *sorted(rng.randrange(size + 1) for _ in range(grid - 1))])
    return tridap.block()


def some_distribution(rng, shape, processes=P):
    grid, rest = [], processes
    for left in range(len(shape) - 1, -1, -1):
        grid.append(rest if left == 0 else rng.choice([n for n in range(1, rest + 1) if rest % n == 0]))
        rest //= grid[-1]
    return tridap.distribution(shape, [some_spec(rng, size, n) for size, n in zip(shape, grid)], grid)


def values_of(shape, dtype):
    """Different numbers from 1 on, as elements of any type."""
    if dtype.names:
        made = np.zeros(shape, dtype)
        for name in dtype.names:
            made[name] = values_of((*shape, *dtype[name].shape), dtype[name].base)
        return made
    numbers = np.arange(int(np.prod(shape))).reshape(shape)
    if dtype.kind == "c":
        return (numbers + 1j * (numbers + 1)).astype(dtype)
    if dtype.kind in "SU":
        return np.char.mod("%d", numbers).astype(dtype)
    return (numbers % 2 if dtype.kind == "b" else numbers + 1).astype(dtype)


def filled(dist, whole, order="C"):
    """An array with the elements of a NumPy array."""
    array = tridap.empty(dist, whole.dtype, comm=COMM, order=order)
    array.local[...] = whole[np.ix_(*dist.indices(R, "local"))]
    return array


def expect_part(array, whole):
    """Asserts that the local part, padding included, has the elements of a NumPy array."""
    assert array.local.dtype == whole.dtype and array.shape == whole.shape
    np.testing.assert_array_equal(array.local, whole[np.ix_(*array.distribution.indices(R, "local"))])
