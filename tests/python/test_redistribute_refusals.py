"""What redistribute and Redistribution refuse: on every process, and nothing is written."""

import numpy as np
import pytest
import tridap
from producers import dict_of, everywhere


@pytest.fixture
def rows(comm):
    return tridap.from_function(tridap.distribution((13, 5), ("b", "*"), processes=comm.size), lambda i, j: 10.0 * i + j,
                                comm=comm)


@pytest.fixture
def columns(comm):
    return tridap.distribution((13, 5), ("*", "c"), processes=comm.size)


def on(comm, wrong, right):
    """The wrong argument on the last process."""
    return wrong if comm.rank == comm.size - 1 else right


def refused(comm, words, call):
    with pytest.raises((tridap.ProtocolError, TypeError, ValueError), match=words) as raised:
        call()
    assert comm.size == 1 or isinstance(raised.value, tridap.ProtocolError)
    assert everywhere(comm, len(set(comm.allgather(str(raised.value)))) == 1)


def test_a_wrong_option_of_one_process_is_refused_by_all(comm, rows, columns):
    wrong = {"axes": ((0, 0), "axes is .0, 0., must have each of the 2 axes"), "order": ("K", "order is 'K'"),
             "convert": (5, "convert is 5"), "fill_padding": (1.0, "fill_padding is 1.0, must be True or False"),
             "partial": ("yes", "partial is 'yes'"), "alpha": ("a", "alpha is 'a', must be a number"),
             "beta": ([], "beta is .., must be a number"), "grid": (2, "grid is given")}
    right = {"axes": (0, 1), "order": "C", "convert": False, "fill_padding": False, "partial": False, "alpha": 1,
             "beta": 0, "grid": None}
    for name, (bad, words) in wrong.items():
        refused(comm, words, lambda: tridap.redistribute(rows, columns, **{name: on(comm, bad, right[name])}))
    for name in ("axes", "order", "fill_padding", "partial"):
        other = {"axes": (1, 0), "order": "F", "fill_padding": True, "partial": True}[name]
        if comm.size > 1:
            square = tridap.distribution((6, 6), processes=comm.size)
            refused(comm, "same on every process",
                    lambda: tridap.Redistribution(square, square, comm=comm, **{name: on(comm, other, right[name])}))
    assert everywhere(comm, tridap.redistribute(rows, columns).shape == (13, 5))


def test_wrong_arguments_of_one_process_are_refused_by_all(comm, rows, columns):
    out = tridap.zeros(columns, comm=comm)
    plan = tridap.Redistribution(rows, columns)
    frozen = np.zeros(columns.local_shape(comm.rank))
    frozen.flags.writeable = False
    read_only = tridap.array(frozen, columns, comm)
    ints = tridap.zeros(rows.distribution, int, comm=comm)
    other = tridap.zeros(tridap.distribution((13, 5), ("c", "*"), processes=comm.size), comm=comm)
    lists = np.full(rows.local.shape, None)
    calls = {"no __distarray__": lambda: plan(on(comm, 5, rows)),
             "x is None, must be this process's part": lambda: plan(on(comm, None, rows), out),
             "offers no memory": lambda: plan(on(comm, dict_of([[1.0]], *rows.dim_data), rows)),
             "x's elements are int64, must be float64": lambda: plan(on(comm, ints, rows)),
             "holds Python objects": lambda: plan(on(comm, dict_of(lists, *rows.dim_data), rows)),
             "target is read-only": lambda: plan(rows, on(comm, read_only, out)),
             "out's elements are float32": lambda: plan(rows, on(comm, tridap.zeros(columns, "f4", comm=comm), out)),
             "number": lambda: plan(rows, out, alpha=on(comm, "a", 1)),
             "beta is not 0, but out is None": lambda: plan(rows, beta=on(comm, 1, 0))}
    if comm.size > 1:
        calls.update({"x has another distribution than the plan": lambda: plan(on(comm, other, rows), out),
                      "out has another distribution": lambda: plan(rows, on(comm, rows, out)),
                      "alpha or beta": lambda: plan(rows, out, alpha=on(comm, 2, 1)),
                      "others let the plan make it": lambda: plan(rows, on(comm, None, out))})
    for words, call in calls.items():
        refused(comm, words, call)
        assert everywhere(comm, not np.any(out.local))
    plan(rows, out)
    moved = out.local.copy()
    for words, call in calls.items():  # again, when all is prepared for a move
        refused(comm, words, call)
        assert everywhere(comm, np.array_equal(out.local, moved))
    for words in ("x's elements are int64", "no __distarray__"):
        refused(comm, words, lambda: plan.start(on(comm, ints if "int" in words else 5, rows), out))
    assert everywhere(comm, np.array_equal(plan(rows).local, tridap.redistribute(rows, columns).local))
    shared = tridap.array(rows.local, rows.distribution, comm)
    refused(comm, "share memory", lambda: tridap.redistribute(rows, None, shared))


