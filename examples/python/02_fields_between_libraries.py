"""Trilinos solves for a field of a library that does not use TriDAP, in that library's own memory.

`Plate` represents the library: columns in uneven blocks, in Fortran order. It cools for one step, and has the solution.

    ./dev example python/02_fields_between_libraries -n 4
    mpiexec -n 4 python3 02_fields_between_libraries.py [--rows N] [--cols N] [--diffusion CELLS2]

Exits with 1 if a claim does not hold. Prints:

    plate      60 x 90 points, undistributed x irregular block over 1 x 4 processes, Fortran order
    field      0 bytes copied, addresses equal on every process
    iterations 129 in all, largest residual 9.3e-11 of the right-hand side
    solve      0.004 s in 1 solves
    plate      hottest point 100.0 before, 64.1 after; heat changed by 7.6e-15
    broken     axis 1 (rank 3): 'stop' is 91, must be at most size 90 [block.bounds]: give the half-open global range that the buffer holds
"""

import numpy as np
import support
import tridap
from mpi4py import MPI


class Plate:
    """A heated plate. Process r has about r + 1 times as many columns as process 0."""

    def __init__(self, rows, cols, comm, degrees=0.0):
        starts = [cols * r * (r + 1) // (comm.size * (comm.size + 1)) for r in range(comm.size + 1)]
        self.cols, self.comm, (self.start, self.stop) = cols, comm, starts[comm.rank:comm.rank + 2]
        self.degrees = np.full((rows, self.stop - self.start), degrees, order="F")

    def heat_columns(self, start, stop, degrees):
        self.degrees[:, max(start - self.start, 0):max(stop - self.start, 0)] = degrees

    def heat(self):
        return self.comm.allreduce(self.degrees.sum())

    def hottest(self):
        return self.comm.allreduce(self.degrees.max(initial=0.0), MPI.MAX)

    def __distarray__(self):
        down = {"dist_type": "b", "size": len(self.degrees), "start": 0, "stop": len(self.degrees), "proc_grid_size": 1,
                "proc_grid_rank": 0}
        across = {"dist_type": "b", "size": self.cols, "start": self.start, "stop": self.stop,
                  "proc_grid_size": self.comm.size, "proc_grid_rank": self.comm.rank}
        return {"__version__": "0.10.0", "buffer": self.degrees, "dim_data": (down, across)}


options = support.read_options(__doc__, rows=(60, "points down"), cols=(90, "points across"),
                               diffusion=(100.0, "of the time step, in cells squared"))
comm = MPI.COMM_WORLD

# 1. The library makes its fields, and TriDAP checks and describes them.
now, after = Plate(options.rows, options.cols, comm, 20.0), Plate(options.rows, options.cols, comm)
now.heat_columns(options.cols // 3, options.cols // 2 + 1, 100.0)
layout = tridap.check(now, comm, raise_on_error=True).distribution
support.say("plate", f"{options.rows} x {options.cols} points, {layout.describe()}, Fortran order")

# 2. The rows of A are in the order of numpy.ravel, whatever the order of the plate's memory. The plates are passed to the
#    solver directly.
rows = support.five_point_rows(*layout.indices(comm.rank), layout.shape, options.diffusion, options.diffusion)
A = tridap.Matrix(rows, now, comm)
address, heat, hottest = after.degrees.ctypes.data, now.heat(), now.hottest()
result = tridap.solve(A, now, after, tol=1e-10)

# 3. The library continues with its own array, at the same address. It has the solution.
support.require(after.degrees.ctypes.data == address, "the plate's memory moved")
support.tell_copies([result], [(after.degrees, result.x.local)])
support.tell_solves([result], 1e-10)
change = abs(after.heat() - heat) / heat
support.say("plate", f"hottest point {hottest:.1f} before, {after.hottest():.1f} after; heat changed by {change:.1e}")
support.require(change < 1e-9 and 20 < after.hottest() < hottest, "the plate does not have the solution")

# 4. The library's description is wrong on one process: every process raises the same error.
after.stop += comm.rank == comm.size - 1
support.say("broken", support.refused(tridap.asarray, after, comm))
