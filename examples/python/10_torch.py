"""A network of PyTorch predicts a field on sharded points, and a solve with MueLu corrects it in the same memory.

The field is the solution of Poisson's equation on a square. The network learns its values at points that are sharded over
the processes (on CPUs, with gloo). Its prediction is a DTensor and the first guess for Trilinos, which solves in the
DTensor's memory. PyTorch then reads the solution in its own tensor.

    ./dev example python/10_torch -n 4
    mpiexec -n 4 python3 10_torch.py [--size N] [--steps N]

Needs PyTorch 2.5 or later. Exits with 1 if a claim does not hold. Prints:

    points     64 x 64, block over 4 processes
    network    100 steps, mean square error 6.0e-04
    predicted  residual 3.1e-01 of the right-hand side, largest error 5.4e-02
    field      0 bytes copied, addresses equal on every process
    iterations 15 in all, largest residual 3.7e-11 of the right-hand side
    solve      0.020 s in 1 solves
    corrected  largest error 3.2e-13 in the tensor of PyTorch
"""

import os

import support

support.need("torch", debian="python3-torch")

import numpy as np
import scipy.sparse
import torch
import tridap
from mpi4py import MPI
from tridap import torch as tt

options = support.read_options(__doc__, size=(64, "points along a side"), steps=(100, "of the training"))
comm, n = MPI.COMM_WORLD, options.size
try:
    from torch.distributed.tensor import Shard, distribute_module, distribute_tensor, init_device_mesh
except ImportError:
    support.fail(f"this example needs PyTorch 2.5 or later, but torch is {torch.__version__}")
# 1. The points and the values there are sharded over the processes. The weights of the network are on each process.
os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="29513", USE_LIBUV="0")
torch.distributed.init_process_group("gloo", rank=comm.rank, world_size=comm.size)
mesh = init_device_mesh("cpu", (comm.size,))
torch.set_default_dtype(torch.float64)
torch.manual_seed(1)
line = np.linspace(0, 1, n + 2)[1:-1]
known = np.outer(np.sin(np.pi * line), np.sin(np.pi * line)).ravel()
places = np.stack(np.meshgrid(line, line, indexing="ij"), -1).reshape(-1, 2)
bubble = 16 * np.prod(places * (1 - places), axis=1, keepdims=True)  # 0 at the boundary, as the field
points, values, bubble = (distribute_tensor(torch.from_numpy(a), mesh, [Shard(0)]) for a in (places, known[:, None], bubble))
network = distribute_module(torch.nn.Sequential(torch.nn.Linear(2, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)), mesh)

# 2. The network learns, and predicts the field.
trainer = torch.optim.Adam(network.parameters(), lr=0.02)
for _ in range(options.steps):
    trainer.zero_grad()
    loss = ((network(points) * bubble - values) ** 2).sum() / n**2
    loss.backward()
    trainer.step()
field = (network(points) * bubble).detach().squeeze(1)  # a DTensor

# 3. The memory of the DTensor is that of an array, in which MueLu and conjugate gradients solve.
x = tt.export_array(field)
support.say("points", f"{n} x {n}, {x.distribution.describe()}")
support.say("network", f"{options.steps} steps, mean square error {loss.full_tensor().item():.1e}")
(mine,) = x.distribution.indices(x.process)
side = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
A = tridap.Matrix(scipy.sparse.kronsum(side, side, format="csr")[mine], x)
exact = tridap.array(known[mine], x.distribution, x.comm)
b = A @ exact
far = (b - A @ x).norm() / b.norm()
support.say("predicted", f"residual {far:.1e} of the right-hand side, largest error {abs(x - exact).max():.1e}")
result = tridap.solve(A, b, x, preconditioner="muelu", tol=1e-10)
support.tell_copies([result], [(x.local, result.x.local), (x.local, field.to_local().numpy())])
support.tell_solves([result], 1e-10)
error = (field - values.squeeze(1)).abs().max().full_tensor().item()
support.say("corrected", f"largest error {error:.1e} in the tensor of PyTorch")
support.require(error <= 1e-8 < far < 1, "the tensor of PyTorch does not have the solution")
torch.distributed.destroy_process_group()