def test_plans_that_are_wrong_on_one_process_are_refused_by_all(comm, rows, columns):
    narrow = tridap.distribution((13, 4), ("b", "*"), processes=comm.size)
    many = tridap.distribution((13, 5), ("b", "*"), processes=comm.size + 1)
    make = tridap.Redistribution
    calls = {"source is a str, must be a Distribution": lambda: make(on(comm, "b", rows), columns, comm=comm),
             "data type": lambda: make(rows, columns, on(comm, "no type", float)),
             "Python objects": lambda: make(rows, columns, on(comm, object, float)),
             f"has {comm.size + 1} processes, but": lambda: make(rows, on(comm, many, columns)),
             "target_ranks is": lambda: make(rows, columns, target_ranks=on(comm, [comm.size] * comm.size, None)),
             "must be an integer": lambda: make(rows, columns, target_ranks=on(comm, ["a"], None)),
             "axis 1.*(4|5)": lambda: make(rows, narrow)}
    for words, call in calls.items():
        refused(comm, words, call)
    with pytest.raises(TypeError, match="communicator"):
        make(rows, columns, comm=5)
    refused(comm, "to and out are None", lambda: tridap.redistribute(rows, comm=comm))
    refused(comm, "an object of type NoneType", lambda: tridap.redistribute(on(comm, None, rows), columns, comm=comm))


def test_lists_that_differ_between_processes_are_refused_by_all(comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    lists = [[3 * c + 1, 3 * c, 3 * c + 2] for c in range(comm.size)]
    turned = [part[::-1] for part in lists]  # which describe() does not show
    dist, other = (tridap.distribution(3 * comm.size, (given,)) for given in (lists, turned))
    refused(comm, "different distributions",
            lambda: tridap.Redistribution(dist, on(comm, other, dist), comm=comm))


def test_an_interrupt_on_one_process_is_an_error_on_the_others(comm, rows, columns):
    class Interrupting:
        def __distarray__(self):
            raise KeyboardInterrupt

    plan, last = tridap.Redistribution(rows, columns), comm.rank == comm.size - 1
    for call in (lambda: plan(on(comm, Interrupting(), rows)), lambda: plan.start(on(comm, Interrupting(), rows))):
        with pytest.raises(KeyboardInterrupt if last else tridap.ProtocolError):
            call()
    assert everywhere(comm, plan(rows).shape == (13, 5))


def test_the_cause_is_kept_on_the_process_that_raised(comm, rows, columns):
    class Failing:
        def __distarray__(self):
            raise ZeroDivisionError("nothing")

    plan, last = tridap.Redistribution(rows, columns), comm.rank == comm.size - 1
    with pytest.raises(tridap.ProtocolError, match="ZeroDivisionError: nothing") as raised:
        plan(on(comm, Failing(), rows))
    assert raised.value.report.findings and (not last or "ZeroDivisionError" in str(raised.value))


def test_a_plan_works_after_the_communicator_is_freed(comm):
    freed = comm.Dup()
    dist = tridap.distribution(8, processes=comm.size)
    x = tridap.from_function(dist, lambda i: 1.0 + i, comm=freed)
    plan = tridap.Redistribution(x, tridap.distribution(8, "c", processes=comm.size))
    plan(x)
    freed.Free()
    y = plan(x)
    assert np.array_equal(plan.reversed()(y).local, x.local) and y.sum() == 36
    assert np.array_equal(plan.start(x).wait().local, y.local)


def test_a_plan_must_be_made_before_it_is_used(comm):
    plan = tridap.Redistribution.__new__(tridap.Redistribution)
    with pytest.raises(TypeError, match="__init__|initialised"):
        plan(5)
    with pytest.raises(TypeError):
        tridap.Redistribution()


def test_element_types_that_differ_are_refused_on_all(comm, rows, columns):
    """Types of one length, which the numbers of bytes do not show."""
    if comm.size == 1:
        pytest.skip("one process cannot differ from another")
    make = tridap.Redistribution
    refused(comm, "must be the same on every process", lambda: make(rows, columns, on(comm, "i8", "f8")))
    refused(comm, "must be the same on every process", lambda: make(rows, columns, convert=on(comm, "f4", "c8")))
    refused(comm, "must be the same on every process", lambda: make(rows, columns, convert=on(comm, "f4", True)))


def test_elements_in_other_places_than_in_the_plan_are_refused(comm):
    lists = [[2 * c, 2 * c + 1] for c in range(comm.size)]
    dist, turned = (tridap.distribution((2 * comm.size,), (given,), processes=comm.size)
                    for given in (lists, [part[::-1] for part in lists]))
    plan = tridap.Redistribution(dist, dist, comm=comm)
    with pytest.raises(tridap.ProtocolError, match="x has another distribution than the plan"):
        plan(tridap.zeros(turned, comm=comm))
