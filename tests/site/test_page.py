"""Sliders, keyboard, dark mode, hostile text, and arrays of many elements."""

import json
import pathlib
import random

import pytest
from conftest import made, tridap
from oracle import Array
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"


def opened(page, folder, *words):
    text = made(folder / "x.json", *words)
    tridap("show", "--html", folder / "x.html", folder / "x.json")
    page.open(folder / "x.html")
    return text


def slide(page, axis, index):
    page.run("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))",
             page.find(f"#axis-{axis}"), str(index))


def choose(page, which, axis):
    page.run("const s = arguments[0]; s.value = arguments[1]; s.dispatchEvent(new Event('change'))",
             page.all(".slice select")[which], str(axis))


def test_a_slider_moves_the_slice_of_an_array_of_three_axes(page, tmp_path):
    array, canvas = Array(opened(page, tmp_path, "5x6x7", "b,b,c:2", "2x2x2")), page.canvas("array")
    assert page.find("#axis-1").is_displayed() is False
    for index in (0, 2, 3, 4):
        slide(page, 0, index)
        for row, column in ((0, 0), (2, 5), (3, 1), (5, 6)):
            page.hover(canvas, row, column)
            assert page.says() == array.sentence((index, row, column))
    choose(page, 0, 0)  # axis 0 runs down, and axis 1 is fixed
    assert page.find("#axis-0").is_displayed() is False
    slide(page, 1, 4)
    page.hover(canvas, 3, 6)
    assert page.says() == array.sentence((3, 4, 6))
    choose(page, 1, 0)  # the two axes change places
    page.hover(canvas, 6, 3)
    assert page.says() == array.sentence((3, 4, 6))


def test_the_arrow_keys_move_a_slider_and_what_is_said_follows(page, tmp_path):
    array = Array(opened(page, tmp_path, "5x6x7", "b,b,c:2", "2x2x2"))
    page.hover(page.canvas("array"), 4, 3)
    page.find("#axis-0").send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert page.find("#axis-0").get_attribute("aria-valuetext") == "index 3"
    assert page.says() == array.sentence((3, 4, 3))
    field = page.find('input[aria-label="index of axis 0"]')
    for typed, index in (("1", 1), ("9", 1), ("x", 1), ("4", 4)):
        field.send_keys(Keys.CONTROL + "a" + Keys.NULL, typed, Keys.ENTER)
        assert field.get_attribute("value") == str(index)
        assert page.says() == array.sentence((index, 4, 3))


def test_the_keyboard_reaches_every_element_and_it_is_read_aloud(page, tmp_path):
    array = Array(opened(page, tmp_path, "6x7", "b,c:2", "2x2", "--padding", "1,1x0,0"))
    canvas = page.canvas("array")
    page.run("arguments[0].focus()", canvas)
    press = lambda *keys: ActionChains(page.driver).send_keys(*keys).perform()
    sentence = lambda words: "; ".join(part for part in words.split("; ") if part != "boundary padding")
    for row in range(6):
        for column in range(7):
            assert sentence(page.spoken()) == array.sentence((row, column))
            press(Keys.ARROW_RIGHT)
        press(Keys.HOME, Keys.ARROW_DOWN)
    press(Keys.END, Keys.ARROW_UP)
    assert page.spoken().startswith("element (4, 6)")
    press(Keys.ENTER)  # the owner's buffer
    assert page.find(".process .chip").text == str(array.owners((4, 6))[0][0])


def test_tab_reaches_each_control_and_each_has_a_name(page, tmp_path):
    opened(page, tmp_path, "5x6x7", "b,b,c:2", "2x2x2")
    seen = set()
    for _ in range(30):
        ActionChains(page.driver).send_keys(Keys.TAB).perform()
        name, tag, outline = page.run("""
            const e = document.activeElement, label = e.labels && e.labels[0] ? e.labels[0].textContent : '';
            const name = e.getAttribute('aria-label') || label || e.textContent;
            return [name, e.tagName, getComputedStyle(e).outlineStyle]""")
        if tag == "BODY":
            continue
        assert name.strip(), tag
        assert outline != "none", (tag, name)  # the focus is visible
        seen.add(tag)
    assert {"CANVAS", "SELECT", "INPUT", "BUTTON", "DIV"} <= seen
    assert page.find("#live").get_attribute("aria-live") == "polite"
    assert page.run("return document.documentElement.lang") == "en"


