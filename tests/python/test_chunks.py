"""How PyTorch cuts an axis, against lists that are cut again and again."""

import itertools

import numpy as np
import pytest
import tridap
from dtensors import _StridedShard, chunk
from tridap import _chunks

CUTS = [counts for axes in (1, 2, 3) for counts in itertools.product((1, 2, 3, 4, 5), repeat=axes) if np.prod(counts) <= 12]


def cut(items, cuts):
    """The share of each place of a mesh, in row-major order: every cut divides the shares of the one before."""
    shares = [items]
    for parts, factor in cuts:
        shares = [part for share in shares for part in _StridedShard(0, split_factor=factor).cut(share, parts)]
    return shares


def held(size, cuts, **how):
    """The indices of each share by the distribution that `_chunks` makes; None if it makes none."""
    found = _chunks.axis(size, cuts, **how)
    if isinstance(found, str):
        return None
    processes = int(np.prod([parts for parts, _ in cuts]))
    dist = tridap.distribution((size,), [found[0]], processes=processes)
    return [dist.indices(place)[0].tolist() for place in found[1]]


def test_irregular_shares_of_several_axes_of_a_mesh():
    lengths = [[len(share) for share in held(size, [(2, 1), (2, 1)])] for size in (3, 2)]
    assert lengths == [[1, 1, 1, 0], [1, 0, 1, 0]]


@pytest.mark.parametrize("size", range(13))
def test_each_share_has_the_indices_of_nested_chunks(size):
    for counts in CUTS:
        assert held(size, [(parts, 1) for parts in counts]) == cut(list(range(size)), [(parts, 1) for parts in counts]), counts


@pytest.mark.parametrize("size", range(13))
def test_each_order_of_the_axes_of_a_mesh(size):
    for counts in CUTS:
        for order in itertools.permutations(range(len(counts))):
            shares = {(): list(range(size))}
            for axis in order:  # places are pairs of an axis and a coordinate
                shares = {(*place, (axis, k)): part for place, share in shares.items()
                          for k, part in enumerate(chunk(share, counts[axis]))}
            wanted = [shares[tuple((axis, place[axis]) for axis in order)] for place in itertools.product(*map(range, counts))]
            assert held(size, [(parts, 1) for parts in counts], order=list(order)) == wanted, (counts, order)


@pytest.mark.parametrize("plain", [True, False])
def test_strided_shards_are_exact_or_refused(plain):
    exact, refused = set(), set()
    for size, (a, f), (b, g) in itertools.product(range(25), itertools.product((1, 2, 3), (1, 2, 3, 4)), itertools.product((1, 2), (1, 2))):
        cuts = [(a, f), (b, g)]
        found = held(size, cuts, plain=plain)
        (refused if found is None else exact).add((size, a, f, b, g))
        assert found is None or found == cut(list(range(size)), cuts), (size, cuts)
    assert {(8, 2, 2, 2, 1), (6, 2, 2, 2, 1), (5, 2, 2, 2, 1), (3, 2, 2, 2, 1)} <= exact and len(exact) > 300  # FSDP's with TP's
    assert refused


def test_one_strided_shard_is_dealt_round():
    assert held(12, [(2, 3)]) == [[0, 1, 4, 5, 8, 9], [2, 3, 6, 7, 10, 11]]
    assert "not divided into equal pieces" in _chunks.axis(13, [(2, 3)])
    assert held(19, [(3, 2), (2, 1)]) is None  # the two ways in which PyTorch cuts it differ
