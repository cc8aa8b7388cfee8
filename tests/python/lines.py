"""The Python lines of one part of docs/coming_from.md, for libraries that the machine may not have."""

import pathlib
import re

import numpy as np
import tridap

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "coming_from.md"


def run_lines(heading, comm):
    """Runs the code under a heading, and on four processes compares what the first one says with what the page shows."""
    part = re.search(rf"^## {heading}$(.*?)^## ", PAGE.read_text(), re.MULTILINE | re.DOTALL)[1]
    code, shown = re.search(r"^```python\n(.*?)^```\n^```text\n(.*?)^```", part, re.MULTILINE | re.DOTALL).groups()
    said = []
    exec(code, {"np": np, "tridap": tridap, "comm": comm, "say": lambda *what: said.append(" ".join(map(str, what)))})
    assert len(said) == len(shown.splitlines())
    if comm.size == 4:
        assert said == shown.splitlines()