def test_in_dark_mode_text_is_light_and_the_pictures_follow(page, tmp_path):
    opened(page, tmp_path, "6x7", "b,b", "2x2")

    def light(colour):
        return sum(colour) / 3
    corner = "return [...arguments[0].getContext('2d').getImageData(arguments[1], arguments[2], 1, 1).data].slice(0, 3)"
    at = page.geometry(page.canvas("array"))
    gap = [int(at["left"] + at["width"]) - 1, int(at["top"] + at["height"] / 2) + 60]  # a line between two cells
    text = "return getComputedStyle(document.body).color.match(/\\d+/g).map(Number)"
    ground = "return getComputedStyle(document.querySelector('.card')).backgroundColor.match(/\\d+/g).map(Number)"
    assert light(page.run(text)) < 100 < 200 < light(page.run(ground))
    before = page.run("return arguments[0].toDataURL()", page.canvas("array"))
    page.show(dark=True)
    assert light(page.run(text)) > 200 > 60 > light(page.run(ground))
    assert page.run("return arguments[0].toDataURL()", page.canvas("array")) != before
    assert page.run(corner, page.canvas("array"), *gap) is not None


HOSTILE = ["</script><script>document.title = 'lost'</script>", "<img src=x onerror=\"document.title = 'lost'\">",
           "'\"`${document.title = 'lost'}`&amp;<!--", "{{script}}{{data}}", "\u202egnp.exe", "a\u2028b\u2029c"]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_text(page, tmp_path, name):
    folder = tmp_path / "x"
    folder.mkdir()
    file = folder / (name.replace("/", "\u2215") + ".json")
    made(file, "6x7", "b,b", "2x2")
    tridap("show", "--html", tmp_path / "x.html", file, file)
    written = (tmp_path / "x.html").read_text()
    assert written.count("<script") == 2 and written.count("</script") == 2
    page.open(tmp_path / "x.html")
    shown = page.run("return document.querySelector('h1').textContent")
    if name.isprintable() and "\u202e" not in name:
        assert str(file) in shown
    assert page.run("return document.title") == shown != "lost"
    assert page.run("return document.scripts.length") == 2 and page.all("img") == []


def test_hostile_captures_are_text(page, tmp_path):
    """Element types, descriptions, unknown keys, and numbers that a double cannot hold."""
    evil, big = HOSTILE[0], 2**62
    process = {"rank": 0, "__version__": "0.10.0", evil: evil, "dim_data": [
        {"dist_type": "c", "size": big, "proc_grid_size": 1, "proc_grid_rank": 0, "start": 0, "block_size": big - 1,
         evil: evil}, {}], "buffer": {"dtype": "V1", "description": evil, "shape": [big, 1]}}
    (tmp_path / "x.json").write_text(json.dumps({"processes": [process], evil: evil}))
    tridap("show", "--html", tmp_path / "x.html", tmp_path / "x.json")
    page.open(tmp_path / "x.html")
    page.run("arguments[0].focus()", page.canvas("array"))
    ActionChains(page.driver).send_keys(*[Keys.PAGE_DOWN] * 30, *"+" * 40).perform()
    assert page.run("return document.title").endswith("x.json")
    assert page.spoken().startswith("element") and "owner process 0" in page.spoken()


