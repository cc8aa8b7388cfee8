"""Distributed arrays written by hand for the tests of sums, operators and slices; their oracle is one NumPy array."""

import itertools

import numpy as np
import tridap
from producers import block, cyclic, deal_blocks, deal_cyclic, listed, places

GARBAGE = 77  # in padding and mirrors, which no sum may count


class Axis:
    """One axis: for each coordinate a dictionary, and the global index of each local element, None for repeated ones."""

    def __init__(self, dims, held):
        self.dims, self.held = dims, held
        self.indices = sorted({index for part in held for index in part if index is not None})


def blocks(size, grid):
    return Axis([block(size, grid, c) for c in range(grid)], deal_blocks(size, grid))


def dealt(size, grid, block_size=1):
    return Axis([cyclic(size, grid, c, block_size=block_size) for c in range(grid)], deal_cyclic(size, grid, block_size))


def lists(grid, of):
    held = [of(c) for c in range(grid)]
    return Axis([listed(len({i for part in held for i in part}), np.array(part, np.int64), grid, c)
                 for c, part in enumerate(held)], held)


def shared(grid):
    """Lists with gaps and negative indices; 5 is on every coordinate, and two others are on two of them."""
    return lists(grid, lambda c: [10 * c + 7, 5, -3 - c, 10 * ((c + 1) % grid) + 7][:3 if grid == 1 else 4])


def gaps(grid):
    return lists(grid, lambda c: [7 * c + 2, 7 * c, 7 * c + 5][:1 + c % 3])


def padded(grid, edges=(0, 0), length=4):
    """Blocks of `length` elements with padding of 1 between them, and boundary padding, which is owned."""
    size = length * grid + sum(edges)
    dims, held = [], []
    for c in range(grid):
        first, last = c == 0, c == grid - 1
        begin, end = c * length + (0 if first else edges[0]), (c + 1) * length + edges[0] + (edges[1] if last else 0)
        left, right = edges[0] if first else 1, edges[1] if last else 1
        dims.append({"dist_type": "b", "size": size, "proc_grid_size": grid, "proc_grid_rank": c,
                     "start": begin - (not first), "stop": end + (not last), "padding": (left, right)})
        held.append([None] * (not first) + list(range(begin, end)) + [None] * (not last))
    return Axis(dims, held)


def ring(grid, length=3):
    """A periodic axis with padding of 1: its first and its last index are mirrors."""
    dims = [{"dist_type": "b", "size": length * grid + 2, "proc_grid_size": grid, "proc_grid_rank": c, "start": length * c,
             "stop": length * (c + 1) + 2, "padding": (1, 1), "periodic": True} for c in range(grid)]
    return Axis(dims, [[None, *range(length * c + 1, length * (c + 1) + 1), None] for c in range(grid)])


def old_ring(grid, length=3):
    """The same axis in version 0.9, which does not count the mirrors."""
    dims = [block(length * grid, grid, c, padding=(1, 1), periodic=True) for c in range(grid)]
    return Axis(dims, [[None, *range(length * c, length * (c + 1)), None] for c in range(grid)])


def value(*index):
    """The element at a global index: a small integer, so that sums are exact in any order."""
    return (3 * sum(k * i for k, i in zip((1, 5, 7), index)) + 2) % 11 - 5


class Made:
    """A `DistArray`, and the whole array as NumPy has it."""

    def __init__(self, comm, axes, grid, dtype=float, of=value, order="C", version="0.10.0", garbage=GARBAGE):
        at = places(grid)[comm.rank] if grid else ()
        held = [axis.held[c] for axis, c in zip(axes, at)]
        self.memory = np.full([len(part) for part in held], garbage, dtype, order=order)
        for local in np.ndindex(self.memory.shape):
            index = [part[i] for part, i in zip(held, local)]
            if None not in index:
                self.memory[local] = of(*index)
        self.inner = tuple(slice(*_ends(part)) for part in held)
        self.array = tridap.asarray({"__version__": version, "buffer": self.memory,
                                     "dim_data": tuple(axis.dims[c] for axis, c in zip(axes, at))}, comm)
        self.whole = np.empty([len(axis.indices) for axis in axes], dtype)
        for place, index in zip(np.ndindex(self.whole.shape), itertools.product(*(axis.indices for axis in axes))):
            self.whole[place] = of(*index)


def _ends(part):
    kept = [i for i, index in enumerate(part) if index is not None]
    return (kept[0], kept[-1] + 1) if kept else (0, 0)


def layouts(p):
    """(name, axes, grid) over `p` processes."""
    for name, axis in {"blocks": blocks(11, p), "few": blocks(2, p), "none": blocks(0, p), "cyclic": dealt(11, p),
                       "block-cyclic": dealt(13, p, 2), "gaps": gaps(p), "shared": shared(p), "padded": padded(p),
                       "boundary": padded(p, (2, 1)), "ring": ring(p)}.items():
        yield name, (axis,), (p,)
    tall = max(n for n in range(1, p + 1) if p % n == 0 and n * n <= p)
    for a, b in {(tall, p // tall), (p // tall, tall)}:
        yield f"padded x cyclic {a} x {b}", (padded(a), dealt(5, b)), (a, b)
        yield f"shared x shared {a} x {b}", (shared(a), shared(b)), (a, b)
        yield f"ring x whole x blocks {a} x {b}", (ring(a), blocks(2, 1), blocks(3, b)), (a, 1, b)


def random_axis(rng, grid):
    """The spec of an axis over `grid` coordinates, and its length; each index from 0 on is on at least one of them."""
    kind, size = rng.integers(6), int(rng.integers(1, 10))
    if kind == 0:
        return "b", size
    if kind == 1:
        return tridap.block(starts=[0, *sorted(int(i) for i in rng.integers(0, size + 1, grid - 1))]), size
    if kind == 2:
        return f"c:{rng.integers(1, 4)}@{rng.integers(grid)}", size
    if kind == 3:
        return tridap.block(padding=1), size + 2 * grid
    owner = rng.integers(grid, size=size)
    lists = [rng.permutation(np.flatnonzero((owner == c) | ((kind == 5) & (rng.random(size) < 0.3)))) for c in range(grid)]
    return tridap.unstructured(lists), size


def random_array(rng, comm):
    """An array over all processes with a random distribution and garbage in its padding, and the whole of it."""
    grid, left = [], comm.size
    for _ in range(int(rng.integers(0, 3))):
        grid.append(int(rng.choice([n for n in range(1, left + 1) if left % n == 0])))
        left //= grid[-1]
    grid = [grid[i] for i in rng.permutation(len(grid))] + [left]
    specs, shape = zip(*(random_axis(rng, n) for n in grid))
    x = tridap.empty(tridap.distribution(shape, specs, grid, comm.size), comm=comm)
    whole = rng.integers(-9, 10, shape).astype(float)
    x.local[...] = GARBAGE
    x.interior[...] = whole[np.ix_(*x.distribution.indices(comm.rank, "interior"))]
    return x, whole


def random_key(rng, shape):
    """Slices of all axes."""
    bound = [[None, *range(-size - 1, size + 2)] for size in shape]
    return tuple(slice(rng.choice(b), rng.choice(b), int(rng.choice([1, 1, 2, -1, -2]))) for b in bound)
