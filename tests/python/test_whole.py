"""gather, plot and what notebooks show."""

import sys
import xml.etree.ElementTree

import numpy as np
import pytest
import tridap
from producers import dict_of
from tridap import _agree, _whole


def layouts(size):
    yield tridap.distribution((7, 5), ("b", "*"), processes=size)
    yield tridap.distribution((6, 9), ("c:2", "*"), processes=size)
    yield tridap.distribution((5, 8), ("*", "c"), processes=size)
    yield tridap.distribution((12 * size, 3), (tridap.block(padding=2), "*"), processes=size)
    yield tridap.distribution(2 * size + 1, (tridap.unstructured([list(range(c, 2 * size + 1, size))
                                                                  for c in range(size)]),), processes=size)


def whole_of(dist):
    """What counting all elements gives, without asking who owns them."""
    indices = np.indices(dist.shape)
    return sum(index * 100.0 ** (dist.ndim - 1 - axis) for axis, index in enumerate(indices))


def counted(*indices):
    return sum(index * 100.0 ** (len(indices) - 1 - axis) for axis, index in enumerate(indices))


def test_gather_brings_every_element_to_its_place(comm):
    for dist in layouts(comm.size):
        array = tridap.from_function(dist, counted)
        for root in {0, comm.size - 1}:
            whole = array.gather(root)
            assert (whole is None) == (comm.rank != root)
            if whole is not None:
                assert np.array_equal(whole, whole_of(dist))


def test_gather_leaves_out_the_mirrors_of_a_periodic_axis(comm):
    dist = tridap.distribution(4 * comm.size + 2, tridap.block(padding=1, periodic=True), processes=comm.size)
    array = tridap.from_function(dist, lambda i: i + 0.0)
    for root in {0, comm.size - 1}:
        whole = array.gather(root)
        if comm.rank == root:
            assert np.array_equal(whole, np.arange(1, 4 * comm.size + 1))


def test_gather_keeps_element_types_and_needs_no_axes(comm):
    for dtype in ("i1", ">f8", "c16"):
        whole = tridap.from_function(tridap.distribution(9), lambda i: i, dtype).gather()
        assert comm.rank != 0 or (whole.dtype == dtype and np.array_equal(whole, np.arange(9)))
    assert tridap.from_function(tridap.distribution((), (), ()), lambda: 3).gather() == 3


def test_plot_refuses_what_is_no_range(comm):
    pytest.importorskip("matplotlib")
    dist = tridap.distribution(comm.size, (tridap.unstructured([[10 * c] for c in range(comm.size)]),))
    array = tridap.zeros(dist)
    if comm.size > 1:
        with pytest.raises(tridap.ProtocolError, match="there is no single array"):
            array.plot()
    with pytest.raises(ValueError, match="root"):
        array.gather(comm.size)


def test_plot_draws_what_is_there(comm):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    dist = tridap.distribution((40, 30), ("b", "*"), processes=comm.size)
    ax = tridap.from_function(dist, lambda i, j: 100.0 * i + j).plot()
    assert (ax is None) == (comm.rank != 0)
    if ax is not None:
        drawn = ax.images[0].get_array()
        assert np.array_equal(drawn, whole_of(dist)) and len(ax.lines) == comm.size - 1
    ax = tridap.from_function(dist, lambda i, j: 100.0 * i + j).plot(section=(None, 4), cells=10)
    if ax is not None:
        assert np.array_equal(ax.lines[0].get_ydata(), np.arange(0, 40, 4) * 100.0 + 4)
    ring = tridap.distribution(4 * comm.size + 2, tridap.block(padding=1, periodic=True), processes=comm.size)
    ax = tridap.from_function(ring, lambda i: i + 0.0).plot(cells=comm.size)
    if ax is not None:
        assert np.array_equal(ax.lines[0].get_ydata(), ax.lines[0].get_xdata())
        assert ax.lines[0].get_xdata()[0] == 1
    pyplot.close("all")


def test_plot_refuses_a_section_that_is_none(comm):
    array = tridap.zeros(tridap.distribution((4, 4), ("b", "*"), processes=comm.size))
    for section in ((None,), (0, 0), (None, None, None)):
        with pytest.raises(ValueError, match="section"):
            array.plot(section=section)


