"""tridap.solve: the rows, b and x may differ in padding."""

import numpy as np
import pytest
import tridap
from systems import Field, interior, local_rows, matrix, right_hand_side, size, whole

HOW = {"cg": dict(tol=1e-12), "gmres": dict(method="gmres", tol=1e-12), "direct": dict(method="direct")}


def paddings(p):
    """Distributions of 3 p x 2 elements in the same blocks."""
    made = {"none": tridap.block(), "1": tridap.block(padding=1), "2": tridap.block(padding=2)}
    return {name: tridap.distribution((3 * p, 2), [spec, "*"], processes=p) for name, spec in made.items()}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("of_b", ["none", "1", "2"])
@pytest.mark.parametrize("of_x", ["none", "1", "2"])
def test_rows_b_and_x_may_each_have_their_own_padding(comm, how, of_b, of_x):
    dists = paddings(comm.size)
    for dist in dists.values():
        dense = matrix(size(dist), symmetric=how == "cg")
        A = tridap.Matrix(local_rows(dense, dist, comm.rank), dist)
        b, rhs = right_hand_side(dists[of_b], comm.rank)
        x = Field(dists[of_x], comm.rank, 0.5)
        result = tridap.solve(A, b, x, **HOW[how])
        assert result.converged and result.bytes_copied == 0
        inner = interior(x.memory, dists[of_x], comm.rank)
        np.testing.assert_allclose(whole(comm, dist, inner), np.linalg.solve(dense, rhs), rtol=0, atol=1e-10)
        assert x.memory.sum() - inner.sum() == pytest.approx(0.5 * (x.memory.size - inner.size))


def columns(p, width):
    """A distribution whose second axis is distributed, so that padding is between the elements."""
    return tridap.distribution((2, 3 * p), ["*", tridap.block(padding=int(width))], processes=p)


@pytest.mark.parametrize("wide", ["b", "x"])
def test_padding_between_elements_is_copied_if_allowed(comm, wide):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    plain, padded = columns(comm.size, "0"), columns(comm.size, "1")
    dense = matrix(size(plain))
    A = tridap.Matrix(local_rows(dense, plain, comm.rank), plain)
    b, rhs = right_hand_side(padded if wide == "b" else plain, comm.rank)
    dist = padded if wide == "x" else plain
    x = Field(dist, comm.rank)
    x.memory[...] = 0.5
    inner = interior(x.memory, dist, comm.rank)
    result = tridap.solve(A, b, x, tol=1e-12, copy="if_needed")
    np.testing.assert_allclose(whole(comm, plain, inner), np.linalg.solve(dense, rhs), atol=1e-10)
    assert x.memory.sum() - inner.sum() == pytest.approx(0.5 * (x.memory.size - inner.size))
    assert result.bytes_copied == inner.nbytes * (1 if wide == "b" else 2)
    with pytest.raises(tridap.ProtocolError, match=rf"copy=None, but {wide} has padding \(.*not one piece of memory") as raised:
        tridap.solve(A, b, x)
    text = str(raised.value)
    assert "axis 1" in text and 'pass copy="if_needed"' in text and len(set(comm.allgather(text))) == 1
    if comm.size > 2:
        assert f"{wide} has padding (1, 1)" in text


def ring(p):
    """An axis of 3 elements on each process, with padding of 1 at both sides of each part."""
    return tridap.block(starts=[0] + [3 * r + 1 for r in range(1, p)], padding=1, edges=(1, 1), periodic=True)


