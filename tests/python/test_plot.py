"""plot: what is drawn on process 0, and that its failure is every process's failure."""

import sys

import numpy as np
import pytest
import tridap
from producers import block, dict_of

pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def no_figures_are_left():
    yield
    pyplot.close("all")


def test_plot_draws_what_is_there(comm):
    dist = tridap.distribution((40, 30), ("b", "*"), processes=comm.size)
    ax = tridap.from_function(dist, lambda i, j: 100.0 * i + j).plot()
    assert (ax is None) == (comm.rank != 0)
    if ax is not None:
        drawn = ax.images[0].get_array()
        assert np.array_equal(drawn, 100.0 * np.arange(40)[:, None] + np.arange(30)) and len(ax.lines) == comm.size - 1
    ax = tridap.from_function(dist, lambda i, j: 100.0 * i + j).plot(section=(None, 4), cells=10)
    if ax is not None:
        assert np.array_equal(ax.lines[0].get_ydata(), np.arange(0, 40, 4) * 100.0 + 4)
    ring = tridap.distribution(4 * comm.size + 2, tridap.block(padding=1, periodic=True), processes=comm.size)
    ax = tridap.from_function(ring, lambda i: i + 0.0).plot(cells=comm.size)
    if ax is not None:
        assert np.array_equal(ax.lines[0].get_ydata(), ax.lines[0].get_xdata())
        assert ax.lines[0].get_xdata()[0] == 1


def test_plot_refuses_a_section_that_is_none(comm):
    array = tridap.zeros(tridap.distribution((4, 4), ("b", "*"), processes=comm.size))
    for section in ((None,), (0, 0), (None, None, None)):
        with pytest.raises(ValueError, match="section"):
            array.plot(section=section)


def test_plot_draws_the_first_index_and_refuses_mirrors(comm):
    size, p, r = 4 * comm.size, comm.size, comm.rank
    rows = {"dist_type": "b", "size": size + 2, "proc_grid_size": p, "proc_grid_rank": r, "periodic": True,
            "start": 4 * r, "stop": 4 * r + 6, "padding": (1, 1)}
    made = tridap.asarray(dict_of(np.full((6, 2, 3), 7.0), rows, block(2), block(3)), comm)
    drawn = made.plot()
    assert (drawn is not None) == (r == 0)
    assert drawn is None or np.all(drawn.images[0].get_array() == 7)
    for index in (0, size + 1):  # mirrors
        with pytest.raises(ValueError, match="axis 0, whose global indices are 1 to"):
            made.plot(section=(index, None, None))


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


def test_plot_steps_over_what_it_draws(comm):
    rows = block(6 * comm.size, comm.size, comm.rank, padding=(1, 1), periodic=True)
    old = tridap.asarray(dict_of(np.zeros(8), rows, version="0.9.0"), comm)
    new = tridap.asarray(old.__distarray__(), comm)  # which counts the mirror before the first element
    drawn = [array.plot(cells=6 * comm.size) for array in (old, new)]
    for first, ax in enumerate(drawn) if comm.rank == 0 else []:
        assert np.array_equal(ax.lines[0].get_xdata(), first + np.arange(6 * comm.size))


def scale_of(ax):
    """The colour bar's label and ticks."""
    bar = ax.images[0].colorbar
    return bar.ax.get_ylabel(), [tick for tick in bar.get_ticks() if bar.vmin <= tick <= bar.vmax]


def lines_of(ax):
    """The places of the lines down and across an image."""
    ends = [line.get_xydata() for line in ax.lines]
    return ([pair[0][1] for pair in ends if pair[0][1] == pair[1][1]],
            [pair[0][0] for pair in ends if pair[0][0] == pair[1][0]])


def test_an_image_has_a_scale_with_units_and_border_lines(comm):
    starts = [0, 1, 5, 6, 8, 11][:comm.size]
    dist = tridap.distribution((12, 6), (tridap.block(starts=starts), "*"), processes=comm.size)
    ax = tridap.from_function(dist, lambda i, j: 0.25 * i + j).plot(units="m/s")
    if comm.rank == 0:
        assert scale_of(ax)[0] == "m/s" and ax.get_title() == ""
        assert lines_of(ax) == ([start - 0.5 for start in starts[1:]], [])
        assert (ax.get_ylabel(), ax.get_xlabel()) == ("global index of axis 0", "global index of axis 1")
        assert not ax.figure.draw_without_rendering()
    ax = tridap.from_function(dist, lambda i, j: i + j, int).plot(borders=False)
    if comm.rank == 0:
        label, ticks = scale_of(ax)
        assert label == "" and len(ticks) > 1 and all(tick == int(tick) for tick in ticks) and not ax.lines


def test_lines_are_drawn_across_both_axes(comm):
    dist = tridap.distribution((2 * comm.size, 4 * comm.size), ("c", "*"), grid=(comm.size, 1))
    turned = tridap.distribution((4, 3 * comm.size), ("*", "b"), grid=(1, comm.size))
    first, second = tridap.zeros(dist).plot(), tridap.zeros(turned).plot()
    if comm.rank == 0:
        borders = [] if comm.size == 1 else [k + 0.5 for k in range(2 * comm.size - 1)]
        assert lines_of(first) == (borders, []) and lines_of(second) == ([], [3 * k - 0.5 for k in range(1, comm.size)])


