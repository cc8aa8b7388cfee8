"""Owners, by the mouse: every element of small arrays, against elements that are dealt like cards."""

import json

import pytest
from conftest import made, tridap
from oracle import Array

LISTS = [[0, 5, 6, 7, -2], [7, -1, 3, 12, 13], [], [5, 7, 20, 21, 22]]
ARRAYS = {  # --shape, --dist, --grid, more
    "block": ("7x9", "b,b", "2x3"),
    "padded": ("8x12", "b,c:2", "2x3", "--padding", "1,1x0,0"),
    "periodic": ("9x10", "b,b", "3x2", "--padding", "1,1", "--periodic"),
    "first": ("7x11", "c:2@1,c:3@2", "2x3"),
    "irregular": ("6x7", "b:0,0,2,2,b:0,6", "4x2"),
    "more processes than elements": ("3x2", "b,c", "5x3"),
    "line": ("90", "c:4@1", "3"),
    "unstructured": ("15", "u:lists.json", "4"),
    "unstructured x block": ("15x4", "u:lists.json,b", "4x2"),
}


@pytest.fixture(params=ARRAYS)
def array(request, page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lists.json").write_text(json.dumps(LISTS))
    text = made(tmp_path / "x.json", *ARRAYS[request.param])
    tridap("show", "--html", "x.html", "x.json")
    page.open(tmp_path / "x.html")
    return Array(text)


def without_edges(sentence):
    """A sentence without what it says of boundary padding, which the oracle does not know."""
    return "; ".join(part for part in sentence.split("; ") if not part.startswith("boundary padding"))


def cell_of(array, element):
    at = [axis.indices.index(i) for axis, i in zip(array.axes, element)]
    return (0, at[0]) if len(at) == 1 else tuple(at)


def test_each_element_has_its_owner_local_index_and_padding(array, page):
    canvas = page.canvas("array")
    for element in array.elements():
        page.hover(canvas, *cell_of(array, element))
        assert without_edges(page.says()) == array.sentence(element)


def test_each_cell_has_the_colour_of_its_owner(array, page):
    canvas, colours = page.canvas("array"), {}
    for element in array.elements():
        owners, padding = array.owners(element), array.padding(element)
        if len(owners) > 1 or 0 in dict(padding):  # stripes, and lines over the padding of process 0
            continue
        colours.setdefault(owners[0][0], []).append(tuple(page.colour(canvas, *cell_of(array, element))))
    for process, found in colours.items():
        usual = max(set(found), key=found.count)  # dots of boundary padding may hide some
        assert all(usual not in others for other, others in colours.items() if other != process)


def test_each_buffer_shows_the_elements_that_its_process_holds(array, page):
    for process, coordinates in enumerate(sorted(array.ranks)):
        page.run("const f = arguments[0]; f.value = arguments[1]; f.dispatchEvent(new Event('change'))",
                 page.find(".process input"), str(process))
        held = [axis.held[c] for axis, c in zip(array.axes, coordinates)]
        shape = " \u00d7 ".join(str(len(indices)) for indices in held)
        assert f"its buffer has {shape} elements" in page.find(".process .facts").text
        if not all(held):
            continue
        corners = {(0,) * len(held), tuple(len(indices) - 1 for indices in held)}
        for local in corners:
            page.hover(page.canvas("process"), *((0, *local) if len(local) == 1 else local))
            element = tuple(indices[i] for indices, i in zip(held, local))
            assert without_edges(page.says()) == f"process {process}, local {local}: {array.sentence(element)}"


def test_pointing_at_a_process_shows_its_part_and_buffer(array, page):
    for process in range(len(array.processes)):
        row = page.find(f'tr[data-process="{process}"]')
        page.run("arguments[0].scrollIntoView({block: 'center'})", row)
        box = page.run("const b = arguments[0].getBoundingClientRect(); return [b.left, b.top, b.height]", row)
        page.mouse("mouseMoved", box[0] + 200, box[1] + box[2] / 2)
        assert page.says() == array.process_sentence(process)
        assert page.find(".process .chip").text == str(process)
    page.mouse("mouseMoved", 2, 2)
    assert page.find(".process .chip").text == "0"  # the one that was chosen before
    button = page.find('button[aria-label="show process 1"]')
    page.run("arguments[0].focus()", button)
    assert page.spoken() == array.process_sentence(1)


def test_mirrors_name_the_element_that_they_repeat(page, tmp_path):
    made(tmp_path / "x.json", "9", "b", "3", "--padding", "1,1", "--periodic")  # one period is 7
    tridap("show", "--html", tmp_path / "x.html", tmp_path / "x.json")
    page.open(tmp_path / "x.html")
    said = []
    for column in range(9):
        page.hover(page.canvas("array"), 0, column)
        said.append(page.says())
    assert "a mirror of element (7,)" in said[0] and "a mirror of element (1,)" in said[8]
    assert not any("mirror" in words for words in said[1:8])
    page.hover(page.canvas("array"), 0, 0)
    assert page.find(".inspector dl").text.split("\n")[-2:] == ["mirror of", "(7,)"]


def test_a_click_shows_the_buffer_of_the_owner(page, tmp_path):
    made(tmp_path / "x.json", "6x6", "b,b", "2x2")
    tridap("show", "--html", tmp_path / "x.html", tmp_path / "x.json")
    page.open(tmp_path / "x.html")
    page.click(page.canvas("array"), 4, 1)
    assert page.find(".process .chip").text == "2"
    assert page.find("tr[data-chosen]").get_attribute("data-process") == "2"
    page.find('button[aria-label="show process 1"]').click()
    assert page.find(".process .chip").text == "1"
