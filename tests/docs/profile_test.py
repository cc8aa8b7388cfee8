"""Runs profile.py under a tool of Kokkos, and compares the regions that it prints with docs/howto/profile.md.

    profile_test.py MPIEXEC TOOL PAGE
"""

import os
import pathlib
import re
import subprocess
import sys

mpiexec, tool, page = sys.argv[1:]
program = pathlib.Path(__file__).with_name("profile.py")
tools = {"KOKKOS_PROFILE_LIBRARY": tool, "KOKKOS_TOOLS_LIBS": tool}  # of Kokkos 3, and of later ones
ran = subprocess.run([mpiexec, "-n", "2", sys.executable, program], capture_output=True, text=True,
                     env={**os.environ, **tools, "MPIEXEC_TIMEOUT": "200"})
print(ran.stdout, ran.stderr)
text = pathlib.Path(page).read_text()


def names(lines):
    return re.findall(r"^\d+\.\d+ s (tridap::\S+)$", lines, re.MULTILINE)


shown, seen = names(text), names(ran.stdout)
if ran.returncode != 0 or not shown or shown != seen:
    sys.exit(f"status {ran.returncode}; the page shows {shown}, the tool saw {seen}")
