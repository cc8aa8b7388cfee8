"""A script of objects that are alive at the end, in the way that its argument names; it prints nothing."""

import atexit
import sys
import threading
import time

how = sys.argv[1]
if how == "mpi4py first":
    from mpi4py import MPI
    import tridap
elif how in ("initialized later", "never initialized"):
    import mpi4py
    mpi4py.rc.initialize = False
    import tridap
    from mpi4py import MPI
    assert tridap.distribution((3,)).processes == 1
    try:
        tridap.Matrix(None, tridap.distribution((3,)))
    except RuntimeError as error:
        assert "MPI is not initialized" in str(error)
        remedy = str(error).split(": call ")[1].split(" first")[0]
    else:
        raise AssertionError("MPI was used before it was initialized")
    if how == "never initialized":
        tridap.zeros(tridap.distribution((3,)))
        sys.exit()
    assert remedy == "mpi4py.MPI.Init()"
    eval(remedy)
else:
    import tridap
    from mpi4py import MPI

import numpy as np
import scipy.sparse as sp

N = 12


def everything(comm=MPI.COMM_WORLD):
    dist = tridap.distribution((N,), ("b",), processes=comm.size)
    rows = sp.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(N, N)).tocsr()[dist.indices(comm.rank)[0]]
    A = tridap.Matrix(rows, dist, comm)
    b = tridap.from_function(dist, lambda i: 1.0 + i, comm=comm)
    kept = []
    operator = tridap.LinearOperator(lambda x, y: (np.copyto(y, 2 * x), kept.append(x)), dist, comm)
    results = [tridap.solve(A, b, preconditioner=name) for name in ("muelu", "ifpack2")]
    results += [tridap.solve(A, b, method="direct"), tridap.solve(operator, b)]
    another = tridap.Matrix(rows, dist, comm)
    results.append(tridap.solve(another, b, preconditioner="muelu"))
    assert all(result.converged for result in results)
    plan = tridap.Redistribution(b, tridap.distribution((N,), ("c",), processes=comm.size), comm=comm)
    moved = plan(b)
    return A, another, b, operator, results, dist, plan, moved, plan.start(b)


class Cycle:
    def __init__(self):
        self.me, self.held = self, everything()


class Dying:
    def __init__(self):
        self.held = everything()

    def __del__(self):
        self.held[2].local[...] += 1
        self.held = None


if how == "functions":
    everything()
elif how == "atexit":
    atexit.register(lambda held: held[2].local.sum(), everything())
elif how == "a solve at exit":
    atexit.register(everything)
elif how == "cycle":
    Cycle()
elif how == "cycle in a global":
    held = Cycle()
elif how == "finalizer":
    held = Dying()
elif how == "module":
    sys.held = everything()
elif how == "thread":
    thread = threading.Thread(target=lambda: setattr(sys, "held", everything()))
    thread.start()
    thread.join()
elif how == "threads":
    local = threading.local()
    for _ in range(3):
        thread = threading.Thread(target=lambda: setattr(local, "held", everything(MPI.COMM_SELF)))
        thread.start()
    sys.exit()
elif how == "let go of in a thread":
    held = [everything()]
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
elif how == "sleeping daemon":
    began = threading.Event()

    def sleep(iteration, residual):
        began.set()
        threading.Event().wait()

    held = everything(MPI.COMM_SELF)
    threading.Thread(target=lambda: tridap.solve(held[0], held[2], callback=sleep), daemon=True).start()
    began.wait()
elif how == "woken daemon":  # it needs Python again while the interpreter ends
    began, ends = threading.Event(), threading.Event()

    class Last:
        def __del__(self, wake=ends.set, sleep=time.sleep):
            wake()
            sleep(0.5)

    class Given:
        def __distarray__(self):
            began.set()
            ends.wait()

    sys.last_to_go = Last()
    threading.Thread(target=lambda: tridap.asarray(Given(), comm=MPI.COMM_SELF), daemon=True).start()
    began.wait()
elif how == "busy daemon":
    began = threading.Event()

    def work():
        while True:
            tridap.solve(held[0], held[2], callback=lambda iteration, residual: None)
            began.set()

    held = everything(MPI.COMM_SELF)
    threading.Thread(target=work, daemon=True).start()
    began.wait()
elif how == "finalize":
    held = everything()
    MPI.Finalize()
elif how == "finalize, then let go":
    held = everything()
    MPI.Finalize()
    del held
    assert tridap.distribution((3,)).processes == 1
elif how == "finalize, then use":
    held = everything()
    MPI.Finalize()
    assert held[0].distribution == held[5]
    for use in (lambda: tridap.solve(held[0], held[2]), lambda: held[0] @ held[2], lambda: held[3] @ held[2],
                lambda: tridap.asarray(held[2], MPI.COMM_SELF)):
        try:
            use()
        except RuntimeError as error:
            assert "MPI is finalized" in str(error)
        else:
            raise AssertionError("MPI was used after its end")
elif how == "communicators":
    comm = MPI.COMM_WORLD.Split(MPI.COMM_WORLD.rank % 2, -MPI.COMM_WORLD.rank)
    held = everything(comm)
    comm.Free()
elif how == "uncaught":
    held = everything()
    raise KeyError("uncaught")
elif how == "exit 3":
    held = everything()
    sys.exit(3)
else:
    held = everything()
