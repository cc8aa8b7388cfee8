"""dolfinx distributes a mesh and assembles Poisson's equation on it, and Trilinos solves in dolfinx's own vectors.

The equation is ``-div grad u = f`` on the unit square, ``u`` is given on the boundary, and the solution is known.
dolfinx (of FEniCS) assembles a matrix of PETSc and its own vectors. MueLu and conjugate gradients of Trilinos solve the
system; MUMPS, a direct solver that PETSc calls, solves it again.

    ./dev example python/06_dolfinx -n 4
    mpiexec -n 4 python3 06_dolfinx.py [--cells N]

dolfinx compiles each equation once, and keeps it in the folder that the variable XDG_CACHE_HOME names. Exits with 1 if
a claim does not hold. Prints:

    mesh       10000 triangles, 5101 unknowns, irregular block over 4 processes
    copied     444032 bytes of the matrix; the vectors: shared, 0 bytes copied, same address, 0 s
    field      0 bytes copied, addresses equal on every process
    iterations 19 in all, largest residual 9.1e-13 of the right-hand side
    solve      0.028 s in 1 solves
    direct     0.101 s by MUMPS, largest difference 1.4e-12 of 1.0e-10 allowed
    answer     error in L2 1.3e-04, as computed by dolfinx in the same memory
"""

import support

support.need("dolfinx", "petsc4py", debian="python3-dolfinx")

import numpy as np
import tridap
import ufl
from dolfinx import fem, la, mesh
from mpi4py import MPI
from ufl import dx, grad, inner

options = support.read_options(__doc__, cells=(50, "along a side, each of four triangles"))
comm = MPI.COMM_WORLD

# 1. dolfinx distributes the mesh and assembles the equation.
square = mesh.create_unit_square(comm, options.cells, options.cells, diagonal=mesh.DiagonalType.crossed)
V = fem.FunctionSpace(square, ("CG", 1))
exact = fem.Function(V)
exact.interpolate(lambda at: np.sin(2 * at[0]) * np.exp(at[1]))
square.topology.create_connectivity(1, 2)
edge = fem.locate_dofs_topological(V, 1, mesh.exterior_facet_indices(square.topology))
fixed = fem.dirichletbc(exact, edge)
u, v, at = ufl.TrialFunction(V), ufl.TestFunction(V), ufl.SpatialCoordinate(square)
solution = ufl.sin(2 * at[0]) * ufl.exp(at[1])
a, L = fem.form(inner(grad(u), grad(v)) * dx), fem.form(inner(3 * solution, v) * dx)  # -div grad of the solution
A = fem.petsc.assemble_matrix(a, bcs=[fixed])
A.assemble()
b = fem.assemble_vector(L)
fem.apply_lifting(b.array, [a], bcs=[[fixed]])
b.scatter_reverse(la.ScatterMode.add)
fem.set_bc(b.array, [fixed])

# 2. dolfinx numbers the unknowns of one process after those of the one before: one axis in blocks. Behind its own
#    elements a process has copies of others' (ghosts), which are left out here. The arrays are over dolfinx's memory.
owned, found = V.dofmap.index_map, fem.Function(V)
starts = comm.allgather(owned.local_range[0])
layout = tridap.distribution(owned.size_global, [tridap.block(starts=starts)])
right, left = (tridap.array(vector.array[:owned.size_local], layout) for vector in (b, found.x))
triangles = square.topology.index_map(2).size_global
support.say("mesh", f"{triangles} triangles, {owned.size_global} unknowns, {layout.describe()}")

# 3. Trilinos solves. The matrix is copied, because PETSc and Tpetra keep it in different ways. The vectors are not.
rows = tridap.Matrix(A, layout)
copied = comm.allreduce(sum(part.nbytes for part in A.getValuesCSR()))
support.say("copied", f"{copied} bytes of the matrix; the vectors: {right.receipt}")
made = tridap.solve(rows, right, left, preconditioner="muelu", tol=1e-12)
support.require(right.receipt.bytes_copied == left.receipt.bytes_copied == 0, "a vector of dolfinx was copied")
support.tell_copies([made], [(b.array[:owned.size_local], right.local), (found.x.array[:owned.size_local], made.x.local)])
support.tell_solves([made], 1e-12)
found.x.scatter_forward()  # dolfinx's own update of its ghosts

# 4. MUMPS solves the same system.
theirs, seconds = support.solved_by_mumps(A, right.local)
largest, apart = (comm.allreduce(np.abs(values).max(initial=0), MPI.MAX) for values in (theirs, theirs - left.local))
apart /= largest
support.say("direct", f"{seconds:.3f} s by MUMPS, largest difference {apart:.1e} of 1.0e-10 allowed")
support.require(apart <= 1e-10, "MUMPS has another solution")

# 5. dolfinx has the solution, because it is in dolfinx's memory.
error = np.sqrt(comm.allreduce(fem.assemble_scalar(fem.form((found - solution) ** 2 * dx))))
support.say("answer", f"error in L2 {error:.1e}, as computed by dolfinx in the same memory")
support.require(error <= 2 / options.cells**2, "dolfinx has another solution")