def test_too_many_borders_are_named_in_the_title(comm):
    ax = tridap.zeros(tridap.distribution((66, 4), ("c", "*"), processes=comm.size)).plot()
    if comm.rank == 0:
        assert not ax.lines and ax.get_title() == ("" if comm.size == 1 else "65 borders down are not drawn")


@pytest.mark.parametrize("shape", [(1,), (2,), (3, 1), (2, 3), (9,), (700, 3), (12345,)], ids=str)
def test_ticks_are_whole_numbers(comm, shape):
    array = tridap.zeros(tridap.distribution(shape, ("b",) + ("*",) * (len(shape) - 1), processes=comm.size))
    ax = array.plot(cells=100)
    if comm.rank == 0:
        for axis in (ax.xaxis, ax.yaxis)[:len(shape)]:
            low, high = axis.get_view_interval() if axis is ax.xaxis else sorted(ax.get_ylim())
            ticks = [tick for tick in axis.get_majorticklocs() if low <= tick <= high]
            assert ticks and all(tick == int(tick) for tick in ticks)


def test_plot_draws_magnitudes_and_flags_as_numbers(comm):
    dist = tridap.distribution((5, 4), ("b", "*"), processes=comm.size)
    array = tridap.from_function(dist, lambda i, j: (3 + 4j) * (i + 1j * j), complex)
    images = [array.plot(), array.plot(units="V"), tridap.from_function(dist, lambda i, j: i > j, bool).plot()]
    line = array.plot(section=(None, 2), units="V")
    if comm.rank == 0:
        i, j = np.indices((5, 4))
        assert np.allclose(images[0].images[0].get_array(), 5 * np.hypot(i, j))
        assert [scale_of(ax)[0] for ax in images] == ["magnitude", "magnitude (V)", ""]
        assert np.array_equal(images[2].images[0].get_array(), i > j) and scale_of(images[2])[1] == [0, 1]
        assert line.get_ylabel() == "magnitude (V)"
        assert np.allclose(line.lines[0].get_ydata(), 5 * np.hypot(np.arange(5), 2))


def test_the_title_names_the_slice_and_the_step(comm):
    dist = tridap.distribution((3, 8, 5), ("*", "b", "*"), processes=comm.size)
    array = tridap.from_function(dist, lambda i, j, k: 100.0 * i + 10 * j + k)
    drawn = [array.plot(), array.plot(section=(None, 3, None)), array.plot(section=(2, None, 4), cells=3)]
    if comm.rank == 0:
        assert [ax.get_title() for ax in drawn] == ["slice [0, :, :]", "slice [:, 3, :]",
                                                    "slice [2, :, 4]; every 3rd index across"]
        assert np.array_equal(drawn[1].images[0].get_array(), 100.0 * np.arange(3)[:, None] + 30 + np.arange(5))
        named = pyplot.subplots()[1]
        named.set_title("mine")
    assert array.plot(ax=named if comm.rank == 0 else None) is (named if comm.rank == 0 else None)
    assert comm.rank != 0 or named.get_title() == "mine"


def test_an_array_without_elements_says_so(comm):
    ax = tridap.zeros(tridap.distribution((0, 5), ("b", "*"), processes=comm.size)).plot()
    if comm.rank == 0:
        assert [text.get_text() for text in ax.texts] == ["no elements"] and not ax.images and not ax.lines


def test_an_image_is_neither_a_strip_nor_stretched(comm):
    shapes = {(40, 30): 1, (50, 10): 1, (60, 10): "auto", (3, 400): "auto"}
    for shape, aspect in shapes.items():
        ax = tridap.zeros(tridap.distribution(shape, ("b", "*"), processes=comm.size)).plot()
        assert comm.rank != 0 or ax.get_aspect() == aspect
    ax = tridap.zeros(tridap.distribution((3, 400), ("b", "*"), processes=comm.size)).plot(aspect=2, cmap="gray")
    assert comm.rank != 0 or (ax.get_aspect() == 2 and ax.images[0].get_cmap().name == "gray")


def gaps(p):
    """By process: indices with gaps, unsorted, negative, one of them on all processes (which then share it)."""
    return [[7 * c - 3, 50, 7 * c + 1] for c in range(p)]


