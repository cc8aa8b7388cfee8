"""redistribute with ravel: several vectors, which become a grid of several axes."""

import numpy as np
import pytest
import tridap


def vectors_and_grid(p, dealt):
    """n x 3 vectors, and a padded grid of nx x ny x 3 with uneven blocks, of the same elements."""
    a, b = (2, p // 2) if p % 2 == 0 else (1, p)
    nx, ny = 7, 3 * b + 2
    line = tridap.cyclic(2) if dealt else tridap.block(starts=[r * (nx * ny // (p + 1)) for r in range(p)])
    x = tridap.distribution((nx * ny, 3), [line, "*"], processes=p)
    grid = tridap.distribution((nx, ny, 3), [tridap.block(padding=1), tridap.block(padding=1), "*"], (a, b, 1), processes=p)
    return x, grid


@pytest.mark.parametrize("ravel", "CF")
@pytest.mark.parametrize("dealt", [False, True])
def test_vectors_move_to_a_grid_of_several_axes_in_one_call(comm, dealt, ravel):
    dist, grid = vectors_and_grid(comm.size, dealt)
    x = tridap.from_function(dist, lambda i, k: 10.0 * i + k)
    whole = (10.0 * np.arange(dist.shape[0])[:, None] + np.arange(3)).reshape(grid.shape, order=ravel)
    y = tridap.redistribute(x, grid, ravel=ravel)
    assert y.distribution == grid
    np.testing.assert_array_equal(y.allgather(), whole)
    back = y.redistribute(dist, ravel=ravel)
    np.testing.assert_array_equal(back.local, x.local)
    out = tridap.zeros(grid)
    out.local[...] = 1
    assert tridap.redistribute(x, out=out, ravel=ravel, alpha=2, beta=3) is out
    np.testing.assert_array_equal(out.allgather(), 2 * whole + 3)
    np.testing.assert_array_equal(tridap.redistribute(x, grid, ravel=ravel, convert=np.float32).allgather(), whole.astype("f4"))


def test_vectors_of_another_number_are_refused(comm):
    dist, grid = vectors_and_grid(comm.size, False)
    x = tridap.zeros(tridap.distribution((dist.shape[0], 2), ["b", "*"], processes=comm.size))
    with pytest.raises((ValueError, tridap.ProtocolError), match="or, in tridap.redistribute, both have a last axis of the same length"):
        tridap.redistribute(x, grid, ravel="C")
