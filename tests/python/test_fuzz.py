"""Thousands of arrays that something random broke: a report for each, the same on every process, and nothing else."""

import random

import numpy as np
import pytest
import tridap
from producers import block, cyclic, listed, line_of, shared
from test_errors import Index, Keys, Map, Moody, Number, Odd, raising


class Anything:
    """Random values, of all sorts that a producer might put anywhere."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)

    def integer(self):
        big = [2**31, 2**32, 2**62, 2**63 - 1, 2**63, 2**64, 10**40]
        return self.random.choice([-2, -1, 0, 1, 2, 3, 4, 5, 7, *big, *(-n for n in big)])

    def array(self):
        kind = self.random.choice(["i1", "<i8", ">i4", "u8", "f8", "?", "c16", "S2", "V3", "O", "M8[s]"])
        shape = self.random.choice([(), (0,), (3,), (4,), (3, 1), (2, 3)])
        values = self.numbers.integers(-3, 9, shape).astype("i1").astype(kind) if kind[0] not in "SVM" else np.zeros(shape, kind)
        return values[::-1] if values.ndim and self.random.random() < 0.3 else values

    def leaf(self):
        r = self.random
        return r.choice([
            None, True, False, 0.0, 1.5, float("nan"), float("inf"), -0.0, 1j, "", "b", "c", "u", "n", "3", "\ud800", "\0", "\u00e4" * 99, b"b", b"",
            (), [], {}, object(), int, Ellipsis, NotImplemented, np.float32(3), np.int16(3), np.True_, np.ma.masked, np.ma.zeros(3), Odd(), Moody(), Number(3),
            Index(3), Index("3"), Index(raising(KeyError())), Keys(a=1), Map(None), Map([("size", 3)]), range(3), iter([1]), bytearray(3), memoryview(b"abc"),
            (0, 0), (1, 1), [1, 0], (1,), (True, 0), (0.0, 1), raising(KeyError()), slice(3), [[]] * 3, {1: 2}, {"1": {}}])

    def value(self):
        return self.random.choice([self.integer, self.integer, self.array, self.leaf, self.leaf])()

    def key(self):
        return self.random.choice(["size", "start", "stop", "padding", "periodic", "block_size", "indices", "one_to_one", "dist_type", "proc_grid_size",
                                   "proc_grid_rank", "other", "", "\ud800", 1, None, b"size", (), "buffer", "dim_data", "__version__", True])

    def broken(self, given):
        """A copy with one to three things broken."""
        given = {**given, "dim_data": tuple(map(dict, given["dim_data"]))}
        for _ in range(self.random.choice([1, 1, 2, 3])):
            dims = given.get("dim_data")
            place = given
            if type(dims) in (tuple, list) and dims and self.random.random() < 0.7:
                place = self.random.choice(dims)
            if not type(place) is dict:
                continue
            act = self.random.random()
            known = list(place)
            if act < 0.2 and known:
                del place[self.random.choice(known)]
            elif act < 0.7 and known:
                place[self.random.choice(known)] = self.value()
            elif act < 0.9:
                place[self.key()] = self.value()
            elif type(dims) in (tuple, list):
                given["dim_data"] = self.random.choice([lambda: dims + dims, lambda: dims[1:], lambda: dims[::-1], lambda: list(dims), lambda: dims + (self.value(),),
                                                        lambda: dict(enumerate(dims))])() if type(dims) is tuple else tuple(dims)
        if self.random.random() < 0.2:
            given["__version__"] = self.random.choice(["0.9.0", "0.9.1", "0.10.3"])
        return given


GOOD = [
    lambda: {"__version__": "0.10.0", "buffer": np.zeros((3, 4)), "dim_data": (block(3), block(4, padding=(1, 1)))},
    lambda: {"__version__": "0.10.0", "buffer": np.zeros((5, 3), "i4"), "dim_data": (cyclic(5, block_size=2), listed(3, np.array([4, -1, 2])))},
    lambda: {"__version__": "0.9.0", "buffer": np.zeros(6), "dim_data": (block(4, padding=(1, 1), periodic=True),)},
    lambda: {"__version__": "0.9.0", "buffer": np.zeros((2, 2)), "dim_data": ({"dist_type": "n", "size": 2}, listed(2, [1, 0]))},
    lambda: {"__version__": "0.10.0", "buffer": np.zeros((2, 2)), "dim_data": ({}, {})},
]


def verdict(given, comm=None):
    """What check and asarray say, which must be the same; a right array must go out and in again."""
    report = tridap.check(given, comm)
    try:
        made = tridap.asarray(given, comm)
    except tridap.ProtocolError as error:
        assert not report.ok and error.report.json() == report.json()
        return str(error)
    assert report.ok
    if made.is_whole:
        again = tridap.asarray(made.__distarray__(), comm)
        assert again.distribution == made.distribution and again.local.shape == made.local.shape
    for finding in report.findings:
        assert str(finding).isprintable()
    return "right"


@pytest.mark.parametrize("good", range(len(GOOD)))
def test_anything_broken_alone_is_a_report(comm, good):
    said = set()
    for seed in range(800 if comm.rank == 0 else 0):  # which needs no other process
        anything = Anything(seed)
        said.add(verdict(anything.broken(GOOD[good]())))
    assert comm.rank != 0 or "right" in said and len(said) > 100


def test_one_broken_process_gives_the_same_report_on_all(comm):
    said = []
    for seed in range(300 // comm.size):
        given = line_of(comm, 2 * comm.size + 1)
        if seed % comm.size == comm.rank:
            given = Anything(seed).broken(given)
        said.append(verdict(given, comm))
    assert shared(comm, tuple(said)) and len(set(said)) > 30


def test_differently_broken_processes_give_one_report_on_all(comm):
    said = []
    for seed in range(120 // comm.size):
        said.append(verdict(Anything(seed * comm.size + comm.rank).broken(line_of(comm, 2 * comm.size + 1)), comm))
    assert shared(comm, tuple(said))


def test_a_broken_c_or_u_axis_gives_the_same_report_on_all(comm):
    said = []
    for seed in range(240 // comm.size):
        n = 2 * comm.size
        axis = [cyclic(n, comm.size, comm.rank, block_size=2), listed(n, np.array([comm.rank, comm.rank + comm.size]), comm.size, comm.rank, one_to_one=True)][seed % 2]
        given = {"__version__": ["0.9.0", "0.10.0"][seed // 2 % 2], "buffer": np.zeros((2, 3)), "dim_data": (axis, block(3))}
        if seed % comm.size == comm.rank:
            given = Anything(seed).broken(given)
        said.append(verdict(given, comm))
    assert shared(comm, tuple(said))


def test_random_objects_are_no_producers(comm):
    said = [verdict(Anything(seed * comm.size + comm.rank).value(), comm) for seed in range(240 // comm.size)]
    assert shared(comm, tuple(said)) and "right" not in said