def drawn_by_hand(comm, array, step=1):
    """By cell of `step` indices from the lowest one: the first index that a process has, and the lowest process with it."""
    lists = gaps(comm.size)
    held = sorted(set(sum(lists, [])))
    cells = {}
    for index in held:
        cells.setdefault((index - held[0]) // step, index)
    values = comm.allgather(array.local)
    owner = {index: next(c for c in range(comm.size) if index in lists[c]) for index in held}
    place = {index: lists[owner[index]].index(index) for index in held}
    return held, {cell: values[owner[index]][place[index]] for cell, index in cells.items()}, owner


@pytest.mark.parametrize("cells", [1000, 9, 1])
def test_indices_of_no_process_are_missing_in_a_line(comm, cells):
    array = tridap.from_function(tridap.distribution(3 * comm.size, (gaps(comm.size),)), lambda i: 100.0 * i + comm.rank)
    held = sorted(set(sum(gaps(comm.size), [])))
    step = max(1, -(-(held[-1] - held[0] + 1) // cells))
    _, expected, owner = drawn_by_hand(comm, array, step)
    ax = array.plot(cells=cells)
    if comm.rank == 0:
        line = ax.lines[0]
        drawn = np.ma.filled(line.get_ydata().astype(float), np.nan)
        assert drawn.size == -(-(held[-1] - held[0] + 1) // step)
        assert {k: y for k, y in enumerate(drawn) if not np.isnan(y)} == expected
        assert np.array_equal(line.get_xdata(), held[0] + step * np.arange(drawn.size))
        assert (line.get_marker() == ".") == ("blank: indices of no process" in ax.get_title()) == (drawn.size > len(expected))
        borders = [after - 0.5 for before, after in zip(held, held[1:]) if owner[before] != owner[after]]
        assert [other.get_xdata()[0] for other in ax.lines[1:]] == borders


def test_indices_of_no_process_are_missing_in_an_image(comm):
    p = comm.size
    array = tridap.from_function(tridap.distribution((3, 3 * p), ("*", gaps(p)), grid=(1, p)), lambda i, j: 1000.0 * i + j)
    held = sorted(set(sum(gaps(p), [])))
    whole, row = array.plot(), array.plot(section=(None, 1))
    with pytest.raises(ValueError, match="section is at 2 on axis 1, whose global indices are -3 to 50 with gaps"):
        array.plot(section=(None, 2))
    if comm.rank == 0:
        assert row.lines[0].get_ydata().tolist() == [1, 1001, 2001]
        drawn = whole.images[0].get_array()
        assert drawn.shape == (3, held[-1] - held[0] + 1)
        for j in range(drawn.shape[1]):
            missing = held[0] + j not in held
            assert np.all(np.ma.getmaskarray(drawn)[:, j] == missing)
            assert missing or drawn[:, j].tolist() == [1000.0 * i + held[0] + j for i in range(3)]
        assert whole.get_title() == "blank: indices of no process"
        assert not whole.figure.draw_without_rendering()


def test_a_few_indices_far_apart_need_no_memory_between_them(comm):
    lists = [[2**40 * c, 2**40 * c + 1] for c in range(comm.size)]
    line = tridap.from_function(tridap.distribution(2 * comm.size, (lists,)), lambda i: i % 7.0)
    image = tridap.from_function(tridap.distribution((2 * comm.size, 3), (lists, "*")), lambda i, j: i % 7.0 + j)
    for ax in [line.plot(cells=10), image.plot(cells=10)]:
        if comm.rank == 0:
            shown = ax.images[0].get_array()[:, 0] if ax.images else ax.lines[0].get_ydata()
            assert np.ma.count(shown) == comm.size + (comm.size == 1)


@pytest.mark.parametrize("dtype", ["?", "u1", "c16", "f4"])
def test_missing_elements_of_every_kind_of_number(comm, dtype):
    array = tridap.from_function(tridap.distribution((2, 3 * comm.size), ("*", gaps(comm.size)), grid=(1, comm.size)), lambda i, j: i + 0 * j, dtype)
    ax = array.plot()
    if comm.rank == 0:
        drawn = ax.images[0].get_array()
        assert drawn.compressed().tolist() == sorted(drawn.compressed().tolist()) and drawn.mask.any()
        assert not ax.figure.draw_without_rendering()


def test_wrong_arguments_of_one_process_are_refused_by_all(comm):
    dist = tridap.distribution((4, 4), ("b", "*"), processes=comm.size)
    array, dates = tridap.zeros(dist), tridap.zeros(dist, "M8[s]")
    last = comm.rank == comm.size - 1
    on_last = lambda wrong, right: wrong if last else right
    calls = {"cells is 2.5, must be an integer": lambda: array.plot(cells=on_last(2.5, 1000)),
             "an entry of section is 0.5": lambda: array.plot(section=on_last((0.5, None), (0, None))),
             "section": lambda: array.plot(section=on_last(5, None)),
             r"plot draws numbers, but the elements are datetime64\[s\]": dates.plot,
             "units is 5, must be a text": lambda: array.plot(units=on_last(5, "m")),
             "no such colours": lambda: array.plot(cmap="no such colours"),
             "'int' object has no attribute": lambda: array.plot(ax=5 if comm.rank == 0 else None)}
    if comm.size > 1:
        first = comm.rank == 0
        calls.update({"asks for .*section": lambda: array.plot(section=(None, 0) if first else (None, 1)),
                      "asks for .*cells": lambda: array.plot(cells=5 if first else 6),
                      "asks for .*units": lambda: array.plot(units="m" if first else "km")})
    for words, call in calls.items():
        with pytest.raises((TypeError, ValueError, AttributeError), match=words):
            call()


@pytest.mark.parametrize("how", ["gather", "allgather", "plot"])
def test_processes_with_other_distributions_are_refused(comm, how):
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
