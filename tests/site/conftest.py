"""Chromium without a window, and pages that the command `tridap` writes."""

import json
import os
import pathlib
import subprocess

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

TOOL = os.environ["TRIDAP_TOOL"]
PICTURES = pathlib.Path(os.environ["TRIDAP_PICTURES"])  # a folder for screenshots, which people look at


def tridap(*arguments):
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def made(file, shape, dist, grid, *more):
    """Writes a capture, and returns its text."""
    text = tridap("make", "--shape", shape, "--dist", dist, "--grid", grid, *more)
    file.write_text(text)
    return text


class Page:
    """A page in the browser. Its pictures are canvases: global arrays, what moves, and buffers."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, file):
        self.driver.get(file.as_uri())
        self.need_no_errors()

    def need_no_errors(self):
        assert [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"] == []

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def canvas(self, panel, number=0):
        return self.all(f".{panel} canvas")[number]

    def geometry(self, canvas):
        """Where the cells of a picture are, as grid.js says; x and y are the picture's place in the window."""
        text, x, y = self.run("const c = arguments[0]; c.scrollIntoView({block: 'center'});"
                              "const b = c.getBoundingClientRect(); return [c.dataset.geometry, b.left, b.top]", canvas)
        return {**json.loads(text), "x": x, "y": y}

    def middle(self, canvas, row, column):
        """The middle of a cell in the window."""
        at = self.geometry(canvas)
        if at["rows"] == 1 and at["columns"] > at["perLine"]:  # the elements of one axis in lines
            row, column = divmod(column, at["perLine"])
        return (at["x"] + at["left"] + (column + 0.5) * at["width"], at["y"] + at["top"] + (row + 0.5) * at["height"])

    def mouse(self, kind, x, y, **more):
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})

    def hover(self, canvas, row, column):
        self.mouse("mouseMoved", *self.middle(canvas, row, column))

    def click(self, canvas, row, column):
        x, y = self.middle(canvas, row, column)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def says(self):
        return self.find("#says").text

    def spoken(self):
        return self.run("return document.getElementById('live').textContent")

    def colour(self, canvas, row, column):
        """The colour near the lower right corner of a cell, as [red, green, blue]."""
        at, (x, y) = self.geometry(canvas), self.middle(canvas, row, column)
        inside = [x - at["x"] + at["width"] / 2 - 4, y - at["y"] + at["height"] / 2 - 4]
        script = "return [...arguments[0].getContext('2d').getImageData(...arguments[1], 1, 1).data].slice(0, 3)"
        return self.run(script, canvas, [*map(int, inside)])

    def show(self, width=1280, height=1000, dark=False):
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        # The page hears of the change when the next frame is drawn.
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));")

    def beyond_the_right_edge(self):
        """What a reader of a narrow window cannot reach: whether the page scrolls sideways, and the elements and texts that
        end beyond the window's edge and are in no box of their own that scrolls, as tables and code are."""
        return self.run("""
            const edge = document.documentElement.clientWidth, found = [];
            if (document.documentElement.scrollWidth > edge) found.push(`the page is ${document.documentElement.scrollWidth} wide`);
            const scrolls = (e) => ['auto', 'scroll'].includes(getComputedStyle(e).overflowX) && !e.querySelector('h1');
            const look = (box, e) => {
              if (box.width === 0 || box.height === 0 || box.right <= edge + 1 || box.left >= edge) return;
              if (!e.checkVisibility({checkVisibilityCSS: true, checkOpacity: true})) return;
              let around = e;
              while (around && !scrolls(around)) around = around.parentElement;
              if (!around) found.push(`${e.tagName} ${e.className} ${e.textContent.slice(0, 40)}`);
            };
            for (const e of document.body.querySelectorAll('*')) look(e.getBoundingClientRect(), e);
            const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
            while (texts.nextNode()) {  // a text may be wider than its element
              range.selectNodeContents(texts.currentNode);
              const e = texts.currentNode.parentElement;
              if (e.getBoundingClientRect().width > 1) look(range.getBoundingClientRect(), e);  // else it is read aloud only
            }
            return found""")

    def picture(self, name):
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(PICTURES / f"{name}.png"))


@pytest.fixture(scope="session")
def browser():
    options = Options()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--window-size=1280,1000"):  # without the sandbox, since Chromium refuses it to root
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service(os.environ["TRIDAP_CHROMEDRIVER"]), options=options)
    driver.set_page_load_timeout(120)
    yield driver
    driver.quit()


@pytest.fixture
def page(browser):
    opened = Page(browser)
    opened.show()
    yield opened
    opened.need_no_errors()
