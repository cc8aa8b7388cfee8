"""A dense matrix in rows: ScaLAPACK solves a system and finds its eigenvalues, and Trilinos solves it too.

Each process makes its rows of a matrix in NumPy: that of Love's integral equation for the charge on the plates of a
condenser. ScaLAPACK solves the system where the matrix is, and once more in square blocks. Conjugate gradients find the
same solution from the matrix's rows.

    ./dev example python/09_dense -n 4
    mpiexec -n 4 python3 09_dense.py [--points 300]

Exits with status 1 if a residual is over 1e-13, if NumPy on one process has another solution or other eigenvalues, if
Trilinos has another solution, or if the error of a wrong call differs between processes.

Prints:

    rows       722400 bytes copied or moved, 0.020 s, residual 4.7e-15
    squares    724800 bytes copied or moved, 0.757 s, residual 4.7e-15
    eigh       eigenvalues from 0.546426 to 1.000000, 0.199 s
    Trilinos   cg in 5 iterations, 7.1e-16 from ScaLAPACK's solution
    error      the pivot in row 0 (counted from 0) is exactly 0
"""

import numpy as np
import scipy.sparse
import support
import tridap
from mpi4py import MPI
from tridap import scalapack

options = support.read_options(__doc__, points=(300, "unknowns"))
comm = MPI.COMM_WORLD
n = options.points
h = 2 / n


def love(i, j):
    return (i == j) - h / np.pi / (1 + ((i - j) * h) ** 2)


# 1. The matrix in rows, and the right-hand side.
A = tridap.from_function(tridap.distribution((n, n), "b,*"), love)
b = tridap.from_function(tridap.distribution(n, "b"), lambda i: np.ones(i.shape))

# 2. ScaLAPACK solves it in rows and in squares. The matrix is symmetric, so that it has real eigenvalues.
whole = love(*np.ogrid[:n, :n])
exact = np.linalg.solve(whole, np.ones(n))
for how, copy in (("rows", None), ("squares", True)):
    x = scalapack.solve(A, b, copy=copy)
    found = x.allgather()
    residual = abs(whole @ found - 1).max()
    copied = comm.allreduce(x.receipt.bytes_copied)
    support.say(how, f"{copied} bytes copied or moved, {x.receipt.seconds:.3f} s, residual {residual:.1e}")
    support.require(residual <= 1e-13 and np.allclose(found, exact, rtol=1e-12), "the solution is not NumPy's")
w, v = scalapack.eigh(A)
support.say("eigh", f"eigenvalues from {w[0]:.6f} to {w[-1]:.6f}, {v.receipt.seconds:.3f} s")
support.require(np.allclose(w, np.linalg.eigvalsh(whole), rtol=1e-12), "the eigenvalues are not NumPy's")

# 3. Trilinos solves the same system from the same rows.
cg = tridap.solve(tridap.Matrix(scipy.sparse.csr_matrix(A.local), b.distribution), b, tol=1e-14)
apart = (cg.x - x).norm() / x.norm()
support.say("Trilinos", f"cg in {cg.iterations} iterations, {apart:.1e} from ScaLAPACK's solution")
support.require(apart <= 1e-10, "Trilinos has another solution")

# 4. A singular matrix is an error on every process.
words = support.refused(scalapack.solve, tridap.zeros(A.distribution), b)
support.say("error", words.split(": ")[1].split(",")[0])
