"""A linear system is solved without a matrix: a NumPy function computes the product, with padding.

Conjugate gradients solve one implicit step of diffusion of a bump on a square. The function copies the solver's vector
to a padded array, fills the padding by `update_padding`, and sums the fluxes through all faces.

    ./dev example python/03_matrix_free -n 4
    mpiexec -n 4 python3 03_matrix_free.py [--size N] [--diffusion CELLS2]

Exits with 1 if a claim does not hold, or the same system with a matrix has another solution. Prints:

    square     200 x 200 points, block x block over 2 x 2 processes
    field      0 bytes copied, addresses equal on every process
    iterations 169 in all, largest residual 9.3e-09 of the right-hand side
    solve      0.056 s in 1 solves
    products   171 of the function
    refused    'preconditioner' is 'muelu', but a LinearOperator has no matrix [conversion]: pass a Matrix
    memory     652864 bytes of work arrays; the matrix takes 2550416
    matrix     169 iterations, largest difference 2.3e-11 of 1.8e-07 allowed
"""

import numpy as np
import support
import tridap
from mpi4py import MPI

options = support.read_options(__doc__, size=(200, "points along a side"),
                               diffusion=(50.0, "of the time step, in cells squared"))
comm = MPI.COMM_WORLD
shape, k = (options.size, options.size), options.diffusion

# 1. The solver's vectors have the distribution `layout`. `u` and `total` have the same blocks with padding.
layout = tridap.distribution(shape, ("b", "b"), processes=comm.size)
halo = tridap.block(padding=1)
u, total = (tridap.zeros(tridap.distribution(shape, (halo, halo), processes=comm.size)) for _ in range(2))


# 2. product = x - k Laplace x. There is no flux through the square's edges.
products = 0


def matvec(x, product):
    global products
    products += 1
    u.owned[...] = x
    u.update_padding()
    total.local[...] = u.local
    down, across = k * np.diff(u.local, axis=0), k * np.diff(u.local, axis=1)  # through all faces between local elements
    total.local[1:] += down
    total.local[:-1] -= down
    total.local[:, 1:] += across
    total.local[:, :-1] -= across
    product[...] = total.owned


# 3. Conjugate gradients, in the memory of b and x.
b = tridap.from_function(layout, lambda i, j: np.exp(-((i - shape[0] / 3) ** 2 + (j - shape[1] / 3) ** 2) / 50))
x = tridap.zeros(layout)
operator = tridap.LinearOperator(matvec, layout)
free = tridap.solve(operator, b, x, tol=1e-8)
support.say("square", f"{shape[0]} x {shape[1]} points, {layout.describe()}")
support.tell_copies([free], [(x.local, free.x.local)])
support.tell_solves([free], 1e-8)
support.say("products", f"{products} of the function")

# 4. A preconditioner needs a matrix, so it is an error here. The function's only memory is the two work arrays.
words = support.refused(lambda: tridap.solve(operator, b, preconditioner="muelu"))
support.say("refused", words.splitlines()[0])
rows = support.five_point_rows(*layout.indices(comm.rank), shape, k, k)
kept, matrix = (comm.allreduce(sum(array.nbytes for array in arrays))
                for arrays in ((u.local, total.local), (rows.data, rows.indices, rows.indptr)))
support.say("memory", f"{kept} bytes of work arrays; the matrix takes {matrix}")

# 5. The same system with the matrix. No eigenvalue is below 1, so an error is at most the residual.
made = tridap.solve(tridap.Matrix(rows, layout), b, tol=1e-8)
apart = comm.allreduce(np.abs(made.x.local - x.local).max(initial=0), MPI.MAX)
allowed = 2e-8 * np.sqrt(comm.allreduce((b.local**2).sum()))
support.say("matrix", f"{made.iterations} iterations, largest difference {apart:.1e} of {allowed:.1e} allowed")
support.require(apart <= allowed, "the matrix gives another solution")
