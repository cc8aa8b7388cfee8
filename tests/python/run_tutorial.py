"""Runs the Python of a Markdown file, block by block in one namespace, on every process.

A block of text that follows a block of Python is what the first of four processes printed; "..." stands for anything
within a line. Any difference, and any exception on any process, ends all of them with status 1.

    mpiexec -n 4 python3 run_tutorial.py FILE [--without HEADING]...

--without leaves out the part under a heading, for example of a library that is not there.
"""

import contextlib
import faulthandler
import io
import os
import re
import sys
import tempfile
import traceback

from mpi4py import MPI

WORLD = MPI.COMM_WORLD


def blocks(text, without):
    """(line, language, body) of every fenced block that is under none of the headings `without`."""
    for found in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        headings = re.findall(r"^## (.*)$", text[:found.start()], re.MULTILINE)
        if headings and headings[-1] in without:
            continue
        yield text.count("\n", 0, found.start()) + 2, found[1], found[2]


def matches(shown, printed):
    pattern = "\n".join(map(re.escape, shown.rstrip("\n").split("\n"))).replace(re.escape("..."), ".+")
    return re.fullmatch(pattern, printed.rstrip("\n")) is not None


def run(path, without):
    with open(path) as file:
        found = list(blocks(file.read(), without))
    namespace, checked = {"__name__": "tutorial"}, 0
    for index, (line, language, body) in enumerate(found):
        if language != "python":
            continue
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile("\n" * (line - 1) + body, path, "exec"), namespace)
        follows = found[index + 1] if index + 1 < len(found) else (0, "", "")
        shown = follows[2] if follows[1] == "text" else ""
        if WORLD.rank == 0 and WORLD.size == 4:
            if not matches(shown, out.getvalue()):
                raise AssertionError(f"{path}:{line} printed\n{out.getvalue()}and line {follows[0]} shows\n{shown}")
            checked += follows[1] == "text"
    if WORLD.rank == 0:
        print(f"{path}: {sum(language == 'python' for _, language, _ in found)} blocks ran, {checked} were compared")


faulthandler.dump_traceback_later(240)  # says where a process waits, before mpiexec ends it
path = os.path.abspath(sys.argv[1])
without = sys.argv[3::2]
try:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # for the pictures
        run(path, without)
        os.chdir("/")
except BaseException:
    traceback.print_exc()
    WORLD.Abort(1)
