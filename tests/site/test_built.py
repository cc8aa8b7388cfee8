"""The site that ./dev docs builds, in Chromium from files: search, tabs, dark mode, and arrays to look at."""

import os
import pathlib

import pytest
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

SITE = pathlib.Path(os.environ["TRIDAP_SITE"])


def wait(page, ready):
    """Waits until ready() is true. A search opens the next page meanwhile, and what ready() found on the old one is gone."""
    gone = [StaleElementReferenceException]
    return WebDriverWait(page.driver, 60, ignored_exceptions=gone).until(lambda driver: ready())


def search(page, words):
    page.open(SITE / "index.html")
    field = page.find("input.sidebar-search")
    field.send_keys(words, Keys.ENTER)
    wait(page, lambda: "found" in page.find("#search-results").text)
    return [(link.text, link.get_attribute("href")) for link in page.all("#search-results li a")]


@pytest.mark.parametrize("words, where", [
    ("block.padding.owned", "reference/rules.html"), ("gather_distribution", "reference/cpp/mpi.html"),
    ("update_padding", "reference/python/tridap.html"), ("dap_array_check", "reference/c.html"),
    ("tridap_update_padding", "reference/c.html"), ("tridap_update_padding", "reference/fortran.html"),
    ("trust-extent", "reference/command.html"), ("oversubscribe", "start.html")])
def test_a_search_without_a_server_finds_the_page(page, words, where):
    found = search(page, words)
    assert any(f"/{where}" in link for _, link in found), found
    page.need_no_errors()


def test_a_search_finds_nothing_for_a_word_that_is_nowhere(page):
    page.open(SITE / "search.html")
    field = page.find("input.sidebar-search")
    field.send_keys("qwertzuiop", Keys.ENTER)
    wait(page, lambda: "did not match" in page.find("#search-results").text)
    assert page.all("#search-results li") == []


def test_each_tab_shows_its_own_program(page):
    page.open(SITE / "start.html")
    programs = {"C++": "Tpetra::ScopeGuard", "Python": "import tridap", "C": "dap_array_check",
                "Fortran": "use mpi_f08", "Command line": "tridap make"}
    labels = page.all(".tab-label")
    assert [label.text for label in labels] == list(programs)
    for label in labels:
        label.click()
        shown = "\n".join(block.text for block in page.all(".tab-content pre") if block.is_displayed())
        assert [name for name, text in programs.items() if text in shown] == [label.text]


def light(page, selector):
    colour = page.run("return getComputedStyle(document.querySelector(arguments[0])).backgroundColor", selector)
    return sum(map(int, colour[colour.index("(") + 1:-1].split(",")[:3])) / 3


def test_dark_mode_follows_the_system_and_the_button(page):
    page.open(SITE / "index.html")
    page.run("localStorage.clear()")
    for dark in (True, False):
        page.show(width=1400, dark=dark)
        page.open(SITE / "index.html")
        assert (light(page, "body") < 60) == dark
    page.find(".theme-toggle-content button").click()
    assert light(page, "body") < 60
    page.run("localStorage.clear()")


TELEPHONE = {"width": 360, "height": 740}
PAGES = sorted(file for file in SITE.rglob("*.html") if "explore" not in file.relative_to(SITE).parts)
FOLDERS = sorted({file.relative_to(SITE).parent for file in PAGES})


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_each_page_is_as_wide_as_a_telephone(page, folder):
    page.show(**TELEPHONE)
    wrong = {}
    for file in (file for file in PAGES if file.relative_to(SITE).parent == folder):
        page.open(file)
        if beyond := page.beyond_the_right_edge():
            wrong[file.name] = beyond[:3]
        assert "width=device-width" in page.find("meta[name=viewport]").get_attribute("content").replace(" ", ""), file
    assert wrong == {}


def test_an_element_beyond_the_edge_of_a_telephone_is_found(page, tmp_path):
    wide, file = '<div style="width: 500px; height: 9px">wide</div>', tmp_path / "x.html"
    page.show(**TELEPHONE)
    for body, found in ((wide, True), (f'<div style="overflow-x: auto">{wide}</div>', False),
                        (f'<div style="overflow: hidden">{wide}</div>', True), (f'<div style="display: none">{wide}</div>', False),
                        (f'<div style="overflow-x: auto"><h1>All</h1>{wide}</div>', True), (f"<h1>{'m' * 90}</h1>", True),
                        (f'<div style="overflow: hidden"><p>{"m" * 90}</p></div>', True), ("<p>narrow</p>", False)):
        file.write_text(f"<!DOCTYPE html><meta charset=utf-8><link rel=icon href=data:,><body>{body}")
        page.open(file)
        assert bool(page.beyond_the_right_edge()) == found, body


def test_the_menu_of_a_telephone_leads_to_the_pages(page):
    page.show(**TELEPHONE)
    page.open(SITE / "index.html")
    link = page.find(".sidebar-tree a[href='start.html']")
    assert not page.run("const b = arguments[0].getBoundingClientRect(); return b.right > 0 && b.left < innerWidth", link)
    page.find("label.nav-overlay-icon").click()
    wait(page, lambda: page.run("return arguments[0].getBoundingClientRect().left >= 0", link))
    link.click()
    wait(page, lambda: page.driver.current_url.endswith("/start.html"))
    assert page.beyond_the_right_edge() == []


def test_an_array_on_the_first_page_says_what_one_points_at(page):
    page.open(SITE / "index.html")
    frame = page.find("iframe.explorer")
    assert frame.get_attribute("title")
    page.run("arguments[0].scrollIntoView()", frame)
    page.driver.switch_to.frame(frame)
    wait(page, lambda: page.all(".array canvas"))
    canvas = page.canvas("array")
    canvas.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    wait(page, lambda: page.says().startswith("element (0, 2): owner process 1"))
    page.driver.switch_to.default_content()


@pytest.mark.parametrize("name", ["index", "start", "reference/cpp/protocol", "reference/rules"])
@pytest.mark.parametrize("dark, width", [(False, 1400), (True, 1400), (True, 420), (False, 360)])
def test_pictures_for_people_to_look_at(page, name, dark, width):
    page.show(width=width, height=1200, dark=dark)
    page.open(SITE / f"{name}.html")
    page.picture(f"site_{name.replace('/', '_')}_{'dark' if dark else 'light'}_{width}")


def test_the_pages_that_readers_look_for_are_there():
    for name in ("start", "reference/cpp", "reference/c", "reference/fortran",
                 "reference/python", "reference/command", "reference/rules",
                 "python", "coming_from", "trilinos", "install", "packages/redistribute", "adapters/petsc",
                 "contributing", "changelog"):
        assert (SITE / f"{name}.html").is_file(), name
    rules = (SITE / "reference/rules.html").read_text()
    assert rules.count("What to do:") > 40
