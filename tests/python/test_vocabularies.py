"""Distributions of other libraries and languages, against their own formulas, element by element."""

import itertools
import math

import numpy as np
import pytest
import tridap
from mpi4py import MPI
from producers import everywhere


def expect(made, shape, owner):
    """Every element of the distribution has the foreign process that `owner` gives, counted from 0."""
    dist = made.distribution
    assert dist.shape == shape
    for index in itertools.product(*map(range, shape)):
        process = dist.owner(*index)
        assert made.foreign_process(process) == owner(*index), index
        assert made.process(owner(*index)) == process


@pytest.mark.parametrize("order", ["R", "C"])
def test_scalapack(order):
    made = tridap.scalapack(9, 7, 2, 3, 2, 3, rsrc=1, csrc=2, order=order, lld=8)
    row, column = lambda i: (1 + i // 2) % 2, lambda j: (2 + j // 3) % 3
    expect(made, (9, 7), lambda i, j: row(i) * 3 + column(j) if order == "R" else column(j) * 2 + row(i))
    assert made.index_base == (1, 1) and made.storage_order == "F" and made.leading_dimension == 8
    assert made.process_order == ("C" if order == "R" else "F")
    assert made.strides(0) == (1, 8) and any("begins at index 1" in loss for loss in made.losses)
    with pytest.raises(tridap.ProtocolError):
        tridap.scalapack(9, 7, 0, 3, 2, 3)
    for wrong in (dict(order="X"), dict(rsrc=1.5)):
        with pytest.raises((ValueError, TypeError)):
            tridap.scalapack(9, 7, 2, 3, 2, 3, **wrong)


def test_essl():
    made = tridap.essl(16, 30, 3, 4, 2, 3)
    expect(made, (16, 30), lambda i, j: made.foreign_process(i // 3 % 2 * 3 + j // 4 % 3))


def test_hpf():
    made = tridap.hpf((10, (0, 7), 3), "BLOCK, cyclic(2), *", (2, 3))
    expect(made, (10, 8, 3), lambda i, j, k: i // 5 * 3 + j // 2 % 3)
    assert made.index_base == (1, 0, 1)
    made = tridap.hpf((10, 6), ["GEN_BLOCK(2, 5, 4)", "INDIRECT(2,1,1,2,2,1)"], (3, 2))
    expect(made, (10, 6), lambda i, j: (0 if i < 2 else 1 if i < 7 else 2) * 2 + (2, 1, 1, 2, 2, 1)[j] - 1)
    made = tridap.hpf(12, "BLOCK(5)", 3, shadow=2)
    assert made.distribution == tridap.distribution(12, tridap.block(5, padding=2), grid=3)
    assert tridap.hpf((6, 6), "BLOCK,BLOCK", (2, 3), shadow=(0, 1)).distribution.local_shape(0) == (3, 3)


def test_hpf_refuses_what_it_does_not_know():
    for dist in ("BLOCKS", "BLOCK(2,3)", "*(2)", "CYCLIC(x)", "BLOCK("):
        with pytest.raises(ValueError, match="for an axis, must be BLOCK|must have one for each"):
            tridap.hpf(12, dist, 3)
    for array, dist, processors, words in ((12, "BLOCK,*", 3, "dist has 2 entries"), ((4, 4), "BLOCK,*", (2, 2), "2 extents"),
                                           (12, "GEN_BLOCK(6,6)", 3, "2 sizes"), (((1, 2, 3),), "BLOCK", 1, "length or")):
        with pytest.raises((ValueError, TypeError), match=words):
            tridap.hpf(array, dist, processors)
    with pytest.raises(tridap.ProtocolError, match="only BLOCK"):
        tridap.hpf(12, "CYCLIC", 3, shadow=1)


def test_arrays_over_all_processes_have_grids_of_their_own(comm):
    size = comm.size
    chapel, julia = tridap.chapel((8, 9)), tridap.julia((64, 64, 64))
    assert everywhere(comm, chapel.distribution.processes == julia.distribution.processes == size)
    assert everywhere(comm, tridap.hpf((9, 9, 9), "BLOCK,*,CYCLIC").distribution.processes == size)
    assert everywhere(comm, tridap.x10(12).distribution.grid == (size,))
    lengths = ",".join(["2"] * size)
    assert everywhere(comm, tridap.hpf(2 * size, f"GEN_BLOCK({lengths})").distribution.grid == (size,))
    array = tridap.zeros(chapel.distribution, comm=comm)
    assert everywhere(comm, np.array_equal(array.allgather(), np.zeros((8, 9))))


def test_chapel():
    made = tridap.chapel(((1, 10), (-2, 4)), locales=(3, 2))
    expect(made, (10, 7), lambda i, j: i * 3 // 10 * 2 + j * 2 // 7)
    assert made.index_base == (1, -2)
    made = tridap.chapel(((1, 10),), locales=(3,), bounding_box=((3, 8),))
    expect(made, (10,), lambda i: min(max((i + 1 - 3) * 3 // 6, 0), 2))
    made = tridap.chapel(10, "cyclicDist", (3,), start_idx=4)
    expect(made, (10,), lambda i: (i - 4) % 3)
    made = tridap.chapel((9, 9), "blockCycDist", (2, 2), block_size=(2, 3))
    expect(made, (9, 9), lambda i, j: i // 2 % 2 * 2 + j // 3 % 2)
    made = tridap.chapel(12, "stencilDist", (3,), fluff=1, periodic=True)
    assert made.distribution == tridap.distribution(
        14, tridap.block(starts=[0, 5, 9], padding=1, periodic=True), grid=3)
    for locales, grid in ((12, (6, 2)), (8, (4, 2)), (7, (7, 1))):
        assert tridap.chapel((40, 40), locales=locales).distribution.grid == grid
    for wrong, words in ((dict(dist="block"), "must be 'blockDist'"), (dict(dist="blockCycDist"), "block_size is None"),
                         (dict(locales=(2, 2)), "locales has 2"), (dict(bounding_box=(4, 4)), "bounding_box has 2")):
        with pytest.raises((ValueError, TypeError), match=words):
            tridap.chapel(10, **wrong)


def test_julia():
    made = tridap.julia((10, 7), (3, 2))
    share = lambda n, p, m: next(c for c in range(p) if m < sum(n // p + (k < n % p) for k in range(c + 1)))
    expect(made, (10, 7), lambda i, j: share(7, 2, j) * 3 + share(10, 3, i))
    assert made.process_order == made.storage_order == "F" and made.index_base == (1, 1)
    assert tridap.julia((100, 30), 12).distribution.grid == (6, 2)
    assert tridap.julia((10, 10), 2).distribution.grid == (1, 2)
    assert tridap.julia(5, 7).distribution.processes == 1


def test_x10():
    made = tridap.x10((4, (3, 9)), 1, 3)
    expect(made, (4, 7), lambda i, j: 0 if j < 3 else 1 if j < 5 else 2)
    made = tridap.x10((9, 5), (0, 1), 8)  # 4 x 2 blocks
    expect(made, (9, 5), lambda i, j: j * 2 // 5 * 4 + i * 4 // 9)
    with pytest.raises(tridap.ProtocolError, match="two blocks"):
        tridap.x10((9, 9), (0, 1), 5)
    with pytest.raises(ValueError, match="must have one or two"):
        tridap.x10((4, 4, 4), (0, 1, 2), 8)


def test_mpi_cart():
    made = tridap.mpi_cart((7, 5), (3, 2), (False, True))
    expect(made, (7, 5), lambda i, j: (0 if i < 3 else 1 if i < 5 else 2) * 2 + (j > 2))
    made = tridap.mpi_cart((8, 6), (2, 1), True, width=1, reorder=True)
    assert made.distribution.shape == (10, 8) and made.index_base == (-1, -1)
    assert any("reorder" in loss for loss in made.losses)
    with pytest.raises(tridap.ProtocolError):
        tridap.mpi_cart((8, 6), (2,))


def test_a_translation_answers_for_its_processes_alone():
    made = tridap.scalapack(9, 7, 2, 3, 2, 3)
    assert repr(made).startswith("<tridap.Translation: <tridap.Distribution: block-cyclic by 2 x")
    assert math.prod(made.allocated_shape(0)) == made.distribution.count(0)
    for ask in (made.foreign_process, made.process, made.allocated_shape, made.strides):
        for wrong in (-1, 6):
            with pytest.raises(IndexError):
                ask(wrong)


def test_cyclic_arrays_of_chapel_begin_at_their_low_bound():
    made = tridap.chapel(((3, 9),), "cyclicDist", (2,))
    expect(made, (7,), lambda i: i % 2)


def test_block_is_over_the_processes_that_gen_block_leaves():
    size = MPI.COMM_WORLD.size
    made = tridap.hpf((4, 2 * size), "GEN_BLOCK(1, 3), BLOCK")
    assert made.distribution.grid == (2, max(size // 2, 1))
