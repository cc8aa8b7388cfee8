"""LinearOperator's function, and what it may do wrong; what is kept of a matrix between solves."""

import collections.abc

import numpy as np
import pytest
import tridap
from systems import second_difference


@pytest.fixture
def line(comm):
    return tridap.distribution(40, processes=comm.size)


@pytest.fixture
def b(line):
    return tridap.from_function(line, lambda i: 1.0 + i)


def test_a_product_that_is_returned_is_an_error(line, b):
    for method in ("cg", "gmres"):
        with pytest.raises(tridap.ProtocolError, match="write the product to its second argument"):
            tridap.solve(tridap.LinearOperator(lambda x, y: 2 * x, line), b, method=method)


def test_a_product_that_is_forgotten_is_no_answer(line, b):
    for method in ("cg", "gmres"):
        with pytest.raises(tridap.ProtocolError):
            tridap.solve(tridap.LinearOperator(lambda x, y: None, line), b, method=method)


def test_a_function_may_make_its_operator_anew(line, b):
    def double(x, y):
        y[...] = 2 * x

    def again(x, y):
        double(x, y)
        calls.append(1)
        if len(calls) == 1:
            op.__init__(double, line)

    calls = []
    op = tridap.LinearOperator(again, line)
    assert np.allclose(tridap.solve(op, b).x.local, b.local / 2)


class Options(collections.abc.Mapping):
    """A mapping that is shown by its address."""

    def __init__(self, **said):
        self.said = said

    def __getitem__(self, key):
        return self.said[key]

    def __iter__(self):
        return iter(self.said)

    def __len__(self):
        return len(self.said)


def test_changed_options_make_another_preconditioner(comm, line, b):
    matrix = second_difference(line, comm)

    def iterations(options):
        return tridap.solve(matrix, b, preconditioner="ifpack2", preconditioner_options=options, tol=1e-12).iterations

    said = {"type": "CHEBYSHEV", "chebyshev: degree": 1}
    turned = dict(reversed(said.items()))
    weak = iterations(said if comm.rank == 0 else turned)
    changing = Options(**said)
    assert iterations(changing) == weak
    changing.said["chebyshev: degree"] = 8
    assert iterations(changing) < weak


def test_an_answer_needs_memory_of_its_own_for_each_element(comm, line, b):
    one = np.lib.stride_tricks.as_strided(np.zeros(1), (line.count(comm.rank),), (0,))
    x = {"__version__": "0.10.0", "buffer": one, "dim_data": line.dim_data(comm.rank)}
    with pytest.raises(tridap.ProtocolError, match="share memory"):
        tridap.solve(second_difference(line, comm), b, x, copy="if_needed")


def test_a_direct_method_has_nothing_to_call_back_after(comm, line, b):
    with pytest.raises(tridap.ProtocolError, match="no iterations"):
        tridap.solve(second_difference(line, comm), b, method="direct", callback=print)


def test_no_memory_for_x_on_one_process_is_an_error_on_all(comm, line, b, monkeypatch):
    def zeros_like(*_, **__):
        raise MemoryError("none left")

    if comm.rank == comm.size - 1:
        monkeypatch.setattr(np, "zeros_like", zeros_like)
    with pytest.raises(tridap.ProtocolError, match="none left"):
        tridap.solve(second_difference(line, comm), b)
