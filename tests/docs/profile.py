"""The program of docs/howto/profile.md.

    KOKKOS_PROFILE_LIBRARY=libregions_tool.so mpiexec -n 2 python3 profile.py
"""

import numpy as np
import scipy.sparse
import tridap
from mpi4py import MPI

comm = MPI.COMM_WORLD
n = 400
line = tridap.distribution(n)
(mine,) = line.indices(comm.rank)
rows = scipy.sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(n, n), format="csr")[mine]
A = tridap.Matrix(rows, line)  # initialises Kokkos
b = tridap.array(np.ones(mine.size), line)

tridap.trace()
result = tridap.solve(A, b, preconditioner="muelu")
whole = result.x.gather()
tridap.trace(False)
result.x.gather()  # is no region
