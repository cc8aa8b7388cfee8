"""The page of an invalid capture: what each process states, with gaps and overlaps marked where they are."""

import subprocess

import pytest
from conftest import TOOL, made

MARK = [0xC0, 0x00, 0x68]


def opened(page, folder, changes, *words):
    """Opens the page of a capture in which texts are replaced, which makes it invalid."""
    text = made(folder / "x.json", *words)
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "x.json").write_text(text)
    done = subprocess.run([TOOL, "show", "--html", folder / "x.html", folder / "x.json"], capture_output=True, timeout=120)
    assert done.returncode == 1
    page.open(folder / "x.html")


def box(page, element):
    """Left and right end on the page, in pixels."""
    return page.run("const b = arguments[0].getBoundingClientRect(); return [b.left, b.right]", element)


def first_of(page, processes, axis):
    return page.all(f'.capture rect.claim[data-processes="{processes}"]')[axis]


@pytest.mark.parametrize("kind, stop", [("overlap", 10), ("gap", 5)])
def test_a_mark_is_between_the_ends_of_both_bars(page, tmp_path, kind, stop):
    opened(page, tmp_path, {'"stop":8': f'"stop":{stop}'}, "24x10", "b,c", "3x2")
    mark = page.all(f".capture rect.{kind}")[0]  # another one explains it below
    (_, end), (begin, _) = box(page, first_of(page, "0,1", 0)), box(page, first_of(page, "2,3", 0))
    left, right = box(page, mark)
    assert [left, right] == pytest.approx(sorted([begin, end]), abs=2.5)
    assert abs(end - begin) > 20


def test_no_mark_is_drawn_on_an_axis_that_fits(page, tmp_path):
    opened(page, tmp_path, {'"stop":8': '"stop":10'}, "24x10", "b,c", "3x2")
    texts = [text.text for text in page.all(".capture text")]
    assert texts.count("no gap, no overlap") == 1
    assert [text for text in texts if text.startswith("overlap [")] == ["overlap [8, 10): ranks 0 to 3"]


def test_the_findings_and_each_process_are_text_on_the_page(page, tmp_path):
    opened(page, tmp_path, {'"stop":8': '"stop":10'}, "24x10", "b,c", "3x2")
    assert page.find("h2").text.endswith("x.json: invalid, 3 errors")
    assert any("[block.tiling]" in line.text for line in page.all(".findings li"))
    rows = [[cell.text for cell in row.find_elements("css selector", "th, td")] for row in page.all(".table tbody tr")]
    assert [row[0] for row in rows] == ["0", "1", "2", "3", "4", "5"]
    assert rows[0][1:] == ["coordinate 0: start 0, stop 10", "coordinate 0: start 0, block_size 1"]
    assert rows[3][1:] == ["coordinate 1: start 8, stop 16", "coordinate 1: start 1, block_size 1"]


@pytest.mark.parametrize("dark", [False, True])
def test_marks_and_words_are_legible_in_both_schemes(page, tmp_path, dark):
    page.show(dark=dark)
    opened(page, tmp_path, {'"stop":8': '"stop":10'}, "24x10", "b,c", "3x2")
    page.picture(f"claims-{'dark' if dark else 'light'}")
    colour = lambda selector, what: page.run(
        "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]].match(/\\d+/g).map(Number)",
        selector, what)
    assert colour(".capture rect.overlap", "fill")[:3] == MARK
    paper = colour(".capture svg rect.page", "fill")[:3]

    def contrast(selector):
        def luminance(rgb):
            parts = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb]
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        light, dim = sorted([luminance(colour(selector, "fill")[:3]), luminance(paper)], reverse=True)
        return (light + 0.05) / (dim + 0.05)

    assert contrast(".capture text.start") >= 4.5 and contrast(".capture text.muted") >= 4.5


def test_a_narrow_window_scrolls_no_page_sideways(page, tmp_path):
    page.show(width=360, height=800)
    opened(page, tmp_path, {'"stop":8': '"stop":5'}, "24x10", "b,c", "3x2")
    assert page.beyond_the_right_edge() == []
    ends = [box(page, page.all(".capture text.index")[i]) for i in (0, 10)]
    assert ends[1][0] - ends[0][0] > 200  # not made too small to be read: the picture scrolls in its frame
    page.picture("claims-narrow")


def test_a_key_with_html_in_it_stays_text(page, tmp_path):
    opened(page, tmp_path, {'"stop":8': '"<b>stop":8'}, "24x10", "b,c", "3x2")
    assert page.all("b") == [] and "<b>stop" in page.find("body").text
