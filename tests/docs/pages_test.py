#!/usr/bin/env python3
"""Checks the pages of docs/: that the code they quote is in the file that they name, and that links lead somewhere.

    pages_test.py ROOT [TRIDAP]

A comment names the file from which the block of code after it is quoted:

    <!-- quoted: tests/docs/howto_test.cpp -->
    ```cpp
    ...
    ```

The lines of the block must stand in the file one after another; their common indentation may differ. A line "..." or
"// ..." of the block stands for lines that are left out. In docs/howto and docs/inside every block of C, C++, CMake,
Fortran and Python must be quoted. The commands of a block "console" (lines that begin with "$ ") are run with the command
TRIDAP as tridap, in one folder for each page, and must print what the block shows. A link to a file must name a file of the repository, and a link to a heading one of its page.
"""

import os
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

CODE = {"c", "cpp", "cmake", "fortran", "python"}
BLOCK = re.compile(r"(?:^<!-- quoted: (\S+) -->\n+)?^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
LEFT_OUT = re.compile(r"^\s*(?://|#)?\s*\.\.\.\s*$", re.MULTILINE)


def indented(lines):
    return [line.rstrip() for line in textwrap.dedent("\n".join(lines)).split("\n")]


def stands_in(part, lines, begin):
    """Where `part` ends in `lines`, at or after the line `begin`; None if it is not there."""
    for at in range(begin, len(lines) - len(part) + 1):
        if indented(lines[at:at + len(part)]) == part:
            return at + len(part)
    return None


def quoted_wrongly(body, source):
    """The first part of a quoted block that does not stand in the source; "" if all do."""
    lines, begin = source.split("\n"), 0
    for part in LEFT_OUT.split(body):
        part = indented(part.strip("\n").split("\n"))
        if part == [""]:
            continue
        end = stands_in(part, lines, begin)
        if end is None:
            return "\n".join(part)
        begin = end
    return ""


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    for heading in re.findall(r"^#+ (.*)$", prose, re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")


def prints(body, folder):
    """The block with what its commands print now."""
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    for line in body.split("\n"):
        if line.startswith("$ "):
            yield line
            ran = subprocess.run(line[2:], shell=True, cwd=folder, capture_output=True, text=True,
                                 env={**os.environ, "PATH": path})
            yield from (ran.stdout + ran.stderr).splitlines()


def wrong_consoles(text, tridap):
    """(line, fault) of each block "console" that shows something else than its commands print."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "tridap").symlink_to(Path(tridap).resolve())
        for found in BLOCK.finditer(text):
            if found[2] == "console":
                now = "\n".join(prints(found[3], folder))
                if now != found[3].rstrip("\n"):
                    yield text.count("\n", 0, found.start(2)) + 1, f"the commands print\n{now}"


def faults(root, page, tridap):
    text = page.read_text(encoding="utf-8")
    strict = {"howto", "inside"} & set(page.relative_to(root).parts)
    for found in BLOCK.finditer(text):
        line = text.count("\n", 0, found.start(2)) + 1
        source, language, body = found.groups()
        if source is None:
            if strict and language in CODE:
                yield line, f"the block of {language} names no file from which it is quoted"
        elif not (root / source).is_file():
            yield line, f"it is quoted from {source}, which does not exist"
        else:
            wrong = quoted_wrongly(body, (root / source).read_text(encoding="utf-8"))
            if wrong:
                yield line, f"these lines are not in {source}:\n{wrong}"
    if tridap:
        yield from wrong_consoles(text, tridap)
    prose = BLOCK.sub(lambda block: "\n" * block[0].count("\n"), text)
    for found in LINK.finditer(prose):
        target, _, anchor = (found[1] or found[2]).partition("#")
        if re.match(r"\w+:", target):
            continue
        file = (page.parent / target).resolve() if target else page
        line = prose.count("\n", 0, found.start()) + 1
        if not file.exists():
            yield line, f"the link to {target} leads nowhere"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
            yield line, f"{file.name} has no heading for #{anchor}"


def main(root, tridap=""):
    root = Path(root).resolve()
    wrong = [f"{page.relative_to(root)}:{line}: {what}" for page in sorted((root / "docs").rglob("*.md"))
             for line, what in faults(root, page, tridap)]
    sys.exit("\n".join(wrong) or None)


if __name__ == "__main__":
    main(*sys.argv[1:])
