import numpy as np
import tridap
from mpi4py import MPI

comm = MPI.COMM_WORLD
columns = tridap.distribution((4, 6), "*,b")  # 4 x 6 elements; axis 1 is in blocks, over all processes
mine = np.ones(columns.local_shape(comm.rank))  # your memory
x = tridap.array(mine, columns)  # the whole array, over your memory
x *= 2
total = x.sum()  # collective: the same on every process
rows = x.redistribute("b,*")  # a new array: axis 0 is in blocks
if comm.rank == 0:
    print(f"mine[0, 0] is {mine[0, 0]}, and the sum of all elements is {total}")
    print(f"elements here: {mine.shape} before, {rows.local.shape} after")
