"""PETSc distributes a grid and assembles Poisson's equation on it, and Trilinos solves in PETSc's own vectors.

The equation is ``-div grad u = f`` in the unit cube, and ``u`` is 0 on its faces. A DMDA of PETSc distributes the grid
points. MueLu and conjugate gradients of Trilinos solve the system; GAMG, PETSc's own multigrid, solves it again.

    ./dev example python/05_petsc -n 4
    mpiexec -n 4 python3 05_petsc.py [--points N]

Exits with 1 if a claim does not hold. Prints:

    grid       24 x 24 x 24 points, block x block x undistributed over 2 x 2 x 1 processes
    copied     746496 bytes of the matrix; the vectors: shared, 0 bytes copied, same address, 0 s
    field      0 bytes copied, addresses equal on every process
    iterations 18 in all, largest residual 7.1e-13 of the right-hand side
    solve      0.042 s in 1 solves
    GAMG       0.111 s in 12 iterations, largest difference 3.1e-14 of 1.0e-10 allowed
    answer     largest error 5.2e-14, where PETSc's grid has the known solution
"""

import support

support.need("petsc4py", debian="python3-petsc4py")

import time

import numpy as np
import tridap
import tridap.petsc
from mpi4py import MPI
from petsc4py import PETSc

options = support.read_options(__doc__, points=(24, "along each side of the cube"))
comm, n = MPI.COMM_WORLD, options.points

# 1. PETSc distributes the grid and assembles the matrix, times the square of the spacing.
grid = PETSc.DMDA().create([n, n, n], stencil_width=1, stencil_type=PETSc.DMDA.StencilType.STAR, comm=comm)
A, b, x = grid.createMatrix(), grid.createGlobalVec(), grid.createGlobalVec()
row, neighbour = PETSc.Mat.Stencil(), PETSc.Mat.Stencil()
ranges = [range(*bounds) for bounds in grid.getRanges()]
for k in ranges[2]:
    for j in ranges[1]:
        for i in ranges[0]:
            row.index = (i, j, k)
            A.setValueStencil(row, row, 6.0)
            for axis in range(3):
                for step in (-1, 1):
                    there = [i, j, k]
                    there[axis] += step
                    if 0 <= there[axis] < n:
                        neighbour.index = tuple(there)
                        A.setValueStencil(row, neighbour, -1.0)
A.assemble()

# 2. The known solution, with the grid's axes (z, y, x), and the vectors of the system in PETSc's memory.
known = grid.createGlobalVec()
with_axes = tridap.petsc.export_array(known, grid)
wave = [np.sin(np.pi * (np.arange(n) + 1) / (n + 1)) * (1 + np.arange(n) / n) for _ in range(3)]
exact = tridap.from_function(with_axes.distribution, lambda k, j, i: wave[0][k] * wave[1][j] * wave[2][i], comm=comm)
with_axes.local[...] = exact.local
support.say("grid", f"{n} x {n} x {n} points, {with_axes.distribution.describe()}")
del with_axes  # so that PETSc may use the vector
A.mult(known, b)
right, left = tridap.petsc.export_array(b, grid), tridap.petsc.export_array(x, grid)

# 3. Trilinos solves. The matrix is copied, because PETSc and Tpetra keep it in different ways. The vectors are not.
matrix = tridap.petsc.export_matrix(A, left)
copied = comm.allreduce(matrix.receipt.bytes_copied)
support.say("copied", f"{copied} bytes of the matrix; the vectors: {right.receipt}")
made = tridap.solve(matrix, right, left, preconditioner="muelu", tol=1e-12)
support.require(right.receipt.bytes_copied == left.receipt.bytes_copied == 0, "a vector of PETSc was copied")
support.tell_copies([made], [(left.local, made.x.local)])
support.tell_solves([made], 1e-12)

# 4. PETSc's own multigrid solves the same system.
theirs = grid.createGlobalVec()
solver = PETSc.KSP().create(comm)
solver.setOperators(A)
solver.setType("cg")
solver.getPC().setType("gamg")
solver.setTolerances(rtol=1e-13, max_it=200)
begin = time.perf_counter()
solver.solve(b, theirs)
seconds = time.perf_counter() - begin
apart = comm.allreduce(np.abs(theirs.array - left.local.ravel()).max(initial=0), MPI.MAX) / comm.allreduce(
    np.abs(theirs.array).max(initial=0), MPI.MAX)
steps = solver.getIterationNumber()
support.say("GAMG", f"{seconds:.3f} s in {steps} iterations, largest difference {apart:.1e} of 1.0e-10 allowed")
support.require(apart <= 1e-10, "PETSc's multigrid has another solution")

# 5. PETSc has the solution, because it is in PETSc's memory.
del left, made
solution = tridap.petsc.export_array(x, grid)
error = comm.allreduce(np.abs(solution.local - exact.local).max(initial=0), MPI.MAX)
support.say("answer", f"largest error {error:.1e}, where PETSc's grid has the known solution")
support.require(error <= 1e-9, "PETSc does not have the known solution")