def test_nothing_is_loaded_from_anywhere(page, tmp_path):
    opened(page, tmp_path, "6x7", "b,b", "2x2")
    assert page.run("return performance.getEntriesByType('resource').map((entry) => entry.name)") == []
    written = (tmp_path / "x.html").read_text()
    assert "http:" not in written and "https:" not in written
    policy = page.find("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert policy.startswith("default-src 'none';")


def test_zooming_shows_each_of_a_million_elements(page, tmp_path):
    opened(page, tmp_path, "1000x1000", "b,c:37", "3x4")
    canvas, block = page.canvas("array"), 334
    at = page.geometry(canvas)
    assert at["rows"] * at["columns"] < 40000
    step = [int(step) for step in at["steps"]]
    dealt = random.Random(5)
    for _ in range(20):
        row, column = dealt.randrange(at["rows"]), dealt.randrange(at["columns"])
        page.hover(canvas, row, column)
        rows = range(row * step[0], min((row + 1) * step[0], 1000))
        columns = range(column * step[1], min((column + 1) * step[1], 1000))
        owners = sorted({i // block * 4 + j // 37 % 4 for i in rows for j in columns})
        words = page.says()
        assert words.startswith(f"elements ({rows[0]} to {rows[-1]}, {columns[0]} to {columns[-1]}): ")
        assert words.endswith(f"owner process {owners[0]}" if len(owners) == 1
                              else f"owners: processes {', '.join(map(str, owners[:-1]))} and {owners[-1]}")
    page.run("arguments[0].focus()", canvas)
    for _ in range(4):
        ActionChains(page.driver).send_keys("+").perform()
    assert page.geometry(canvas)["steps"] == ["1", "1"]
    ActionChains(page.driver).send_keys(Keys.ARROW_RIGHT).perform()
    def spoken():
        row, column = map(int, page.spoken().split("(")[1].split(")")[0].split(", "))
        assert f"owner process {row // block * 4 + column // 37 % 4}," in page.spoken()
        return row, column
    row, column = spoken()
    beyond = page.geometry(canvas)["columns"]  # what is shown follows the cursor
    ActionChains(page.driver).send_keys(*[Keys.ARROW_LEFT if column > 500 else Keys.ARROW_RIGHT] * beyond).perform()
    assert spoken() == (row, column + (-beyond if column > 500 else beyond))


def test_a_page_of_many_elements_is_short_and_is_drawn(page, tmp_path):
    for shape, dist, grid, owner in (("1000000x1000000", "b,b", "4x8", 31), ("9000000000000000000", "b", "7", 6),
                                     ("1000000000000", "c:1000003", "1000", None)):
        opened(page, tmp_path, shape, dist, grid, "--dtype", "int8")
        assert (tmp_path / "x.html").stat().st_size < 150_000
        page.run("arguments[0].focus()", page.canvas("array"))
        ActionChains(page.driver).send_keys(Keys.END, *[Keys.PAGE_DOWN] * 20, *"+" * 40).perform()
        assert page.spoken().startswith("element")
        if owner is not None:
            assert f"owner process {owner}" in page.spoken()


def test_a_million_unstructured_indices_are_drawn(page, tmp_path):
    dealt = random.Random(7)
    lists = [[] for _ in range(8)]
    for index in range(1_000_000):
        lists[dealt.randrange(8)].append(index)
    (tmp_path / "lists.json").write_text(json.dumps(lists))
    opened(page, tmp_path, "1000000", f"u:{tmp_path}/lists.json", "8")
    page.hover(page.canvas("array"), 0, 0)
    assert page.says().startswith("elements (0 to ") and page.says().endswith("and others")


@pytest.mark.parametrize("file", sorted((DATA / "valid").glob("*.json")), ids=lambda file: file.stem)
def test_each_valid_capture_is_shown_alone_and_beside_itself(page, tmp_path, file):
    tridap("show", "--html", tmp_path / "x.html", file)
    page.open(tmp_path / "x.html")
    tridap("show", "--html", tmp_path / "y.html", file, file)
    page.open(tmp_path / "y.html")
    words = page.find(".moves .facts").text
    if "unstructured" not in file.stem:  # each process that shares an index receives it from one of them
        assert words.startswith("0 B of") and "in 0 messages" in words or "not shown" in words, words
    at = page.geometry(page.canvas("array"))
    if at["rows"] * at["columns"] > 0:
        page.hover(page.canvas("array"), 0, 0)
        assert page.says().startswith("element")


def test_pictures_for_people(page, tmp_path):
    """Writes pictures to look at after a change."""
    (tmp_path / "lists.json").write_text("[[0, 5, 6, 7, -2], [7, -1, 3, 12, 13], [5, 7, 20, 21, 22]]")
    arrays = {"padded": ("10x14", "b,b", "2x3", "--padding", "1,1", "--periodic"),
              "cube": ("6x20x30", "b,b,c:4", "2x2x2"), "unstructured": ("15", f"u:{tmp_path}/lists.json", "3"),
              "million": ("1000x1000", "b,c:37", "3x4")}
    for name, words in arrays.items():
        opened(page, tmp_path, *words)
        page.hover(page.canvas("array"), 0, 3)
        page.picture(name)
    made(tmp_path / "a.json", "16x16", "b,*", "4x1")
    made(tmp_path / "b.json", "16x16", "*,c:2", "1x4")
    tridap("show", "--html", tmp_path / "y.html", tmp_path / "a.json", tmp_path / "b.json")
    for dark in (False, True):
        page.show(dark=dark, height=1500)
        page.open(tmp_path / "y.html")
        page.hover(page.canvas("moves"), 1, 2)
        page.picture("two_dark" if dark else "two")


def test_a_page_of_one_or_two_arrays_is_as_wide_as_a_telephone(page, tmp_path):
    page.show(width=360, height=740)
    for name, words in {"cube": ("6x20x30", "b,b,c:4", "2x2x2"), "large": ("1000x1000", "b,c:37", "8x12"),
                        "line": ("4611686018427387904", "b", "300")}.items():
        opened(page, tmp_path, *words)
        assert page.beyond_the_right_edge() == [], name
        page.hover(page.canvas("array"), 0, 3)
        assert page.says().startswith("element")
        assert page.beyond_the_right_edge() == [], name
        page.picture(f"telephone_{name}")
    made(tmp_path / "a.json", "1600x16", "b,*", "12x1")
    made(tmp_path / "b.json", "1600x16", "*,c:2", "1x12")
    tridap("show", "--html", tmp_path / "y.html", tmp_path / "a.json", tmp_path / "b.json")
    page.open(tmp_path / "y.html")
    assert page.beyond_the_right_edge() == []
    page.picture("telephone_two")
