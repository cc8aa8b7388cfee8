"""An error of a collective call has one kind on every process, and is printed by one if the program does not catch it."""

import sys

import numpy as np
import pytest
import tridap
from tridap import _agree, _sample


def rows_of(comm):
    return tridap.from_function(tridap.distribution((2 * comm.size, 4), ("b", "*"), processes=comm.size), lambda i, j: 10 * i + j)


def test_a_type_error_of_one_process_is_one_on_all(comm):
    x = rows_of(comm)
    last = comm.rank == comm.size - 1
    for call in (lambda: x.sum(axis="0" if last else None), lambda: x.dot(x.local if last else x),
                 lambda: tridap.scatter(None if comm.rank == 0 else x.local, x.distribution, comm)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(IndexError):
        x[2 * comm.size if last else 0, 0]
    if comm.size > 1:
        with pytest.raises(tridap.ProtocolError) as caught:  # a ValueError on one process
            x.norm("nonsense" if last else "fro")
        assert not isinstance(caught.value, (TypeError, IndexError))

        def step():
            raise (TypeError if last else ValueError)("no")

        with pytest.raises(tridap.ProtocolError) as caught:
            _agree.together(comm, step)
        assert not isinstance(caught.value, (TypeError, IndexError))


@pytest.mark.parametrize("option", [None, "every process"])
def test_an_uncaught_collective_error_is_printed_by_one_process(comm, capsys, option):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    x = rows_of(comm)
    last = comm.rank == comm.size - 1
    before = tridap.set_option(errors=option)
    try:
        for call in (lambda: x.norm("nonsense" if last else None), lambda: tridap.asarray("no array" if last else x, comm),
                     lambda: tridap.redistribute(x, "b,b,b" if last else "b,*"), lambda: x.sum(dtype="nonsense")):
            with pytest.raises(tridap.ProtocolError) as caught:
                call()
            sys.excepthook(caught.type, caught.value, caught.tb)
            printed = "Protocol" in capsys.readouterr().err
            assert comm.allgather(printed) == [option is not None or rank == 0 for rank in range(comm.size)]
        for alone in (lambda: tridap.asarray("no array"), lambda: tridap.distribution((3, 4), "b", processes=comm.size), lambda: 1 / 0):
            with pytest.raises(Exception) as caught:  # which other processes may not raise
                alone()
            sys.excepthook(caught.type, caught.value, caught.tb)
            assert "Error" in capsys.readouterr().err
    finally:
        tridap.set_option(**before)


class Unsayable(Exception):
    __str__ = __repr__ = lambda self: 1 / 0


class Index:
    def __init__(self, error):
        self.error = error

    def __index__(self):
        raise self.error

    __repr__ = __index__


@pytest.mark.parametrize("error", [Unsayable(), ValueError("\ud800"), MemoryError()], ids=lambda error: type(error).__name__)
def test_what_cannot_be_said_of_an_error_is_no_reason_to_wait(comm, error):
    array = tridap.asarray(tridap.zeros(tridap.distribution(8, processes=comm.size)), comm)
    last = comm.rank == comm.size - 1
    with pytest.raises(tridap.ProtocolError, match=type(error).__name__) as raised:
        array.gather(Index(error) if last else 0)
    assert (raised.value.__cause__ is error) == last


class Ending:
    """NumPy, of which one call of a function finds no memory."""

    def __init__(self, name, left):
        self.name, self.left = name, left

    def __getattr__(self, name):
        return self.fail if name == self.name else getattr(np, name)

    def fail(self, *arguments, **how):
        self.left -= 1
        if self.left == 0:
            raise MemoryError("no more")
        return getattr(np, self.name)(*arguments, **how)


@pytest.mark.parametrize("name, bad", [(name, bad) for name in ("concatenate", "unique", "flatnonzero", "ix_", "ascontiguousarray")
                                       for bad in (0, -1)] + [("zeros", 0)])
def test_memory_that_ends_on_one_process_ends_it_on_all(comm, monkeypatch, name, bad):
    gaps = [[c, 9 * comm.size - c] for c in range(comm.size)]
    array = tridap.asarray(tridap.from_function(tridap.distribution((2 * comm.size, 5), (gaps, "*")), lambda i, j: 100.0 * i + j), comm)

    def collect():
        axes = _agree.together(comm, lambda: [_sample._Axis(array, axis) for axis in range(2)], same=False)
        return _sample.sampled(array, axes)

    failures = 0
    for left in range(1, 100):
        here = Ending(name, left if comm.rank == bad % comm.size else 0)
        monkeypatch.setattr(_sample, "np", here)
        try:
            collect()
            raised = False
        except tridap.ProtocolError as error:
            raised = "MemoryError: no more" in str(error)
            assert raised
        assert len(set(comm.allgather(raised))) == 1
        if not raised:
            break
        failures += 1
    assert failures > 0