def padded_and_plain(p, ndim):
    """The same elements of a field with padding on each axis, and of one without padding."""
    grid = ([p] if p % 2 else [2, p // 2]) + [1, 1]
    grid = grid[:ndim]
    padded = tridap.distribution([3 * n + 2 for n in grid], [ring(n) for n in grid], processes=p)
    return padded, tridap.distribution([3 * n for n in grid], [tridap.block(starts=[3 * r for r in range(n)]) for n in grid], processes=p)


def padded_specs(p):
    return [ring(n) for n in ([p] if p % 2 else [2, p // 2]) + ([1] if p % 2 else [])]


@pytest.mark.parametrize("ndim", [2, 3])
@pytest.mark.parametrize("order", "CF")
def test_padding_on_all_axes_is_solved_as_the_unpadded_copy(comm, ndim, order):
    padded, plain = padded_and_plain(comm.size, ndim)
    dense = matrix(size(plain))
    rows = Field(plain, comm.rank, order=order)
    A = tridap.Matrix(local_rows(dense, plain, comm.rank), rows)
    given, rhs = right_hand_side(plain, comm.rank, order)
    b, x = Field(padded, comm.rank, 0.5, order), Field(padded, comm.rank, 0.5, order)
    inner, answer = interior(b.memory, padded, comm.rank), interior(x.memory, padded, comm.rank)
    inner[...] = given.memory
    with pytest.raises(tridap.ProtocolError, match="copies [0-9]+ bytes on this process") as refused:
        tridap.solve(A, b, x)
    assert f'pass copy="if_needed", which copies {inner.nbytes} bytes' in str(refused.value)
    for _ in range(2):
        answer[...] = 0
        alone = tridap.solve(A, given, tol=1e-12)
        result = tridap.solve(A, b, x, tol=1e-12, copy="if_needed")
        assert (alone.bytes_copied, result.bytes_copied) == (0, 3 * inner.nbytes)
        np.testing.assert_array_equal(answer, alone.x.interior)
        np.testing.assert_allclose(whole(comm, plain, answer), np.linalg.solve(dense, rhs), rtol=0, atol=1e-10)
        assert x.memory.sum() - answer.sum() == pytest.approx(0.5 * (x.memory.size - answer.size))


def test_a_matrix_keeps_the_memory_of_copies_of_all_its_calls(comm):
    padded, plain = padded_and_plain(comm.size, 2)
    dense = matrix(size(plain))
    rows = local_rows(dense, plain, comm.rank)
    inner = 8 * plain.count(comm.rank)
    vectors = tridap.distribution((*padded.shape, 2), [*padded_specs(comm.size), "*"], processes=comm.size)
    start, points = tridap.zeros(padded), tridap.zeros(vectors)
    start.interior[...] = 1.0
    points.interior[...] = np.arange(points.interior.size).reshape(points.interior.shape)
    calls = {"eigsh": (lambda A: tridap.eigsh(A, 1, v0=start, tol=1e-3), inner),
             "coordinates": (lambda A: tridap.Preconditioner(A, "muelu", coordinates=points), 2 * inner)}
    for name, (call, least) in calls.items():
        A = tridap.Matrix(rows, plain)
        assert A._kept_bytes == 0
        call(A)
        kept = A._kept_bytes
        assert kept >= least, name
        call(A)
        assert A._kept_bytes == kept, name


def test_a_ring_with_mirrors_has_the_elements_of_a_line(comm):
    line = tridap.distribution((3 * comm.size,), ("b",))
    ring = tridap.distribution((3 * comm.size + 2,), [tridap.block(starts=[0] + [3 * r + 1 for r in range(1, comm.size)],
                                                                  padding=1, edges=(1, 1), periodic=True)])
    dense = matrix(3 * comm.size)
    A = tridap.Matrix(local_rows(dense, line, comm.rank), line)
    b = tridap.from_function(line, lambda i: 1.0 + i % 5)
    x = tridap.zeros(ring)
    result = tridap.solve(A, b, x, tol=1e-12)
    assert result.bytes_copied == 0 and result.x.interior.shape == b.local.shape
    np.testing.assert_allclose(whole(comm, line, x.interior), np.linalg.solve(dense, 1.0 + np.arange(3 * comm.size) % 5), atol=1e-10)


def test_other_elements_are_named_beside_padding_that_differs(comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    dist = paddings(comm.size)["1"]
    A = tridap.Matrix(local_rows(matrix(size(dist)), dist, comm.rank), dist)
    starts = [0, 4] + [3 * r for r in range(2, comm.size)]
    other = tridap.distribution((3 * comm.size, 2), [tridap.block(starts=starts), "*"])
    with pytest.raises(tridap.ProtocolError, match="axis 0 .rank 0.: x has local extent 4, the rows of A have local extent 3"):
        tridap.solve(A, tridap.zeros(paddings(comm.size)["none"]), tridap.zeros(other))


@pytest.mark.parametrize("wide", ["b", "x"])
def test_memory_with_gaps_is_refused_by_the_name_of_the_argument(comm, wide):
    dist = tridap.distribution(4 * comm.size, processes=comm.size)
    A = tridap.Matrix(local_rows(matrix(size(dist)), dist, comm.rank), dist)
    b, x = (Field(dist, comm.rank, 1.0, step=2 if name == wide else 1) for name in "bx")
    with pytest.raises(tridap.ProtocolError, match=f"copy=None, but {wide} needs contiguous elements and axis 0 has stride 16 bytes"):
        tridap.solve(A, b, x)
