#!/usr/bin/env python3
"""Draws the pictures of the pages.

    docs/pictures/make.py TRIDAP COMPONENTS [--check]

TRIDAP is the command, such as build/release/packages/tool/tridap, which draws the distributions. COMPONENTS is the list
of CMake's targets, build/release/tests/docs/components.txt. With --check nothing is written: the status is 1 if a
picture that is committed differs from what is drawn now.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import flows  # noqa: E402
import layers  # noqa: E402

HERE = Path(__file__).parent
LISTS = [[7, 2, 0], [1, 3, 9, 8], [4, 6, 5]]  # of the unstructured axis
DISTRIBUTIONS = {  # the picture, its title, and the arguments of `tridap make`
    "block": ("Block", "--shape 12 --dist b --grid 3"),
    "cyclic": ("Cyclic", "--shape 12 --dist c --grid 3"),
    "block_cyclic": ("Block-cyclic", "--shape 12 --dist c:2 --grid 3"),
    "unstructured": ("Unstructured", "--shape 10 --dist u:LISTS --grid 3"),
    "padding": ("Padding", "--shape 12 --dist b --grid 3 --padding 1,1"),
    "periodic": ("Periodic", "--shape 12 --dist b --grid 3 --padding 1,1 --periodic"),
    "two_axes": ("Two axes", "--shape 6x8 --dist b,c:2 --grid 2x2"),
}


def distributions(tridap, folder):
    """{picture: SVG}, as the command draws them."""
    drawn = {}
    (folder / "LISTS").write_text(json.dumps(LISTS))
    for name, (title, arguments) in DISTRIBUTIONS.items():
        capture = subprocess.run([tridap, "make", *arguments.split()], cwd=folder, check=True, capture_output=True)
        (folder / title).write_bytes(capture.stdout)
        subprocess.run([tridap, "show", "--svg", "drawn.svg", title], cwd=folder, check=True)
        drawn[name] = (folder / "drawn.svg").read_text()
    return drawn


def main(tridap, components, check=""):
    with tempfile.TemporaryDirectory() as folder:
        drawn = distributions(Path(tridap).resolve(), Path(folder))
    drawn.update({name: draw().svg() for name, draw in flows.ALL.items()})
    drawn["components"] = layers.components(components).svg()
    stale = [name for name, text in drawn.items()
             if not (HERE / f"{name}.svg").exists() or (HERE / f"{name}.svg").read_text() != text]
    if check:
        if stale:
            sys.exit(f"not as they are drawn now: {', '.join(stale)}; run {__file__} {tridap} {components}")
        return
    for name in stale:
        (HERE / f"{name}.svg").write_text(drawn[name])
        print(f"{name}.svg")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["--check"]):
        sys.exit(__doc__)
    main(*sys.argv[1:])
