"""Pages for a browser, which tests/site opens in one: to_html of a Distribution and of a DistArray; and what notebooks show."""

import json
import re
import xml.etree.ElementTree

import numpy as np
import pytest
import tridap
from producers import block, dict_of, line_of, shared
from tridap import _html


def data_of(page):
    """The data that the page's script reads."""
    found = re.search(r'<script type="application/json" id="data">([^<]*)</script>', page)
    return json.loads(found[1])


def title_of(page):
    return re.search(r"<title>([^<]*)</title>", page)[1]


def test_the_page_has_the_axes_of_every_process(comm):
    layout = tridap.distribution((7, 9), (tridap.block(padding=1), "c:2"), processes=comm.size)
    page = layout.to_html()
    assert page.startswith("<!DOCTYPE html>") and shared(comm, page)
    array, = data_of(page)["arrays"]
    assert [axis["kind"] for axis in array["axes"]] == ["b", "c"]
    assert [axis["size"] for axis in array["axes"]] == [7, 9]
    assert tuple(axis["grid"] for axis in array["axes"]) == layout.grid
    assert array["element"] is None and array["title"] == layout.describe() == title_of(page)


def test_an_array_knows_the_type_of_its_elements(comm):
    layout = tridap.distribution((4 * comm.size,), processes=comm.size)
    for dtype, name, length in ((np.float32, "float32", 4), (complex, "complex128", 16), ("M8[s]", None, 8)):
        values = tridap.asarray({"__version__": "0.10.0", "buffer": np.zeros(4, dtype), "dim_data":
                                 layout.dim_data(comm.rank)}, comm)
        array, = data_of(values.to_html(title="hill"))["arrays"]
        assert array["bytes"] == length and array["title"] == "hill"
        assert name is None or array["element"] == name


def test_two_layouts_show_what_moves_between_them(comm):
    rows = tridap.distribution((2 * comm.size, comm.size), ("b", "*"), processes=comm.size)
    columns = tridap.distribution((2 * comm.size, comm.size), ("*", "b"), processes=comm.size)
    array = tridap.zeros(rows, np.int16)
    target = tridap.zeros(columns, np.int16)
    for page in (rows.to_html(columns), array.to_html(columns), rows.to_html(target), array.to_html(target)):
        data = data_of(page)
        assert [one["title"] for one in data["arrays"]] == [rows.describe(), columns.describe()]
        by_row, by_column = data["moves"]["axes"]  # every process has 2 rows, and gets 1 column
        assert by_row == [[0, 1, 2]] * comm.size
        assert by_column == [[0, comm.size, 1]]
    assert data_of(array.to_html(columns))["arrays"][1]["bytes"] == 2


def test_layouts_of_other_shapes_say_why_nothing_moves(comm):
    here, there = (tridap.distribution((n,), processes=comm.size) for n in (12, 13))
    assert data_of(here.to_html(there))["moves"]["why"].startswith("Nothing can move between them: axis 0 has size 12")


def test_text_stays_text(comm):
    evil = "</script><script>alert(1)</script>&<!--\u2028"
    page = tridap.distribution((3,)).to_html(title=evil)
    assert page.count("<script") == page.count("</script") == 2 and "<!--" not in page and "\u2028" not in page
    assert data_of(page)["arrays"][0]["title"].startswith("</script><script>alert(1)</script>&")


def test_a_page_of_many_elements_or_processes_is_short():
    for layout in (tridap.distribution((10**6, 10**6), ("b", "c:7"), grid=(1000, 1000)),
                   tridap.distribution((10**12,), processes=10**9)):
        assert len(layout.to_html()) < 150_000
        assert len(layout.to_html(layout)) < 150_000


def test_what_is_no_layout_is_refused(comm):
    layout = tridap.distribution((3,))
    with pytest.raises(TypeError, match="to is a list, must be a Distribution or a DistArray"):
        layout.to_html([1])
    with pytest.raises(TypeError, match="title is 3, must be a str"):
        layout.to_html(title=3)
    if comm.size > 1:
        alone = tridap.asarray(line_of(comm))
        with pytest.raises(tridap.ProtocolError, match=r"tridap[.]asarray[(]array, comm[)]"):
            alone.to_html()


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
