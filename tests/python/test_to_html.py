"""Pages for a browser: to_html of a Distribution and of a DistArray. tests/site opens such pages in a browser."""

import json
import re

import numpy as np
import pytest
import tridap
from producers import line_of, shared


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
