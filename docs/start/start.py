import numpy as np
import tridap
from mpi4py import MPI

comm = MPI.COMM_WORLD

# 4 x 6 elements. Axis 0 is not distributed (*). Axis 1 is in blocks (b) over all processes.
columns = tridap.distribution((4, 6), "*,b")

# Your memory, and the whole array over it.
mine = np.ones(columns.local_shape(comm.rank))
x = tridap.array(mine, columns)
x *= 2
total = x.sum()  # collective: the same on every process

# A new array, whose axis 0 is in blocks.
rows = x.redistribute("b,*")
if comm.rank == 0:
    print(f"mine[0, 0] is {mine[0, 0]}, and the sum of all elements is {total}")
    print(f"elements here: {mine.shape} before, {rows.local.shape} after")
