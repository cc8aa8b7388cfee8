"""Producers for tests, oracles that deal by hand and ask nothing of tridap, and what all processes have in common."""

import itertools
import os
import subprocess

import numpy as np
import pytest
import tridap


class Producer:
    """An object with `__distarray__`, of nobody's library."""

    def __init__(self, buffer, dim_data, version="0.10.0", **extras):
        self.said = {"__version__": version, "buffer": buffer, "dim_data": dim_data, **extras}

    def __distarray__(self):
        return dict(self.said)


def address(memory):
    """Where memory begins."""
    return np.asarray(memory).__array_interface__["data"][0]


def block(size, processes=1, rank=0, /, **more):
    """An axis in shares of ceil(size / processes)."""
    length = -(-size // processes)
    return {"dist_type": "b", "size": size, "proc_grid_size": processes, "proc_grid_rank": rank,
            "start": min(rank * length, size), "stop": min((rank + 1) * length, size), **more}


def cyclic(size, processes=1, rank=0, /, block_size=1, **more):
    return {"dist_type": "c", "size": size, "proc_grid_size": processes, "proc_grid_rank": rank,
            "start": rank * block_size, "block_size": block_size, **more}


def listed(size, indices, processes=1, rank=0, /, **more):
    return {"dist_type": "u", "size": size, "proc_grid_size": processes, "proc_grid_rank": rank, "indices": indices,
            **more}


def dict_of(buffer, *dim_data, version="0.10.0"):
    return {"__version__": version, "buffer": buffer, "dim_data": dim_data}


def whole(*shape, dtype=float):
    """A right array over one process, block axes, and its buffer."""
    buffer = np.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)
    return dict_of(buffer, *(block(n) for n in shape))


def gives(**methods):
    """An object of a class with such methods."""
    return type("Gives", (), {name: staticmethod(method) for name, method in methods.items()})()


def tensor_of(capsule):
    """A producer of one tensor of the host by DLPack."""
    return gives(__dlpack__=lambda *_, **__: capsule, __dlpack_device__=lambda: (1, 0))


def line_of(comm, size=11):
    """A right array of one axis over all processes, whose elements are their global indices."""
    said = block(size, comm.size, comm.rank)
    return dict_of(np.arange(said["start"], said["stop"], dtype=float), said)


def deal_blocks(size, processes):
    """The global indices of each process, dealt like cards in shares of ceil(size / processes)."""
    hands = [[] for _ in range(processes)]
    hand = 0
    for card in range(size):
        if len(hands[hand]) == -(-size // processes):
            hand += 1
        hands[hand].append(card)
    return hands


def deal_cyclic(size, processes, block_size=1, first=0):
    """The same for blocks dealt round the table."""
    hands = [[] for _ in range(processes)]
    for number, begin in enumerate(range(0, size, block_size)):
        hands[(first + number) % processes].extend(range(begin, min(begin + block_size, size)))
    return hands


def places(grid):
    """The coordinates of each process, the last axis running fastest."""
    return list(itertools.product(*(range(n) for n in grid)))


def pairs(processes):
    """Every grid of two axes over so many processes."""
    return [(n, processes // n) for n in range(1, processes + 1) if processes % n == 0]


def shared(comm, value):
    """Whether all processes have the same value."""
    return len(set(comm.allgather(value))) == 1


def everywhere(comm, fact):
    """Whether a fact holds on every process, so that no process waits for one whose test has failed."""
    return all(comm.allgather(bool(fact)))


def refused_by_all(comm, calls, kinds=tridap.ProtocolError):
    """Each call raises an error with its words, a pattern, and the same text on every process; by words, the calls."""
    for words, call in calls.items():
        with pytest.raises(kinds, match=words) as raised:
            call()
        assert shared(comm, str(raised.value))


def outside(**more):
    """The environment of a program that is no process of this job."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("OMPI_", "PMIX_", "PMI_", "SLURM")) or name.startswith(("OMPI_ALLOW", "OMPI_MCA_rmaps"))}
    # Open MPI 5 and later does not give its processes what allows more of them than cores.
    oversubscribe = {f"PRTE_MCA_{name}": ":oversubscribe" for name in ("rmaps_default_mapping_policy", "mapby")}
    return {**kept, **oversubscribe, **more}


def ran(comm, *command, **environment):
    """The status and the output of a command that process 0 runs outside of this job, on every process."""
    said = None
    if comm.rank == 0:
        try:
            done = subprocess.run([*map(str, command)], env=outside(**environment), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            said = done.returncode, done.stdout
        except OSError as error:  # the others wait for what process 0 says
            said = -1, str(error)
    return comm.bcast(said)
