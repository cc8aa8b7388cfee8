"""All processes raise an Error, and none catches it: one process prints it, and then sends a message that ends the others.

    python3 uncaught.py MPIEXEC PROCESSES    runs a job whose processes raise the same Error

The other processes wait for this message as long as the job lasts. They then tell rank 0, which does not end before, and only its
end ends the job. So without the message the job waits until mpiexec ends it.
"""

import atexit
import os
import subprocess
import sys

if len(sys.argv) == 1:  # a process of the job
    import tridap
    from mpi4py import MPI

    tridap._errors._LONGEST = float("inf")
    comm = MPI.COMM_WORLD.Dup()

    def end():
        if comm.rank > 0:
            comm.send(None, 0)
            comm.recv(source=0)  # nothing is sent: rank 0 ends the job
        else:
            print("ended:", len([comm.recv(source=rank) for rank in range(1, comm.size)]), flush=True)

    atexit.register(end)
    x = tridap.zeros(tridap.distribution(6, processes=comm.size))
    x.norm("nonsense")
    sys.exit("it was not raised")

mpiexec, processes = sys.argv[1:]
done = subprocess.run([mpiexec, "-n", processes, sys.executable, "-m", "mpi4py", __file__], capture_output=True, text=True,
                      env={**os.environ, "MPIEXEC_TIMEOUT": "60"})
assert done.stderr.count("run_module_as_main") == 1, done.stderr
assert done.stderr.count("ProtocolError: ") == 1, done.stderr
assert done.stdout == f"ended: {int(processes) - 1}\n", done.stdout
assert done.returncode != 0
