"""Installs the package by cmake --install, or by pip into a virtual environment, and uses it from there.

    install_test.py cmake BUILD_DIR SCRATCH
    install_test.py pip SOURCE_DIR SCRATCH
"""

import os
import pathlib
import shutil
import subprocess
import sys

USE = """
import numpy, tridap
assert tridap.__file__.startswith({prefix!r}), tridap.__file__
dist = tridap.distribution(5)
matrix = tridap.Matrix((numpy.full(5, 2.0), numpy.arange(5), numpy.arange(6)), dist)
assert (tridap.solve(matrix, tridap.from_function(dist, lambda i: 2.0 * i)).x.local == numpy.arange(5)).all()
"""


def run(*command, **environment):
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(command, env={**clean, **environment}, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-4000:]}")
    return done.stdout


def with_cmake(build, scratch):
    run("cmake", "--install", build, "--component", "python", "--prefix", str(scratch))
    place, = scratch.glob("lib/python3*/*-packages")
    run(sys.executable, "-c", USE.format(prefix=str(place)), PYTHONPATH=str(place))


def with_pip(source, scratch):
    run(sys.executable, "-m", "venv", "--system-site-packages", str(scratch))
    python = str(scratch / "bin" / "python")
    run(python, "-m", "pip", "install", "--no-build-isolation", "--no-index", source)
    run(python, "-c", USE.format(prefix=str(scratch)))


if __name__ == "__main__":
    how, what, scratch = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
    shutil.rmtree(scratch, ignore_errors=True)
    {"cmake": with_cmake, "pip": with_pip}[how](what, scratch)
