"""gather and what notebooks show."""

import xml.etree.ElementTree

import numpy as np
import pytest
import tridap
from producers import block, dict_of
from tridap import _agree, _html, _sample


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


def test_gather_refuses_a_root_that_is_no_process(comm):
    with pytest.raises(ValueError, match="root"):
        tridap.zeros(tridap.distribution(8, processes=comm.size)).gather(comm.size)


def test_notebooks_see_the_ownership_as_svg(comm):
    array = tridap.zeros(tridap.distribution((4, 6), ("b", "*"), processes=comm.size))
    report = tridap.check(array, comm)
    for html in (report._repr_html_(), array._repr_html_(), array.distribution._repr_html_()):
        svg = html[html.index("<svg"):html.index("</svg>") + len("</svg>")]
        cells = [cell for cell in xml.etree.ElementTree.fromstring(svg).iter() if cell.get("class") == "cell"]
        assert len(cells) >= 24 and {cell.get("data-owner") for cell in cells} == {
            str(array.owner(i, 0)) for i in range(4)}


def test_notebooks_see_large_arrays_in_small_drawings(comm):
    for shape, dist in (((4000, 3000), ("b", "b")), ((4000, 3000), ("c", "c:3")), ((10**6,), ("c",)),
                        ((40, 40), ("b", "b"))):
        array = tridap.zeros(tridap.distribution(shape, dist), np.int8)
        for html in (array._repr_html_(), tridap.check(array, comm)._repr_html_(), array.distribution._repr_html_()):
            svg = xml.etree.ElementTree.fromstring(html[html.index("<svg"):html.index("</svg>") + len("</svg>")])
            assert len(html) < 40000 and int(svg.get("width")) <= 900 and int(svg.get("height")) <= 900


def test_notebooks_show_a_wrong_array_as_an_escaped_table():
    report = tridap.check({"__version__": "<b>", "buffer": np.zeros(2), "dim_data": ()})
    html = report._repr_html_()
    assert "<svg" not in html and "&lt;b&gt;" in html and "<b>'" not in html and "version.form" in html


def cells_of(html):
    """The rows of the table in a piece of HTML, as texts."""
    table = xml.etree.ElementTree.fromstring(html[html.index("<table>"):html.index("</table>") + len("</table>")])
    return [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]


def test_notebooks_see_a_receipt_as_a_table():
    shared, copied = (tridap.asarray(dict_of(np.zeros(3), block(3)), copy=copy).receipt for copy in (None, True))
    for receipt, memory, count in ((shared, "shared, same address", "0"), (copied, "copied", "24")):
        rows = dict(cells_of(receipt._repr_html_()))
        assert rows["memory"] == memory and rows["bytes copied"] == count and float(rows["seconds"]) >= 0


def test_tables_are_escaped_and_long_ones_are_shortened():
    nasty = "<script>&\"'"
    html = _html.table([nasty, 1], [[nasty, None], [3, 4.5]], caption=nasty, colours=["red", None])
    assert "<script>" not in html and cells_of(html) == [[nasty, "1"], [nasty, "None"], ["3", "4.5"]]
    rows = [[number, number**2] for number in range(1000)]
    shown = cells_of(_html.table((), rows))
    assert len(shown) == 40 and shown[0] == ["0", "0"] and shown[-1] == ["999", "998001"] and ["\u22ee"] * 2 in shown
    for most in range(1, 6):
        assert len(cells_of(_html.table((), rows, most=most))) == most
    assert len(cells_of(_html.table((), rows, most=1000))) == 1000


def test_different_arguments_are_refused_on_every_process(comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    array = tridap.zeros(tridap.distribution((4, 4), ("b", "*"), processes=comm.size))
    first = comm.rank == 0
    mixed = tridap.zeros(array.distribution, float if first else np.float32)
    for wrong in (lambda: array.gather(comm.rank), lambda: array.gather(0 if first else 99), lambda: mixed.gather(),
                  lambda: array.plot(section=(None, 0) if first else (None,)), lambda: array.plot(cells=5 if first else 0),
                  lambda: array.plot(cells=5 if first else 6),
                  lambda: array.plot(units="m" if first else "km")):
        with pytest.raises(ValueError):
            wrong()
    assert (array.gather() is not None) == first


def test_arrays_of_one_layout_and_two_element_types_are_no_array(comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    mixed = tridap.zeros(tridap.distribution(8, processes=comm.size), float if comm.rank == 0 else np.float32)
    with pytest.raises(tridap.ProtocolError, match="agree.element_type"):
        tridap.asarray(mixed, comm)


def test_wrong_arguments_of_one_process_are_refused_by_all(comm):
    plots = pytest.importorskip("matplotlib.pyplot")
    dist = tridap.distribution((4, 4), ("b", "*"), processes=comm.size)
    array, dates = tridap.zeros(dist), tridap.zeros(dist, "M8[s]")
    last = comm.rank == comm.size - 1
    on_last = lambda wrong, right: wrong if last else right
    calls = {"root is 1.5, must be an integer": lambda: array.gather(on_last(1.5, 0)),
             "root is 'a', must be an integer": lambda: array.gather(root=on_last("a", 0)),
             "cells is 2.5, must be an integer": lambda: array.plot(cells=on_last(2.5, 1000)),
             "an entry of section is 0.5": lambda: array.plot(section=on_last((0.5, None), (0, None))),
             "section": lambda: array.plot(section=on_last(5, None)),
             r"plot draws numbers, but the elements are datetime64\[s\]": dates.plot,
             "units is 5, must be a text": lambda: array.plot(units=on_last(5, "m")),
             "no such colours": lambda: array.plot(cmap="no such colours"),
             "'int' object has no attribute": lambda: array.plot(ax=5 if comm.rank == 0 else None)}
    for words, call in calls.items():
        with pytest.raises((TypeError, ValueError, AttributeError), match=words):
            call()
        plots.close("all")
    assert (array.gather() is not None) == (comm.rank == 0)


def test_gather_works_after_the_communicator_is_freed(comm):
    freed = comm.Dup()
    array = tridap.asarray(tridap.from_function(tridap.distribution(8, processes=comm.size), lambda i: 1.0 + 0 * i), freed)
    freed.Free()
    gathered = array.gather()
    assert gathered is None if comm.rank else np.array_equal(gathered, np.ones(8))


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


@pytest.mark.parametrize("name, bad", [(name, bad) for name in ("concatenate", "unique", "flatnonzero", "ix_", "ascontiguousarray")
                                       for bad in (0, -1)] + [("zeros", 0)])
def test_memory_that_ends_on_one_process_ends_it_on_all(comm, monkeypatch, name, bad):
    gaps = [[c, 9 * comm.size - c] for c in range(comm.size)]
    array = tridap.asarray(tridap.from_function(tridap.distribution((2 * comm.size, 5), (gaps, "*")), counted), comm)

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