def test_notebooks_see_the_ownership_as_svg(comm):
    array = tridap.zeros(tridap.distribution((4, 6), ("b", "*"), processes=comm.size))
    report = tridap.check(array, comm)
    for html in (report._repr_html_(), array._repr_html_(), array.distribution._repr_html_()):
        svg = html[html.index("<svg"):html.index("</svg>") + len("</svg>")]
        cells = [cell for cell in xml.etree.ElementTree.fromstring(svg).iter() if cell.get("class") == "cell"]
        assert len(cells) >= 24 and {cell.get("data-owner") for cell in cells} == {
            str(array.owner(i, 0)) for i in range(4)}


def test_notebooks_see_a_wrong_array_as_a_table_whose_text_is_no_html():
    report = tridap.check({"__version__": "<b>", "buffer": np.zeros(2), "dim_data": ()})
    html = report._repr_html_()
    assert "<svg" not in html and "&lt;b&gt;" in html and "<b>'" not in html and "version.form" in html


def test_arguments_that_differ_between_processes_are_refused_by_all(comm):
    if comm.size == 1:
        return
    array = tridap.zeros(tridap.distribution((4, 4), ("b", "*"), processes=comm.size))
    first = comm.rank == 0
    mixed = tridap.zeros(array.distribution, float if first else np.float32)
    for wrong in (lambda: array.gather(comm.rank), lambda: array.gather(0 if first else 99), lambda: mixed.gather(),
                  lambda: array.plot(section=(None, 0) if first else (None,)), lambda: array.plot(cells=5 if first else 0),
                  lambda: array.plot(cells=5 if first else 6)):
        with pytest.raises(ValueError):
            wrong()
    assert (array.gather() is not None) == first


def test_arrays_of_one_layout_and_two_element_types_are_no_array(comm):
    mixed = tridap.zeros(tridap.distribution(8, processes=comm.size), float if comm.rank == 0 else np.float32)
    if comm.size > 1:
        with pytest.raises(tridap.ProtocolError, match="agree.element_type"):
            tridap.asarray(mixed, comm)


def test_plot_shows_the_first_section_there_is_and_refuses_others(comm):
    pytest.importorskip("matplotlib")
    size, p, r = 4 * comm.size, comm.size, comm.rank
    rows = {"dist_type": "b", "size": size + 2, "proc_grid_size": p, "proc_grid_rank": r, "periodic": True,
            "start": 4 * r, "stop": 4 * r + 6, "padding": (1, 1)}
    whole = [{"dist_type": "b", "size": n, "proc_grid_size": 1, "proc_grid_rank": 0, "start": 0, "stop": n} for n in (2, 3)]
    made = tridap.asarray({"__version__": "0.10.0", "buffer": np.full((6, 2, 3), 7.0), "dim_data": (rows, *whole)}, comm)
    drawn = made.plot()
    assert (drawn is not None) == (r == 0)
    assert drawn is None or np.all(drawn.images[0].get_array() == 7)
    for index in (0, size + 1):  # mirrors
        with pytest.raises(ValueError, match="axis 0, whose global indices are 1 to"):
            made.plot(section=(index, None, None))


def test_arguments_that_are_none_on_one_process_are_refused_by_all(comm):
    plots = pytest.importorskip("matplotlib.pyplot")
    dist = tridap.distribution((4, 4), ("b", "*"), processes=comm.size)
    array, complexes = tridap.zeros(dist), tridap.zeros(dist, complex)
    last = comm.rank == comm.size - 1
    on_last = lambda wrong, right: wrong if last else right
    calls = {"root is 1.5, must be an integer": lambda: array.gather(on_last(1.5, 0)),
             "root is 'a', must be an integer": lambda: array.gather(root=on_last("a", 0)),
             "cells is 2.5, must be an integer": lambda: array.plot(cells=on_last(2.5, 1000)),
             "an entry of section is 0.5": lambda: array.plot(section=on_last((0.5, None), (0, None))),
             "section": lambda: array.plot(section=on_last(5, None)),
             "plot draws real numbers, but the elements are complex128": complexes.plot,
             "no such colours": lambda: array.plot(cmap="no such colours"),
             "'int' object has no attribute": lambda: array.plot(ax=5 if comm.rank == 0 else None)}
    for words, call in calls.items():
        with pytest.raises((TypeError, ValueError, AttributeError), match=words):
            call()
        plots.close("all")
    assert (array.gather() is not None) == (comm.rank == 0)


