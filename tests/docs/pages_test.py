#!/usr/bin/env python3
"""Checks the pages of docs/: that the code they quote is in the file that they name, and that links lead somewhere.

    pages_test.py ROOT [PAGE...]

A comment names the file from which the block of code after it is quoted:

    <!-- quoted: tests/docs/howto_test.cpp -->
    ```cpp
    ...
    ```

The lines of the block must stand in the file one after another; their common indentation may differ. A line "..." or
"// ..." of the block stands for lines that are left out. In docs/howto and docs/inside every block of C, C++, CMake and
Python must be quoted. A link to a file must name a file of the repository, and a link to a heading one of its page.
"""

import re
import sys
import textwrap
from pathlib import Path

CODE = {"c", "cpp", "cmake", "python"}
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


def faults(root, page):
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


def main(root, *pages):
    root = Path(root).resolve()
    pages = [Path(page).resolve() for page in pages] or sorted((root / "docs").rglob("*.md"))
    wrong = [f"{page.relative_to(root)}:{line}: {what}" for page in pages for line, what in faults(root, page)]
    sys.exit("\n".join(wrong) or None)


if __name__ == "__main__":
    main(*sys.argv[1:])
