"""Draws the fields of a Fortran program, before and after its implicit step.

The example 12_fortran_stencil has saved its arrays in an HDF5 file. This program loads them on any number of processes.
What is u(i + 1, j + 1) in Fortran is u[i, j] here.

    ./dev example 12_fortran_stencil plate.h5
    ./dev example python/12_fortran_stencil -n 4 --file plate.h5
    mpiexec -n 4 python3 12_fortran_stencil.py [--file FILE] [--output FILE]

Exits with 1 if a claim does not hold. Prints:

    plate      120 x 100 elements, block x block over 2 x 2 processes
    heat       361.0000 before, 361.0000 after
    hottest    0.9346 before, 0.4956 after
    picture    /home/you/tridap/plate.png
"""

import pathlib
import types

import support
import tridap
from mpi4py import MPI

options = support.read_options(__doc__, file=("plate.h5", "what 12_fortran_stencil has saved"),
                               output=("plate.png", "the picture, before | after"))
comm = MPI.COMM_WORLD

# 1. The file says how the arrays were distributed. Here they are in blocks without a halo.
before, after = (tridap.load(options.file, name, ("b", "b"), comm) for name in ("before", "after"))
layout = before.distribution
support.say("plate", f"{before.shape[0]} x {before.shape[1]} elements, {layout.describe()}")

# 2. If a claim does not hold, every process ends here.
heat = [field.sum() for field in (before, after)]
hottest = [field.max() for field in (before, after)]
support.say("heat", f"{heat[0]:.4f} before, {heat[1]:.4f} after")
support.say("hottest", f"{hottest[0]:.4f} before, {hottest[1]:.4f} after")
support.require(abs(heat[1] - heat[0]) < 1e-6 * heat[0], "heat was lost")
support.require(hottest[1] < hottest[0], "the plate has not become flatter")

# 3. The picture, in which heat is drawn as a height. Fortran's first index points down.
first, last = (field.gather() for field in (before, after))
square = types.SimpleNamespace(dx=0.4, dy=0.4)
support.on_first(lambda: support.draw_before_after(options.output, square, first, last, layout, "heat"))
support.say("picture", pathlib.Path(options.output).resolve())