def test_the_whole_of_an_array_of_a_freed_communicator_is_a_value_error(comm):
    freed = comm.Dup()
    array = tridap.asarray(tridap.zeros(tridap.distribution(8, processes=comm.size)), freed)
    freed.Free()
    for call in array.gather, array.plot:
        with pytest.raises(ValueError, match="COMM_NULL"):
            call()


class Broken:
    """A module that raises where anything is imported from it."""
    __spec__ = None

    def __init__(self, error):
        self.error = error

    def __getattr__(self, name):
        raise self.error


@pytest.mark.parametrize("error", [ValueError("nonsense is no backend"), ImportError("not there"), KeyboardInterrupt()],
                         ids=lambda error: type(error).__name__)
def test_a_matplotlib_that_raises_on_process_0_fails_all(comm, monkeypatch, error):
    array = tridap.asarray(tridap.zeros(tridap.distribution(8, processes=comm.size)), comm)
    if comm.rank == 0:
        monkeypatch.setitem(sys.modules, "matplotlib", Broken(error))
    interrupted = isinstance(error, KeyboardInterrupt) and comm.rank == 0
    with pytest.raises(KeyboardInterrupt if interrupted else tridap.ProtocolError) as raised:
        array.plot()
    assert interrupted or f"{type(error).__name__}" in str(raised.value)


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


@pytest.mark.parametrize("how", ["gather", "plot"])
def test_processes_with_other_distributions_are_refused(comm, how):
    pytest.importorskip("matplotlib")
    size = comm.size
    lists = [list(range(c, 3 * size, size)) for c in range(size)]
    turned = [list(reversed(indices)) for indices in lists]  # which repr() does not show
    here = comm.rank == size - 1
    for mine, others in [(9, 8), (("b",), ("c",)), (lists, turned)]:
        given = mine if here else others
        dist = (tridap.distribution(given, processes=size) if isinstance(given, int) else
                tridap.distribution(3 * size, given, processes=size) if isinstance(given, tuple) else
                tridap.distribution(3 * size, (tridap.unstructured(given),), processes=size))
        array = tridap.zeros(dist)
        if size == 1:
            getattr(array, how)()
            continue
        with pytest.raises(tridap.ProtocolError, match="same on every process"):
            getattr(array, how)()
        assert comm.allreduce(1) == size


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


@pytest.mark.parametrize("name", ["concatenate", "unique", "flatnonzero", "ix_", "ascontiguousarray", "empty"])
@pytest.mark.parametrize("bad", [0, -1])
def test_memory_that_ends_on_one_process_ends_it_on_all(comm, monkeypatch, name, bad):
    array = tridap.asarray(tridap.from_function(tridap.distribution((7, 5), ("b", "*"), processes=comm.size), counted), comm)

    def collect():
        axes = _agree.together(comm, lambda: [_whole._Axis(array, axis) for axis in range(2)], same=False)
        return _whole._collect(array, axes, 0)

    failures = 0
    for left in range(1, 100):
        here = Ending(name, left if comm.rank == bad % comm.size else 0)
        monkeypatch.setattr(_whole, "np", here)
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


def test_plot_steps_over_what_it_draws(comm):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    rows = {"dist_type": "b", "size": 6 * comm.size, "proc_grid_size": comm.size, "proc_grid_rank": comm.rank,
            "start": 6 * comm.rank, "stop": 6 * comm.rank + 6, "padding": (1, 1), "periodic": True}
    old = tridap.asarray(dict_of(np.zeros(8), rows, version="0.9.0"), comm)
    new = tridap.asarray(old.__distarray__(), comm)  # which counts the mirror before the first element
    drawn = [array.plot(cells=6 * comm.size) for array in (old, new)]
    for first, ax in enumerate(drawn) if comm.rank == 0 else []:
        assert np.array_equal(ax.lines[0].get_xdata(), first + np.arange(6 * comm.size))
    pyplot.close("all")
