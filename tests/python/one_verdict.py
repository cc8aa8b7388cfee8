"""Tests that conftest.py must make fail: each is skipped on one of three processes. The last two must not fail."""

import pytest
from mpi4py import MPI


def test_skipped_on_rank_1_alone(comm):
    if comm.rank == 1:
        pytest.skip("this is rank 1")


@pytest.mark.skipif(MPI.COMM_WORLD.rank == 0, reason="this is rank 0")
def test_skipped_on_rank_0_before_it_begins():
    pass


def test_skipped_on_every_process():
    pytest.skip("no process runs it")


def test_the_next_test_finds_all_processes(comm):
    assert comm.allreduce(1) == comm.size
