"""NumPy fills a Global Array, and Trilinos solves in the memory of Global Arrays, which have the solution by their handle.

Global Arrays is a C and Fortran library that NWChem and other codes use. The system is an implicit step of diffusion. The
field is a sum of two waves with no flux through the edges, so the solution is known. (Conjugate gradients need one
iteration for each wave.)

    ./dev example python/04_global_arrays -n 4
    mpiexec -n 4 tridap-python 04_global_arrays.py [--size N] [--diffusion CELLS2]

Exits with 1 if a claim does not hold. Prints:

    arrays     200 x 200 points, block x block over 2 x 2 processes
    given      shared, 0 bytes copied
    field      0 bytes copied, addresses equal on every process
    iterations 2 in all, largest residual 7.0e-12 of the right-hand side
    solve      0.014 s in 1 solves
    answer     largest difference 1.4e-13 of 2.8e-06 allowed
    refused    (rank 0): copy=None, but the memory is not that of a Global Array [conversion]: pass copy="if_needed", or make the array with tridap.globalarrays.allocate(array.distribution, array.dtype, array.comm)
    copied     320000 bytes of NumPy's own, each process its part
"""

import numpy as np
import support
import tridap
from mpi4py import MPI
from tridap import globalarrays as ga

options = support.read_options(__doc__, size=(200, "points along a side"),
                               diffusion=(50.0, "of the time step, in cells squared"))
comm = MPI.COMM_WORLD
shape, k = (options.size, options.size), options.diffusion
layout = tridap.distribution(shape, ("b", "b"), processes=comm.size)


def wave(i, j, *, before):
    """The field before the step, or after it: each wave is divided by one plus k times its eigenvalue."""
    total = 0.0
    for down, across in (1, 2), (6, 3):
        angles = np.pi * down / shape[0], np.pi * across / shape[1]
        left = 1 + 4 * k * sum(np.sin(angle / 2) ** 2 for angle in angles)
        total += np.cos(angles[0] * (i + 0.5)) * np.cos(angles[1] * (j + 0.5)) / (1 if before else left)
    return total


def run():
    # 1. NumPy arrays over memory of Global Arrays. A GlobalArray has the handle for other users of Global Arrays.
    b, x = ga.allocate(layout), ga.allocate(layout)
    i, j = np.ix_(*layout.indices(comm.rank))
    b.local[...] = wave(i, j, before=True)
    after, receipt = ga.import_array(x)
    support.say("arrays", f"{shape[0]} x {shape[1]} points, {layout.describe()}")
    support.say("given", f"{'shared' if receipt.shared else 'NOT shared'}, {receipt.bytes_copied} bytes copied")
    support.require(receipt.shared and receipt.bytes_copied == 0, "memory of Global Arrays was copied")

    # 2. The solver works in this memory.
    rows = support.five_point_rows(*layout.indices(comm.rank), shape, k, k)
    made = tridap.solve(tridap.Matrix(rows, layout), b, x, tol=1e-8)
    support.tell_copies([made], [(x.local, made.x.local)])
    support.tell_solves([made], 1e-8)

    # 3. The Global Array with this handle has the solution. No eigenvalue is below 1, so an error is at most the residual.
    seen = ga.export_array(after.handle)
    apart = comm.allreduce(np.abs(seen.local - wave(i, j, before=False)).max(initial=0), MPI.MAX)
    allowed = 2e-8 * np.sqrt(comm.allreduce((b.local**2).sum()))
    support.say("answer", f"largest difference {apart:.1e} of {allowed:.1e} allowed")
    support.require(apart <= allowed, "the Global Array has another solution")

    # 4. Global Arrays cannot use memory of NumPy: with copy=None that is an error, otherwise each process copies its part.
    own = tridap.zeros(layout)
    support.say("refused", support.refused(lambda: ga.import_array(own)).splitlines()[0])
    copied = comm.allreduce(ga.import_array(own, copy="if_needed")[1].bytes_copied)
    support.say("copied", f"{copied} bytes of NumPy's own, each process its part")
    support.require(copied == 8 * shape[0] * shape[1], "not each byte was copied once")


with ga.Session():
    run()
