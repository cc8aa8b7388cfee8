"""Hillslope diffusion of a terrain in NumPy, distributed block x block over a grid of processes.

Every process reads its own block of the Jacksboro terrain into a NumPy array, and describes the block in a dictionary.
Trilinos solves each time step in the memory of these arrays, by conjugate gradients with algebraic multigrid.

    ./dev example python/01_terrain -n 4
    mpiexec -n 4 python3 01_terrain.py [--steps N] [--dt YEARS] [--diffusivity M2_PER_YEAR] [--grid PxQ] [--output FILE]

Exits with 1 if a byte was copied, an address changed, a residual is large or mass was lost. Prints:

    terrain    344 x 403 cells of 92.5 m x 74.8 m, block x block over 2 x 2 processes
    field      0 bytes copied, addresses equal on every process
    iterations 60 in all, largest residual 4.5e-13 of the right-hand side
    solve      0.412 s in 3 solves
    mass       7.361791300000e+07 before, 7.361791300000e+07 after, drift 4.0e-16 a step
    picture    /home/you/tridap/terrain.png
"""

import pathlib

import numpy as np
import support
import tridap
from mpi4py import MPI

options = support.read_options(
    __doc__, elevation=(support.JACKSBORO, "an ESRI ASCII grid, metres"), steps=(3, "time steps"),
    dt=(1e6, "length of a step, years"), diffusivity=(0.01, "m2 a year"), grid=("", "process grid, such as 2x3"),
    output=("terrain.png", "the picture, before | after"), save=("", "file for the last field, .npy"))
comm = MPI.COMM_WORLD

# 1. Each process reads its own block of the terrain into a NumPy array.
grid = support.together(support.Grid, options.elevation)
process_grid = support.together(lambda: [int(n) for n in options.grid.split("x")] if options.grid else None)
layout = support.together(tridap.distribution, grid.shape, ("b", "b"), process_grid, comm.size)
rows, cols = layout.indices(comm.rank)
before = support.together(grid.read, rows, cols)
now, after = before.copy(), np.empty_like(before)


# 2. A process's block, described by the protocol. Any library can describe its arrays in this way.
def described(block):
    return {"__version__": "0.10.0", "buffer": block, "dim_data": layout.dim_data(comm.rank)}


# 3. (I - dt D Laplace) after = now.
diffusion = options.dt * options.diffusivity
ky, kx = diffusion / grid.dy**2, diffusion / grid.dx**2
A = tridap.Matrix(support.five_point_rows(rows, cols, grid.shape, ky, kx), layout, comm)
pairs, results, masses = [], [], [comm.allreduce(now.sum())]
for _ in range(options.steps):
    after[...] = 0
    results.append(tridap.solve(A, described(now), described(after), tol=1e-12, preconditioner="muelu",
                                preconditioner_options={"smoother: type": "CHEBYSHEV", "coarse: type": "CHEBYSHEV"}))
    pairs.append((after, results[-1].x.local))
    masses.append(comm.allreduce(after.sum()))  # the NumPy array has the solution
    now, after = after, now

# 4. If a claim does not hold, every process ends here.
support.say("terrain", f"{grid.shape[0]} x {grid.shape[1]} cells of {grid.dy:.1f} m x {grid.dx:.1f} m, "
            f"block x block over {layout.grid[0]} x {layout.grid[1]} processes")
support.tell_copies(results, pairs)
support.tell_solves(results, 1e-10)
drift = np.abs(np.diff(masses)).max() / masses[0]
support.say("mass", f"{masses[0]:.12e} before, {masses[-1]:.12e} after, drift {drift:.1e} a step")
support.require(drift <= 1e-9, "mass was not kept")

# 5. The picture, on the process that gathers the field.
first, last = (tridap.asarray(described(block), comm).gather() for block in (before, now))
support.on_first(lambda: options.save and np.save(options.save, last))
support.on_first(lambda: support.draw_before_after(options.output, grid, first, last, layout))
support.say("picture", pathlib.Path(options.output).resolve())
